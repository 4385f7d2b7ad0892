//! How much of an engine's output lies in the pipe and how much has been handled, for those who wait for the thread that reads it.

use std::io::{self, Read};
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(target_os = "linux")]
use parking_lot::{Mutex, MutexGuard};
#[cfg(target_os = "linux")]
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::retry_on_intr,
};

/// Counts of bytes since the start. What lies in the pipe is known on Linux only.
#[derive(Default)]
pub(crate) struct OutputProgress {
    #[cfg(target_os = "linux")]
    pipe: Option<OwnedFd>,
    /// Held from the moment in which bytes leave the pipe until they are counted.
    #[cfg(target_os = "linux")]
    counting: Mutex<()>,
    read: AtomicU64,
    handled: AtomicU64,
}

impl OutputProgress {
    /// What the engine has written by now.
    pub(crate) fn arrived(&self) -> u64 {
        #[cfg(target_os = "linux")]
        let _counting = self.counting.lock();
        self.read.load(Ordering::Acquire) + self.unread()
    }

    /// What was read and handled, line by line.
    pub(crate) fn handled(&self) -> u64 {
        self.handled.load(Ordering::Acquire)
    }

    #[cfg(target_os = "linux")]
    fn unread(&self) -> u64 {
        self.pipe.as_ref().and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok()).unwrap_or(0)
    }

    #[cfg(not(target_os = "linux"))]
    fn unread(&self) -> u64 {
        0
    }

    /// Returns when there is something to read or the stream has ended. Nobody counts what has arrived while the guard lives.
    #[cfg(target_os = "linux")]
    fn wait_for_output(&self) -> io::Result<Option<MutexGuard<'_, ()>>> {
        let Some(pipe) = &self.pipe else { return Ok(None) };
        retry_on_intr(|| poll(&mut [PollFd::new(pipe, PollFlags::IN)], None))?;
        Ok(Some(self.counting.lock()))
    }

    #[cfg(not(target_os = "linux"))]
    fn wait_for_output(&self) -> io::Result<Option<()>> {
        Ok(None)
    }
}

/// A stream that counts what is read. Whoever reads has handled everything when it asks for more.
pub(crate) struct CountedOutput<R> {
    stream: R,
    progress: Arc<OutputProgress>,
}

#[cfg(target_os = "linux")]
impl<R: Read + AsFd> CountedOutput<R> {
    pub(crate) fn new(stream: R) -> Self {
        // Without a descriptor to spare nothing is known of the pipe, and everything else goes on.
        let pipe = stream.as_fd().try_clone_to_owned().ok();
        Self { stream, progress: Arc::new(OutputProgress { pipe, ..OutputProgress::default() }) }
    }
}

#[cfg(not(target_os = "linux"))]
impl<R: Read> CountedOutput<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self { stream, progress: Arc::default() }
    }
}

impl<R> CountedOutput<R> {
    pub(crate) fn progress(&self) -> Arc<OutputProgress> {
        Arc::clone(&self.progress)
    }
}

impl<R: Read> Read for CountedOutput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let progress = &*self.progress;
        progress.handled.store(progress.read.load(Ordering::Relaxed), Ordering::Release);
        let _counting = progress.wait_for_output()?;
        let bytes = self.stream.read(buffer)?;
        progress.read.fetch_add(bytes as u64, Ordering::Release);
        Ok(bytes)
    }
}
