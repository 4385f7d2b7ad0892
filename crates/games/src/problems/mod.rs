//! `kiki-lab problems`: mating problems out of games.

mod problem;
mod reduce;
mod vary;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use kiki_mate::Solver;
use kiki_run::ensure_usage;
use kiki_run::evaluation::ThreadArgs;
use kiki_run::files::write_new_by;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::{ProgressLine, counted};
use kiki_run::{parallel, say};

use self::problem::{Judge, Problem};
use self::reduce::reduced;
use self::vary::varied;
use crate::positions::{SampledPosition, sampled_from};

const EXAMPLE: &str = "\
Example:
  kiki-lab problems results/data/games.games --out results/problems.sfen --reduce 3 --each 70

A problem has one solution and no cook, and its length is proved the shortest. Each game gives one
at most. FILE has one SFEN a line, whose move number is the length: the shortest first, and of one
length those first that the solver finds easiest. Ctrl-C ends the search (exit status 130); the file
then has what was found.";

/// Part of a game after which mates are looked for.
const LATE: f32 = 0.85;
/// Size of a thread's solver in MiB.
const TABLE: usize = 8;

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
    /// Length of the shortest problems in plies
    #[arg(long, value_name = "PLIES", default_value_t = 1)]
    shortest: usize,
    /// Length of the longest problems in plies
    #[arg(long, value_name = "PLIES", default_value_t = 11)]
    longest: usize,
    /// Nodes of the solver for a position
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    nodes: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Remove the pieces that the mate does not need, in up to TRIES random orders; 0 keeps the
    /// positions of the games
    #[arg(long, value_name = "TRIES", default_value_t = 0)]
    reduce: usize,
    /// Lengthen the problems of a list: make up to TRIES small random changes to each
    #[arg(long, value_name = "TRIES", default_value_t = 0, conflicts_with = "reduce")]
    vary: usize,
    #[command(flatten)]
    threads: ThreadArgs,
}

pub fn run(arguments: &ProblemsArgs) -> Result<ExitCode> {
    let ProblemsArgs { sources, out, count, each, shortest, longest, nodes, seed, reduce, vary, threads } = arguments;
    let threads = threads.count()?;
    ensure_usage!(*count > 0 && *each > 0, "--count and --each must be above 0");
    // Not after hours of work.
    ensure!(!out.exists(), "--out {}: it exists", out.display());
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    ensure!(folder.is_none_or(Path::is_dir), "--out {}: there is no such folder", out.display());
    let mut errors = InputErrors::default();
    let mut positions = sampled_from(sources, *count, *seed, None, &mut errors)?;
    positions.retain(|sampled| sampled.progress.is_none_or(|progress| progress > LATE));
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", positions.len() as u64, 0);
    let show = |done: usize| line.show(done as u64, String::new);
    let judge =
        || Ok(Judge { solver: Solver::new(TABLE), shortest: *shortest, longest: *longest, nodes: *nodes, stop: &stop });
    let work = |judge: &mut Judge, sampled: &SampledPosition| problem(judge, sampled, *reduce, *vary);
    let found = parallel::outcomes(&positions, threads, judge, work, show)?;
    line.finish();
    let is_complete = found.iter().all(Option::is_some);
    let problems = chosen(found.into_iter().flatten().flatten().collect(), *each);
    write_new_by(out, |file| {
        problems.iter().try_for_each(|problem| writeln!(file, "{}", problem.sfen))?;
        Ok(())
    })?;
    for length in (1..=*longest).step_by(2) {
        let count = problems.iter().filter(|problem| problem.length == length).count();
        say!("mate in {length}: {}", counted(count, "problem"));
    }
    Ok(errors.exit_code_of_run(!is_complete))
}

/// Chooses at most one problem of a game, at most `each` of a length, and none that looks like another.
/// The most pleasant one of each pattern of moves comes first, then the second of each, and so on.
/// Sorts them by length, and then by nodes.
fn chosen(mut problems: Vec<Problem>, each: usize) -> Vec<Problem> {
    // Of one game the longest is the rarest.
    problems.sort_by_key(|problem| (problem.game, Reverse(problem.length), Reverse(problem.merit)));
    problems.dedup_by_key(|problem| problem.game);
    problems.sort_by(|one, other| (one.look(), Reverse(one.merit)).cmp(&(other.look(), Reverse(other.merit))));
    problems.dedup_by(|one, other| one.look() == other.look());
    problems.sort_by_key(|problem| Reverse(problem.merit));
    let mut of_pattern = BTreeMap::new();
    let mut ranked: Vec<(usize, Problem)> = problems
        .into_iter()
        .map(|problem| {
            let rank = of_pattern.entry(problem.pattern.clone()).or_insert(0);
            *rank += 1;
            (*rank, problem)
        })
        .collect();
    // Stable: of one rank the most pleasant stay first.
    ranked.sort_by_key(|(rank, problem)| (problem.length, *rank));
    let mut of_length = BTreeMap::new();
    let mut problems: Vec<Problem> = ranked.into_iter().map(|(_, problem)| problem).collect();
    problems.retain(|problem| {
        let count = of_length.entry(problem.length).or_insert(0);
        *count += 1;
        *count <= each
    });
    problems.sort_by_key(|problem| (problem.length, problem.nodes));
    problems
}

