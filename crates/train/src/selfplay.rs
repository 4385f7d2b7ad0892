//! Self-play in the process: games of one evaluator against itself, played for their records.
//!
//! The moves of a game depend on the settings and its number alone, not on the thread or on earlier games. An interrupted run can
//! therefore be resumed exactly, and seeds divide the work among machines.

pub mod command;
mod journal;

pub use journal::{GameEntry, JournalError, ShardProgress};

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kiki_board::{Color, GameRepetition, Move, Position, opponent};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Action, Limits, Options, ResourceError, RootScore, Rules, SearchInfo, Searched, Searcher};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::mix;
use crate::psv::TrainingRecord;

/// When the search of a position ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfPlayLimit {
    /// After this number of nodes.
    Nodes(u64),
    /// After this number of iterations.
    Depth(u32),
}

/// All that the moves of a game depend on, apart from the evaluation and the game's number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// Games of different seeds are independent.
    pub seed: u64,
    /// When the search of a position ends.
    pub limit: SelfPlayLimit,
    /// Least number of random moves at the start of a game.
    pub min_random_plies: u32,
    /// Greatest number of random moves at the start of a game; all numbers between are equally likely.
    pub max_random_plies: u32,
    /// Greatest value of a random opening, in centipawns; openings beyond it are replaced.
    pub opening_limit: i32,
    /// Number of plies after the random ones in which the move is drawn among the best of the search.
    pub choice_plies: u32,
    /// Number of best moves to draw from.
    pub choice_lines: usize,
    /// Greatest difference of a drawn move to the best one, in centipawns.
    pub choice_margin: i32,
    /// Value that wins the game after `win_plies` plies, in centipawns.
    pub win_score: i32,
    /// Number of plies in a row with such a value for the same side.
    pub win_plies: u32,
    /// Length at which the game is drawn, in plies.
    pub max_plies: u32,
    /// Size of the transposition table, in MiB. It is empty when a game begins.
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

/// Why games cannot be played with some settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A number is too small.
    #[error("{name} must be at least {least}")]
    TooSmall {
        /// The name of the number.
        name: &'static str,
        /// The smallest that is allowed.
        least: u64,
    },
    /// The range of random plies is empty.
    #[error("{min} random plies at least and {max} at most: the range is empty")]
    RandomPlies {
        /// The lower end.
        min: u32,
        /// The upper end.
        max: u32,
    },
    /// Games end before the opening does.
    #[error("games of at most {max_plies} plies have no room for {opening} random and chosen ones")]
    NoRoom {
        /// The longest game.
        max_plies: u32,
        /// Random plies and plies with a choice, at most.
        opening: u32,
    },
}

impl SelfPlaySettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// Names the first number out of range.
    pub fn check(&self) -> Result<(), SettingsError> {
        let limit = match self.limit {
            SelfPlayLimit::Nodes(nodes) => nodes,
            SelfPlayLimit::Depth(depth) => u64::from(depth),
        };
        let at_least = |name, value: i64, least: u64| {
            if value < least as i64 { Err(SettingsError::TooSmall { name, least }) } else { Ok(()) }
        };
        at_least("the limit of a search", limit.min(i64::MAX as u64) as i64, 1)?;
        at_least("the limit of openings", self.opening_limit.into(), 1)?;
        at_least("the number of lines to choose among", self.choice_lines as i64, 1)?;
        at_least("the margin of choices", self.choice_margin.into(), 0)?;
        at_least("the value that wins", self.win_score.into(), 1)?;
        at_least("the number of plies that win", self.win_plies.into(), 1)?;
        at_least("the size of the table", self.table_mebibytes as i64, 1)?;
        let (min, max) = (self.min_random_plies, self.max_random_plies);
        if min > max {
            return Err(SettingsError::RandomPlies { min, max });
        }
        let opening = max.saturating_add(self.choice_plies);
        if opening >= self.max_plies {
            return Err(SettingsError::NoRoom { max_plies: self.max_plies, opening });
        }
        Ok(())
    }
}

