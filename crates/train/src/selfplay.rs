//! Self-play in the process: games of one evaluator against itself, played for their records.
//!
//! The moves of a game depend on the settings and its number alone, not on the thread or on earlier
//! games. An interrupted run can therefore be resumed exactly, and seeds divide the work among
//! machines.

pub mod command;

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use clap::Args;
use kiki_board::{Color, Move, PackedSfen, Position, mix, opponent};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Action, Limits, Options, RootScore, Rules, SearchInfo, Searched, SoloSearcher};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::games::{GamePart, GamePly, PlySource, SelfPlayEnding, TrainingGame};

/// When the search of a position ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfPlayLimit {
    Nodes(u64),
    /// After this number of iterations.
    Depth(u32),
}

/// All that the moves of a game depend on, apart from the evaluation and the game's number.
#[derive(Clone, PartialEq, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// Seed of all random numbers; another seed gives other games
    #[arg(long, default_value_t = Self::default().seed)]
    pub seed: u64,
    #[arg(skip = Self::default().limit)]
    pub limit: SelfPlayLimit,
    /// Minimum number of random plies at the start of a game
    #[arg(long, value_name = "N", default_value_t = Self::default().min_random_plies)]
    pub min_random_plies: u32,
    /// Maximum number of random plies at the start of a game; all numbers from the minimum on are
    /// equally likely
    #[arg(long, value_name = "N", default_value_t = Self::default().max_random_plies)]
    pub max_random_plies: u32,
    /// Replace a random start without handicap if its value exceeds this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Self::default().opening_limit)]
    pub opening_limit: i32,
    /// Share of the games that begin with a handicap, 0 to 1
    #[arg(long, value_name = "PART", default_value_t = Self::default().handicaps)]
    pub handicaps: f64,
    /// Number of plies after the random ones whose move is drawn from the best moves
    #[arg(long, value_name = "N", default_value_t = Self::default().choice_plies)]
    pub choice_plies: u32,
    /// Number of best moves to draw from
    #[arg(long, value_name = "N", default_value_t = Self::default().choice_lines)]
    pub choice_lines: usize,
    /// Maximum loss of a drawn move against the best one, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Self::default().choice_margin)]
    pub choice_margin: i32,
    /// Adjudicate a game whose values stay beyond this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Self::default().win_score)]
    pub win_score: i32,
    /// Number of plies in a row with such values for one side that end a game
    #[arg(long, value_name = "N", default_value_t = Self::default().win_plies)]
    pub win_plies: u32,
    /// Ply after which a game is drawn
    #[arg(long, value_name = "N", default_value_t = Self::default().max_plies)]
    pub max_plies: u32,
    /// Size of each game's transposition table in MiB
    #[arg(long = "table", value_name = "MIB", default_value_t = Self::default().table_mebibytes)]
    pub table_mebibytes: usize,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            seed: 1,
            limit: SelfPlayLimit::Nodes(500),
            min_random_plies: 4,
            max_random_plies: 24,
            opening_limit: 1000,
            handicaps: 0.05,
            choice_plies: 4,
            choice_lines: 4,
            choice_margin: 100,
            win_score: 3000,
            win_plies: 4,
            max_plies: 320,
            table_mebibytes: 2,
        }
    }
}

impl SelfPlaySettings {
    /// Checks the ranges. The error names the first number out of range.
    pub fn check(&self) -> Result<()> {
        let limit = match self.limit {
            SelfPlayLimit::Nodes(nodes) => nodes,
            SelfPlayLimit::Depth(depth) => depth.into(),
        };
        for (name, value, least) in [
            ("the limit of a search", limit.into(), 1),
            ("the limit of openings", i128::from(self.opening_limit), 1),
            ("the number of lines to choose among", self.choice_lines as i128, 1),
            ("the margin of choices", self.choice_margin.into(), 0),
            ("the value that wins", self.win_score.into(), 1),
            ("the number of plies that win", self.win_plies.into(), 1),
            ("the size of the table", self.table_mebibytes as i128, 1),
        ] {
            ensure!(value >= least, "{name} must be at least {least}");
        }
        let &Self { min_random_plies: min, max_random_plies: max, handicaps, max_plies, .. } = self;
        ensure!((0.0..=1.0).contains(&handicaps), "a share of handicaps of {handicaps}: expected 0 to 1");
        ensure!(min <= max, "{min} random plies at least and {max} at most: the range is empty");
        let opening = max.saturating_add(self.choice_plies);
        ensure!(
            opening < max_plies,
            "games of at most {max_plies} plies have no room for {opening} random and chosen ones"
        );
        Ok(())
    }
}

