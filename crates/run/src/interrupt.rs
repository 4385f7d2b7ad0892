//! Ctrl-C ends games instead of the process.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use kiki_driver::CancellationSource;

use crate::engine_guard::EngineGuard;

/// The exit status of a process that was interrupted before its work was complete; shells give it to a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// The exit status of work that may have been interrupted.
pub fn exit_code(interrupted: bool) -> ExitCode {
    if interrupted { INTERRUPTED.into() } else { ExitCode::SUCCESS }
}

/// A flag that Ctrl-C sets, for work in this process. There may be only one in a process.
///
/// # Errors
/// If the system refuses.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))?;
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
        ctrlc::set_handler(move || cancelled.cancel())?;
        Ok(Self { cancellation, _guard: EngineGuard::start() })
    }

    /// What the checks before the first game have found; `None`: an interruption ended them, and their errors do not count.
    pub fn unless_cancelled<T>(&self, checked: Result<T>) -> Result<Option<T>> {
        if self.cancellation.token().is_cancelled() { Ok(None) } else { checked.map(Some) }
    }
}
