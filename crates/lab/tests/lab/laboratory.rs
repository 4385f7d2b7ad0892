//! Runs `kiki-lab`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) const MOCK: &str = env!("CARGO_BIN_EXE_kiki-mock");

pub(crate) fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
}

pub(crate) fn openings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/openings.sfen")
}

/// Both outputs of a command.
pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The JSON that a command printed, which has to succeed.
#[track_caller]
pub(crate) fn printed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns exit status, standard output and standard error.
pub(crate) fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = lab().args(arguments).current_dir(folder).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), as_on_linux(&stderr))
}

/// Errors as on Linux: Windows has backslashes in paths and another message for a missing file.
pub(crate) fn as_on_linux(errors: &[u8]) -> String {
    let errors = String::from_utf8(errors.to_vec()).unwrap();
    if !cfg!(windows) {
        return errors;
    }
    let line = |line: &str| match line.strip_suffix(" (os error 2)").and_then(|line| line.rsplit_once(": ")) {
        Some((what, _)) => format!("{what}: No such file or directory (os error 2)\n"),
        None => format!("{line}\n"),
    };
    errors.lines().map(line).collect::<String>().replace('\\', "/")
}

/// Runs a command that has to succeed; returns its standard output.
pub(crate) fn succeed(arguments: &[&str], folder: &Path) -> String {
    let (status, said, errors) = run(arguments, folder);
    assert_eq!(status, Some(0), "{arguments:?}: {errors}");
    said
}

/// Runs a command that has to fail; returns its error message.
pub(crate) fn fail(arguments: &[&str], folder: &Path) -> String {
    let (status, _, errors) = run(arguments, folder);
    assert_ne!(status, Some(0), "{arguments:?}");
    errors
}

/// Whether any process is alive whose number is a line of a file. A zombie has no command line.
pub(crate) fn is_alive(file: &Path) -> bool {
    let numbers = fs::read_to_string(file).unwrap();
    let line = |number: &str| fs::read(Path::new("/proc").join(number).join("cmdline")).unwrap_or_default();
    numbers.lines().any(|number| !line(number).is_empty())
}

/// Waits until a condition holds, a minute at most; `what` is the message of the failure.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends the signal of Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
}
