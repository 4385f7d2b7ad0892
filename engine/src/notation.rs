//! Moves in Japanese notation.

use kiki_board::{Move, Position};
use kiki_record::JapaneseLine;

/// Each of the moves in Japanese notation with USI beside, up to the first that is illegal.
pub(crate) fn moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut line = JapaneseLine::new(position);
    moves.iter().map_while(|&mv| Some(format!("{}({mv})", line.play(mv)?))).collect()
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
