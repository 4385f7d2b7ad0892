//! Moves as people write them.

use kiki_board::{Move, Position};
use shogi_core::PartialPosition;
use shogi_official_kifu::display_single_move;

/// Each of the moves in Japanese notation with the mark of its player, `▲７６歩`, up to the first that is illegal.
///
/// ```
/// use kiki_board::Position;
///
/// let position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(kiki_record::japanese_moves(&position, &[mv]), ["▲７６歩"]);
/// # Ok::<(), kiki_board::MoveError>(())
/// ```
#[must_use]
pub fn japanese_moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut core = with_last_move(&mut position);
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        let core_move = mv.to_core(position.side_to_move());
        texts.push(display_single_move(&core, core_move).unwrap_or_default());
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
        let whole = ["▲７６歩", "△３４歩", "▲２２角成", "△同銀", "▲５５角"];
        assert_eq!(japanese_moves(&position, &line), whole);
        line[..3].iter().for_each(|&mv| {
            position.make(mv);
        });
        assert_eq!(japanese_moves(&position, &line[3..]), whole[3..]);
        assert_eq!(japanese_moves(&position, &line), [""; 0], "an illegal move ends the line");
    }
}
