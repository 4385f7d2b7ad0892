//! A game whose connection was lost, on a server that lets it go on.

use std::time::{Duration, Instant};

use kiki_board::{ByColor, COLORS, Color, Position};
use kiki_record::{EndReason, PlayedMove, csa_move};

use super::{Game, Phase, Sent};
use crate::comment::comment;
use crate::game_action::GameAction;
use crate::protocol::{ClientLine, Password};
use crate::summary::GameSummary;

impl Game {
    /// The token by which the game may go on after a cut: there is one, and nothing has settled the game by now.
    #[must_use]
    pub fn reconnect_token(&self) -> Option<&Password> {
        let is_open = self.end.is_none() && !matches!(self.phase, Phase::Lost);
        self.summary.reconnect_token.as_ref().filter(|_| is_open && self.settled_end().reason == EndReason::Interrupted)
    }

    /// The connection is lost, and the game may go on: the engine rests.
    pub fn suspend(&mut self) -> Vec<GameAction> {
        self.candidate = None;
        let searches = self.is_thinking() || self.pondering.take().is_some();
        searches.then_some(GameAction::Stop).into_iter().collect()
    }

    /// The server goes on with the game, from the position of this summary. `left` is what both sides have left, the increment of their
    /// next move included; without it the clock went on during the cut. Nothing if this is not the game, or its position cannot follow.
    pub fn resume(
        &mut self,
        summary: &GameSummary,
        left: Option<ByColor<Duration>>,
        at: Instant,
    ) -> Option<Vec<GameAction>> {
        if (&summary.game_id, summary.side) != (&self.summary.game_id, self.summary.side) {
            return None;
        }
        let missed = self.moves_to(&summary.position()?)?;
        let mover = self.position.side_to_move();
        match left {
            Some(left) => COLORS.into_iter().for_each(|side| self.set_left(side, left[side])),
            None if missed.is_empty() => {
                let gone = self.turn_began.map_or(Duration::ZERO, |began| at.saturating_duration_since(began));
                self.clocks.set_left(mover, self.clocks.left(mover).saturating_sub(gone));
            }
            None => {}
        }
        self.summary.reconnect_token = summary.reconnect_token.clone().or(self.summary.reconnect_token.take());
        self.turn_began = Some(at);
        let has_moved = !missed.is_empty();
        missed.into_iter().for_each(|played| self.make(played));
        let mut actions = match &self.phase {
            // It has not arrived.
            Phase::Sent(sent) if !has_moved => vec![GameAction::Send(self.line_of(sent))],
            _ => self.begin_turn(at),
        };
        actions.push(GameAction::Save);
        Some(actions)
    }

    fn set_left(&mut self, side: Color, with_increment: Duration) {
        let increment = self.clocks.control(side).increment;
        self.clocks.set_left(side, with_increment.saturating_sub(increment));
    }

    /// The moves from the known position to that of the server: the own one that was not confirmed, and the answer to it.
    fn moves_to(&self, target: &Position) -> Option<Vec<PlayedMove>> {
        let (mut position, mut moves) = (self.position.clone(), Vec::new());
        if position.key() == target.key() {
            return Some(moves);
        }
        if position.side_to_move() == self.summary.side {
            let Phase::Sent(Sent::Move(sent)) = &self.phase else { return None };
            position.make(sent.mv);
            moves.push(sent.clone());
            if position.key() == target.key() {
                return Some(moves);
            }
        }
        let answer = position.legal_moves().iter().copied().find(|&mv| position.key_after(mv) == target.key())?;
        moves.push(PlayedMove::from(answer));
        Some(moves)
    }

    fn line_of(&self, sent: &Sent) -> ClientLine {
        match sent {
            Sent::Ending(line) => line.clone(),
            Sent::Move(played) => self.line_of_move(played),
        }
    }

    /// The line with which an own move is sent.
    pub(super) fn line_of_move(&self, played: &PlayedMove) -> ClientLine {
        let comment = if self.rules.comments { comment(played, &self.position) } else { String::new() };
        ClientLine::Move { token: csa_move(&self.position, played.mv), comment }
    }
}
