//! `kiki-lab gamble`: does a gambling move (勝負手) turn games? The experiment of Kameko 2013.
//!
//! From the same position one game continues with the best move and others with the moves that
//! rules choose by their chances. Shallower searches play all of them to the end.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::{Args, Subcommand};
use kiki_board::{Color, Move, Position, opponent};
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_games::positions::SampledPosition;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::ensure_usage;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::{ProgressLine, percent, print_json, table};
use kiki_run::{parallel, say};
use kiki_search::{Action, Chance, GambleMode, Limits, Options, RootScore, Searcher, likeliest};
use kiki_stats::normal::quantile;
use kiki_train::games::SelfPlayEnding;
use serde_json::{Value, json};

use crate::chance::SignTest;
use crate::numbers::{ChanceArgs, Printed, SignArgs, chance, sign};
use crate::sample::ModelArgs;

const EXAMPLE: &str = "\
Example:
  kiki-lab gamble --positions results/data/by-28.games --ply 79 --count 2000 --network results/nn.bin --model results/sigma.tsv

Kameko 2013, 880 games after 79 plies: 155 losses turned into wins, 188 wins into losses (z -1.78, p 0.084);
331 games after 119 plies: 44 and 38 (z 0.66, p 0.58).";

/// Do gambling moves turn more lost games than won ones? (Kameko 2013: one move by its chance to
/// win instead of its value, then a shallower search plays both games on)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GambleArgs {
    #[command(subcommand)]
    numbers: Option<NumbersCommand>,
    #[command(flatten)]
    sampled: ModelArgs,
    /// Number of plies before the move in question
    #[arg(long, default_value_t = 79)]
    ply: u32,
    /// Rules, each given as the centipawns that the rest of the game adds to sigma: 0 is GambleMove
    /// on, 780 auto; a greater number chooses nearer to the best value
    #[arg(long, value_name = "CP,..", value_delimiter = ',', allow_negative_numbers = true, value_parser = rest_of_game, default_values_t = [GambleMode::On, GambleMode::Auto].map(|mode| mode.rest_of_game().unwrap_or_default()))]
    rest: Vec<f64>,
    /// Skip positions whose best value is further from 0 than this, in centipawns
    #[arg(long, value_name = "CP")]
    lopsided: Option<u32>,
    /// Search depth in plies for all other moves
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    rest_depth: u32,
    /// Number of best moves to choose from
    #[arg(long, default_value_t = 6)]
    lines: usize,
    /// Draw the value of each move of the first rule against its sigma, with lines of equal
    /// probability (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON, with every duel
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum NumbersCommand {
    Chance(Printed<ChanceArgs>),
    Sign(Printed<SignArgs>),
}

fn rest_of_game(text: &str) -> Result<f64, String> {
    let rest: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if rest.is_finite() && rest >= 0.0 { Ok(rest) } else { Err("it must be 0 or greater".to_owned()) }
}

pub fn run(arguments: &GambleArgs) -> Result<ExitCode> {
    match &arguments.numbers {
        Some(NumbersCommand::Chance(arguments)) => arguments.print(chance).map(|()| ExitCode::SUCCESS),
        Some(NumbersCommand::Sign(arguments)) => arguments.print(sign).map(|()| ExitCode::SUCCESS),
        None => run_duels(arguments),
    }
}

fn run_duels(arguments: &GambleArgs) -> Result<ExitCode> {
    let sampled = &arguments.sampled;
    let threads = sampled.search.threads.count()?;
    ensure_usage!(arguments.lines > 1, "--lines {}: a gambling move needs another to choose from", arguments.lines);
    let model = sampled.model()?;
    let weights = sampled.search.evaluation.note()?.load()?;
    let mut errors = InputErrors::default();
    let positions = sampled.draw(Some(arguments.ply + 1), &mut errors)?;
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", positions.len() as u64, 0);
    let new_player = || DuelPlayer::new(&weights, &model, arguments);
    let play = |player: &mut DuelPlayer, sampled: &SampledPosition| player.play(&sampled.position, &stop);
    let outcomes =
        parallel::outcomes(&positions, threads, new_player, play, |done| line.show(done as u64, String::new))?;
    line.finish();
    let known: Vec<(&SampledPosition, DuelOutcome)> =
        positions.iter().zip(outcomes).filter_map(|(sampled, outcome)| Some((sampled, outcome?))).collect();
    let complete = known.len() == positions.len();
    if let Some(path) = &arguments.plot {
        draw(duels(&known), arguments.rest[0], path)?;
    }
    if arguments.json {
        print_all(&known, complete)?;
    } else {
        print(&known, &arguments.rest, complete);
    }
    Ok(errors.exit_code_of_run(!complete))
}

