//! Hand dominance: with which hands of the attacker a proof or disproof holds.
//!
//! A proof holds with any larger hand, a disproof with any smaller one. The board and the attacker's hand determine the defender's
//! hand, as all other pieces of the game are there.

use kiki_board::{Color, HandCounts, Move, PieceKind, opponent};

use crate::proof::{Child, Dependency, ProofState};
use crate::search::{MateFrame, MateSearch};

impl MateSearch<'_> {
    /// The proof of an attacker's node by one move that mates.
    pub(crate) fn proven_by(&self, child: &Child) -> ProofState {
        ProofState::Proven { hand: self.hand_before(child.mv, child.hand), length: longer(child.length) }
    }

    /// The disproof of a defender's node by one move that escapes.
    pub(crate) fn disproven_by(&self, child: &Child) -> ProofState {
        ProofState::Disproven { hand: child.hand.min(self.both_hands()), dependency: child.dependency }
    }

    /// The disproof of an attacker's node: no check mates.
    pub(crate) fn disproven_by_all(&self, frame: &MateFrame) -> ProofState {
        // More pieces of a kind that is held allow no new checks; a kind that is not held could.
        let mut hand = self.both_hands().of_kinds_in(frame.key.hand);
        let mut dependency = Dependency::NONE;
        for child in &self.children[frame.first..] {
            hand = hand.min(self.hand_before(child.mv, child.hand));
            dependency = dependency.and(child.dependency);
        }
        ProofState::Disproven { hand, dependency }
    }

    /// The proof of a defender's node: no defence escapes.
    pub(crate) fn proven_by_all(&self, frame: &MateFrame) -> ProofState {
        let mut hand = self.needed_against_blocks(frame.key.hand);
        let mut length = 0;
        for child in &self.children[frame.first..] {
            hand = hand.max(child.hand);
            length = longer(child.length).max(length);
        }
        ProofState::Proven { hand, length }
    }

    /// The pieces that the attacker must hold so that the defender cannot block the check with them: those of the kinds that the
    /// defender does not hold. None if no drop could block the check.
    pub(crate) fn needed_against_blocks(&self, attackers_hand: HandCounts) -> HandCounts {
        if self.is_blockable() {
            attackers_hand.of_kinds_missing_in(self.position.hand(opponent(self.problem.attacker)))
        } else {
            HandCounts::NONE
        }
    }

    /// Whether a drop could block the check to the side to move.
    fn is_blockable(&self) -> bool {
        let king = self.position.king(self.position.side_to_move());
        let mut checkers = self.position.checkers().into_iter();
        match (checkers.next(), checkers.next()) {
            (Some(only), None) => only.distance(king) > 1 && self.position.cell(only).kind() != Some(PieceKind::Knight),
            _ => false,
        }
    }

    /// The hand that the attacker needs before its move `mv` to hold `after` afterwards.
    fn hand_before(&self, mv: Move, after: HandCounts) -> HandCounts {
        if let Some(kind) = mv.dropped_kind() {
            return after.with(kind);
        }
        self.position.cell(mv.to()).hand_kind().map_or(after, |kind| after.without(kind))
    }

    fn both_hands(&self) -> HandCounts {
        self.position.hand(Color::Black).plus(self.position.hand(Color::White))
    }
}

/// One ply more, up to a maximum: lengths taken from the table could add up without limit.
fn longer(length: u16) -> u16 {
    const MOST: u16 = u16::MAX - 2;
    (length + 1).min(MOST)
}
