//! `kiki-lab resume` finds the kind of a run by its files. The crate of each kind tests that it
//! continues.

use crate::laboratory::Folder;

#[test]
fn what_holds_no_run_is_refused() {
    let folder = Folder::new();
    folder.write("games.psv", "");
    for run in ["nowhere", ".", "games.psv"] {
        let error = folder.fail(&format!("resume {run}"));
        assert_eq!(error, format!("kiki-lab: {run} holds no run that can go on\n"));
    }
}

/// The files of each kind but self-play, whose run is one file; options that may change, and one of
/// those that began it.
#[test]
fn settings_of_the_beginning_cannot_be_given_again() {
    let of_engines = "--concurrency 2 --ready-timeout 9";
    let in_process = "--threads 1";
    for (files, may_change, settled) in [
        (["match.json", "games.jsonl"], "--games 4 --no-csa --start-timeout 9", "--max-plies=9"),
        (["ablation.json", "nodes.jsonl"], "--games 4 --json", "--depth=3"),
        (["tuning.json", "updates.jsonl"], of_engines, "--rate=1"),
        (["analysis.json", "searches.jsonl"], "--patience 5 --concurrency 2", "--lines=3"),
        (["player.json", "searches.jsonl"], "--patience 5 --json", "--part"),
        (["calibration.json", "answers.jsonl"], of_engines, "--patience=5"),
        (["book.json", "searches.jsonl"], "--positions 9 --threads 1", "--table=9"),
        (["judging.json", "values.jsonl"], in_process, "--seed=2"),
        (["sample.json", "values.jsonl"], in_process, "--seed=2"),
        (["learn.json", "lock"], "--hours 9 --threads 1 --eager", "--show-settings"),
        (["training.json", "curve.jsonl"], in_process, "--batch=512"),
    ] {
        let folder = Folder::new();
        for file in files {
            folder.write(file, "");
        }
        let (status, _, errors) = folder.run(&format!("resume . {may_change}"));
        assert!(status == Some(1) && errors.contains(files[0]), "{files:?}: {errors}");
        let (status, _, errors) = folder.run(&format!("resume . {settled}"));
        assert!(status == Some(2) && errors.contains("unexpected argument"), "{files:?}: {errors}");
    }
}

#[test]
fn the_old_flag_names_the_command() {
    let folder = Folder::new();
    for line in ["match --resume out", "sigma sample out --resume", "train --resume=out"] {
        let (status, _, errors) = folder.run(line);
        assert!(status == Some(2) && errors.contains("`kiki-lab resume FOLDER`"), "{errors}");
    }
}
