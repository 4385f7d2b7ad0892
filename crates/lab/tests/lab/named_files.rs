//! Arguments that name something other than a file: one line reports it at once.

#![cfg(unix)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::laboratory::{lab, wait_until};

/// The output of a command that has to fail.
fn refusal(arguments: &str, folder: &Path) -> String {
    let mut lab = lab();
    let lab = lab.args(arguments.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = lab.spawn().expect("the laboratory starts");
    wait_until(&format!("{arguments}: still waiting"), || child.try_wait().expect("a child").is_some());
    let output = child.wait_with_output().expect("a child");
    assert!(!output.status.success(), "{arguments}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.csa")).status().expect("mkfifo starts").success());
    std::os::unix::fs::symlink("/dev/zero", at("device.csa")).expect("a link");
    File::create(at("hole.csa")).and_then(|file| file.set_len(1 << 42)).expect("a file");
    for (name, problem) in [
        ("pipe.csa", "it is a pipe, not a file"),
        ("device.csa", "it is a device, not a file"),
        ("hole.csa", "are too many: at most"),
    ] {
        for command in ["rate", "convert --to kif --output out", "lengths", "records stats"] {
            let said = refusal(&format!("{command} {name}"), folder.path());
            assert!(said.contains(problem) && said.contains(name), "{command} {name}: {said}");
        }
    }
    for (name, problem) in [("pipe.csa", "it is a pipe, not a file"), ("device.csa", "it is a device, not a file")] {
        // Files of any length, read piece by piece.
        for command in ["book check", "data stats"] {
            let said = refusal(&format!("{command} {name}"), folder.path());
            assert!(said.contains(problem) && said.contains(name), "{command} {name}: {said}");
        }
    }
}
