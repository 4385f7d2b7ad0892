//! The laboratory as a command.

use std::path::Path;
use std::process::{Command, Output};

fn output_of(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab")).args(arguments).current_dir(folder).output().unwrap()
}

/// Its exit status, what it prints and what it says on standard error.
#[allow(dead_code, reason = "not every test program needs all three")]
pub(crate) fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = output_of(arguments, folder);
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// What it prints.
pub(crate) fn succeed(arguments: &[&str], folder: &Path) -> String {
    let output = output_of(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says of its failure.
pub(crate) fn fail(arguments: &[&str], folder: &Path) -> String {
    let output = output_of(arguments, folder);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}
