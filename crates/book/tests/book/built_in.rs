//! The book in the program.

use std::io::Read as _;

use flate2::read::GzDecoder;
use kiki_board::Position;
use kiki_book::{Book, BookKey, BookMove, EntryTexts};

static FILE: &[u8] = include_bytes!("../../kiki.db.gz");
/// Greatest difference between the moves of a position, in centipawns, as the book was made.
const MARGIN: i32 = 40;
/// Greatest value of a position for either side, likewise: none is decided.
const MOST: i32 = 250;

#[test]
fn its_moves_are_legal_good_and_in_order() {
    assert!(FILE.len() < 60_000);
    let mut text = Vec::new();
    GzDecoder::new(FILE).read_to_end(&mut text).unwrap();
    let book = Book::built_in().unwrap();
    let entries: Vec<_> = EntryTexts::new(&text[..]).filter_map(|text| text.unwrap().entry()).collect();
    assert!(entries.len() >= 1000);
    for (board, entry) in &entries {
        let sfen = format!("{board} {}", entry.ply.unwrap());
        let position = Position::from_sfen(&sfen).unwrap();
        assert_eq!(position.to_sfen(), sfen);
        let values: Vec<i32> = entry.moves.iter().map(|found| found.value.unwrap()).collect();
        assert!(values.is_sorted_by(|one, next| one >= next), "{sfen}: {values:?}");
        assert!(values[0] - values[values.len() - 1] <= MARGIN && values[0].abs() <= MOST, "{sfen}: {values:?}");
        for BookMove { mv, ponder, .. } in &entry.moves {
            let mut after = position.clone();
            after.make(position.parse_move(mv).unwrap());
            assert!(ponder.as_deref().is_none_or(|reply| after.parse_move(reply).is_ok()), "{sfen}: {mv}");
        }
        assert_eq!(book.moves(&BookKey::new(&sfen).unwrap(), false).unwrap(), entry.moves);
    }
}

#[test]
fn it_knows_an_answer_to_every_usual_first_move() {
    let book = Book::built_in().unwrap();
    for first in ["7g7f", "2g2f"] {
        let mut position = Position::startpos();
        position.make(position.parse_move(first).unwrap());
        assert!(!book.moves(&BookKey::new(&position.to_sfen()).unwrap(), false).unwrap().is_empty(), "{first}");
    }
}
