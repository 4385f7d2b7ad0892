//! How a game ends without the server's word, and its record.

use kiki_board::Color;
use kiki_record::{EndReason, Game as GameRecord, GameEnd};
use kiki_usi::PositionRoot;

use super::{Game, Phase, Sent};
use crate::game_action::GameAction;
use crate::protocol::ClientLine;

impl Game {
    /// The connection is lost: the game is over without a result, unless the server had told it by then.
    pub fn break_off(&mut self) -> Vec<GameAction> {
        if self.end.is_some() { Vec::new() } else { self.finish(self.settled_end()) }
    }

    /// The user leaves the game. A server gives it to the other side, unless it was settled by then. What becomes of a declaration that is
    /// on its way is not known.
    pub fn give_up(&mut self) -> Vec<GameAction> {
        if self.end.is_some() {
            return Vec::new();
        }
        let (settled, side) = (self.settled_end(), self.summary.side);
        let end = match &self.phase {
            _ if settled.reason != EndReason::Interrupted => settled,
            Phase::Sent(Sent::Ending(ClientLine::Declare)) => settled,
            Phase::Sent(Sent::Ending(_)) => GameEnd::loss_of(side, EndReason::Resignation),
            _ => GameEnd::loss_of(side, EndReason::Forfeit),
        };
        self.finish(end)
    }

    /// What the server's lines so far have settled.
    pub(super) fn settled_end(&self) -> GameEnd {
        let is_lost = matches!(self.phase, Phase::Lost);
        self.result.broken_off((!is_lost).then(|| self.position.side_to_move()))
    }

    /// The game as a record, as far as it has come.
    #[must_use]
    pub fn record(&self) -> GameRecord {
        let root = match &self.summary.root {
            PositionRoot::Startpos => None,
            PositionRoot::Sfen(sfen) => Some(sfen.clone()),
        };
        let names = &self.summary.names;
        GameRecord {
            black: names[Color::Black].clone(),
            white: names[Color::White].clone(),
            event: self.summary.game_id.clone(),
            time_control: self.summary.time_text(),
            root,
            moves: self.played.clone(),
            outcome: self.end.map(|end| end.outcome).unwrap_or_default(),
            reason: self.end.map(|end| end.reason),
            ..GameRecord::default()
        }
    }
}
