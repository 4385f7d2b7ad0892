//! Passes the commit of the build to `kiki` and to `kiki-lab`: `KIKI_COMMIT` at compile time, with
//! hash and date.
//!
//! Sources without a repository, such as an unpacked archive, have none.

use std::process::Command;

fn main() {
    // Not at every change of the sources.
    println!("cargo:rerun-if-env-changed=KIKI_COMMIT");
    // A repository around unpacked sources is not Kiki's.
    let prefix = git(&["rev-parse", "--show-prefix"]);
    if !matches!(prefix.as_deref(), Some("engine/" | "crates/lab/")) {
        return;
    }
    // Git appends to this log at each commit, checkout and reset.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["log", "-1", "--format=%H, %cs"]) {
        println!("cargo:rustc-env=KIKI_COMMIT={commit}");
    }
}

/// Git's output without the final newline; `None` without git or a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim_end().to_owned())
}
