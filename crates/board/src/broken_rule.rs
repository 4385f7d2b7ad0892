//! The rule that an illegal move breaks, for people who want to know.

use crate::{Move, PieceKind, Position, SfenError};

/// A rule that a move breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrokenRule {
    /// There is no piece on the square.
    NoPiece,
    /// The piece belongs to the other side.
    OtherSide,
    /// The piece does not go there.
    Unreachable,
    /// The piece cannot promote there.
    NoPromotion,
    /// The piece could never move again.
    NoFurtherMove,
    /// The piece is not in hand.
    NotInHand,
    /// Pieces are dropped on empty squares.
    Occupied,
    /// A second pawn on the file.
    TwoPawns,
    /// A pawn drop that mates.
    PawnDropMate,
    /// The king stays in check.
    LeftInCheck,
    /// The king gets into check.
    IntoCheck,
}

impl BrokenRule {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::NoPiece,
        Self::OtherSide,
        Self::Unreachable,
        Self::NoPromotion,
        Self::NoFurtherMove,
        Self::NotInHand,
        Self::Occupied,
        Self::TwoPawns,
        Self::PawnDropMate,
        Self::LeftInCheck,
        Self::IntoCheck,
    ];

    /// The rule in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoPiece => "no-piece",
            Self::OtherSide => "other-side",
            Self::Unreachable => "unreachable",
            Self::NoPromotion => "no-promotion",
            Self::NoFurtherMove => "no-further-move",
            Self::NotInHand => "not-in-hand",
            Self::Occupied => "occupied",
            Self::TwoPawns => "two-pawns",
            Self::PawnDropMate => "pawn-drop-mate",
            Self::LeftInCheck => "left-in-check",
            Self::IntoCheck => "into-check",
        }
    }
}

impl Position {
    /// The first rule that a move breaks; `None` for a legal move.
    ///
    /// ```
    /// use kiki_board::{BrokenRule, Position};
    ///
    /// let start = Position::startpos();
    /// assert_eq!(start.broken_rule(start.parse_move("7g7f")?), None);
    /// assert_eq!(start.broken_rule("7g7e".parse()?), Some(BrokenRule::Unreachable));
    /// # Ok::<(), kiki_board::MoveError>(())
    /// ```
    #[must_use]
    pub fn broken_rule(&self, mv: Move) -> Option<BrokenRule> {
        if self.is_legal(mv) {
            return None;
        }
        Some(match mv.dropped_kind() {
            Some(kind) => self.rule_of_drop(kind, mv),
            None => self.rule_on_board(mv),
        })
    }

    fn rule_of_drop(&self, kind: PieceKind, mv: Move) -> BrokenRule {
        let us = self.side_to_move();
        let pawns = self.pieces(PieceKind::Pawn) & self.pieces_of(us);
        if self.hand(us).count(kind) == 0 {
            BrokenRule::NotInHand
        } else if !self.cell(mv.to()).is_empty() {
            BrokenRule::Occupied
        } else if kind == PieceKind::Pawn && pawns.files().contains(mv.to()) {
            BrokenRule::TwoPawns
        } else if !self.drop_targets(kind).contains(mv.to()) {
            BrokenRule::NoFurtherMove
        } else if self.exposes_king(mv) {
            BrokenRule::LeftInCheck
        } else {
            BrokenRule::PawnDropMate
        }
    }

    fn rule_on_board(&self, mv: Move) -> BrokenRule {
        let (us, from, to) = (self.side_to_move(), mv.from(), mv.to());
        let cell = self.cell(from);
        if cell.is_empty() {
            BrokenRule::NoPiece
        } else if cell.color() != us {
            BrokenRule::OtherSide
        } else if !self.targets(from).contains(to) {
            BrokenRule::Unreachable
        } else if self.exposes_king(mv) {
            if self.in_check() { BrokenRule::LeftInCheck } else { BrokenRule::IntoCheck }
        } else if mv.is_promotion() {
            BrokenRule::NoPromotion
        } else {
            BrokenRule::NoFurtherMove
        }
    }

    /// Whether the king of the side to move could be captured after the move.
    fn exposes_king(&self, mv: Move) -> bool {
        let mut after = self.to_core();
        let played = after.make_move(mv.to_core(self.side_to_move()));
        played.is_some() && matches!(Self::from_core(&after), Err(SfenError::KingCanBeCaptured(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_illegal_move_has_its_rule() {
        let even = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let pinned = "4r3k/9/9/9/4G4/9/9/9/4K4 b P 1";
        let checked = "4r3k/9/9/9/9/9/9/3G5/4K4 b PN 1";
        let cornered = "8k/8p/7G1/9/9/9/9/9/K8 b 2PN 1";
        for (sfen, mv, rule) in [
            (even, "5e5d", BrokenRule::NoPiece),
            (even, "3c3d", BrokenRule::OtherSide),
            (even, "7g7e", BrokenRule::Unreachable),
            (even, "2h9h", BrokenRule::Unreachable),
            (even, "7g7f+", BrokenRule::NoPromotion),
            (even, "P*5e", BrokenRule::NotInHand),
            (pinned, "5e4e", BrokenRule::IntoCheck),
            (pinned, "P*5a", BrokenRule::Occupied),
            (checked, "6h7h", BrokenRule::LeftInCheck),
            (checked, "5i5h", BrokenRule::LeftInCheck),
            (checked, "P*4e", BrokenRule::LeftInCheck),
            (cornered, "N*5b", BrokenRule::NoFurtherMove),
            (cornered, "P*5a", BrokenRule::NoFurtherMove),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5d", BrokenRule::TwoPawns),
            ("4k4/P8/9/9/9/9/9/9/4K4 b - 1", "9b9a", BrokenRule::NoFurtherMove),
            ("8k/9/8G/9/9/9/9/7R1/K8 b P 1", "P*1b", BrokenRule::PawnDropMate),
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            assert_eq!(position.broken_rule(mv.parse().unwrap()), Some(rule), "{mv} in {sfen}");
        }
        let start = Position::startpos();
        assert!(start.legal_moves().iter().all(|&mv| start.broken_rule(mv).is_none()));
    }
}