/// How a game of self-play ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPlayEnding {
    /// A side was mated, or the search saw a forced mate.
    Mate {
        /// Who mates.
        winner: Color,
    },
    /// The value stayed beyond the limit.
    Adjudication {
        /// Whom it favoured.
        winner: Color,
    },
    /// The win of an entered king was declared.
    Declaration {
        /// By whom.
        winner: Color,
    },
    /// Perpetual check.
    PerpetualCheck {
        /// Who did not give it.
        winner: Color,
    },
    /// The position occurred for the fourth time.
    Repetition,
    /// The game reached the longest length.
    MaxPlies,
}

impl SelfPlayEnding {
    /// Who has won; `None` after a draw.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Mate { winner }
            | Self::Adjudication { winner }
            | Self::Declaration { winner }
            | Self::PerpetualCheck { winner } => Some(winner),
            Self::Repetition | Self::MaxPlies => None,
        }
    }

    /// The result for a side: 1, 0 or -1.
    #[must_use]
    pub fn result_for(self, side: Color) -> i8 {
        self.winner().map_or(0, |winner| if winner == side { 1 } else { -1 })
    }

    /// The ending that a repetition brings, if it brings one.
    #[must_use]
    pub fn of_repetition(repetition: GameRepetition, side_to_move: Color) -> Option<Self> {
        match repetition {
            GameRepetition::None => None,
            GameRepetition::Draw => Some(Self::Repetition),
            GameRepetition::SideToMoveWins => Some(Self::PerpetualCheck { winner: side_to_move }),
            GameRepetition::SideToMoveLoses => Some(Self::PerpetualCheck { winner: opponent(side_to_move) }),
        }
    }
}

/// Watches for values that stay beyond a limit for the same side.
struct Adjudicator {
    score: i32,
    plies: u32,
    leader: Option<Color>,
    /// Number of plies in a row.
    streak: u32,
}

impl Adjudicator {
    /// A side wins after `plies` plies with a value of at least `score` centipawns.
    fn new(score: i32, plies: u32) -> Self {
        Self { score, plies, leader: None, streak: 0 }
    }

    /// Takes the value of the next ply, for the side to move. Returns who has won.
    fn observe(&mut self, score: i32, side_to_move: Color) -> Option<Color> {
        let leader = (score.abs() >= self.score).then(|| if score > 0 { side_to_move } else { opponent(side_to_move) });
        self.streak = if leader == self.leader { self.streak + 1 } else { 1 };
        self.leader = leader;
        leader.filter(|_| self.streak >= self.plies)
    }
}

/// Greatest number of openings drawn for a game; the last one is played whatever its value.
const OPENINGS_DRAWN: usize = 64;
/// Greatest evaluation, in centipawns. Values beyond it come from repetitions with a better or a worse hand.
const LARGEST_SCORE: i32 = 25_000;

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelfPlayGame {
    /// Games with the same moves have the same hash.
    pub hash: u64,
    /// The length in plies, the random ones included.
    pub plies: u32,
    /// How it ended.
    pub ending: SelfPlayEnding,
    /// The quiet positions, in the order of the game.
    pub records: Vec<TrainingRecord>,
}

/// Plays games against itself on one thread, plus one that waits.
pub struct SelfPlayer {
    settings: SelfPlaySettings,
    searcher: RootSearcher,
}

/// A game that is being played.
struct GameInProgress {
    position: Position,
    random: Pcg64,
    hash: u64,
    /// Number of plies left in which the move is drawn among the best.
    choices_left: u32,
    adjudicator: Adjudicator,
    /// With the results still open, and the side to move.
    records: Vec<(TrainingRecord, Color)>,
}

impl SelfPlayer {
    /// A player with an evaluation and settings that have passed [`SelfPlaySettings::check`].
    ///
    /// # Errors
    /// If the system refuses threads or memory.
    pub fn new(weights: SelectedWeights, settings: SelfPlaySettings) -> Result<Self, ResourceError> {
        Ok(Self { searcher: RootSearcher::new(weights, &settings)?, settings })
    }

