//! One line at the bottom of a terminal that shows the game in progress.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiki_board::{COLORS, Color, printable};
use parking_lot::Mutex;

use crate::game::Game;
use crate::queued_output::QueuedOutput;

/// How often the line is written anew.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// A line that is longer than the terminal could not be removed.
const LONGEST_TEXT: usize = 79;

/// Removes the line that the cursor is in.
const CLEAR: &str = "\r\x1b[2K";

/// An output with a line at its bottom, if it is a terminal. Nobody waits for it. Clones share it.
#[derive(Clone, Debug)]
pub struct LiveLine {
    state: Arc<Mutex<State>>,
    out: QueuedOutput,
}

#[derive(Debug)]
struct State {
    is_terminal: bool,
    shown: bool,
    last: Option<Instant>,
}

impl LiveLine {
    /// Standard error.
    #[must_use]
    pub fn standard_error() -> Self {
        Self::new(io::stderr().is_terminal(), QueuedOutput::new(io::stderr()))
    }

    /// A line that is never shown, or always.
    #[must_use]
    pub fn new(is_terminal: bool, out: QueuedOutput) -> Self {
        Self { state: Arc::new(Mutex::new(State { is_terminal, shown: false, last: None })), out }
    }

    /// Whether there is a terminal to show something on.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.state.lock().is_terminal
    }

    /// Shows the game, unless that was done just now.
    pub fn show(&self, score: &str, game: &Game, now: Instant) {
        let mut state = self.state.lock();
        let is_new = state.last.is_none_or(|last| now.saturating_duration_since(last) >= INTERVAL);
        // On a terminal that is held it would only pile up.
        if state.is_terminal && is_new && self.out.is_idle() {
            (state.shown, state.last) = (true, Some(now));
            self.out.put(format!("{CLEAR}{}", text(score, game, now)).into_bytes());
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
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

    /// Waits until all is printed, no longer than this.
    pub fn flush_within(&self, patience: Duration) {
        self.out.flush_within(patience);
    }
}

/// A writer for the log's lines on the terminal.
impl Write for LiveLine {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.print(lines);
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `move 45  kiki* 4:31  other 3:02  +123`: the star marks the side to move.
fn text(score: &str, game: &Game, now: Instant) -> String {
    let (summary, clocks) = (game.summary(), game.clocks());
    let mut text = format!("move {}", game.played().len() + 1);
    for color in COLORS {
        let spent = game.thinking_since().filter(|_| color == summary.side);
        let spent = spent.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let left = clocks.left(color).saturating_sub(spent).as_secs();
        let star = if game.position().side_to_move() == color { "*" } else { "" };
        let sign = if color == Color::Black { "\u{25b2}" } else { "\u{25b3}" };
        text.push_str(&format!("  {sign}{}{star} {}:{:02}", summary.names[color], left / 60, left % 60));
    }
    printable(&format!("{text}  {score}")).chars().take(LONGEST_TEXT).collect()
}