/// Watches for values that stay beyond a limit for the same side.
pub(crate) struct Adjudicator {
    score: i32,
    plies: u32,
    leader: Option<Color>,
    /// Number of plies in a row.
    streak: u32,
}

impl Adjudicator {
    /// A side wins after `plies` plies in a row with a value of at least `score` centipawns.
    pub(crate) fn new(score: i32, plies: u32) -> Self {
        Self { score, plies, leader: None, streak: 0 }
    }

    /// Takes the value of the next ply, for the side to move. Returns the winner, if there is one.
    pub(crate) fn observe(&mut self, score: i32, side_to_move: Color) -> Option<Color> {
        let leader = (score.abs() >= self.score).then(|| if score > 0 { side_to_move } else { opponent(side_to_move) });
        self.streak = if leader == self.leader { self.streak + 1 } else { 1 };
        self.leader = leader;
        leader.filter(|_| self.streak >= self.plies)
    }
}

/// Maximum number of openings drawn for a game; the last one is played whatever its value.
pub(crate) const OPENINGS_DRAWN: usize = 64;
/// Handicaps that games begin with: from a lance to four pieces.
const HANDICAPS: std::ops::Range<usize> = 1..9;

/// Plays games against itself in the thread of its caller, which needs a stack of
/// [`kiki_search::SEARCH_STACK_SIZE`].
pub struct SelfPlayer {
    settings: SelfPlaySettings,
    searcher: SoloSearcher<SelectedEvaluator>,
    limits: Limits,
}

struct GameInProgress {
    part: GamePart,
    position: Position,
    random: Pcg64,
    /// Number of plies left in which the move is drawn among the best.
    choices_left: u32,
    adjudicator: Adjudicator,
}

impl SelfPlayer {
    /// `settings` must have passed [`SelfPlaySettings::check`].
    pub fn new(weights: SelectedWeights, settings: SelfPlaySettings) -> Result<Self> {
        let options = Options {
            table_mebibytes: settings.table_mebibytes,
            rules: Rules { max_moves: settings.max_plies, ..Rules::default() },
            ..Options::default()
        };
        let (nodes, depth) = match settings.limit {
            SelfPlayLimit::Nodes(nodes) => (Some(nodes), None),
            SelfPlayLimit::Depth(depth) => (None, Some(depth)),
        };
        let limits = Limits { nodes, depth, ..Limits::default() };
        Ok(Self { searcher: SoloSearcher::new(weights, options)?, settings, limits })
    }

    /// Plays the game of a number; `None` if `cancelled` became true in the meantime.
    pub fn play(&mut self, number: u64, cancelled: &AtomicBool) -> Option<TrainingGame> {
        self.searcher.clear();
        let settings = self.settings.clone();
        let mut random = random_numbers(settings.seed, number);
        let (part, position) = self.draw_opening(&mut random, cancelled)?;
        let mut game = GameInProgress {
            part,
            position,
            random,
            choices_left: settings.choice_plies,
            adjudicator: Adjudicator::new(settings.win_score, settings.win_plies),
        };
        while !cancelled.load(Ordering::Relaxed) {
            if let Some(ending) = ending_by_rules(&game.position, settings.max_plies) {
                return Some(game.finish(ending));
            }
            let lines = if game.choices_left > 0 { settings.choice_lines } else { 1 };
            let searched = self.searcher.search(&game.position, &self.limits, lines);
            if let Some(ending) = game.play_on(&searched, &settings) {
                return Some(game.finish(ending));
            }
        }
        None
    }

    /// A random opening within `opening_limit` (any with a handicap) and the position after it;
    /// `None` if the game was cancelled.
    fn draw_opening(&mut self, random: &mut Pcg64, cancelled: &AtomicBool) -> Option<(GamePart, Position)> {
        let start = random.random_bool(self.settings.handicaps).then(|| handicap(random));
        let mut last = (GamePart::default(), Position::startpos());
        for _ in 0..OPENINGS_DRAWN {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            let Some(opening) = random_opening(&self.settings, start.as_ref(), random) else { continue };
            let searched = self.searcher.search(&opening.1, &self.limits, 1);
            let limit = if start.is_some() { i32::MAX } else { self.settings.opening_limit };
            if searched.result.score.is_within(limit) {
                return Some(opening);
            }
            last = opening;
        }
        Some(last)
    }
}

