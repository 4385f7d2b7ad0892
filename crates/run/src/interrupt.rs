//! Ctrl-C ends games instead of the process, and a kill leaves no engine behind.
//!
//! For a kill there is a second process, the guard: it reads from a pipe that this process holds
//! and never writes to. However this process ends, the system closes the pipe, and the guard kills
//! the remaining engines. Otherwise those that ignore the end of their input would run on. On Linux
//! it can find them; on other systems no guard starts.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use kiki_driver::CancellationSource;
use kiki_platform::on_interruption;

use crate::files::shell_word;
use crate::output::print_warning;
use crate::say;

/// The exit status of an interrupted process; shells give it to a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// The exit status of work that may have been interrupted.
pub fn exit_code(interrupted: bool) -> ExitCode {
    if interrupted { INTERRUPTED.into() } else { ExitCode::SUCCESS }
}

/// The line that tells how to resume an interrupted run. `options` are those that its folder does
/// not keep.
pub fn how_to_resume(run: &Path, options: &str) -> String {
    let command = format!("interrupted; go on with: kiki-lab resume {} {options}", shell_word(run));
    command.trim_end().to_owned()
}

/// Prints how an interrupted run without such options goes on.
pub fn tell_to_resume(run: &Path) {
    say!("{}", how_to_resume(run, ""));
}

/// A flag that Ctrl-C sets, for work in this process. There may be only one in a process.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    on_interruption(move || stopped.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Cancels all games at Ctrl-C. There may be only one in a process.
pub struct Interrupt {
    /// Ends waits for engines.
    pub cancellation: CancellationSource,
    /// For a kill, which no handler sees.
    _guard: EngineGuard,
}

impl Interrupt {
    /// From now on Ctrl-C cancels games instead of ending the process.
    pub fn listen() -> Result<Self> {
        let cancellation = CancellationSource::new();
        let cancelled = cancellation.clone();
        on_interruption(move || cancelled.cancel())?;
        Ok(Self { cancellation, _guard: EngineGuard::start() })
    }

    /// The result of the checks before the first game; `None` if an interruption ended them, as
    /// their errors then do not count.
    pub fn unless_cancelled<T>(&self, checked: Result<T>) -> Result<Option<T>> {
        if self.cancellation.token().is_cancelled() { Ok(None) } else { checked.map(Some) }
    }
}

/// The hidden subcommand that makes a process a guard.
pub const SUBCOMMAND: &str = "guard-engines";

/// A running guard. Dropping it ends it.
pub struct EngineGuard(Option<Child>);

impl EngineGuard {
    /// Starts a guard for all engines of this process. Without one only a kill leaves engines
    /// behind, so a failure is just a warning.
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
    // Ctrl-C does not reach another process group.
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
