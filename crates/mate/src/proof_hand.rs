//! What a settled position teaches beyond itself: with which hands of the attacker the same proof or disproof holds.
//!
//! Once the board and all pieces of the game are given, the attacker's hand tells the defender's.

use kiki_board::{Color, HandCounts, Move, PieceKind, opponent};

use crate::proof::{Child, Dependency, ProofState};
use crate::search::{MateFrame, MateSearch};

impl MateSearch<'_> {
    /// The attacker has a move that mates: what it needs in hand.
    pub(crate) fn proven_by(&self, child: &Child) -> ProofState {
        ProofState::Proven { hand: self.hand_before(child.mv, child.hand), length: longer(child.length) }
    }

    /// The defender has a move that escapes.
    pub(crate) fn disproven_by(&self, child: &Child) -> ProofState {
        ProofState::Disproven { hand: child.hand.min(self.both_hands()), dependency: child.dependency }
    }

    /// No check mates: with how much in hand that is still so.
    pub(crate) fn disproven_by_all(&self, frame: &MateFrame) -> ProofState {
        // A kind that is not held could give new checks; more of a kind that is held could not.
        let mut hand = self.both_hands().of_kinds_in(frame.key.hand);
        let mut dependency = Dependency::NONE;
        for child in &self.children[frame.first..] {
            hand = hand.min(self.hand_before(child.mv, child.hand));
            dependency = dependency.and(child.dependency);
        }
        ProofState::Disproven { hand, dependency }
    }

    /// No defence escapes: what the attacker needs in hand against all of them.
    pub(crate) fn proven_by_all(&self, frame: &MateFrame) -> ProofState {
        let mut hand = self.needed_against_blocks(frame.key.hand);
        let mut length = 0;
        for child in &self.children[frame.first..] {
            hand = hand.max(child.hand);
            length = longer(child.length).max(length);
        }
        ProofState::Proven { hand, length }
    }

    /// The pieces that the defender to move cannot drop before the checker because the attacker holds all of their kind.
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

    /// What the attacker, who is to move, holds before a move if that leaves `after`; or nothing where that would be less.
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

/// One ply more. Where mates of the table follow on each other, lengths beyond all measure can add up.
fn longer(length: u16) -> u16 {
    const MOST: u16 = u16::MAX - 2;
    (length + 1).min(MOST)
}
