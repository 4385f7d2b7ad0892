//! Lines of moves and records as people write them, and the variations of a record.

use kiki_board::{Move, Position};
use kiki_record::{Game, RecordForm, TextEncoding, japanese_moves};
use serde::Serialize;

/// A variation of the record.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VariationReport {
    /// Number of moves before it in its parent line, the game or a variation.
    pub after: usize,
    /// In USI.
    pub moves: Vec<String>,
    pub moves_japanese: Vec<String>,
    pub moves_western: Vec<String>,
    /// One for each move; empty if it has none.
    pub comments: Vec<String>,
    pub variations: Vec<VariationReport>,
}

/// The variations that leave a line after `after` moves, at `position`.
pub(crate) fn variations(all: &[kiki_record::Variation], after: usize, position: &Position) -> Vec<VariationReport> {
    let here = all.iter().filter(|variation| variation.after == after && !variation.moves.is_empty());
    let report = |variation: &kiki_record::Variation| {
        let moves: Vec<Move> = variation.moves.iter().map(|played| played.mv).collect();
        let mut line = position.clone();
        let mut nested = variations(&variation.variations, 0, &line);
        for (number, &mv) in (1..).zip(&moves) {
            line.make(mv);
            nested.extend(variations(&variation.variations, number, &line));
        }
        VariationReport {
            after,
            moves: moves.iter().map(Move::to_string).collect(),
            moves_japanese: japanese(position, &moves),
            moves_western: kiki_record::western_moves(position, &moves),
            comments: variation.moves.iter().map(|played| played.comment.clone()).collect(),
            variations: nested,
        }
    };
    here.map(report).collect()
}

/// The moves of a line up to its first illegal one.
pub(crate) fn legal(position: &Position, line: &[String]) -> Vec<Move> {
    let mut position = position.clone();
    let play = |text: &String| {
        let mv = position.parse_move(text).ok()?;
        position.make(mv);
        Some(mv)
    };
    line.iter().map_while(play).collect()
}

/// A record as KIF; `None` if KIF cannot hold it.
pub(crate) fn kif(record: &Game) -> Option<String> {
    let bytes = RecordForm::Kif.write(std::slice::from_ref(record), TextEncoding::Utf8).ok()?;
    String::from_utf8(bytes).ok()
}

/// Moves in Japanese notation, with the rank as a Chinese numeral, `▲７六歩`, up to the first that is
/// illegal.
pub(crate) fn japanese(position: &Position, moves: &[Move]) -> Vec<String> {
    japanese_moves(position, moves).iter().map(|text| with_chinese_rank(text)).collect()
}

/// `▲７６歩` becomes `▲７六歩`; a text without a square, such as `△同銀`, stays the same.
fn with_chinese_rank(text: &str) -> String {
    const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
    let digit = |letter: char| ('１'..='９').contains(&letter).then(|| letter as usize - '１' as usize);
    let mut letters: Vec<char> = text.chars().collect();
    if let [_, file, rank, ..] = letters.as_mut_slice()
        && digit(*file).is_some()
        && let Some(index) = digit(*rank)
    {
        *rank = RANKS[index];
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kif_can_be_read_back() {
        let mv = Position::startpos().parse_move("7g7f").unwrap();
        let record = Game { black: "花子".to_owned(), moves: vec![mv.into()], ..Game::default() };
        let kif = kif(&record).unwrap();
        assert_eq!(kiki_record::read_records("x.kif", kif.as_bytes()).remove(0), Ok(record));
    }

    #[test]
    fn only_the_rank_of_a_square_is_written_in_chinese() {
        assert_eq!(with_chinese_rank("▲７６歩"), "▲７六歩");
        assert_eq!(with_chinese_rank("△同銀"), "△同銀");
        assert_eq!(with_chinese_rank("▲５８金左"), "▲５八金左");
        assert_eq!(with_chinese_rank("▲同　歩"), "▲同　歩");
    }
}
