//! `kiki mate`: one mating problem, for a person at a terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use kiki_board::{Move, Position};
use kiki_mate::{Alternative, AlternativeKind, Cooks, MateResult, Solver};
use kiki_platform::on_interruption;
use serde_json::{Value, json};

use crate::output::print_line;
use crate::people;
use crate::people::{PositionArguments, seconds};

#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 mate, 1 no mate, 2 invalid arguments, 3 not solved.")]
pub(crate) struct MateArgs {
    #[command(flatten)]
    position: PositionArguments,
    /// Time limit in seconds; by default until Ctrl-C.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// Maximum number of positions to search; by default no limit.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Size of the proof table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    hash: usize,
    /// Continue until no shorter mate is possible.
    #[arg(long)]
    shortest: bool,
    /// Look for cooks (余詰): at each move of the attacker, other checks that also mate.
    #[arg(long)]
    cooks: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

const INTERVAL: Duration = Duration::from_millis(100);

/// The exit status after Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;

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
            Self::Time => "time limit reached",
            Self::Nodes => "node limit reached",
        }
    }
}

pub(crate) fn run(arguments: &MateArgs) -> anyhow::Result<ExitCode> {
    let mut position = arguments.position.set_up()?;
    let interrupted = catch_interrupts()?;
    if !arguments.json {
        print_line(kiki_record::japanese_diagram(&position).trim_end());
    }
    let progress = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    let start = Instant::now();
    let mut next_progress = INTERVAL;
    let end = Cell::new(None);
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
        end.set(ends.into_iter().find(|&(_, has_come)| has_come).map(|(end, _)| end));
        end.get().is_none()
    };
    let mut solver = Solver::new(arguments.hash.max(1));
    solver.set_shortest(arguments.shortest);
    let verdict = solver.solve(&mut position, &mut proceed);
    let (shortest, end_of_solution) = (solver.is_shortest(), end.get());
    let mut nodes = solver.nodes();
    let solved = nodes;
    let cooks = match &verdict {
        MateResult::Mate(line) if arguments.cooks => {
            let cooks = solver.cooks(&mut position, line, &mut |more| proceed(solved + more));
            nodes += solver.nodes();
            Some(cooks)
        }
        _ => None,
    };
    progress.finish_and_clear();
    let elapsed = start.elapsed();
    if arguments.json {
        print_line(as_json(&position, &verdict, shortest, cooks.as_ref(), (nodes, elapsed)));
    } else {
        describe(&position, &verdict, shortest, end_of_solution).iter().for_each(print_line);
        if let (MateResult::Mate(line), Some(cooks)) = (&verdict, &cooks) {
            describe_cooks(&mut position, line, cooks).iter().for_each(print_line);
        }
        print_line(work_done(nodes, elapsed));
    }
    Ok(ExitCode::from(match verdict {
        MateResult::Mate(_) => 0,
        MateResult::NoMate => 1,
        MateResult::Unknown => 3,
    }))
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program.
fn catch_interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&interrupted);
    on_interruption(move || {
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

fn describe(position: &Position, verdict: &MateResult, shortest: bool, end: Option<StopReason>) -> Vec<String> {
    match verdict {
        MateResult::Mate(line) => {
            // A known mate is the answer, even while a shorter one is still searched for.
            let certainty = match end {
                _ if line.len() == 1 => String::new(),
                _ if shortest => "; there is no shorter one".to_owned(),
                Some(end) => format!("; {} before a shorter one was ruled out", end.text()),
                None => "; there may be a shorter one".to_owned(),
            };
            let mut lines = vec![format!("詰み: {0}手 (mate in {0} {1}{certainty})", line.len(), plies(line.len()))];
            let moves = people::japanese_moves(position, line);
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

fn plies(count: usize) -> &'static str {
    if count == 1 { "ply" } else { "plies" }
}

fn verdict_on_cooks(cooks: &Cooks) -> &'static str {
    let is_cook = |alternative: &Alternative| alternative.kind == AlternativeKind::Cook;
    match cooks.alternatives.iter().any(is_cook) {
        true => "cooked",
        false if cooks.open.is_empty() => "unique",
        false => "open",
    }
}

fn kind_name(kind: AlternativeKind) -> (&'static str, &'static str) {
    match kind {
        AlternativeKind::Cook => ("余詰", "cook"),
        AlternativeKind::LastMove => ("最終手余詰", "last move"),
        AlternativeKind::Promotion => ("成・不成", "promotion"),
        AlternativeKind::Distance => ("遠近の非限定", "distance"),
        AlternativeKind::Detour => ("迂回手順", "detour"),
    }
}

fn describe_cooks(position: &mut Position, solution: &[Move], cooks: &Cooks) -> Vec<String> {
    let headline = match verdict_on_cooks(cooks) {
        "cooked" => "余詰あり (cooked: other moves mate too)",
        "unique" => "余詰なし (no cooks: every other check was decided)",
        _ => "余詰不明 (open: some other checks were not decided)",
    };
    let mut lines = vec![headline.to_owned()];
    for Alternative { number, line, kind } in &cooks.alternatives {
        let (japanese, english) = kind_name(*kind);
        let moves = notated(position, solution, *number, line).join(" ");
        lines.push(format!(
            "{number:>4} {japanese} ({english}), {0}手 (at most {0} {1}): {moves}",
            line.len(),
            plies(line.len())
        ));
    }
    for (number, mv) in &cooks.open {
        let moves = notated(position, solution, *number, &[*mv]).join(" ");
        lines.push(format!("{number:>4} 未解決 (open): {moves}"));
    }
    let alternatives = cooks.alternatives.len();
    lines.push(format!(
        "{} other checks: {alternatives} mate, {} do not, {} are open",
        alternatives + cooks.refuted + cooks.open.len(),
        cooks.refuted,
        cooks.open.len()
    ));
    lines
}

/// Moves in place of the solution's move with this number, in Japanese notation.
fn notated(position: &mut Position, solution: &[Move], number: usize, line: &[Move]) -> Vec<String> {
    let before = &solution[..number - 1];
    for &mv in before {
        position.make(mv);
    }
    let moves = people::japanese_moves(position, line);
    before.iter().for_each(|_| position.unmake());
    moves
}

fn as_json(
    position: &Position,
    verdict: &MateResult,
    shortest: bool,
    cooks: Option<&Cooks>,
    (nodes, time): (u64, Duration),
) -> Value {
    let usi = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut object = json!({
        "sfen": position.to_sfen(),
        "result": match verdict {
            MateResult::Mate(_) => "mate",
            MateResult::NoMate => "nomate",
            MateResult::Unknown => "unknown",
        },
        "nodes": nodes,
        "seconds": time.as_secs_f64(),
    });
    if let MateResult::Mate(line) = verdict {
        object["length"] = json!(line.len());
        object["shortest"] = json!(shortest);
        object["moves"] = json!(usi(line));
    }
    if let Some(cooks) = cooks {
        let alternatives = cooks.alternatives.iter().map(|Alternative { number, line, kind }| {
            json!({"number": number, "kind": kind_name(*kind).1, "length": line.len(), "moves": usi(line)})
        });
        object["cooks"] = json!({
            "verdict": verdict_on_cooks(cooks),
            "alternatives": alternatives.collect::<Vec<_>>(),
            "refuted": cooks.refuted,
            "open": cooks.open.iter().map(|(number, mv)| json!({"number": number, "move": mv.to_string()})).collect::<Vec<_>>(),
        });
    }
    object
}
