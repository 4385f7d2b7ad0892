//! Opening books in the form `#YANEURAOU-DB2016 1.00`.

use std::io::Write as _;

use kiki_board::Position;
use kiki_book::{Book, BookKey};
use tempfile::NamedTempFile;

use crate::error_text::check_error;

/// A file is a book in which one may look, in memory and on the fly, or is refused in one line.
pub fn check(bytes: &[u8]) {
    match Book::from_text(bytes) {
        Ok(book) => look(&book, bytes),
        Err(error) => check_error(&error),
    }
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    match Book::open(file.path(), true) {
        Ok(book) => look(&book, bytes),
        Err(error) => check_error(&error),
    }
}

/// Looks for the start of the game and for what stands in the book.
fn look(book: &Book, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let written = text.lines().filter_map(|line| line.strip_prefix("sfen ").map(str::to_owned)).take(8);
    for sfen in written.chain([Position::startpos().to_sfen()]) {
        let Some(key) = BookKey::new(&sfen) else { continue };
        for any_ply in [false, true] {
            for found in [book.moves(&key, any_ply), book.moves_of_either_colour(&key, any_ply)] {
                let _ = found.inspect_err(|error| check_error(error));
            }
        }
    }
}

/// Sorted and unsorted books, with every field and with few.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut entries = Vec::new();
    for opening in kiki_tests::fixtures::openings().into_iter().step_by(30) {
        let mut position = Position::startpos();
        for text in opening.into_iter().take(8) {
            entries.push(format!("sfen {}\n{text} none 50 20 3\n{text}\n", position.to_sfen()));
            position.make(position.parse_move(text).expect("openings are legal"));
        }
    }
    let unsorted = entries[..20].concat();
    entries.sort();
    ["#YANEURAOU-DB2016 1.00\n", "\u{feff}#YANEURAOU-DB2016 1.00\r\n# NOE:20\r\n"]
        .into_iter()
        .flat_map(|head| {
            [entries.concat(), entries[..3].concat(), unsorted.clone()].map(|body| format!("{head}{body}").into_bytes())
        })
        .collect()
}
