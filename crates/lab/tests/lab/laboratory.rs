//! The laboratory as a command.

use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab")).args(arguments).current_dir(folder).output().unwrap()
}

/// What it prints.
pub(crate) fn succeed(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says of its failure.
pub(crate) fn fail(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}
