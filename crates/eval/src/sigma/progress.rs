//! How far a game has come, from 0 at its beginning to 1 at its end, as seen in a position alone.

use kiki_board::{ALL_KINDS, COLORS, Color, HAND_KINDS, PieceKind, Position, Sq, opponent};

/// The number of elements of the progress.
pub const PROGRESS_ELEMENTS: usize = 7;

/// What the elements of the progress count, for both sides together.
pub const ELEMENT_NAMES: [&str; PROGRESS_ELEMENTS] = [
    "pieces in hand but pawns",
    "pawns in hand",
    "promoted pieces",
    "pieces in the enemy camp",
    "squares next to kings under attack",
    "golds and silvers away from their king",
    "ranks that pawns have advanced",
];

/// What each element is divided by, so that it is about 1 at the end of a game.
const SCALES: [f32; PROGRESS_ELEMENTS] = [10.0, 8.0, 8.0, 8.0, 16.0, 8.0, 20.0];

/// Golds and silvers defend a king from so many squares away.
const GUARD_DISTANCE: usize = 2;

/// Weights of the elements of the progress: of a constant first, then one for each element.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProgressWeights(pub [f32; PROGRESS_ELEMENTS + 1]);

impl ProgressWeights {
    /// The progress of a position with these elements: the logistic function of their weighted sum.
    #[must_use]
    pub fn progress(&self, elements: &[f32; PROGRESS_ELEMENTS]) -> f32 {
        let sum: f32 = self.0[1..].iter().zip(elements).map(|(weight, element)| weight * element).sum();
        1.0 / (1.0 + (-(self.0[0] + sum)).exp())
    }
}

/// The elements of the progress of a position, each about 0 at the beginning and 1 at the end of a game. They are the same for both sides.
#[must_use]
pub fn progress_elements(position: &Position) -> [f32; PROGRESS_ELEMENTS] {
    let mut counts = [0; PROGRESS_ELEMENTS];
    // Each side's two golds and two silvers, which may be captured too.
    counts[5] = 8;
    for color in COLORS {
        let hand = position.hand(color);
        for kind in HAND_KINDS {
            counts[usize::from(kind == PieceKind::Pawn)] += hand.count(kind);
        }
        counts[4] += (position.king_ring(color) & position.effects().attacked(opponent(color))).count() as usize;
        counts[5] -= guards(position, color).min(4);
        counts[6] += advanced_pawns(position, color);
    }
    for kind in ALL_KINDS {
        let pieces = position.pieces(kind);
        if kind.unpromote().is_some() {
            counts[2] += pieces.count() as usize;
        }
        if kind != PieceKind::King {
            for color in COLORS {
                let own = pieces & position.pieces_of(color);
                counts[3] += own.into_iter().filter(|&sq| relative_rank(sq, color) < 3).count();
            }
        }
    }
    std::array::from_fn(|element| counts[element] as f32 / SCALES[element])
}

/// Golds and silvers near their own king.
fn guards(position: &Position, color: Color) -> usize {
    let king = position.king(color);
    let near = |sq: &Sq| sq.distance(king) <= GUARD_DISTANCE;
    let pieces = (position.pieces(PieceKind::Gold) | position.pieces(PieceKind::Silver)) & position.pieces_of(color);
    pieces.into_iter().filter(near).count()
}

/// The sum of the ranks that pawns have left behind.
fn advanced_pawns(position: &Position, color: Color) -> usize {
    let pawns = position.pieces(PieceKind::Pawn) & position.pieces_of(color);
    pawns.into_iter().map(|sq| 6usize.saturating_sub(relative_rank(sq, color))).sum()
}

/// The rank of a square as its owner counts: 0 is the farthest rank of the enemy camp.
pub(super) fn relative_rank(sq: Sq, color: Color) -> usize {
    if color == Color::Black { sq.rank() } else { 8 - sq.rank() }
}
