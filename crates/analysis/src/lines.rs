//! Lines of moves and records as people write them, and the variations of a record.

use kiki_board::{Move, Position};
use kiki_record::{Game, RecordForm, TextEncoding, kanji_moves};
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
            moves_japanese: kanji_moves(position, &moves),
            moves_western: kiki_record::western_moves(position, &moves),
            comments: variation.moves.iter().map(|played| played.comment.clone()).collect(),
            variations: nested,
        }
    };
    here.map(report).collect()
}

/// A record as KIF; `None` if KIF cannot hold it.
pub(crate) fn kif(record: &Game) -> Option<String> {
    let bytes = RecordForm::Kif.write(std::slice::from_ref(record), TextEncoding::Utf8).ok()?;
    String::from_utf8(bytes).ok()
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
}
