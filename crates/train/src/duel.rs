//! Games of two evaluations in this process, in pairs: each plays Black once from the same opening.
//!
//! A pair depends on the settings, the evaluations and its number alone, so that a match can be
//! resumed exactly.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use kiki_board::{Color, Position};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::job::{Job, JobNeeds};
use kiki_run::evaluation::{EvaluationNote, SharedEvaluation};
use kiki_search::{Limits, Options, RootScore, Rules, SoloSearcher};
use serde::{Deserialize, Serialize};

use crate::games::SelfPlayEnding;
use crate::selfplay::{
    Adjudicator, OPENINGS_DRAWN, SelfPlaySettings, chosen_move, ending_by_rules, random_numbers, random_opening,
};

/// Settings of test games: as in self-play, but with balanced openings and without random choices
/// of moves or handicaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelSettings {
    /// Games of different seeds are independent.
    pub seed: u64,
    /// Nodes per move.
    pub nodes: u64,
}

/// Maximum absolute value of an opening for either evaluation, in centipawns.
const OPENING_LIMIT: i32 = 300;
const TABLE_MEBIBYTES: usize = 16;

/// Pairs of games as tasks for many machines.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelJob {
    evaluations: [SharedEvaluation; 2],
    settings: DuelSettings,
}

impl DuelJob {
    #[must_use]
    pub fn new(evaluations: [EvaluationNote; 2], settings: DuelSettings) -> Self {
        Self { evaluations: evaluations.map(SharedEvaluation::new), settings }
    }
}

impl Job for DuelJob {
    const KIND: &'static str = "test games";
    type Task = ();
    type Outcome = [i8; 2];
    type State<'a> = Duel;

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Evaluations(self.evaluations.iter_mut().collect())
    }

    fn begin(&self, _: &WorkerContext<'_>) -> Result<Duel> {
        let [first, second] = &self.evaluations;
        Duel::new([first.weights()?, second.weights()?], self.settings)
    }

    fn work(&self, duel: &mut Duel, number: u64, (): (), stop: &StopSignal) -> Result<Option<[i8; 2]>> {
        Ok(duel.play(number, stop.flag()))
    }
}

/// Plays pairs in the thread of its caller, which needs a stack of
/// [`kiki_search::SEARCH_STACK_SIZE`].
pub struct Duel {
    settings: DuelSettings,
    openings: SelfPlaySettings,
    searchers: [SoloSearcher<SelectedEvaluator>; 2],
    limits: Limits,
}

impl Duel {
    pub fn new(weights: [SelectedWeights; 2], settings: DuelSettings) -> Result<Self> {
        let openings = SelfPlaySettings { seed: settings.seed, max_random_plies: 16, ..SelfPlaySettings::default() };
        let options = Options {
            table_mebibytes: TABLE_MEBIBYTES,
            rules: Rules { max_moves: openings.max_plies, ..Rules::default() },
            ..Options::default()
        };
        let [first, second] = weights;
        let searchers = [SoloSearcher::new(first, options)?, SoloSearcher::new(second, options)?];
        let limits = Limits { nodes: Some(settings.nodes), ..Limits::default() };
        Ok(Self { settings, openings, searchers, limits })
    }

    /// Plays a pair. Returns the results of the first evaluation, with Black and with White: 1, 0,
    /// -1; `None` if `cancelled` became true.
    pub fn play(&mut self, number: u64, cancelled: &AtomicBool) -> Option<[i8; 2]> {
        let opening = self.draw_opening(number);
        let black = self.play_game(&opening, [0, 1], cancelled)?.result_for(Color::Black);
        let white = self.play_game(&opening, [1, 0], cancelled)?.result_for(Color::White);
        Some([black, white])
    }

    /// A random opening that both evaluations take to be balanced, or the last one tried.
    fn draw_opening(&mut self, number: u64) -> Position {
        let mut random = random_numbers(self.settings.seed, number);
        let mut last = Position::startpos();
        for _ in 0..OPENINGS_DRAWN {
            let Some((_, position)) = random_opening(&self.openings, None, &mut random) else { continue };
            let is_balanced = |searcher: &mut SoloSearcher<SelectedEvaluator>| {
                searcher.clear();
                searcher.search(&position, &self.limits, 1).result.score.is_within(OPENING_LIMIT)
            };
            let balanced = self.searchers.iter_mut().all(is_balanced);
            last = position;
            if balanced {
                break;
            }
        }
        last
    }

    /// Plays a game; `players` are the indices of the evaluations of Black and White.
    fn play_game(&mut self, opening: &Position, players: [usize; 2], cancelled: &AtomicBool) -> Option<SelfPlayEnding> {
        let SelfPlaySettings { win_score, win_plies, max_plies, .. } = self.openings;
        self.searchers.iter_mut().for_each(SoloSearcher::clear);
        let mut adjudicator = Adjudicator::new(win_score, win_plies);
        let mut position = opening.clone();
        while !cancelled.load(Ordering::Relaxed) {
            if let Some(ending) = ending_by_rules(&position, max_plies) {
                return Some(ending);
            }
            let side = position.side_to_move();
            let player = &mut self.searchers[players[side.array_index()]];
            let result = player.search(&position, &self.limits, 1).result;
            let mv = match chosen_move(result.action, side) {
                Ok(mv) => mv,
                Err(ending) => return Some(ending),
            };
            // A mate score does not end the game: only both sides together may end it early.
            let score = match result.score {
                RootScore::Centipawns(score) => score,
                RootScore::Mate(plies) => plies.signum() * i32::from(i16::MAX),
            };
            if let Some(winner) = adjudicator.observe(score, side) {
                return Some(SelfPlayEnding::Adjudication { winner });
            }
            position.make(mv);
        }
        None
    }
}
