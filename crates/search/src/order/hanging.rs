//! What hangs: pieces that the enemy attacks and nobody supports.

use kiki_board::{Cell, Color, Position, exchange_value};

use crate::value::Value;

/// The two most valuable pieces of a side that hang; empty if there are none.
#[inline(always)]
pub(crate) fn hanging(position: &Position, color: Color) -> [Cell; 2] {
    let (mut first, mut second) = ((0, Cell::EMPTY), (0, Cell::EMPTY));
    for sq in position.pieces_of(color) & position.effects().unsupported(color) {
        let cell = position.cell(sq);
        let value = exchange_value(cell);
        if value > first.0 {
            (first, second) = ((value, cell), first);
        } else if value > second.0 {
            second = (value, cell);
        }
    }
    [first.1, second.1]
}

/// The value of the second most valuable piece of the side to move that hangs: its move can save one of them.
#[inline(always)]
pub(crate) fn second_hanging(position: &Position) -> Value {
    exchange_value(hanging(position, position.side_to_move())[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::PieceKind;

    #[test]
    fn what_is_attacked_and_not_supported_hangs() {
        // A lance attacks the gold, a pawn the knight, and the silver, attacked too, is supported by its king.
        let position = Position::from_sfen("l3k1l2/9/9/8p/G7N/9/9/6S2/5K3 b - 1").unwrap();
        let kinds = hanging(&position, Color::Black).map(Cell::kind);
        assert_eq!(kinds, [Some(PieceKind::Gold), Some(PieceKind::Knight)]);
        assert_eq!(hanging(&position, Color::White), [Cell::EMPTY; 2]);
        assert_eq!(second_hanging(&position), exchange_value(hanging(&position, Color::Black)[1]));
    }
}
