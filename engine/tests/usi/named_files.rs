//! Options that name something which is no file of theirs: one line that says so, at once, and the engine plays on.

#![cfg(unix)]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::conversation::Conversation;

/// A folder with everything that a name may stand for and that is no file to read.
fn no_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo starts").success());
    fs::create_dir(at("folder")).expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", at("device")).expect("a link");
    File::create(at("hole")).and_then(|file| file.set_len(1 << 42)).expect("a file");
    File::create(at("empty")).expect("a file");
    folder
}

/// What is said when these options are set, until the engine is ready; then it has to play.
fn said_with(options: &[(&str, &str)]) -> Vec<String> {
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name USI_Hash value 8");
    for (name, value) in options {
        engine.say(&format!("setoption name {name} value {value}"));
    }
    let mut said = engine.meanwhile();
    engine.say("position startpos");
    engine.say("go nodes 100");
    said.extend(engine.until("bestmove "));
    engine.leaves();
    said
}

#[test]
fn what_is_no_file_is_told_in_one_line_and_not_waited_for() {
    let folder = no_files();
    let place = folder.path().display().to_string();
    for (name, problem) in [
        ("pipe", "it is a pipe, not a file"),
        ("folder", "it is a folder, not a file"),
        ("device", "it is a device, not a file"),
        ("hole", "its 4398046511104 bytes are too many"),
        ("empty", "cannot be used"),
    ] {
        let path = folder.path().join(name).display().to_string();
        for options in [
            &[("EvalDir", &*place), ("EvalFile", name)][..],
            &[("SigmaFile", &*path)],
            &[("BookDir", &*place), ("BookFile", name), ("USI_OwnBook", "true")],
        ] {
            if name == "empty" && options.len() == 3 {
                // A book without a position.
                continue;
            }
            let said = said_with(options);
            let told: Vec<&String> = said.iter().filter(|line| line.contains(&path)).collect();
            assert!(matches!(told[..], [line] if line.contains(problem)), "{options:?}: {said:#?}");
        }
    }
}

#[test]
fn a_device_in_the_place_of_a_folder_of_networks_is_told() {
    let said = said_with(&[("EvalDir", "/dev"), ("EvalFile", "zero")]);
    assert!(said.iter().any(|line| line.contains("/dev/zero cannot be read: it is a device, not a file")), "{said:#?}");
}

#[test]
fn a_log_is_no_pipe_and_no_folder() {
    let folder = no_files();
    for (name, problem) in [("pipe", "it is a pipe, not a file"), ("folder", "it is a folder, not a file")] {
        let said = said_with(&[("DebugLogFile", &folder.path().join(name).display().to_string())]);
        assert!(said.iter().any(|line| line.ends_with(&format!("DebugLogFile: {problem}"))), "{said:#?}");
    }
    assert!(Path::new("/dev/null").exists());
    let said = said_with(&[("DebugLogFile", "/dev/null")]);
    assert!(!said.iter().any(|line| line.contains("DebugLogFile")), "{said:#?}");
}