    /// Plays the game of a number; `None` if `cancelled` became true in the meantime.
    ///
    /// # Errors
    /// If the system refuses threads.
    pub fn play(&mut self, number: u64, cancelled: &AtomicBool) -> Result<Option<SelfPlayGame>, ResourceError> {
        self.searcher.clear();
        let settings = self.settings.clone();
        let mut random = random_numbers(settings.seed, number);
        let Some(position) = self.draw_opening(&mut random, cancelled)? else { return Ok(None) };
        let mut game = GameInProgress {
            position,
            random,
            hash: 0,
            choices_left: settings.choice_plies,
            adjudicator: Adjudicator::new(settings.win_score, settings.win_plies),
            records: Vec::new(),
        };
        // The hash covers the opening by the position that it leads to.
        game.hash = game.position.key();
        while !cancelled.load(Ordering::Relaxed) {
            if let Some(ending) = game.ending_by_rules(settings.max_plies) {
                return Ok(Some(game.finish(ending)));
            }
            let lines = if game.choices_left > 0 { settings.choice_lines } else { 1 };
            let searched = self.searcher.search(&game.position, lines)?;
            if let Some(ending) = game.play_on(&searched, &settings) {
                return Ok(Some(game.finish(ending)));
            }
        }
        Ok(None)
    }

    /// A random opening that is not decided; `None` if the game was cancelled.
    fn draw_opening(&mut self, random: &mut Pcg64, cancelled: &AtomicBool) -> Result<Option<Position>, ResourceError> {
        let mut last = Position::startpos();
        for _ in 0..OPENINGS_DRAWN {
            if cancelled.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let Some(position) = random_opening(&self.settings, random) else { continue };
            let searched = self.searcher.search(&position, 1)?;
            let limit = self.settings.opening_limit;
            if matches!(searched.result.score, RootScore::Centipawns(score) if score.abs() <= limit) {
                return Ok(Some(position));
            }
            last = position;
        }
        Ok(Some(last))
    }
}

impl GameInProgress {
    fn ending_by_rules(&self, max_plies: u32) -> Option<SelfPlayEnding> {
        let repetition = self.position.game_repetition();
        let longest = (self.position.ply() > max_plies).then_some(SelfPlayEnding::MaxPlies);
        SelfPlayEnding::of_repetition(repetition, self.position.side_to_move()).or(longest)
    }

    /// Keeps the position if it is quiet, and makes the move. Returns the ending of the game if it is over.
    fn play_on(&mut self, searched: &Searched, settings: &SelfPlaySettings) -> Option<SelfPlayEnding> {
        let side = self.position.side_to_move();
        let best = match searched.result.action {
            Action::Play(mv) => mv,
            Action::DeclareWin => return Some(SelfPlayEnding::Declaration { winner: side }),
            Action::Resign => return Some(SelfPlayEnding::Mate { winner: opponent(side) }),
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
        let mv = if self.choices_left > 0 {
            self.choices_left -= 1;
            choose(searched.best_lines(), settings.choice_margin, &mut self.random).unwrap_or(best)
        } else {
            self.keep(best, score);
            best
        };
        self.hash = mix(self.hash ^ u64::from(mv.bits()));
        self.position.make(mv);
        None
    }

    /// Adds a record unless the position is in check, the best move captures or promotes a pawn, or the value is no evaluation.
    fn keep(&mut self, best: Move, score: i32) {
        if self.position.in_check() || self.position.is_tactical(best) || score.abs() > LARGEST_SCORE {
            return;
        }
        let score = score as i16;
        // Both kings are there: the game began at the start.
        if let Ok(record) = TrainingRecord::new(&self.position, best, score, 0) {
            self.records.push((record, self.position.side_to_move()));
        }
    }

    fn finish(self, ending: SelfPlayEnding) -> SelfPlayGame {
        let with_result = |(record, side)| TrainingRecord { result: ending.result_for(side), ..record };
        SelfPlayGame {
            hash: self.hash,
            plies: self.position.ply() - 1,
            ending,
            records: self.records.into_iter().map(with_result).collect(),
        }
    }
}

/// A random one of the moves within a margin of the best, in centipawns; `None` without lines.
fn choose(lines: &[SearchInfo], margin: i32, random: &mut Pcg64) -> Option<Move> {
    let value = |line: &SearchInfo| match line.score {
        RootScore::Centipawns(score) => score,
        RootScore::Mate(plies) => plies.signum() * 1_000_000,
    };
    let best = value(lines.first()?);
    let good = lines.iter().filter(|line| value(line) >= best - margin).count();
    lines[random.random_range(0..good)].pv.first().copied()
}

/// The random numbers of a game.
fn random_numbers(seed: u64, game: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(mix(seed) ^ game))
}

