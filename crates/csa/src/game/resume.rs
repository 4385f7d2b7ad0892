//! A game whose connection was lost, and what it continues with.

use std::time::{Duration, Instant};

use kiki_board::{ByColor, COLORS, Position};
use kiki_record::{EndReason, PlayedMove};

use super::{CsaGame, GameAction, Sent, TurnPhase};
use crate::protocol::Password;
use crate::summary::GameSummary;

impl CsaGame {
    /// The token to continue the game after a lost connection, if there is one and nothing has
    /// settled the game.
    pub(crate) fn reconnect_token(&self) -> Option<&Password> {
        let is_open = self.end.is_none() && !matches!(self.phase, TurnPhase::Lost);
        self.summary.reconnect_token.as_ref().filter(|_| is_open && self.settled_end().reason == EndReason::Interrupted)
    }

    /// Stops the engine after a lost connection. The game may continue.
    pub(crate) fn suspend(&mut self) -> Vec<GameAction> {
        self.stop_search().into_iter().collect()
    }

    /// Continues the game from the position of the server's new summary. `left` is the time that
    /// both sides have left, with the increment of their next move. The clock of a turn that was
    /// interrupted ran on. `None` if it is another game or its position cannot follow.
    pub(crate) fn resume(
        &mut self,
        summary: &GameSummary,
        left: Option<ByColor<Duration>>,
        at: Instant,
    ) -> Option<Vec<GameAction>> {
        if (&summary.game_id, summary.side) != (&self.summary.game_id, self.summary.side) {
            return None;
        }
        let missed = self.moves_to(&summary.position())?;
        let has_moved = !missed.is_empty();
        missed.into_iter().for_each(|played| self.make(played));
        let mover = self.position.side_to_move();
        let began = self.turn_began.filter(|_| !has_moved).unwrap_or(at);
        let known = self.clocks.left[mover];
        // The part of its increment that the turn has used already.
        let mut into_increment = Duration::ZERO;
        if let Some(left) = left {
            into_increment = self.clocks.controls[mover].increment.saturating_sub(left[mover]);
            for side in COLORS {
                self.clocks.left[side] = left[side].saturating_sub(self.clocks.controls[side].increment);
            }
        }
        // Some servers take off what the turn has cost so far, others tell the time left at its
        // beginning.
        let taken_off = known.saturating_sub(self.clocks.left[mover]) + into_increment;
        let is_taken_off = taken_off * 2 > at.saturating_duration_since(began);
        let began = if is_taken_off { at.checked_sub(into_increment).unwrap_or(at) } else { began };
        self.summary.reconnect_token = summary.reconnect_token.clone().or(self.summary.reconnect_token.take());
        self.turn_began = Some(began);
        let mut actions = match &self.phase {
            // The move has not arrived.
            TurnPhase::Sent(sent) if !has_moved => vec![GameAction::Send(self.line_of(sent))],
            _ => self.begin_turn(began, at),
        };
        actions.push(GameAction::Save);
        Some(actions)
    }

    /// The moves from the known position to the server's: the own unconfirmed move, the answer, or
    /// both.
    fn moves_to(&self, target: &Position) -> Option<Vec<PlayedMove>> {
        let (mut position, mut moves) = (self.position.clone(), Vec::new());
        if position.key() == target.key() {
            return Some(moves);
        }
        if position.side_to_move() == self.summary.side {
            let TurnPhase::Sent(Sent::Move(sent)) = &self.phase else { return None };
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
}
