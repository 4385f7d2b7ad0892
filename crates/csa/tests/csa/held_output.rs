//! Held output: a terminal after Ctrl-S, or a pipe without a reader.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use kiki_csa::game::{Game, GameRules, PonderMode};
use kiki_csa::output::{LiveLine, QueuedOutput};
use kiki_csa::summary::SummaryReader;
use parking_lot::Mutex;

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

fn game() -> Game {
    game_with("white")
}

fn game_with(white: &str) -> Game {
    let text = format!(
        "Game_ID:id\nName+:black\nName-:{white}\nYour_Turn:+\nBEGIN Time\nTotal_Time:300\nEND Time\nBEGIN Position\nPI\n+\n\
         END Position\nEND Game_Summary"
    );
    let mut reader = SummaryReader::default();
    let summary = text.lines().find_map(|line| reader.read(line)).expect("an end").expect("a summary");
    let rules =
        GameRules { margin: Duration::from_millis(500), ponder: PonderMode::Off, declares: true, comments: true };
    Game::new(summary, rules).expect("a game")
}

#[test]
fn a_terminal_that_is_held_is_not_waited_for_and_old_lines_do_not_pile_up() {
    let (hold, output, written) = held();
    let live = LiveLine::new(true, output);
    let (game, begun) = (game(), Instant::now());
    for second in 0..1000 {
        live.show("+42", &game, begun + Duration::from_secs(second));
    }
    live.print(b"a warning\n");
    live.flush_within(Duration::from_millis(10));
    assert!(begun.elapsed() < Duration::from_secs(10));
    drop(hold);
    live.flush_within(PATIENCE);
    let written = written.lock();
    assert!(written.contains("+42") && written.ends_with("a warning\n"), "{written}");
    assert!(written.matches("move 1 ").count() <= 2, "{written}");
}

fn await_idle(output: &QueuedOutput) {
    let begun = Instant::now();
    while !output.is_idle() {
        assert!(begun.elapsed() < PATIENCE, "the queue is not taken");
        sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_name_in_the_live_line_is_printable() {
    let (hold, output, written) = held();
    drop(hold);
    let live = LiveLine::new(true, output);
    live.show("+42", &game_with("w\u{1b}[2J\u{9b}31m\u{202e}hite"), Instant::now());
    live.flush_within(PATIENCE);
    let written = written.lock();
    let shown = written.strip_prefix("\r\u{1b}[2K").expect("the line is removed first");
    assert!(shown.contains("w\\u{1b}[2J\\u{9b}31m\\u{202e}hite"), "{shown:?}");
    assert!(!shown.contains(|letter: char| letter.is_control() || letter == '\u{202e}'), "{shown:?}");
}

/// Prints more than a queue takes to a held output, releases it, and prints `last`. The count of missing texts comes with the flush, or else
/// with the last text.
fn overfill(flush: bool) {
    const COUNT: usize = 10_000;
    let (hold, output, written) = held();
    let put = |number: usize| output.put(format!("{number}\n").into_bytes());
    put(0);
    // The first text has left the queue, so that no place becomes free later.
    await_idle(&output);
    (1..COUNT).for_each(put);
    assert!(!output.is_idle());
    if flush {
        let begun = Instant::now();
        assert!(!output.flush_within(Duration::from_millis(200)) && begun.elapsed() < Duration::from_secs(10));
    }
    drop(hold);
    if flush {
        assert!(output.flush_within(PATIENCE));
        assert!(written.lock().ends_with("in time)\n"));
    }
    await_idle(&output);
    output.put(b"last\n".to_vec());
    assert!(output.flush_within(PATIENCE));
    let written = written.lock();
    let (kept, rest) = written.split_once('(').unwrap();
    let count = kept.lines().count();
    assert!(kept.lines().map(str::to_owned).eq((0..count).map(|number| number.to_string())), "{kept}");
    assert_eq!(rest, format!("{} texts are missing here: nobody read them in time)\nlast\n", COUNT - count));
}

#[test]
fn nobody_waits_for_an_output_that_is_held_and_what_is_missing_is_told() {
    overfill(false);
    overfill(true);
}
