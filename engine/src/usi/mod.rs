//! USI on standard input and output.

mod background;
mod book;
mod book_hint;
mod developer;
mod evaluation;
mod executor;
mod files;
mod game_clock;
mod go;
mod input;
mod known;
mod load_evaluation;
mod mate;
mod opened_book;
mod options;
mod ready;
mod refused_position;
mod reporter;
mod session;
mod set_option;
mod sigma;

use std::io::{self, BufRead};
use std::sync::Arc;

use executor::LineExecutor;
use input::InputLine;
use kiki_processor::prefer_short_time_slices;
use session::UsiSession;

/// Speaks USI on standard input and output until `quit` or the end of the input.
pub(crate) fn serve_stdin() {
    let Some(session) = UsiSession::start() else { return };
    // What is said is heard at once, however busy the processors are.
    prefer_short_time_slices();
    let output = Arc::clone(&session.output);
    let executor = LineExecutor::new(session);
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        output.heard(&line);
        if executor.execute(InputLine::parse(&line)).is_quit() {
            break;
        }
    }
    executor.quit();
}

/// Does what command lines say that are given as arguments up to `quit` or the last one; standard input is not read. Before the next line a search that
/// ends by itself, a count and a bench are waited for.
pub(crate) fn serve_lines(lines: Vec<String>) {
    let Some(mut session) = UsiSession::start() else { return };
    for line in lines {
        let works = ["go", "perft", "bench", "isready"].iter().any(|word| line.trim_start().starts_with(word));
        session.output.heard(line.as_bytes());
        if session.execute(InputLine::parse(line.as_bytes())).is_quit() {
            return session.quit();
        }
        if works {
            session.wait_for_answer();
        }
    }
    session.quit();
}
