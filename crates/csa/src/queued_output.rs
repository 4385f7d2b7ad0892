//! Output that is never waited for. A terminal that is held, a pipe that nobody reads or a slow disk would otherwise stop whoever prints,
//! and a clock that runs meanwhile loses a game.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};

/// How many texts may wait to be written.
const LONGEST_QUEUE: usize = 4096;

struct Entry {
    /// How many texts were dropped before it.
    missing: u64,
    text: Vec<u8>,
    /// Told when it is written.
    written: Option<Sender<()>>,
}

/// A queue of texts that a thread writes. Texts that find it full are dropped, and their number is written with the next one. Clones share it.
#[derive(Clone, Debug)]
pub struct QueuedOutput {
    queue: Sender<Entry>,
    dropped: Arc<AtomicU64>,
    has_failed: Arc<AtomicBool>,
}

impl QueuedOutput {
    /// Begins to write to `out`. If it is closed nothing happens.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self::with_report(out, |_| {})
    }

    /// Begins to write to `out`, and tells its first error. The next texts are tried all the same.
    #[must_use]
    pub fn with_report(out: impl Write + Send + 'static, report: impl FnOnce(&io::Error) + Send + 'static) -> Self {
        let (queue, entries) = bounded(LONGEST_QUEUE);
        let has_failed = Arc::new(AtomicBool::new(false));
        let failed = Arc::clone(&has_failed);
        // Ends with the last clone; one that is stuck in the system ends with the process.
        thread::spawn(move || write_all(out, &entries, &failed, report));
        Self { queue, dropped: Arc::new(AtomicU64::new(0)), has_failed }
    }

    /// Whether a text could not be written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// Lets a text be written, unless too much is waiting.
    pub fn put(&self, text: Vec<u8>) {
        let missing = self.dropped.swap(0, Ordering::Relaxed);
        if self.queue.try_send(Entry { missing, text, written: None }).is_err() {
            self.dropped.fetch_add(missing + 1, Ordering::Relaxed);
        }
    }

    /// Whether nothing waits. What would be out of date soon is not worth a place in the queue.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Waits until all is written, no longer than this. `false`: it is not.
    pub fn flush_within(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let (sender, written) = bounded(1);
        let missing = self.dropped.swap(0, Ordering::Relaxed);
        let last = Entry { missing, text: Vec::new(), written: Some(sender) };
        if self.queue.send_deadline(last, deadline).is_err() {
            self.dropped.fetch_add(missing, Ordering::Relaxed);
        }
        written.recv_deadline(deadline).is_ok()
    }
}

/// Each write is one text.
impl Write for QueuedOutput {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.put(text.to_owned());
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn note(missing: u64) -> String {
    format!("({missing} texts are missing here: nobody took them in time)\n")
}

fn write_all(mut out: impl Write, entries: &Receiver<Entry>, has_failed: &AtomicBool, report: impl FnOnce(&io::Error)) {
    let mut report = Some(report);
    for Entry { missing, text, written } in entries {
        let text = if missing == 0 { text } else { [note(missing).as_bytes(), &text].concat() };
        let done = out.write_all(&text).and_then(|()| out.flush());
        if let Err(error) = done
            && let Some(report) = report.take()
        {
            has_failed.store(true, Ordering::SeqCst);
            report(&error);
        }
        if let Some(written) = written {
            let _ = written.send(());
        }
    }
}
