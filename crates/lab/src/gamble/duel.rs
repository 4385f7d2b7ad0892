//! One position, two games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use kiki_board::{Color, Move, Position, opponent};
use kiki_eval::{SelectedWeights, SigmaModel};
use kiki_search::{Action, Chance, GambleMode, Limits, Options, RootScore};
use kiki_train::selfplay::SelfPlayEnding;

use crate::position_search::PositionSearcher;

/// A game that has come so far is drawn.
const LONGEST_GAME: u32 = 400;

/// How the games are played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DuelSettings {
    /// Which move is compared with the best one: that of `auto` or of `on`.
    pub(crate) mode: GambleMode,
    /// Plies searched for the move in question.
    pub(crate) depth: u32,
    /// Plies searched for all others.
    pub(crate) rest_depth: u32,
    /// Among how many of the best moves the gambling move is looked for.
    pub(crate) lines: usize,
    pub(crate) table_mebibytes: usize,
}

/// What came of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum DuelOutcome {
    /// The game is over, or a forced mate is in sight: there is nothing to gamble for.
    Decided,
    /// The gambling move is the best one.
    SameMove {
        /// The best line.
        best: Chance,
    },
    /// Two games were played.
    Played(Duel),
}

/// Two games from a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Duel {
    /// The best move.
    pub(crate) best: Chance,
    /// The gambling move.
    pub(crate) gamble: Chance,
    /// How the game with the best move ended for its side: 1, 0 or -1.
    pub(crate) best_result: i8,
    /// The same with the gambling move.
    pub(crate) gamble_result: i8,
}

/// Plays duels on a thread of its own.
pub(crate) struct DuelPlayer {
    settings: DuelSettings,
    /// Looks for the gambling move.
    chooser: PositionSearcher,
    /// Plays the games.
    player: PositionSearcher,
}

impl DuelPlayer {
    pub(crate) fn new(weights: &SelectedWeights, model: &Arc<SigmaModel>, settings: DuelSettings) -> Result<Self> {
        let options = Options { threads: 1, table_mebibytes: settings.table_mebibytes, ..Options::default() };
        let chances = Options { multipv: settings.lines, gamble: settings.mode, ..options };
        let mut chooser = PositionSearcher::new(weights, chances)?;
        let mut player = PositionSearcher::new(weights, options)?;
        chooser.searcher.set_sigma_model(Arc::clone(model));
        player.searcher.set_sigma_model(Arc::clone(model));
        Ok(Self { settings, chooser, player })
    }

    /// Plays both games from a position; `None` if `stop` was set meanwhile.
    pub(crate) fn play(&mut self, position: &Position, stop: &AtomicBool) -> Option<DuelOutcome> {
        let limits = Limits { depth: Some(self.settings.depth), ..Limits::default() };
        let result = self.chooser.search_anew(position, &limits, stop)?.result;
        let (Action::Play(mv), Some(&best)) = (result.action, result.chances.first()) else {
            return Some(DuelOutcome::Decided);
        };
        if matches!(best.score, RootScore::Mate(_)) {
            return Some(DuelOutcome::Decided);
        }
        let gamble = result.chances.iter().find(|chance| chance.mv == mv).filter(|gamble| gamble.mv != best.mv);
        let Some(&gamble) = gamble else { return Some(DuelOutcome::SameMove { best }) };
        let [best_result, gamble_result] =
            [self.finish(position, best.mv, stop)?, self.finish(position, gamble.mv, stop)?];
        Some(DuelOutcome::Played(Duel { best, gamble, best_result, gamble_result }))
    }

    /// How a game ends for the side to move if it plays this move.
    fn finish(&mut self, position: &Position, mv: Move, stop: &AtomicBool) -> Option<i8> {
        let side = position.side_to_move();
        let mut position = position.clone();
        position.make(mv);
        self.player.searcher.clear();
        loop {
            if let Some(ending) = SelfPlayEnding::of_repetition(position.game_repetition(), position.side_to_move()) {
                return Some(ending.result_for(side));
            }
            if position.ply() > LONGEST_GAME {
                return Some(0);
            }
            let limits = Limits { depth: Some(self.settings.rest_depth), ..Limits::default() };
            let result = self.player.search(&position, &limits, stop)?.result;
            match decided(&position, result.action, result.score) {
                Some(winner) => return Some(if winner == side { 1 } else { -1 }),
                None => match result.action {
                    Action::Play(mv) => position.make(mv),
                    // Both have a winner.
                    Action::DeclareWin | Action::Resign => return Some(0),
                },
            };
        }
    }
}

/// Who has won, once that is certain.
fn decided(position: &Position, action: Action, score: RootScore) -> Option<Color> {
    let us = position.side_to_move();
    match (action, score) {
        (Action::DeclareWin, _) => Some(us),
        (Action::Resign, _) => Some(opponent(us)),
        (Action::Play(_), RootScore::Mate(plies)) => Some(if plies > 0 { us } else { opponent(us) }),
        (Action::Play(_), RootScore::Centipawns(_)) => None,
    }
}