/// The ending by repetition or by the longest length, if there is one.
pub(crate) fn ending_by_rules(position: &Position, max_plies: u32) -> Option<SelfPlayEnding> {
    let longest = (position.ply() > max_plies).then_some(SelfPlayEnding::MaxPlies);
    SelfPlayEnding::of_repetition(position.game_repetition(), position.side_to_move()).or(longest)
}

/// The move of a search by `side`, or the ending of the game.
pub(crate) fn chosen_move(action: Action, side: Color) -> Result<Move, SelfPlayEnding> {
    match action {
        Action::Play(mv) => Ok(mv),
        Action::DeclareWin => Err(SelfPlayEnding::Declaration { winner: side }),
        Action::Resign => Err(SelfPlayEnding::Mate { winner: opponent(side) }),
    }
}

impl GameInProgress {
    /// Makes a move. Returns the ending of the game if it is over.
    fn play_on(&mut self, searched: &Searched, settings: &SelfPlaySettings) -> Option<SelfPlayEnding> {
        let side = self.position.side_to_move();
        let best = match chosen_move(searched.result.action, side) {
            Ok(mv) => mv,
            Err(ending) => return Some(ending),
        };
        let score = match searched.result.score {
            RootScore::Centipawns(score) => score,
            RootScore::Mate(plies) => {
                let winner = if plies > 0 { side } else { opponent(side) };
                return Some(SelfPlayEnding::Mate { winner });
            }
        };
        if let Some(winner) = self.adjudicator.observe(score, side) {
            return Some(SelfPlayEnding::Adjudication { winner });
        }
        let (mv, source) = if self.choices_left > 0 {
            self.choices_left -= 1;
            let drawn = choose(searched.best_lines(), settings.choice_margin, &mut self.random);
            (drawn.unwrap_or(best), PlySource::Drawn)
        } else {
            (best, PlySource::Best)
        };
        let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        self.part.plies.push(GamePly { mv, source, score });
        self.position.make(mv);
        None
    }

    fn finish(self, ending: SelfPlayEnding) -> TrainingGame {
        TrainingGame { parts: vec![self.part], ending }
    }
}

/// A random move among those within `margin` centipawns of the best; `None` without lines.
fn choose(lines: &[SearchInfo], margin: i32, random: &mut Pcg64) -> Option<Move> {
    let value = |line: &SearchInfo| match line.score {
        RootScore::Centipawns(score) => score,
        RootScore::Mate(plies) => plies.signum() * 1_000_000,
    };
    let best = value(lines.first()?);
    let good = lines.iter().filter(|line| value(line) >= best - margin).count();
    lines[random.random_range(0..good)].pv.first().copied()
}

pub(crate) fn random_numbers(seed: u64, game: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(mix(seed) ^ game))
}

fn handicap(random: &mut Pcg64) -> Position {
    let sfens: Vec<&str> = kiki_record::handicaps().collect();
    let sfen = sfens[HANDICAPS].choose(random).copied().unwrap_or_default();
    Position::from_sfen(sfen).unwrap_or_else(|_| Position::startpos())
}

/// Random moves from `start` or the usual position, and where they lead; `None` if the game ended.
pub(crate) fn random_opening(
    settings: &SelfPlaySettings,
    start: Option<&Position>,
    random: &mut Pcg64,
) -> Option<(GamePart, Position)> {
    let usual = Position::startpos();
    let plies = settings.min_random_plies..=settings.max_random_plies;
    let (moves, position) = kiki_search::random_opening(start.unwrap_or(&usual), plies, random)?;
    let start = start.and_then(|start| Some((PackedSfen::pack(start).ok()?, start.ply() as u16)));
    let plies = moves.into_iter().map(|mv| GamePly { mv, source: PlySource::Unsearched, score: 0 }).collect();
    let part = GamePart { start, plies };
    Some((part, position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_wins_after_so_many_plies_for_the_same_side() {
        let (black, white) = (Color::Black, Color::White);
        let mut adjudicator = Adjudicator::new(1000, 3);
        for (score, side, winner) in [
            (1000, black, None),
            (-1200, white, None),
            // It begins anew.
            (999, black, None),
            (1000, black, None),
            (1000, white, None),
            (-1500, black, None),
            (1600, white, Some(white)),
            (-1700, black, Some(white)),
        ] {
            assert_eq!(adjudicator.observe(score, side), winner, "{score} for {side:?}");
        }
    }
}
