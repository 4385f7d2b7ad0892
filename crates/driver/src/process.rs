//! The child process itself.

use std::io::{self, Write as _};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};
#[cfg(windows)]
use process_wrap::std::{CreationFlags, JobObject};
#[cfg(windows)]
use windows::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

use crate::descendants::{self, Descendants, ProcessMarker};
use crate::program::Program;

/// A child with its descendants. Dropping it kills them all.
///
/// [`crate::UsiEngine`] speaks USI; this is for callers that handle the streams themselves.
pub struct Process {
    child: Box<dyn ChildWrapper>,
    marker: ProcessMarker,
    /// `None` after closing, or if the caller owns the streams.
    input: Option<ChildStdin>,
    /// Known once the process and its descendants have ended.
    status: Option<ExitStatus>,
}

/// The most bytes to write at once: a pipe with any room takes this many.
pub(crate) const INPUT_PART: usize = 4096;

pub(crate) type Streams = (std::process::ChildStdout, std::process::ChildStderr);

/// The streams of a child that belong to the caller.
pub struct RawStreams {
    /// Its standard input. Dropping it ends the input.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: std::process::ChildStdout,
    /// Its standard error, if that is a pipe.
    pub errors: Option<std::process::ChildStderr>,
}

impl Process {
    pub(crate) fn start(program: &Program) -> io::Result<(Self, Streams)> {
        let mut process = Self::spawn(program.command())?;
        process.input = process.child.stdin().take();
        let streams = process.child.stdout().take().zip(process.child.stderr().take());
        streams.map(|streams| (process, streams)).ok_or_else(missing_stream)
    }

    /// Starts the program and leaves its streams to the caller; `errors` is the destination of
    /// standard error.
    pub fn start_raw(program: &Program, errors: Stdio) -> io::Result<(Self, RawStreams)> {
        let mut command = program.command();
        command.stderr(errors);
        let mut process = Self::spawn(command)?;
        let input = process.child.stdin().take().ok_or_else(missing_stream)?;
        let output = process.child.stdout().take().ok_or_else(missing_stream)?;
        let errors = process.child.stderr().take();
        Ok((process, RawStreams { input, output, errors }))
    }

    /// Starts a command in its own process group: Ctrl-C does not reach it, and a script dies
    /// together with its children. An environment variable marks it and its descendants, for
    /// children that leave the group.
    fn spawn(mut command: Command) -> io::Result<Self> {
        if let Some(folder) = command.get_current_dir().filter(|folder| !folder.is_dir()) {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is no folder", folder.display())));
        }
        let marker = ProcessMarker::new();
        command.env(descendants::VARIABLE, marker.value());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        // Ctrl-C is for this program alone; a process group on Unix does the same.
        #[cfg(windows)]
        command.wrap(CreationFlags(CREATE_NEW_PROCESS_GROUP)).wrap(JobObject);
        let child = command.spawn()?;
        Ok(Self { child, marker, input: None, status: None })
    }

    /// Writes at most [`INPUT_PART`] bytes. After [`Process::takes_input`] this does not block.
    pub(crate) fn send(&mut self, part: &[u8]) -> io::Result<()> {
        self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(part)
    }

    /// Waits until the pipe has room for a part of input. `false` if it stays full, because the
    /// engine does not read.
    #[cfg(target_os = "linux")]
    pub(crate) fn takes_input(&self, patience: Duration) -> io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let input = self.input.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        let ready = rustix::io::retry_on_intr(|| poll(&mut [PollFd::new(input, PollFlags::OUT)], Some(&patience)))?;
        Ok(ready > 0)
    }

    /// On other systems, a write may block on an engine that leaves tens of kilobytes unread.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn takes_input(&self, _patience: Duration) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether the process itself has ended. Its children may still run and hold its pipes.
    pub fn has_ended(&mut self) -> bool {
        self.status.is_some() || self.is_zombie().unwrap_or_else(|| !matches!(self.wait_target().try_wait(), Ok(None)))
    }

    /// Whether the process has ended. Leaves the exit status unread, so that its number, also its
    /// group's, stays reserved until the group is killed. `None` where the system cannot tell.
    #[cfg(target_os = "linux")]
    fn is_zombie(&self) -> Option<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let pid = Pid::from_raw(i32::try_from(self.child.id()).ok()?)?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(pid), options).ok().map(|status| status.is_some())
    }

    #[cfg(not(target_os = "linux"))]
    fn is_zombie(&self) -> Option<bool> {
        None
    }

    /// Waits for the end of the process. `false` if it still runs.
    pub fn wait(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        loop {
            if self.has_ended() {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            thread::sleep(pause.min(left));
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }

    /// Kills the rest of the process and its descendants, and returns the exit status. Afterwards
    /// no process holds its pipes.
    pub fn end(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            let tree = Descendants::of(self.child.id());
            // An ended group cannot be killed, and other errors cannot be handled.
            let _ = self.child.start_kill();
            descendants::kill(&self.marker, &tree);
            self.status = self.wait_target().wait().ok();
        }
        self.status
    }

    /// The target of a wait. On Windows that is the process alone: a job waits for one of few
    /// messages, and each query for the end of the process consumes one, so that a wait for the job
    /// might never end.
    fn wait_target(&mut self) -> &mut dyn ChildWrapper {
        if cfg!(windows) { self.child.inner_mut() } else { &mut *self.child }
    }

    /// Closes the standard input, which asks the engine to end.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.end();
    }
}

fn missing_stream() -> io::Error {
    io::Error::other("its streams are missing")
}

/// `exited with status 1`, `was killed by signal 11`; on Windows `exited with status 0xC0000005`,
/// the usual notation.
#[must_use]
pub fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    match status.code() {
        Some(code) if cfg!(windows) && code < 0 => format!("exited with status {code:#X}"),
        Some(code) => format!("exited with status {code}"),
        None => "ended".to_owned(),
    }
}