/// The problem of a position, if it is one or becomes one. The outer `None`: the user has stopped.
fn problem(judge: &mut Judge, sampled: &SampledPosition, reduce: usize, vary: usize) -> Option<Option<Problem>> {
    let position = &sampled.position;
    let mut position = match (reduce, vary) {
        // In a game the attacker must also answer a check.
        (0, 0) => (!position.in_check()).then(|| position.clone()),
        (0, tries) => varied(judge, position, tries),
        (tries, _) => reduced(judge, position, tries),
    };
    let found = position.as_mut().and_then(|position| judge.problem(position, sampled.game));
    (!judge.is_stopped()).then_some(found)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use kiki_board::{COLORS, Color, HAND_KINDS, Position, pieces_in_set, unpromoted};

    use super::*;

    fn with_judge<T>(work: impl FnOnce(&mut Judge) -> T) -> T {
        let stop = AtomicBool::new(false);
        work(&mut Judge { solver: Solver::new(1), shortest: 1, longest: 11, nodes: 50_000, stop: &stop })
    }

    fn problem_of(sfen: &str, tries: usize) -> Option<Problem> {
        let position = Position::from_sfen(sfen).unwrap();
        let sampled = SampledPosition { position, game: 0, progress: None, played: None };
        with_judge(|judge| problem(judge, &sampled, tries, 0).unwrap())
    }

    #[test]
    fn a_mate_with_one_solution_is_a_problem() {
        let found = problem_of("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 77", 0).unwrap();
        assert_eq!((found.length, found.sfen.as_str()), (1, "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"));
        assert!(problem_of("4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 1", 0).is_none(), "White has no mate");
        assert!(problem_of("4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", 0).is_some(), "a gold is left over");
        assert!(problem_of("3gkg3/9/4P4/9/9/9/9/9/9 b RGr2bg4s4n4l17p 1", 0).is_none(), "the rook mates too");
        assert!(problem_of("4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1", 0).is_none(), "there is no mate");
    }

    #[test]
    fn a_position_of_a_game_becomes_a_problem_of_the_pieces_that_matter() {
        // White attacks, holds pieces that it does not need, and has a king.
        let sfen = "l2g1gsn1/2s1k2bl/3pp1ppp/p1p2r3/3S5/4G1P2/P2PP1SPP/1P2+p3R/L2+b2KNL w NPgn2p 3";
        let found = problem_of(sfen, 3).unwrap();
        let position = Position::from_sfen(&found.sfen).unwrap();
        let before = Position::from_sfen(sfen).unwrap().occupied().count();
        assert!(position.occupied().count() < 10 && before > 30, "{}", found.sfen);
        assert_eq!((position.side_to_move(), position.king(Color::Black)), (Color::Black, kiki_board::Sq::NONE));
        for kind in HAND_KINDS {
            let on_board = position.occupied().into_iter().filter_map(|sq| position.cell(sq).kind());
            let held: usize = COLORS.iter().map(|&color| position.hand(color).count(kind)).sum();
            assert_eq!(on_board.filter(|&on| unpromoted(on) == kind).count() + held, pieces_in_set(kind), "{kind:?}");
        }
        // Nothing of it can go.
        let again = with_judge(|judge| reduced(judge, &position, 3).unwrap());
        assert_eq!(again.placement(), position.placement());
        assert!(
            problem_of("4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", 1).unwrap().sfen.contains("b G2r"),
            "one gold is enough"
        );
        assert!(problem_of("4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1", 3).is_none(), "there is no mate");
    }

    #[test]
    fn small_changes_make_longer_problems() {
        let position = Position::from_sfen("5k3/3+L3p1/5+B3/9/9/9/9/9/9 b 2rb4g4s4n3l17p 3").unwrap();
        let sampled = SampledPosition { position, game: 0, progress: None, played: None };
        let longer = with_judge(|judge| problem(judge, &sampled, 0, 1000).unwrap().unwrap());
        assert!((5..=11).contains(&longer.length), "{}", longer.sfen);
        assert!(with_judge(|judge| problem(judge, &sampled, 0, 1).unwrap()).is_none(), "one try is too few");
    }

    #[test]
    fn the_chosen_ones_differ_and_are_the_most_pleasant() {
        let problem = |game, length, merit, pattern: &str| Problem {
            game,
            sfen: String::new(),
            length,
            nodes: game,
            merit,
            pattern: pattern.to_owned(),
            surroundings: game.to_string(),
        };
        let mut problems: Vec<Problem> = (0..50).map(|game| problem(game, 3, game as i32, "head gold")).collect();
        problems.extend((50..60).map(|game| problem(game, 3, -5, &format!("rare {game}"))));
        problems.extend([problem(7, 5, 9, "long"), problem(200, 1, 5, "short")]);
        problems.push(Problem { surroundings: "49".into(), ..problem(300, 3, 99, "head gold") });
        let chosen = chosen(problems, 12);
        let of_three: Vec<&Problem> = chosen.iter().filter(|problem| problem.length == 3).collect();
        assert_eq!(of_three.len(), 12);
        // Each rare one, and the two best of the many, of which the best looks like another.
        let common: Vec<u64> =
            of_three.iter().filter(|found| found.pattern == "head gold").map(|found| found.game).collect();
        assert_eq!(common, [48, 300]);
        assert_eq!(chosen.iter().filter(|problem| problem.game == 7).map(|problem| problem.length).max(), Some(5));
        assert_eq!((chosen[0].length, chosen.last().unwrap().length), (1, 5));
        assert!(of_three.is_sorted_by_key(|problem| problem.nodes));
    }

    #[test]
    fn mirrored_problems_look_alike() {
        let one = problem_of("8k/9/8p/7L1/9/9/9/9/9 b SP2r2b4g3s4n3l16p 1", 0).unwrap();
        let mirrored = problem_of("k8/9/p8/1L7/9/9/9/9/9 b SP2r2b4g3s4n3l16p 1", 0).unwrap();
        let other = problem_of("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", 0).unwrap();
        assert_eq!(one.look(), mirrored.look());
        assert_ne!(one.look(), other.look());
    }
}