fn duels<'a>(known: &'a [(&SampledPosition, DuelOutcome)]) -> impl Iterator<Item = &'a GambleDuel> {
    known.iter().filter_map(|(_, outcome)| if let DuelOutcome::Played(duel) = outcome { Some(duel) } else { None })
}

fn print(outcomes: &[(&SampledPosition, DuelOutcome)], rests: &[f64], complete: bool) {
    for &rest in rests {
        print_rule(duels(outcomes), rest);
    }
    say!(
        "value before: of the best move, for its side; better, worse: how the gambling move changed the result of the game"
    );
    let count = |wanted: &DuelOutcome| outcomes.iter().filter(|(_, outcome)| outcome == wanted).count();
    say!(
        "{} positions: {} decided by a forced mate, {} with a value beyond --lopsided",
        outcomes.len(),
        count(&DuelOutcome::Decided),
        count(&DuelOutcome::Lopsided)
    );
    if !complete {
        say!("interrupted: incomplete positions are missing");
    }
}

fn print_rule<'a>(duels: impl Iterator<Item = &'a GambleDuel>, rest: f64) {
    let mut same = 0;
    let mut changes = Vec::new();
    for duel in duels {
        match duel.change(rest) {
            Some(change) => changes.push((duel.lines[0].score.centipawns(), change)),
            None => same += 1,
        }
    }
    let total = GambleCounts::new(&changes, |_| true);
    let total_row = GambleRow { name: "total".to_owned(), counts: total };
    let cells = |GambleRow { name, counts: GambleCounts { better, worse, unchanged } }| {
        let all = (better + worse + unchanged).max(1) as f64;
        let cell = |count: u64| format!("{count} ({})", percent(count as f64 / all));
        vec![name, cell(better), cell(worse), cell(unchanged)]
    };
    say!("rest of the game {rest}: another move than the best in {} positions, the best in {same}", changes.len());
    say!("{}", table(&["value before", "better", "worse", "unchanged"], rows(&changes).chain([total_row]).map(cells)));
    match SignTest::new(total.better, total.worse) {
        Ok(test) => say!("sign test: z {:.3}, exact two-sided p {:.4}\n", test.z, test.two_sided),
        Err(error) => say!("{error}\n"),
    }
}

fn print_all(outcomes: &[(&SampledPosition, DuelOutcome)], complete: bool) -> Result<()> {
    let line = |(chance, result): (&Chance, &Option<i8>)| json!({ "move": chance.mv.to_string(), "value": chance.score.centipawns(), "sigma": chance.sigma, "probability": chance.probability, "result": result });
    let row = |(sampled, outcome): &(&SampledPosition, DuelOutcome)| -> Value {
        let (outcome, lines): (_, Vec<Value>) = match outcome {
            DuelOutcome::Decided => ("decided", Vec::new()),
            DuelOutcome::Lopsided => ("lopsided", Vec::new()),
            DuelOutcome::Played(duel) => ("played", duel.lines.iter().zip(&duel.results).map(line).collect()),
        };
        json!({ "sfen": sampled.position.to_sfen(), "outcome": outcome, "lines": lines })
    };
    print_json(&json!({
        "ending": if complete { "complete" } else { "interrupted" },
        "positions": outcomes.iter().map(row).collect::<Vec<_>>(),
    }))
}

/// Lower bounds of the table's rows in centipawns, as in Kameko 2013.
const ROWS: [i32; 6] = [i32::MIN, -1000, -500, 0, 500, 1000];

/// Number of games by the change of their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct GambleCounts {
    /// A better result with the gambling move.
    better: u64,
    worse: u64,
    unchanged: u64,
}

