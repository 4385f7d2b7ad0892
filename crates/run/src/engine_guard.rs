//! A second process that kills the engines when this one is killed: engines that ignore the end of their input would run on for ever.
//!
//! The guard reads from a pipe that this process holds and never writes to. However this process ends, the system closes the pipe, and
//! the guard kills the engines that are left (on Linux, where it can find them; on other systems no guard is started).

use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};

use crate::play_errors::print_warning;

/// The hidden subcommand that makes a process a guard.
pub const SUBCOMMAND: &str = "guard-engines";

/// A running guard. Dropping it ends it.
pub struct EngineGuard(Option<Child>);

impl EngineGuard {
    /// Starts a guard for all engines of this process. Without one only a kill leaves engines behind, so a failure is just a warning.
    pub fn start() -> Self {
        if !cfg!(target_os = "linux") {
            return Self(None);
        }
        let child = command().and_then(|mut command| command.spawn());
        let child = child.inspect_err(|error| {
            print_warning(&format!("engines are not guarded: {error}"));
        });
        Self(child.ok())
    }
}

fn command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(SUBCOMMAND).arg(kiki_driver::run_marker());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // In a group of its own Ctrl-C does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

impl Drop for EngineGuard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// Waits for the end of the input, then kills what the process with this marker has started.
pub fn run(run_marker: &str) {
    let _ = io::stdin().lock().read_to_end(&mut Vec::new());
    kiki_driver::kill_started_by(run_marker);
}
