//! Output that never blocks the program, and the line at the bottom of a terminal that shows the
//! game in progress.
//!
//! A held terminal, a pipe without a reader or a slow disk would block the writing thread, and a
//! clock that runs meanwhile loses a game.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use kiki_board::{COLORS, Color};
use kiki_text::printable;
use parking_lot::Mutex;

use crate::game::CsaGame;

const LONGEST_QUEUE: usize = 4096;

struct QueuedText {
    /// The number of texts dropped before it.
    missing: u64,
    text: Vec<u8>,
    written: Option<Sender<()>>,
}

/// A queue of texts that a thread writes. If it is full, texts are dropped, and the next one is
/// preceded by their number. Clones share it.
#[derive(Clone, Debug)]
pub struct QueuedOutput {
    queue: Sender<QueuedText>,
    dropped: Arc<AtomicU64>,
    has_failed: Arc<AtomicBool>,
}

impl QueuedOutput {
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self::with_report(out, |_| {})
    }

    /// Begins to write to `out`, and reports its first error. Later texts are still tried.
    pub(crate) fn with_report(
        out: impl Write + Send + 'static,
        report: impl FnOnce(&io::Error) + Send + 'static,
    ) -> Self {
        let (queue, entries) = bounded(LONGEST_QUEUE);
        let has_failed = Arc::new(AtomicBool::new(false));
        let failed = Arc::clone(&has_failed);
        // The thread ends with the last clone. A thread that is stuck in the system ends with the
        // process.
        thread::spawn(move || write_all(out, &entries, &failed, report));
        Self { queue, dropped: Arc::new(AtomicU64::new(0)), has_failed }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    pub(crate) fn put(&self, text: Vec<u8>) {
        let missing = self.dropped.swap(0, Ordering::Relaxed);
        if self.queue.try_send(QueuedText { missing, text, written: None }).is_err() {
            self.dropped.fetch_add(missing + 1, Ordering::Relaxed);
        }
    }

    /// Whether the queue is empty. Text that is soon out of date need not wait in it.
    fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Waits at most this long until all is written. Returns whether it is.
    pub(crate) fn flush_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let (sender, written) = bounded(1);
        let missing = self.dropped.swap(0, Ordering::Relaxed);
        let last = QueuedText { missing, text: Vec::new(), written: Some(sender) };
        if self.queue.send_deadline(last, deadline).is_err() {
            self.dropped.fetch_add(missing, Ordering::Relaxed);
        }
        written.recv_deadline(deadline).is_ok()
    }
}

fn note(missing: u64) -> String {
    format!("({missing} texts are missing here: nobody read them in time)\n")
}

