//! `kiki mate`: one mating problem, for a person at a terminal.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use kiki_board::Position;
use kiki_mate::{MateResult, Solver};

use crate::arguments::{PositionArguments, seconds};
use crate::notation;
use crate::output::print_line;

/// What `kiki mate` is asked.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 there is a mate, 1 there is none, 2 the arguments are wrong, 3 not solved.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Seconds after which to give up; by default only when interrupted by Ctrl-C.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// Positions to enter before giving up.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Size of the table of proofs in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    hash: usize,
}

/// How often progress is shown.
const INTERVAL: Duration = Duration::from_millis(100);

/// The status of a program that was ended by Ctrl-C, as shells count it.
const INTERRUPTED: i32 = 130;

/// Why a problem was given up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopReason {
    Interrupted,
    Time,
    Nodes,
}

impl StopReason {
    fn text(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Time => "the time is up",
            Self::Nodes => "the nodes are used up",
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut position = arguments.position.set_up()?;
    let interrupted = heed_interrupts()?;
    print_line(kiki_record::japanese_diagram(&position).trim_end());
    let progress = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    let start = Instant::now();
    let mut next_progress = INTERVAL;
    let mut end = None;
    let mut proceed = |nodes: u64| {
        let elapsed = start.elapsed();
        if elapsed >= next_progress {
            next_progress = elapsed + INTERVAL;
            progress.set_message(work_done(nodes, elapsed));
            progress.tick();
        }
        let ends = [
            (StopReason::Interrupted, interrupted.load(Ordering::Relaxed)),
            (StopReason::Time, arguments.time.is_some_and(|time| elapsed >= time)),
            (StopReason::Nodes, arguments.nodes.is_some_and(|most| nodes >= most)),
        ];
        end = ends.into_iter().find(|&(_, has_come)| has_come).map(|(end, _)| end);
        end.is_none()
    };
    let mut solver = Solver::new(arguments.hash.max(1));
    let verdict = solver.solve(&mut position, &mut proceed);
    progress.finish_and_clear();
    for line in describe(&position, &verdict, end) {
        print_line(line);
    }
    print_line(work_done(solver.nodes(), start.elapsed()));
    Ok(ExitCode::from(match verdict {
        MateResult::Mate(_) => 0,
        MateResult::NoMate => 1,
        MateResult::Unknown => 3,
    }))
}

/// A flag that Ctrl-C sets. Pressed again it ends the program.
fn heed_interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(interrupted)
}

fn work_done(nodes: u64, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{nodes} nodes, {seconds:.1} s, {:.0} thousand nodes/s", nodes as f64 / seconds.max(1e-9) / 1000.0)
}

fn describe(position: &Position, verdict: &MateResult, end: Option<StopReason>) -> Vec<String> {
    match verdict {
        MateResult::Mate(line) => {
            // A known mate is the answer although a shorter one was still looked for.
            let hurried = end.map(|end| format!("; {} before a shorter one was ruled out", end.text()));
            let plies = if line.len() == 1 { "ply" } else { "plies" };
            let hurried = hurried.unwrap_or_default();
            let mut lines = vec![format!("詰み: {0}手 (mate in {0} {plies}{hurried})", line.len())];
            let moves = notation::moves(position, line);
            lines.extend(moves.iter().enumerate().map(|(index, text)| format!("{:>4} {text}", index + 1)));
            lines
        }
        MateResult::NoMate => vec!["不詰 (no mate by checks)".to_owned()],
        MateResult::Unknown => {
            let reason = end.map_or("some lines are too long", StopReason::text);
            vec![format!("未解決 (not solved: {reason})")]
        }
    }
}