impl GambleCounts {
    /// Of the changes whose value is inside. Each change is the value of the best move, then the
    /// results with the best and the gambling move.
    fn new(changes: &[(i32, (i8, i8))], is_inside: impl Fn(i32) -> bool) -> Self {
        let mut counts = Self::default();
        for (_, (best, gamble)) in changes.iter().filter(|(value, _)| is_inside(*value)) {
            match gamble.cmp(best) {
                std::cmp::Ordering::Greater => counts.better += 1,
                std::cmp::Ordering::Less => counts.worse += 1,
                std::cmp::Ordering::Equal => counts.unchanged += 1,
            }
        }
        counts
    }
}

struct GambleRow {
    name: String,
    counts: GambleCounts,
}

fn rows(changes: &[(i32, (i8, i8))]) -> impl Iterator<Item = GambleRow> {
    ROWS.iter().enumerate().map(|(index, &low)| {
        let end = ROWS.get(index + 1).copied();
        let name = match end {
            Some(end) if index == 0 => format!("to {end}"),
            Some(end) => format!("{low}..{end}"),
            None => format!("{low} up"),
        };
        let counts = GambleCounts::new(changes, |value| value >= low && end.is_none_or(|end| value < end));
        GambleRow { name, counts }
    })
}

/// A game of this number of plies is drawn.
const LONGEST_GAME: u32 = 400;

#[derive(Clone, PartialEq, Debug)]
enum DuelOutcome {
    /// The game is over, or a forced mate is in sight.
    Decided,
    /// The best value is too far from 0.
    Lopsided,
    /// Games were played, unless all rules choose the best move.
    Played(GambleDuel),
}

/// Lines of a position, and results of the games that continued with some of them.
#[derive(Clone, PartialEq, Debug)]
struct GambleDuel {
    /// The lines, the best first.
    lines: Vec<Chance>,
    /// Result for the side to move, 1, 0 or -1; `None` for a line that was not played: no rule
    /// chooses it, or all choose the best.
    results: Vec<Option<i8>>,
}

impl GambleDuel {
    /// Index of the line that a rule chooses.
    fn chosen(&self, rest_of_game: f64) -> usize {
        likeliest(&self.lines, rest_of_game)
    }

    /// Results with the best move and with the move that a rule chooses; `None` if it chooses the
    /// best.
    fn change(&self, rest_of_game: f64) -> Option<(i8, i8)> {
        let place = self.chosen(rest_of_game);
        (place > 0).then_some(self.results[0].zip(self.results[place]))?
    }
}

/// The two searchers of a thread.
struct DuelPlayer<'a> {
    arguments: &'a GambleArgs,
    /// Searches the lines to choose from.
    chooser: Searcher<SelectedEvaluator>,
    /// Plays the games to their ends.
    player: Searcher<SelectedEvaluator>,
}

impl<'a> DuelPlayer<'a> {
    fn new(weights: &SelectedWeights, model: &Arc<SigmaModel>, arguments: &'a GambleArgs) -> Result<Self> {
        let options = Options { threads: 1, table_mebibytes: arguments.sampled.search.table, ..Options::default() };
        let chances = Options { multipv: arguments.lines, gamble: GambleMode::Show, ..options };
        let mut chooser = Searcher::new(weights.clone(), chances)?;
        let mut player = Searcher::new(weights.clone(), options)?;
        chooser.set_sigma_model(Arc::clone(model));
        player.set_sigma_model(Arc::clone(model));
        Ok(Self { arguments, chooser, player })
    }

    /// Plays a game with the best move and one with each other move that a rule chooses; `None` if
    /// `stop` was set.
    fn play(&mut self, position: &Position, stop: &AtomicBool) -> Option<DuelOutcome> {
        let limits = Limits { depth: Some(self.arguments.sampled.depth), ..Limits::default() };
        let result = self.chooser.search_anew(position, &limits, stop)?.result;
        let value = match (result.action, result.chances.first()) {
            (Action::Play(_), Some(Chance { score: RootScore::Centipawns(value), .. })) => *value,
            _ => return Some(DuelOutcome::Decided),
        };
        if self.arguments.lopsided.is_some_and(|limit| value.unsigned_abs() > limit) {
            return Some(DuelOutcome::Lopsided);
        }
        let mut duel = GambleDuel { results: vec![None; result.chances.len()], lines: result.chances };
        let mut places: Vec<usize> = self.arguments.rest.iter().map(|&rest| duel.chosen(rest)).collect();
        if places.iter().any(|&place| place > 0) {
            places.push(0);
        } else {
            places.clear();
        }
        places.sort_unstable();
        places.dedup();
        for place in places {
            duel.results[place] = Some(self.finish(position, duel.lines[place].mv, stop)?);
        }
        Some(DuelOutcome::Played(duel))
    }

