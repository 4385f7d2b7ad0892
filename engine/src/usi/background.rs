//! `perft` and `bench`: long work that is no search, done on a thread of its own while commands are read.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::output::Output;

/// Does one piece of work at a time.
#[derive(Default)]
pub(super) struct Background {
    work: Option<RunningWork>,
}

/// RunningWork that is going on, or is over and has not been waited for yet.
struct RunningWork {
    thread: JoinHandle<()>,
    flags: Arc<Flags>,
}

#[derive(Default)]
struct Flags {
    /// The work is to end soon.
    stop: AtomicBool,
    /// Nothing is to be printed any more.
    silent: AtomicBool,
}

impl Background {
    /// Begins some work, which is given the flag that stops it and a function that prints a line. Earlier work is stopped first.
    pub(super) fn start(
        &mut self,
        output: &Arc<Output>,
        work: impl FnOnce(&AtomicBool, &mut dyn FnMut(String)) + Send + 'static,
    ) -> io::Result<()> {
        self.stop();
        let flags = Arc::<Flags>::default();
        let (output, shared) = (Arc::clone(output), Arc::clone(&flags));
        let thread = std::thread::Builder::new().name("background".to_owned()).spawn(move || {
            let mut print_line = |line: String| {
                if !shared.silent.load(Ordering::Relaxed) {
                    output.print(line);
                }
            };
            work(&shared.stop, &mut print_line);
        })?;
        self.work = Some(RunningWork { thread, flags });
        Ok(())
    }

    /// Ends the work and waits until it has printed its last line.
    pub(super) fn stop(&mut self) {
        if let Some(work) = &self.work {
            work.flags.stop.store(true, Ordering::Relaxed);
        }
        self.wait();
    }

    /// Waits until the work is done.
    pub(super) fn wait(&mut self) {
        if let Some(work) = self.work.take() {
            // A panic has been reported by the panic hook.
            let _ = work.thread.join();
        }
    }

    /// Silences the work and does not wait for its end: the program is about to leave, and the thread goes with it.
    pub(super) fn abandon(&mut self) {
        if let Some(work) = self.work.take() {
            work.flags.silent.store(true, Ordering::Relaxed);
            work.flags.stop.store(true, Ordering::Relaxed);
        }
    }
}
