//! A second process that ends engines when this one is killed: engines that ignore the end of their input would otherwise run on for ever.
//!
//! The guard reads from a pipe that this process holds and never writes to. However this process ends, the system closes the pipe, and
//! the guard kills what is left of the engines (on Linux, where it can find them; elsewhere none is started).

use std::io::{self, Read as _, Write as _, stderr};
use std::process::{Child, Command, Stdio};

/// The hidden subcommand that makes a process a guard.
pub(crate) const SUBCOMMAND: &str = "guard-engines";

/// A running guard. Dropping it ends it.
pub(crate) struct Guard(Option<Child>);

impl Guard {
    /// Starts a guard of all engines that this process starts. Without one everything works but the end by a kill, so a failure is only
    /// told on standard error.
    pub(crate) fn start() -> Self {
        if !cfg!(target_os = "linux") {
            return Self(None);
        }
        let child = command().and_then(|mut command| command.spawn());
        let child = child.inspect_err(|error| {
            // Nobody may be listening: `eprintln!` would panic.
            let _ = writeln!(stderr(), "kiki-lab: engines are not guarded: {error}");
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

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// What the guard does: waits for the end of its input, then kills what the process with this marker has started.
pub(crate) fn run(run_marker: &str) {
    let _ = io::stdin().lock().read_to_end(&mut Vec::new());
    kiki_driver::kill_started_by(run_marker);
}
