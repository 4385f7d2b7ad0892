//! The phases of a game.

use kiki_board::{COLORS, PieceKind, Position, Sq, opponent};
use serde::Serialize;

/// Greatest distance at which a piece attacks a king.
const NEAR: usize = 2;
/// Number of attackers that make an end game.
const ATTACKERS: usize = 2;

/// The phases of a game, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Neither side has a piece in hand except pawns and bishops.
    Opening,
    /// Between the two others.
    MiddleGame,
    /// Two pieces, not counting pawns, are within two squares of the other side's king.
    EndGame,
}

impl Phase {
    pub const ALL: [Self; 3] = [Self::Opening, Self::MiddleGame, Self::EndGame];

    /// The phase of a later position; no phase comes back.
    #[must_use]
    pub fn next(self, position: &Position) -> Self {
        self.max(Self::of(position))
    }

    /// The phase of a position on its own.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        if has_attacked_king(position) {
            Self::EndGame
        } else if has_captures(position) {
            Self::MiddleGame
        } else {
            Self::Opening
        }
    }
}

fn has_captures(position: &Position) -> bool {
    const KINDS: [PieceKind; 5] =
        [PieceKind::Lance, PieceKind::Knight, PieceKind::Silver, PieceKind::Gold, PieceKind::Rook];
    COLORS.iter().any(|&side| KINDS.iter().any(|&kind| position.hand(side).count(kind) > 0))
}

fn has_attacked_king(position: &Position) -> bool {
    COLORS.into_iter().any(|side| {
        let (king, attackers) = (position.king(side), position.pieces_of(opponent(side)));
        let is_near = |&square: &Sq| attackers.contains(square) && king.distance(square) <= NEAR;
        let counts = |&square: &Sq| !position.cell(square).is_kind(PieceKind::Pawn);
        king != Sq::NONE && Sq::all().filter(is_near).filter(counts).count() >= ATTACKERS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sfen: &str) -> Phase {
        Phase::of(&Position::from_sfen(sfen).unwrap())
    }

    #[test]
    fn pawns_and_bishops_in_hand_leave_the_opening() {
        assert_eq!(Phase::of(&Position::startpos()), Phase::Opening);
        assert_eq!(of("lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPP1P/7R1/LNSGKGSNL b BPb 1"), Phase::Opening);
        assert_eq!(of("lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKG1NL b Bbs 1"), Phase::MiddleGame);
    }

    #[test]
    fn two_pieces_near_a_king_make_an_end_game() {
        assert_eq!(of("4k4/9/3S1P3/9/9/9/9/9/4K4 b G 1"), Phase::MiddleGame);
        assert_eq!(of("4k4/9/3S1+P3/9/9/9/9/9/4K4 b G 1"), Phase::EndGame);
        assert_eq!(of("4k4/9/9/9/9/9/2g6/3s5/4K4 b G 1"), Phase::EndGame);
        assert_eq!(Phase::EndGame.next(&Position::startpos()), Phase::EndGame);
    }
}
