//! `kiki-lab problems`: mating problems out of games.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use clap::Args;
use kiki_board::Move;
use kiki_mate::{MateResult, Solver};
use kiki_run::evaluation::ThreadArgs;
use kiki_run::files::write_new_by;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::ProgressLine;
use kiki_run::{parallel, say};

use crate::positions::{SampledPosition, sampled_from};

const EXAMPLE: &str = "\
Example:
  kiki-lab problems results/data/games.games --out results/problems.sfen --count 400000 --each 70

A problem has one solution and no cook, and its length is proved the shortest. Each game gives one
at most. FILE has one SFEN a line, whose move number is the length: the shortest first, and of one
length those first that the solver finds easiest. Ctrl-C ends the search (exit status 130); the file
then has what was found.";

/// Part of a game after which mates are looked for.
const LATE: f32 = 0.7;
/// Size of a thread's solver in MiB.
const TABLE: usize = 32;

/// Find mating problems with one solution in games
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct ProblemsArgs {
    /// Sources of positions: records, folders of matches, training data
    #[arg(value_name = "PATH", required = true)]
    sources: Vec<PathBuf>,
    /// The file for the problems; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of positions to draw at random
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    count: usize,
    /// Maximum number of problems of a length
    #[arg(long, value_name = "N", default_value_t = 70)]
    each: usize,
    /// Length of the longest problems in plies
    #[arg(long, value_name = "PLIES", default_value_t = 11)]
    longest: usize,
    /// Nodes of the solver for a position
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    nodes: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArgs,
}

struct Problem {
    game: u64,
    sfen: String,
    length: usize,
    /// Those of the solver: how hard it is.
    nodes: u64,
}

pub fn run(arguments: &ProblemsArgs) -> Result<ExitCode> {
    let ProblemsArgs { sources, out, count, each, longest, nodes, seed, threads } = arguments;
    let threads = threads.count()?;
    ensure!(*count > 0 && *each > 0, "--count and --each must be above 0");
    let mut errors = InputErrors::default();
    let mut positions = sampled_from(sources, *count, *seed, None, &mut errors)?;
    positions.retain(|sampled| sampled.progress.is_none_or(|progress| progress > LATE));
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", positions.len() as u64, 0);
    let show = |done: usize| line.show(done as u64, String::new);
    let work = |solver: &mut Solver, sampled: &SampledPosition| problem(solver, sampled, *longest, *nodes, &stop);
    let found = parallel::outcomes(&positions, threads, || Ok(Solver::new(TABLE)), work, show)?;
    line.finish();
    let is_complete = found.iter().all(Option::is_some);
    let problems = chosen(found.into_iter().flatten().flatten().collect(), *each);
    write_new_by(out, |file| {
        problems.iter().try_for_each(|problem| writeln!(file, "{}", problem.sfen))?;
        Ok(())
    })?;
    for length in (1..=*longest).step_by(2) {
        let count = problems.iter().filter(|problem| problem.length == length).count();
        say!("mate in {length}: {count} problems");
    }
    Ok(errors.exit_code_of_run(!is_complete))
}

/// The easiest problems first, from the shortest to the longest; one of a game, `each` of a length
/// at most, spread over all grades.
fn chosen(mut problems: Vec<Problem>, each: usize) -> Vec<Problem> {
    // Of one game the longest is the rarest.
    problems.sort_by_key(|problem| (problem.game, std::cmp::Reverse(problem.length), problem.nodes));
    problems.dedup_by_key(|problem| problem.game);
    problems.sort_by_key(|problem| (problem.length, problem.nodes));
    let of_length = problems.chunk_by(|one, other| one.length == other.length).map(<[Problem]>::len);
    let kept: Vec<bool> = of_length
        .flat_map(|count| {
            let kept = each.min(count);
            (0..count).map(move |place| (place + 1) * kept / count > place * kept / count)
        })
        .collect();
    problems.into_iter().zip(kept).filter_map(|(problem, is_kept)| is_kept.then_some(problem)).collect()
}

/// The problem of a position, if it is one. The outer `None`: the user has stopped.
fn problem(
    solver: &mut Solver,
    sampled: &SampledPosition,
    longest: usize,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<Option<Problem>> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    if is_stopped() {
        return None;
    }
    let mut position = sampled.position.clone();
    if position.in_check() {
        return Some(None);
    }
    solver.clear();
    solver.set_shortest(true);
    let mut proceed = |spent: u64| spent < nodes && !is_stopped();
    let MateResult::Mate(solution) = solver.solve(&mut position, &mut proceed) else { return Some(None) };
    let (length, spent) = (solution.len(), solver.nodes());
    let is_sound = length <= longest && solver.is_shortest() && !has_useless_drop(&solution) && {
        let cooks = solver.cooks(&mut position, &solution, &mut proceed);
        cooks.alternatives.is_empty() && cooks.open.is_empty()
    };
    let board = position.to_sfen();
    let sfen = board.rsplit_once(' ').map_or_else(String::new, |(board, _)| format!("{board} {length}"));
    Some(is_sound.then_some(Problem { game: sampled.game, sfen, length, nodes: spent }))
}

/// Whether the defender drops a piece that is captured at once: such a drop may not count (無駄合い).
fn has_useless_drop(solution: &[Move]) -> bool {
    solution[1..].chunks_exact(2).any(|pair| pair[0].is_drop() && pair[0].to() == pair[1].to())
}

#[cfg(test)]
mod tests {
    use kiki_board::Position;

    use super::*;

    fn problem_of(sfen: &str) -> Option<Problem> {
        let position = Position::from_sfen(sfen).unwrap();
        let sampled = SampledPosition { position, game: 0, progress: None, played: None };
        problem(&mut Solver::new(1), &sampled, 11, 50_000, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn a_mate_with_one_solution_is_a_problem() {
        let found = problem_of("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 77").unwrap();
        assert_eq!((found.length, found.sfen.as_str()), (1, "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"));
        assert!(problem_of("4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 1").is_none(), "White has no mate");
        assert!(problem_of("4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1").is_some(), "a gold is left over");
        assert!(problem_of("3gkg3/9/4P4/9/9/9/9/9/9 b RGr2bg4s4n4l17p 1").is_none(), "the rook mates too");
        assert!(problem_of("4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1").is_none(), "there is no mate");
    }

    #[test]
    fn the_chosen_ones_are_of_all_grades_and_one_of_a_game() {
        let problem = |game, length, nodes| Problem { game, sfen: String::new(), length, nodes };
        let mut problems: Vec<Problem> = (0..100).map(|game| problem(game, 3, 1000 - game)).collect();
        problems.extend([problem(7, 5, 9), problem(200, 1, 5)]);
        let chosen = chosen(problems, 10);
        assert_eq!(chosen.iter().filter(|problem| problem.length == 3).count(), 10);
        assert_eq!(chosen.iter().filter(|problem| problem.game == 7).map(|problem| problem.length).max(), Some(5));
        assert_eq!((chosen[0].length, chosen.last().unwrap().length), (1, 5));
        let grades: Vec<u64> = chosen[1..11].iter().map(|problem| problem.nodes).collect();
        assert!(grades.is_sorted() && grades[0] < 920 && grades[9] > 980, "{grades:?}");
    }
}