/// The position after a random number of random moves from the start of the game; `None` if the game ended before.
fn random_opening(settings: &SelfPlaySettings, random: &mut Pcg64) -> Option<Position> {
    let plies = random.random_range(settings.min_random_plies..=settings.max_random_plies);
    let mut position = Position::startpos();
    for _ in 0..plies {
        let mv = *position.legal_moves().choose(random)?;
        position.make(mv);
    }
    Some(position)
}

/// Searches positions one by one on a single thread.
struct RootSearcher {
    searcher: Searcher<SelectedEvaluator>,
    limits: Limits,
}

impl RootSearcher {
    /// # Errors
    /// If the system refuses threads or memory.
    fn new(weights: SelectedWeights, settings: &SelfPlaySettings) -> Result<Self, ResourceError> {
        let options = Options {
            threads: 1,
            table_mebibytes: settings.table_mebibytes,
            // Only the final lines are read.
            pv_interval: Duration::from_secs(3600),
            rules: Rules { max_moves: settings.max_plies, ..Rules::default() },
            ..Options::default()
        };
        let (nodes, depth) = match settings.limit {
            SelfPlayLimit::Nodes(nodes) => (Some(nodes), None),
            SelfPlayLimit::Depth(depth) => (None, Some(depth)),
        };
        let limits = Limits { nodes, depth, ..Limits::default() };
        Ok(Self { searcher: Searcher::new(weights, options)?, limits })
    }

    /// Forgets all earlier positions.
    fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Searches a position for its `lines` best moves.
    ///
    /// # Errors
    /// If the system refuses threads.
    fn search(&mut self, position: &Position, lines: usize) -> Result<Searched, ResourceError> {
        if self.searcher.options().multipv != lines {
            self.searcher.set_options(Options { multipv: lines, ..*self.searcher.options() })?;
        }
        // A search is so short that its end is waited for.
        Ok(self.searcher.search(position.clone(), self.limits.clone(), &AtomicBool::new(false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_wins_after_so_many_plies_for_the_same_side() {
        let mut adjudicator = Adjudicator::new(1000, 3);
        let mut scores = [1000, -1200, 999, -1500, 1500, 1600, -1700].into_iter().zip([
            Color::Black,
            Color::White,
            Color::Black,
            Color::White,
            Color::Black,
            Color::Black,
            Color::White,
        ]);
        let winners: Vec<_> = scores.by_ref().map(|(score, side)| adjudicator.observe(score, side)).collect();
        // The value of 999 begins the count anew.
        assert_eq!(winners[..5], [None; 5]);
        assert_eq!(winners[5..], [Some(Color::Black); 2]);
    }

    #[test]
    fn a_change_of_the_leader_begins_anew() {
        let mut adjudicator = Adjudicator::new(100, 2);
        assert_eq!(adjudicator.observe(100, Color::Black), None);
        assert_eq!(adjudicator.observe(100, Color::White), None);
        assert_eq!(adjudicator.observe(-100, Color::Black), Some(Color::White));
    }
}
