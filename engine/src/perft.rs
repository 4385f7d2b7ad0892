//! `kiki perft`.

use std::ops::ControlFlow;
use std::time::Instant;

use kiki_board::{Position, divide, perft};

use crate::cli::CommandError;

/// What `kiki perft` is asked.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Plies.
    depth: u32,
    /// The position, as an SFEN; the start of a game if left out.
    #[arg(long)]
    sfen: Option<String>,
    /// Show the count below each first move.
    #[arg(long)]
    divide: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let mut position = match &arguments.sfen {
        Some(sfen) => Position::from_sfen(sfen)?,
        None => Position::startpos(),
    };
    report(&mut position, arguments.depth, arguments.divide, &mut |line| println!("{line}"));
    Ok(())
}

/// Counts and tells, closing with the line that tools look for.
pub(crate) fn report(position: &mut Position, depth: u32, divided: bool, tell: &mut dyn FnMut(String)) {
    let start = Instant::now();
    let mut nodes = 0;
    if divided && depth > 0 {
        divide(position, depth, |mv, count| {
            tell(format!("{mv}: {count}"));
            nodes += count;
            ControlFlow::Continue(())
        });
    } else {
        nodes = perft(position, depth);
    }
    let time = start.elapsed();
    tell(String::new());
    tell(format!("Total time (ms) : {}", time.as_millis()));
    tell(format!("Nodes/second    : {}", (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64));
    tell(format!("Nodes searched: {nodes}"));
}
