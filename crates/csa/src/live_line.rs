//! One line at the bottom of a terminal that shows the game in progress.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiki_board::{COLORS, Color};
use parking_lot::Mutex;

use crate::game::Game;

/// How often the line is written anew.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// A line that is longer than the terminal could not be removed.
const LONGEST_TEXT: usize = 79;

/// Removes the line that the cursor is in.
const CLEAR: &str = "\r\x1b[2K";

/// Standard error with a line at its bottom, if it is a terminal. Clones share it.
#[derive(Clone, Debug)]
pub struct LiveLine(Arc<Mutex<State>>);

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
        Self::new(io::stderr().is_terminal())
    }

    /// A line that is never shown, or always.
    #[must_use]
    pub fn new(is_terminal: bool) -> Self {
        Self(Arc::new(Mutex::new(State { is_terminal, shown: false, last: None })))
    }

    /// Whether there is a terminal to show something on.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.0.lock().is_terminal
    }

    /// Shows the game, unless that was done just now.
    pub fn show(&self, score: &str, game: &Game, now: Instant) {
        let mut state = self.0.lock();
        let is_new = state.last.is_none_or(|last| now.saturating_duration_since(last) >= INTERVAL);
        if state.is_terminal && is_new {
            (state.shown, state.last) = (true, Some(now));
            write(format!("{CLEAR}{}", text(score, game, now)).as_bytes());
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.print(b"");
    }

    /// Prints lines above it.
    pub(crate) fn print(&self, lines: &[u8]) {
        let mut state = self.0.lock();
        if std::mem::take(&mut state.shown) {
            write(CLEAR.as_bytes());
        }
        state.last = None;
        write(lines);
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

/// If standard error is closed, nothing happens.
fn write(bytes: &[u8]) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
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
    format!("{text}  {score}").chars().take(LONGEST_TEXT).collect()
}
