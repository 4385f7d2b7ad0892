//! What lies in a pipe that its reading thread has not come to.

#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, OwnedFd};

/// A look into a pipe from outside the thread that reads it. Other systems than Linux are not asked.
pub(crate) struct PipeView {
    #[cfg(target_os = "linux")]
    pipe: Option<OwnedFd>,
}

#[cfg(target_os = "linux")]
impl PipeView {
    pub(crate) fn new(pipe: &impl AsFd) -> Self {
        // Without a descriptor to spare nothing is seen, and everything else goes on.
        Self { pipe: pipe.as_fd().try_clone_to_owned().ok() }
    }

    /// Whether something lies in the pipe.
    pub(crate) fn has_unread(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| rustix::io::ioctl_fionread(pipe).is_ok_and(|bytes| bytes > 0))
    }
}

#[cfg(not(target_os = "linux"))]
impl PipeView {
    pub(crate) fn new<T>(_: &T) -> Self {
        Self {}
    }

    /// Whether something lies in the pipe.
    pub(crate) fn has_unread(&self) -> bool {
        false
    }
}
