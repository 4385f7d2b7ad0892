//! Runs `kiki-lab`.

use std::fmt::Debug;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use kiki_mock::processes::runs;
pub(crate) use kiki_mock::processes::wait_until;
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

/// The arguments of a command: a line, or a list where one of them is empty or has blanks.
pub(crate) trait Arguments: Debug {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Arguments for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Arguments for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
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

/// A folder of one test, gone at its end.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file, in a new folder if need be.
    pub(crate) fn write(&self, file: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn bytes(&self, file: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.join(file)).unwrap()
    }

    pub(crate) fn text(&self, file: impl AsRef<Path>) -> String {
        fs::read_to_string(self.join(file)).unwrap()
    }

    /// The JSON of a file.
    pub(crate) fn value(&self, file: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.text(file)).unwrap()
    }

    /// A command in this folder, not started yet.
    pub(crate) fn lab(&self, arguments: &(impl Arguments + ?Sized)) -> Command {
        let mut command = lab();
        command.args(arguments.words()).current_dir(&**self);
        command
    }

    /// Runs a command that has to succeed; returns its standard output.
    pub(crate) fn succeed(&self, arguments: &(impl Arguments + ?Sized)) -> String {
        succeed(arguments, self)
    }

    /// Runs a command that has to succeed; returns the JSON that it prints.
    pub(crate) fn json(&self, arguments: &(impl Arguments + ?Sized)) -> Value {
        let words = [&arguments.words()[..], &["--json"]].concat();
        serde_json::from_str(&self.succeed(&words)).unwrap()
    }

    /// Runs a command that has to fail; returns its error message.
    pub(crate) fn fail(&self, arguments: &(impl Arguments + ?Sized)) -> String {
        let (status, _, errors) = self.run(arguments);
        assert_ne!(status, Some(0), "{arguments:?}");
        errors
    }

    /// Returns exit status, standard output and standard error.
    pub(crate) fn run(&self, arguments: &(impl Arguments + ?Sized)) -> (Option<i32>, String, String) {
        run(arguments, self)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Returns exit status, standard output and standard error.
pub(crate) fn run(arguments: &(impl Arguments + ?Sized), folder: &Path) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = lab().args(arguments.words()).current_dir(folder).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), as_on_linux(&stderr))
}

pub(crate) fn succeed(arguments: &(impl Arguments + ?Sized), folder: &Path) -> String {
    let (status, said, errors) = run(arguments, folder);
    assert_eq!(status, Some(0), "{arguments:?}: {errors}");
    said
}

/// Fails if a page may load anything from elsewhere. A `url(#..)` is a part of the page itself.
#[track_caller]
pub(crate) fn assert_loads_nothing(page: &str) {
    let page = page.replace("url(#", "");
    for outside in ["://", " src=", " href=", "url(", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// Whether any process is alive whose number is a line of a file.
pub(crate) fn is_alive(file: &Path) -> bool {
    fs::read_to_string(file).unwrap().lines().any(runs)
}

/// Starts a command, interrupts it when it is time, and returns its output. It has to end soon.
#[track_caller]
pub(crate) fn interrupted(command: &mut Command, what: &str, mut is_time: impl FnMut() -> bool) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(what, || {
        assert!(child.try_wait().unwrap().is_none(), "it ends by itself");
        is_time()
    });
    interrupt(&child);
    let began = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert!(began.elapsed() < Duration::from_secs(20));
    output
}

/// Sends the signal of Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    signal(child, "INT");
}

/// Stops a process, works, and continues it: it cannot end meanwhile.
pub(crate) fn while_stopped<T>(child: &Child, work: impl FnOnce() -> T) -> T {
    signal(child, "STOP");
    let done = work();
    signal(child, "CONT");
    done
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap().success());
}
