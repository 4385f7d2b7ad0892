//! Output that is never waited for. A terminal that is held, a pipe that nobody reads or a slow disk would otherwise stop whoever prints,
//! and a clock that runs meanwhile loses a game.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};

/// How many texts may wait to be written.
const LONGEST_QUEUE: usize = 4096;

enum Entry {
    Text(Vec<u8>),
    /// Answered when all before it is written.
    Flush(Sender<()>),
}

/// A queue of texts that a thread writes. Texts that find it full are dropped, and their number is written with the next one. Clones share it.
#[derive(Clone, Debug)]
pub struct QueuedOutput {
    queue: Sender<Entry>,
    dropped: Arc<AtomicU64>,
}

impl QueuedOutput {
    /// Begins to write to `out`.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self::with_queue(out, LONGEST_QUEUE)
    }

    fn with_queue(out: impl Write + Send + 'static, longest: usize) -> Self {
        let (queue, entries) = bounded(longest);
        // Ends with the last clone; one that is stuck in the system ends with the process.
        thread::spawn(move || write_all(out, &entries));
        Self { queue, dropped: Arc::new(AtomicU64::new(0)) }
    }

    /// Lets a text be written, unless too much is waiting.
    pub fn put(&self, text: Vec<u8>) {
        let missing = self.dropped.swap(0, Ordering::Relaxed);
        let text = if missing == 0 { text } else { [note(missing).as_bytes(), &text].concat() };
        if self.queue.try_send(Entry::Text(text)).is_err() {
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
        if self.dropped.load(Ordering::Relaxed) > 0 {
            self.put(Vec::new());
        }
        let (written, is_written) = bounded(1);
        self.queue.send_timeout(Entry::Flush(written), patience).is_ok() && is_written.recv_timeout(patience).is_ok()
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

/// If the output is closed nothing happens.
fn write_all(mut out: impl Write, entries: &Receiver<Entry>) {
    for entry in entries {
        match entry {
            Entry::Text(text) => {
                let _ = out.write_all(&text).and_then(|()| out.flush());
            }
            Entry::Flush(written) => {
                let _ = written.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crossbeam::channel::unbounded;
    use parking_lot::Mutex;

    use super::*;

    /// An output that takes a text only when it is let go on.
    struct Held {
        go_on: Receiver<()>,
        written: Arc<Mutex<String>>,
    }

    impl Write for Held {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.go_on.recv();
            self.written.lock().push_str(&String::from_utf8_lossy(text));
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_an_output_that_is_held_and_what_is_missing_is_told() {
        let (let_go, go_on) = unbounded();
        let written = Arc::new(Mutex::new(String::new()));
        let output = QueuedOutput::with_queue(Held { go_on, written: Arc::clone(&written) }, 3);
        let begun = Instant::now();
        for number in 0..100 {
            output.put(format!("{number}\n").into_bytes());
        }
        assert!(!output.is_idle() && !output.flush_within(Duration::from_millis(10)));
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop(let_go);
        assert!(output.flush_within(Duration::from_secs(20)));
        output.put(b"last\n".to_vec());
        assert!(output.flush_within(Duration::from_secs(20)));
        let written = written.lock();
        let (first, rest) = written.split_once('(').unwrap();
        let (missing, last) = rest.split_once(' ').unwrap();
        // One is being written while three wait, or not yet.
        let kept = first.lines().count();
        assert!((3..=4).contains(&kept) && first.starts_with("0\n1\n2\n"), "{written}");
        // The flush brings a text of its own, with no more in it than the note.
        assert!(
            (96..=99).contains(&missing.parse::<usize>().unwrap()) && last.ends_with("in time)\nlast\n"),
            "{written}"
        );
    }
}
