//! One position, two games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use kiki_board::{Color, Move, Position, opponent};
use kiki_eval::SelectedWeights;
use kiki_eval::sigma::SigmaModel;
use kiki_search::{Action, Chance, GambleMode, Limits, Options, RootScore, likeliest};
use kiki_train::selfplay::SelfPlayEnding;

use kiki_run::position_search::PositionSearcher;

/// A game that has come so far is drawn.
const LONGEST_GAME: u32 = 400;

/// How the games are played.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DuelSettings {
    /// The rules that choose a move: what each takes the rest of the game to add to sigma, in centipawns.
    pub(crate) rests: Vec<f64>,
    /// Plies searched for the move in question.
    pub(crate) depth: u32,
    /// Plies searched for all others.
    pub(crate) rest_depth: u32,
    /// Among how many of the best moves the gambling move is looked for.
    pub(crate) lines: usize,
    /// Positions whose best value is further from 0 are left out, in centipawns.
    pub(crate) lopsided: Option<u32>,
    pub(crate) table_mebibytes: usize,
}

/// What came of a position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DuelOutcome {
    /// The game is over, or a forced mate is in sight: there is nothing to gamble for.
    Decided,
    /// The best value is too far from 0.
    Lopsided,
    /// Games were played, unless all rules choose the best move.
    Played(Duel),
}

/// Lines of one position, and how games ended that went on with some of them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Duel {
    /// The lines, the best first.
    pub(crate) lines: Vec<Chance>,
    /// How the game with this line ended for the side to move, 1, 0 or -1; `None` if no rule chooses it, or all choose the best.
    pub(crate) results: Vec<Option<i8>>,
}

impl Duel {
    /// The place of the line that a rule chooses.
    pub(crate) fn chosen(&self, rest_of_game: f64) -> usize {
        likeliest(&self.lines, rest_of_game)
    }

    /// How the game with the best move ended and that with the move that a rule chooses; `None` if it chooses the best.
    pub(crate) fn change(&self, rest_of_game: f64) -> Option<(i8, i8)> {
        let place = self.chosen(rest_of_game);
        (place > 0).then_some(self.results[0].zip(self.results[place]))?
    }
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
        let chances = Options { multipv: settings.lines, gamble: GambleMode::Show, ..options };
        let mut chooser = PositionSearcher::new(weights, chances)?;
        let mut player = PositionSearcher::new(weights, options)?;
        chooser.searcher.set_sigma_model(Arc::clone(model));
        player.searcher.set_sigma_model(Arc::clone(model));
        Ok(Self { settings, chooser, player })
    }

    /// Plays a game with the best move and one with each other that a rule chooses; `None` if `stop` was set meanwhile.
    pub(crate) fn play(&mut self, position: &Position, stop: &AtomicBool) -> Option<DuelOutcome> {
        let limits = Limits { depth: Some(self.settings.depth), ..Limits::default() };
        let result = self.chooser.search_anew(position, &limits, stop)?.result;
        let value = match (result.action, result.chances.first()) {
            (Action::Play(_), Some(Chance { score: RootScore::Centipawns(value), .. })) => *value,
            _ => return Some(DuelOutcome::Decided),
        };
        if self.settings.lopsided.is_some_and(|limit| value.unsigned_abs() > limit) {
            return Some(DuelOutcome::Lopsided);
        }
        let mut duel = Duel { results: vec![None; result.chances.len()], lines: result.chances };
        let mut places: Vec<usize> = self.settings.rests.iter().map(|&rest| duel.chosen(rest)).collect();
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
