//! One game after the other.

use std::sync::atomic::{AtomicBool, Ordering};

use kiki_board::{Color, Move, Position, opponent};
use kiki_eval::SelectedWeights;
use kiki_search::{Action, ResourceError, RootScore};
use rand::RngExt as _;
use rand_pcg::Pcg64;

use super::ending::{Adjudicator, SelfPlayEnding};
use super::opening::{random_numbers, random_opening};
use super::root_search::{RootOutcome, RootSearcher, ScoredMove};
use super::settings::SelfPlaySettings;
use crate::psv::TrainingRecord;
use crate::random::mix;

/// So often is an opening drawn anew at most; the last one is played whatever its value.
const OPENINGS_DRAWN: usize = 64;
/// Values beyond this, in centipawns, are no evaluations: those of repetitions with a better or a worse hand.
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
    /// Plies that are still to be drawn among the best.
    choices_left: u32,
    adjudicator: Adjudicator,
    /// With the results still open, and the side to move.
    records: Vec<(TrainingRecord, Color)>,
}

impl SelfPlayer {
    /// A player with an evaluation. The settings are taken as [`SelfPlaySettings::check`] wants them.
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
        // The opening counts by the position that it led to.
        game.hash = game.position.key();
        while !cancelled.load(Ordering::Relaxed) {
            if let Some(ending) = game.ending_by_rules(settings.max_plies) {
                return Ok(Some(game.finish(ending)));
            }
            let lines = if game.choices_left > 0 { settings.choice_lines } else { 1 };
            let outcome = self.searcher.search(&game.position, lines)?;
            if let Some(ending) = game.play_on(&outcome, &settings) {
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
            let outcome = self.searcher.search(&position, 1)?;
            let limit = self.settings.opening_limit;
            if matches!(outcome.score, RootScore::Centipawns(score) if score.abs() <= limit) {
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

    /// Keeps the position if it is quiet, and makes the move. Returns how the game has ended, if it has.
    fn play_on(&mut self, outcome: &RootOutcome, settings: &SelfPlaySettings) -> Option<SelfPlayEnding> {
        let side = self.position.side_to_move();
        let best = match outcome.action {
            Action::Play(mv) => mv,
            Action::DeclareWin => return Some(SelfPlayEnding::Declaration { winner: side }),
            Action::Resign => return Some(SelfPlayEnding::Mate { winner: opponent(side) }),
        };
        let score = match outcome.score {
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
            choose(&outcome.lines, settings.choice_margin, &mut self.random).unwrap_or(best)
        } else {
            self.keep(best, score);
            best
        };
        self.hash = mix(self.hash ^ u64::from(mv.bits()));
        self.position.make(mv);
        None
    }

    /// Adds a record unless the position is noisy: in check, or the best move captures or promotes a pawn; or its value is no evaluation.
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

/// A move drawn among those that are worse than the best by at most a margin in centipawns; `None` if there are no lines.
fn choose(lines: &[ScoredMove], margin: i32, random: &mut Pcg64) -> Option<Move> {
    let value = |line: &ScoredMove| match line.score {
        RootScore::Centipawns(score) => score,
        RootScore::Mate(plies) => plies.signum() * 1_000_000,
    };
    let best = value(lines.first()?);
    let good = lines.iter().filter(|line| value(line) >= best - margin).count();
    Some(lines[random.random_range(0..good)].mv)
}
