//! The line at the bottom of a terminal that is held.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, bounded};
use kiki_csa::game::Game;
use kiki_csa::game_action::{GameRules, PonderMode};
use kiki_csa::live_line::LiveLine;
use kiki_csa::queued_output::QueuedOutput;
use kiki_csa::summary::SummaryReader;
use parking_lot::Mutex;

/// A terminal that takes nothing until the other end of the channel is dropped.
struct HeldTerminal {
    released: Receiver<()>,
    written: Arc<Mutex<String>>,
}

impl Write for HeldTerminal {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let _ = self.released.recv();
        self.written.lock().push_str(&String::from_utf8_lossy(text));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn game() -> Game {
    let text = "Game_ID:id\nName+:black\nName-:white\nYour_Turn:+\nBEGIN Time\nTotal_Time:300\nEND Time\nBEGIN Position\nPI\n+\n\
        END Position\nEND Game_Summary";
    let mut reader = SummaryReader::default();
    let summary = text.lines().find_map(|line| reader.read(line)).expect("an end").expect("a summary");
    let rules =
        GameRules { margin: Duration::from_millis(500), ponder: PonderMode::Off, declares: true, comments: true };
    Game::new(summary, rules).expect("a game")
}

#[test]
fn a_terminal_that_is_held_is_not_waited_for_and_old_lines_do_not_pile_up() {
    let (hold, released) = bounded(0);
    let written = Arc::new(Mutex::new(String::new()));
    let live = LiveLine::new(true, QueuedOutput::new(HeldTerminal { released, written: Arc::clone(&written) }));
    let (game, begun) = (game(), Instant::now());
    for second in 0..1000 {
        live.show("+42", &game, begun + Duration::from_secs(second));
    }
    live.print(b"a warning\n");
    live.flush_within(Duration::from_millis(10));
    assert!(begun.elapsed() < Duration::from_secs(10));
    drop(hold);
    live.flush_within(Duration::from_secs(20));
    let written = written.lock();
    assert!(written.contains("+42") && written.ends_with("a warning\n"), "{written}");
    assert!(written.matches("move 1 ").count() <= 2, "{written}");
}
