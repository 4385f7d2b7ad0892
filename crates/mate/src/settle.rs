//! What a settled position teaches beyond itself: with which hands of the attacker the same proof or disproof holds.
//!
//! Once the board and all pieces of the game are given, the attacker's hand tells the defender's.

use kiki_board::Move;

use crate::hand::Hand;
use crate::proof::{Child, Dependency, Knowledge};
use crate::search::{Frame, Search};

impl Search<'_> {
    /// The attacker has a move that mates: what it needs in hand.
    pub(crate) fn proven_by(&self, child: &Child) -> Knowledge {
        Knowledge::Proven { hand: self.hand_before(child.mv, child.hand), length: longer(child.length) }
    }

    /// The defender has a move that escapes.
    pub(crate) fn disproven_by(&self, child: &Child) -> Knowledge {
        Knowledge::Disproven { hand: child.hand.least(self.both_hands()), dependency: child.dependency }
    }

    /// No check mates: with how much in hand that is still so.
    pub(crate) fn disproven_by_all(&self, frame: &Frame) -> Knowledge {
        // A kind that is not held could give new checks; more of a kind that is held could not.
        let mut hand = self.both_hands().of_kinds_in(frame.place.hand);
        let mut dependency = Dependency::NONE;
        for child in &self.children[frame.first..] {
            hand = hand.least(self.hand_before(child.mv, child.hand));
            dependency = dependency.and(child.dependency);
        }
        Knowledge::Disproven { hand, dependency }
    }

    /// No defence escapes: what the attacker needs in hand against all of them.
    pub(crate) fn proven_by_all(&self, frame: &Frame) -> Knowledge {
        let mut hand = self.needed_against_blocks(frame.place.hand);
        let mut length = 0;
        for child in &self.children[frame.first..] {
            hand = hand.greatest(child.hand);
            length = longer(child.length).max(length);
        }
        Knowledge::Proven { hand, length }
    }

    /// The pieces that the defender to move cannot drop before the checker because the attacker holds all of their kind.
    pub(crate) fn needed_against_blocks(&self, attackers_hand: Hand) -> Hand {
        if self.is_blockable() {
            attackers_hand.of_kinds_missing_in(self.position.hand(1 - self.terms.attacker).into())
        } else {
            Hand::EMPTY
        }
    }

    /// Whether a drop could block the check to the side to move.
    fn is_blockable(&self) -> bool {
        const KNIGHT: usize = 3;
        let king = self.position.king(self.position.side_index());
        let mut checkers = self.position.checkers().into_iter();
        match (checkers.next(), checkers.next()) {
            (Some(only), None) => only.distance(king) > 1 && self.position.cell(only).kind_index() != KNIGHT,
            _ => false,
        }
    }

    /// What the attacker, who is to move, holds before a move if that leaves `after`; or nothing where that would be less.
    fn hand_before(&self, mv: Move, after: Hand) -> Hand {
        if mv.is_drop() {
            return after.plus(mv.dropped_kind());
        }
        match self.position.cell(mv.to()) {
            captured if captured.is_empty() => after,
            captured => after.minus(captured.hand_kind_index()),
        }
    }

    fn both_hands(&self) -> Hand {
        Hand::from(self.position.hand(0)).together(self.position.hand(1).into())
    }
}

/// One ply more. Where mates of the table follow on each other, lengths beyond all measure can add up.
fn longer(length: u16) -> u16 {
    const MOST: u16 = u16::MAX - 2;
    (length + 1).min(MOST)
}