fn write_all(
    mut out: impl Write,
    entries: &Receiver<QueuedText>,
    has_failed: &AtomicBool,
    report: impl FnOnce(&io::Error),
) {
    let mut report = Some(report);
    for QueuedText { missing, text, written } in entries {
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

pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// Longest line, because a line longer than the terminal could not be removed.
const LONGEST_TEXT: usize = 79;

/// Removes the line of the cursor.
const CLEAR: &str = "\r\x1b[2K";

/// An output with a line at its bottom if it is a terminal. Clones share it.
#[derive(Clone, Debug)]
pub struct LiveLine {
    state: Arc<Mutex<LineState>>,
    out: QueuedOutput,
}

#[derive(Debug)]
struct LineState {
    is_terminal: bool,
    shown: bool,
    last: Option<Instant>,
}

impl LiveLine {
    #[must_use]
    pub fn standard_error() -> Self {
        Self::new(io::stderr().is_terminal(), QueuedOutput::new(io::stderr()))
    }

    /// A line on `out`, shown only if that is a terminal.
    #[must_use]
    pub fn new(is_terminal: bool, out: QueuedOutput) -> Self {
        Self { state: Arc::new(Mutex::new(LineState { is_terminal, shown: false, last: None })), out }
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.state.lock().is_terminal
    }

    /// Shows the game, unless it was shown within the last second.
    pub(crate) fn show(&self, score: &str, game: &CsaGame, now: Instant) {
        let mut state = self.state.lock();
        let is_new = state.last.is_none_or(|last| now.saturating_duration_since(last) >= INTERVAL);
        // On a held terminal the lines would only pile up.
        if state.is_terminal && is_new && self.out.is_idle() {
            (state.shown, state.last) = (true, Some(now));
            self.out.put(format!("{CLEAR}{}", text(score, game, now)).into_bytes());
        }
    }

    pub(crate) fn clear(&self) {
        self.print(b"");
    }

    /// Prints lines above it.
    pub fn print(&self, lines: &[u8]) {
        let mut state = self.state.lock();
        let clear = if std::mem::take(&mut state.shown) { CLEAR } else { "" };
        state.last = None;
        if !(clear.is_empty() && lines.is_empty()) {
            self.out.put([clear.as_bytes(), lines].concat());
        }
    }

    pub fn flush_within(&self, limit: Duration) {
        self.out.flush_within(limit);
    }
}

/// `move 45  kiki* 4:31  other 3:02  +123`: the star marks the side to move.
fn text(score: &str, game: &CsaGame, now: Instant) -> String {
    let mut text = format!("move {}", game.played.len() + 1);
    for color in COLORS {
        let spent = game.thinking_since().filter(|_| color == game.summary.side);
        let spent = spent.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let left = game.clocks.left[color].saturating_sub(spent).as_secs();
        let star = if game.position.side_to_move() == color { "*" } else { "" };
        let sign = if color == Color::Black { "\u{25b2}" } else { "\u{25b3}" };
        text.push_str(&format!("  {sign}{}{star} {}:{:02}", game.summary.names[color], left / 60, left % 60));
    }
    printable(&format!("{text}  {score}")).chars().take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::tests::game_from;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// An output that accepts nothing until the other end of the channel is dropped.
    struct HeldOutput {
        released: Receiver<()>,
        written: Arc<Mutex<String>>,
    }

    /// A sender that holds the output until it is dropped, the output, and the text written to it.
    fn held() -> (Sender<()>, QueuedOutput, Arc<Mutex<String>>) {
        let (hold, released) = bounded(0);
        let written = Arc::new(Mutex::new(String::new()));
        let output = QueuedOutput::new(HeldOutput { released, written: Arc::clone(&written) });
        (hold, output, written)
    }

    impl Write for HeldOutput {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.released.recv();
            self.written.lock().push_str(&String::from_utf8_lossy(text));
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_that_is_held_is_not_waited_for_and_its_line_is_printable() {
        let (hold, output, written) = held();
        let live = LiveLine::new(true, output);
        let (game, begun) = (game_from('+', "w\u{1b}[2J\u{9b}31m\u{202e}hite", "PI\n+\n"), Instant::now());
        for second in 0..1000 {
            live.show("+42", &game, begun + Duration::from_secs(second));
        }
        live.print(b"a warning\n");
        live.flush_within(Duration::from_millis(10));
        assert!(begun.elapsed() < Duration::from_secs(10));
        drop(hold);
        live.flush_within(PATIENCE);
        let written = written.lock();
        assert!(written.contains("+42") && written.ends_with(&format!("{CLEAR}a warning\n")), "{written}");
        assert!(written.matches("move 1 ").count() <= 2, "old lines do not pile up: {written}");
        let shown = written.replace(CLEAR, "");
        assert!(shown.contains("w\\u{1b}[2J\\u{9b}31m\\u{202e}hite"), "{shown:?}");
        assert!(!shown.trim_end().contains(|letter: char| letter.is_control() || letter == '\u{202e}'), "{shown:?}");
    }

    fn await_idle(output: &QueuedOutput) {
        let begun = Instant::now();
        while !output.is_idle() {
            assert!(begun.elapsed() < PATIENCE, "the queue is not taken");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn nobody_waits_for_an_output_that_is_held_and_what_is_missing_is_told() {
        const COUNT: usize = 2 * LONGEST_QUEUE;
        // The count of missing texts comes with the flush, or else with the last text.
        for flush in [false, true] {
            let (hold, output, written) = held();
            let put = |number: usize| output.put(format!("{number}\n").into_bytes());
            put(0);
            // The first text has left the queue, so that no place becomes free later.
            await_idle(&output);
            (1..COUNT).for_each(put);
            assert!(!output.is_idle());
            assert!(!flush || !output.flush_within(Duration::from_millis(200)));
            drop(hold);
            if flush {
                assert!(output.flush_within(PATIENCE) && written.lock().ends_with("in time)\n"));
            }
            await_idle(&output);
            output.put(b"last\n".to_vec());
            assert!(output.flush_within(PATIENCE));
            let kept: String = (0..=LONGEST_QUEUE).map(|number| format!("{number}\n")).collect();
            assert_eq!(*written.lock(), kept + &note((COUNT - LONGEST_QUEUE - 1) as u64) + "last\n");
        }
    }
}
