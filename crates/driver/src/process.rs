//! The child process itself.

use std::io::{self, Write as _};
use std::process::{ChildStdin, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(windows)]
use process_wrap::std::JobObject;
#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::program::Program;

/// A child with its descendants. Dropping it kills them all.
pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    /// Closed by `take`.
    input: Option<ChildStdin>,
}

/// Standard output and standard error of a child.
pub(crate) type Streams = (std::process::ChildStdout, std::process::ChildStderr);

impl Process {
    /// Starts the program in a group of its own, so that a key that interrupts this program does not reach it, and so that a script
    /// dies together with what it started.
    pub(crate) fn start(program: &Program) -> io::Result<(Self, Streams)> {
        let mut command = CommandWrap::from(program.command());
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(JobObject);
        let mut child = command.spawn()?;
        let input = child.stdin().take();
        let streams = child.stdout().take().zip(child.stderr().take());
        let process = Self { child, input };
        streams.map(|streams| (process, streams)).ok_or_else(|| io::Error::other("its streams are missing"))
    }

    /// Writes whole lines. This can block only if the engine leaves tens of kilobytes unread, and an engine that does not answer is
    /// killed long before so much was sent.
    pub(crate) fn send(&mut self, lines: &str) -> io::Result<()> {
        self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(lines.as_bytes())
    }

    /// Waits for the end of the process. `None`: it still runs.
    pub(crate) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            thread::sleep(pause.min(left));
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }

    /// Closes the standard input, which means the same as `quit`.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        // An ended group cannot be killed; nothing is to be done about any other error.
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

/// `exited with status 1`, `was killed by signal 11`.
pub(crate) fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    status.code().map_or_else(|| "ended".to_owned(), |code| format!("exited with status {code}"))
}