    /// Result for the side to move if it plays this move; `None` if `stop` was set.
    fn finish(&mut self, position: &Position, mv: Move, stop: &AtomicBool) -> Option<i8> {
        let side = position.side_to_move();
        let mut position = position.clone();
        position.make(mv);
        self.player.clear();
        loop {
            if let Some(ending) = SelfPlayEnding::of_repetition(position.game_repetition(), position.side_to_move()) {
                return Some(ending.result_for(side));
            }
            if position.ply() > LONGEST_GAME {
                return Some(0);
            }
            let limits = Limits { depth: Some(self.arguments.rest_depth), ..Limits::default() };
            let result = self.player.search_unless_stopped(&position, &limits, stop)?.result;
            match decided(&position, result.action, result.score) {
                Some(winner) => return Some(if winner == side { 1 } else { -1 }),
                None => match result.action {
                    Action::Play(mv) => position.make(mv),
                    // Never reached: `decided` names a winner for both.
                    Action::DeclareWin | Action::Resign => return Some(0),
                },
            };
        }
    }
}

/// The winner, once that is certain.
fn decided(position: &Position, action: Action, score: RootScore) -> Option<Color> {
    let us = position.side_to_move();
    match (action, score) {
        (Action::DeclareWin, _) => Some(us),
        (Action::Resign, _) => Some(opponent(us)),
        (Action::Play(_), RootScore::Mate(plies)) => Some(if plies > 0 { us } else { opponent(us) }),
        (Action::Play(_), RootScore::Centipawns(_)) => None,
    }
}

/// Probabilities of the lines in the picture.
const PROBABILITIES: [f64; 5] = [0.05, 0.2, 0.5, 0.8, 0.95];

/// Draws value over sigma: best moves, the gambling moves of a rule, and lines of equal
/// probability.
fn draw<'a>(duels: impl Iterator<Item = &'a GambleDuel>, rest_of_game: f64, path: &Path) -> Result<()> {
    let (mut best, mut gamble) = (Vec::new(), Vec::new());
    for duel in duels {
        best.extend(point(&duel.lines[0]));
        let place = duel.chosen(rest_of_game);
        gamble.extend((place > 0).then(|| point(&duel.lines[place])).flatten());
    }
    let widest = best.iter().chain(&gamble).map(|point| point.0).fold(0.0, f64::max);
    let mut lines: Vec<ChartLine> =
        PROBABILITIES.into_iter().map(|probability| equal(probability, widest)).collect::<Result<_>>()?;
    let dots = |name: &str, points, color| ChartLine::new(name, points, CurveStyle::Dots, color);
    lines.extend([dots("best move", best, 0), dots("gambling move", gamble, 1)]);
    LineChart::new(
        "Values and their sigma; on a line the probability of turning out well is the same",
        "sigma in centipawns",
        "value in centipawns",
        lines,
    )
    .write(path)
}

/// Sigma and value, if the line has a sigma.
fn point(chance: &Chance) -> Option<(f64, f64)> {
    Some((f64::from(chance.sigma?), f64::from(chance.score.centipawns())))
}

/// Line of equal probability from sigma 0 to the widest one.
fn equal(probability: f64, widest: f64) -> Result<ChartLine> {
    let slope = quantile(probability)?;
    Ok(ChartLine::new(
        format!("probability {probability}"),
        vec![(0.0, 0.0), (widest, slope * widest)],
        CurveStyle::Dashed,
        2,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_value_and_by_what_changed() {
        let changes =
            [(-1001, (-1, 1)), (-1000, (-1, 0)), (-500, (1, -1)), (0, (0, 0)), (999, (1, 1)), (1000, (0, -1))];
        let rows: Vec<_> = rows(&changes).collect();
        let all = rows.iter().map(|row| row.counts).chain([GambleCounts::new(&changes, |_| true)]);
        let counts: Vec<_> = all.map(|counts| (counts.better, counts.worse, counts.unchanged)).collect();
        assert_eq!(counts, [(1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 1, 0), (2, 2, 2)]);
        assert_eq!([0, 1, 5].map(|row| rows[row].name.as_str()), ["to -1000", "-1000..-500", "1000 up"]);
    }
}
