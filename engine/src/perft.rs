//! `kiki perft`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::ensure;
use kiki_board::{Position, divide, perft_until};

use crate::output::print_line;
use crate::people::PositionArguments;

/// No deeper count would end in a lifetime, and each ply takes some of the stack.
const MOST_PLIES: u32 = 100;

#[derive(Clone, Copy)]
pub(crate) struct PerftTask {
    depth: u32,
    divided: bool,
}

#[derive(clap::Args)]
pub(crate) struct PerftArgs {
    /// Depth in plies.
    depth: u32,
    #[command(flatten)]
    position: PositionArguments,
    /// Show the count below each first move.
    #[arg(long)]
    divide: bool,
}

pub(crate) fn run(arguments: &PerftArgs) -> anyhow::Result<()> {
    let mut position = arguments.position.set_up()?;
    let task = PerftTask::new(arguments.depth, arguments.divide)?;
    task.run(&mut position, &AtomicBool::new(false), &mut |line| print_line(line));
    Ok(())
}

/// Refuses a depth at which no count would end.
pub(crate) fn checked_depth(depth: u32) -> anyhow::Result<u32> {
    ensure!(depth <= MOST_PLIES, "perft: the depth {depth} is above the maximum of {MOST_PLIES}");
    Ok(depth)
}

impl PerftTask {
    pub(crate) fn new(depth: u32, divided: bool) -> anyhow::Result<Self> {
        Ok(Self { depth: checked_depth(depth)?, divided })
    }

    /// Counts and prints; tools read the last line. Once `stop` is set, prints the part counted.
    pub(crate) fn run(self, position: &mut Position, stop: &AtomicBool, print_line: &mut dyn FnMut(String)) {
        let start = Instant::now();
        let is_stopped = || stop.load(Ordering::Relaxed);
        let mut moves_done = 0;
        let count = if self.divided && self.depth > 0 {
            divide(position, self.depth, is_stopped, |mv, below| {
                moves_done += 1;
                print_line(format!("{mv}: {below}"));
            })
        } else {
            perft_until(position, self.depth, is_stopped)
        };
        let time = start.elapsed();
        if !count.complete {
            let moves = if self.divided { format!(" and {moves_done} first moves") } else { String::new() };
            print_line(format!("info string perft {} stopped after {} nodes{moves}", self.depth, count.nodes));
            return;
        }
        print_line(String::new());
        print_line(format!("Total time (ms) : {}", time.as_millis()));
        print_line(format!("Nodes/second    : {}", (count.nodes as f64 / time.as_secs_f64().max(1e-9)) as u64));
        print_line(format!("Nodes searched: {}", count.nodes));
    }
}
