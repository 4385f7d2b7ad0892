//! The laboratory as a command.

use std::path::Path;
use std::process::{Command, Output};

/// Its exit status, what it prints and what it says on standard error.
pub(crate) fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiki-lab"));
    let Output { status, stdout, stderr } = command.args(arguments).current_dir(folder).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// What it prints.
pub(crate) fn succeed(arguments: &[&str], folder: &Path) -> String {
    let (status, said, errors) = run(arguments, folder);
    assert_eq!(status, Some(0), "{arguments:?}: {errors}");
    said
}

/// What it says of its failure.
pub(crate) fn fail(arguments: &[&str], folder: &Path) -> String {
    let (status, _, errors) = run(arguments, folder);
    assert_ne!(status, Some(0), "{arguments:?}");
    errors
}
