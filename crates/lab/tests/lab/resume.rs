//! `kiki-lab resume` finds the command by the contents of a folder. The crate of each kind of run tests that it continues.

use std::fs;

use crate::laboratory::fail;

#[test]
fn what_holds_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.psv"), "").unwrap();
    for run in ["nowhere", ".", "games.psv"] {
        let error = fail(&["resume", run], folder.path());
        assert_eq!(error, format!("kiki-lab: {run} holds no run that can go on\n"));
    }
}

#[test]
fn settings_of_the_beginning_cannot_be_given_again() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["match.json", "games.jsonl"] {
        fs::write(folder.path().join(file), "").unwrap();
    }
    let error = fail(&["resume", ".", "--seed", "2"], folder.path());
    assert!(error.contains("'--resume <FOLDER>' cannot be used with '--seed <SEED>'"), "{error}");
}
