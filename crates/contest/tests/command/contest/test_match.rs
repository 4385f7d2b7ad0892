//! Matches played by the program itself between engines that misbehave.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::laboratory::wait_until;

pub(crate) const MOCK: &str = env!("CARGO_BIN_EXE_kiki-mock");

pub(crate) fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
}

/// Every test has engines of its own: a copy of the program under a name that no other process has, so that one left behind is found.
pub(crate) struct TestMatch {
    pub(crate) folder: tempfile::TempDir,
}

impl TestMatch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(MOCK, folder.path().join("mock")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An engine with this name, this behaviour and a fast limit.
    pub(crate) fn engine(&self, name: &str, behaviour: &str) -> String {
        format!("name={name} cmd='{} name={name} {behaviour}'", self.path("mock").display())
    }

    pub(crate) fn command(&self, engines: &[String], rest: &str) -> Command {
        let mut command = lab();
        command.arg("match").arg("--output").arg(self.path("out")).args(rest.split_whitespace());
        for engine in engines {
            command.arg("--engine").arg(engine);
        }
        command
    }

    /// Plays a match of two engines and returns its result.
    pub(crate) fn play(&self, engines: &[String], rest: &str) -> Value {
        let output = self.command(engines, rest).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        self.assert_nothing_runs();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn games(&self) -> Vec<Value> {
        games(&self.path("out"))
    }

    pub(crate) fn assert_nothing_runs(&self) {
        let path = self.path("mock");
        wait_until("an engine is left behind", || !is_running(&path));
    }
}

pub(crate) fn is_running(program: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let line = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    processes.flatten().any(|entry| line(entry).starts_with(program.to_str().unwrap().as_bytes()))
}

pub(crate) fn games(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub(crate) fn openings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/openings.sfen")
}
