//! Moves in Japanese notation.

use kiki_board::{Move, Position};
use shogi_core::PartialPosition;
use shogi_official_kifu::display_single_move;

/// Each of the moves in Japanese notation with USI beside, up to the first that is illegal.
pub(crate) fn moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut core = with_last_move(&mut position);
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        let core_move = mv.to_core(position.side_to_move());
        texts.push(format!("{}({mv})", display_single_move(&core, core_move).unwrap_or_default()));
        // Both know the move to be legal.
        let _ = core.make_move(core_move);
        position.make(mv);
    }
    texts
}

/// The position with the move that led to it: a capture on its square is written otherwise.
fn with_last_move(position: &mut Position) -> PartialPosition {
    let Some(last) = position.last_move().filter(|last| !last.is_none()) else { return position.to_core() };
    position.unmake();
    let mut core = position.to_core();
    let _ = core.make_move(last.to_core(position.side_to_move()));
    position.make(last);
    core
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_where_the_last_move_went_is_written_as_the_same_square() {
        let mut position = Position::startpos();
        let usi = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"];
        let mut after = position.clone();
        let mut play = |text: &str| {
            let mv = after.parse_move(text).ok()?;
            after.make(mv);
            Some(mv)
        };
        let line: Vec<Move> = usi.iter().filter_map(|text| play(text)).collect();
        let whole = ["▲７６歩(7g7f)", "△３４歩(3c3d)", "▲２２角成(8h2b+)", "△同銀(3a2b)", "▲５５角(B*5e)"];
        assert_eq!(moves(&position, &line), whole);
        line[..3].iter().for_each(|&mv| {
            position.make(mv);
        });
        assert_eq!(moves(&position, &line[3..]), whole[3..]);
        assert_eq!(moves(&position, &line), [""; 0], "an illegal move ends the line");
    }
}
