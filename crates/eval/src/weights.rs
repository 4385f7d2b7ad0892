//! The parameters of the hand-crafted evaluation.

use kiki_board::{ALL_KINDS, ByKind, COLORS, Cell, Color, Effects, PieceKind, Sq, unpromoted};

/// The unit of the fractions below: 1024 stands for 1.
const ONE: i32 = 1024;

/// All parameters of [`crate::Formula`]. Their default values, with their sources, stand in [`crate::TUNABLES`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Centipawns of a piece in hand. On the board the discount is taken from it.
    pub material: ByKind<i32>,
    /// Which part of its value a piece loses on the board, in 1024ths: a piece in hand counts more.
    pub board_discount: i32,
    /// Whether promoted pieces lose it too, though they are never held in hand.
    pub discount_promoted: bool,
    /// The value of an effect of the king's side on the king's square, in centipawns.
    pub own_effect: i32,
    /// The value of an enemy effect on the king's square, in centipawns.
    pub enemy_effect: i32,
    /// By Chebyshev distance to the king: the part of `own_effect` that remains, in 1024ths.
    pub own_distance: [i32; 9],
    /// By Chebyshev distance to the king: the part of `enemy_effect` that remains, in 1024ths.
    pub enemy_distance: [i32; 9],
}

impl Weights {
    /// What the discount takes from a kind on the board, in centipawns.
    #[must_use]
    pub fn discount(&self, kind: PieceKind) -> i32 {
        if kind.unpromote().is_some() && !self.discount_promoted {
            0
        } else {
            self.material[kind] * self.board_discount / ONE
        }
    }

    /// What a piece counts on the board, in centipawns.
    fn on_board(&self, kind: PieceKind) -> i32 {
        self.material[kind] - self.discount(kind)
    }
}

/// By square, padded like the effect counts: the value of an effect there, in 256ths of a centipawn.
pub(crate) type Row = [u16; Effects::LANES];

/// Lookup tables made from the weights.
#[derive(Clone, Debug)]
pub(crate) struct EvalTables {
    /// By cell: centipawns on the board, White's negative.
    pub(crate) on_board: [i32; Cell::COUNT],
    /// Centipawns in hand.
    pub(crate) in_hand: ByKind<i32>,
    /// Centipawns in the captor's hand, by the kind that is captured.
    pub(crate) captured: ByKind<i32>,
    /// By king square: the values of effects of the king's side.
    pub(crate) own: Vec<Row>,
    /// By king square: the values of enemy effects.
    pub(crate) enemy: Vec<Row>,
}

impl EvalTables {
    pub(crate) fn new(weights: &Weights) -> Self {
        let mut on_board = [0; Cell::COUNT];
        let mut captured = ByKind::filled(0);
        for kind in ALL_KINDS {
            captured[kind] = weights.material[unpromoted(kind)];
            let value = weights.on_board(kind);
            for color in COLORS {
                on_board[Cell::new(kind, color).index()] = if color == Color::Black { value } else { -value };
            }
        }
        Self {
            on_board,
            in_hand: weights.material,
            captured,
            own: rows(weights.own_effect, &weights.own_distance),
            enemy: rows(weights.enemy_effect, &weights.enemy_distance),
        }
    }
}

/// One row for each king square, and an empty one for a side without king.
fn rows(coefficient: i32, distances: &[i32; 9]) -> Vec<Row> {
    let mut rows = vec![[0; Effects::LANES]; Sq::COUNT + 1];
    for king in Sq::all() {
        for sq in Sq::all() {
            let quarter = (coefficient * distances[king.distance(sq)] / 4).clamp(0, i32::from(u16::MAX));
            rows[king.index()][sq.index()] = quarter as u16;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::exchange_value;

    /// The board crate cannot see the evaluation, so its exchange values are written down there. Whoever changes the material changes
    /// them too.
    #[test]
    fn exchange_values_are_the_mean_of_the_values_on_the_board_and_in_the_captors_hand() {
        let weights = Weights::default();
        for kind in ALL_KINDS.into_iter().filter(|&kind| kind != PieceKind::King) {
            let mean = (weights.on_board(kind) + weights.material[unpromoted(kind)]) / 2;
            assert_eq!(exchange_value(Cell::new(kind, Color::White)), mean, "{kind:?}");
        }
    }
}
