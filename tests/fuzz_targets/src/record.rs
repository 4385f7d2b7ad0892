//! Game records and opening books. Another reader needs a function here, next to its examples, and
//! a line in [`crate::TARGETS`].

use std::fmt::Debug;
use std::io::Write as _;
use std::path::Path;

use kiki_board::Position;
use kiki_book::{BinaryBook, BinaryWriter, Book, BookKey, PositionedEntry};
use kiki_record::{
    EndReason, Game, GameOutcome, PgnMoves, PlayedMove, ReadError, RecordForm, ScoreValue, TextEncoding, read_csa,
    read_pgn, to_csa, to_pgn,
};
use tempfile::NamedTempFile;

use crate::common::check_error;

/// A text has games that can be written and read again, or an error that names its line.
pub(crate) fn check_csa(bytes: &[u8]) {
    for game in read_csa(bytes) {
        let Ok(game) = game.inspect_err(check_place) else { continue };
        let text = to_csa(&game).expect("what was read is legal");
        let again = first(read_csa(text.as_bytes()));
        assert_eq!((again.moves, again.outcome, again.root), (game.moves, game.outcome, game.root), "{text}");
    }
    // The reader without variations.
    for game in read_csa(bytes).without_pv().flatten() {
        assert!(game.moves.iter().all(|played| played.pv.is_empty()));
    }
}

/// A text has results, or an error that names its line.
pub(crate) fn check_pgn(bytes: &[u8]) {
    read_pgn(bytes).iter().filter_map(|game| game.as_ref().err()).for_each(check_place);
}

/// A file of a form has games that can be written and read again, or an error that names its line.
pub(crate) fn check_form(form: RecordForm, bytes: &[u8]) {
    let games = form.read(bytes);
    if let Some(Err(error)) = games.first() {
        let before = form.read_before(bytes, error);
        assert!(before.is_none_or(|game| form.write(&[game], TextEncoding::Utf8).is_ok()));
    }
    for game in games {
        let Ok(game) = game.inspect_err(check_place) else { continue };
        let written = form.write(std::slice::from_ref(&game), TextEncoding::Utf8).expect("what was read is legal");
        let again = first(form.read(&written).into_iter());
        let moves = |game: &Game| game.moves.iter().map(|played| played.mv).collect::<Vec<_>>();
        assert_eq!(moves(&again), moves(&game), "{}", String::from_utf8_lossy(&written));
    }
}

fn check_place(error: &ReadError) {
    assert!(error.line > 0);
    check_error(error);
}

fn first<T, E: Debug>(mut games: impl Iterator<Item = Result<T, E>>) -> T {
    games.next().expect("a game").expect("what was written can be read")
}

/// Games from openings, their moves with all data that a record can hold.
fn games() -> Vec<Game> {
    let openings = include_str!("../../fixtures/openings.sfen").lines().step_by(50);
    openings.enumerate().map(|(number, opening)| game(number as u64, opening)).collect()
}

fn game(number: u64, opening: &str) -> Game {
    let mut position = Position::startpos();
    let mut moves = Vec::new();
    for (ply, text) in opening.split(' ').skip(2).enumerate() {
        let mv = position.parse_move(text).expect("openings are legal");
        position.make(mv);
        let pv = position.legal_moves().iter().take(1).copied().collect();
        moves.push(PlayedMove {
            mv,
            time_ms: Some(1000 * ply as u64 + number),
            score: Some(ScoreValue::Cp(10 * ply as i32 - 50)),
            depth: Some(7),
            nodes: Some(1234),
            pv,
            comment: if ply % 5 == 0 { format!("ply {ply}, *&'#") } else { String::new() },
        });
    }
    Game {
        black: "black".to_owned(),
        white: "白".to_owned(),
        moves,
        outcome: GameOutcome::BlackWins,
        reason: Some(EndReason::Resignation),
        ..Game::default()
    }
}

/// Games written by Kiki and by other programs.
pub(crate) fn csa_seeds() -> Vec<Vec<u8>> {
    let written = games().into_iter().map(|game| to_csa(&game).expect("a legal game").into_bytes());
    written.chain(CSA.iter().map(|text| text.as_bytes().to_vec())).collect()
}

/// Lists of `position` lines, and one with a long side to move.
pub(crate) fn usi_list_seeds() -> Vec<Vec<u8>> {
    let mut seeds = form_seeds(RecordForm::Usi);
    seeds.push(format!("4k4/9/9/9/9/9/9/9/4K4 {} - 1", "歩".repeat(300)).into_bytes());
    seeds
}

/// Games of a form written by Kiki, in both encodings where the form has them.
pub(crate) fn form_seeds(form: RecordForm) -> Vec<Vec<u8>> {
    let games = games();
    let write = |encoding| games.chunks(2).filter_map(move |games| form.write(games, encoding).ok());
    write(TextEncoding::Utf8).chain(write(TextEncoding::ShiftJis)).collect()
}

/// Written by Kiki.
pub(crate) fn pgn_seeds() -> Vec<Vec<u8>> {
    let forms = [PgnMoves::Commented];
    games().iter().flat_map(|game| forms.map(|form| to_pgn(game, "1", form).repeat(2).into_bytes())).collect()
}

const CSA: [&str; 3] = [
    "V2.2\nN+a\nN-b\n$EVENT:x\n$START_TIME:2026/01/31 09:30:00\n$TIME_LIMIT:00:15+10\nPI\n+\n+7776FU,T1\n-3334FU,T2\n+8822UM,T3\n%TORYO\n",
    "V2\nPI82HI22KA\n-\n-3334FU\nT1\n+2726FU,T2.5\n'** 30 -8384FU +2625FU\n'comment\n%SENNICHITE\n/\nPI\n+\n%CHUDAN\n",
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \n\
     P5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
     P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\nP+00FU\nP-00AL\n+\n%KACHI\n",
];

/// A file is a book that supports lookups, in memory and on the fly, or gets a one-line error.
pub(crate) fn check_book(bytes: &[u8]) {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    let text = String::from_utf8_lossy(bytes);
    let mut positions: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("sfen ")).take(8).map(str::to_owned).collect();
    positions.extend(check_records(file.path()).into_iter().map(|(board, _)| board));
    positions.push(Position::startpos().to_sfen());
    match Book::from_bytes(bytes.to_vec()) {
        Ok(book) => look(&book, &positions),
        Err(error) => check_error(&error),
    }
    match Book::open(file.path(), true) {
        Ok(book) => look(&book, &positions),
        Err(error) => check_error(&error),
    }
}

/// The readable part of a binary book can be written, and is read again without a fault. Returns
/// its first entries; none for a text.
fn check_records(path: &Path) -> Vec<PositionedEntry> {
    let Ok(Some(book)) = BinaryBook::open(path) else { return Vec::new() };
    let entries = entries_of(&book, false);
    let mut writer = BinaryWriter::default();
    let moves: u64 = entries.iter().map(|(board, entry)| writer.add(board, entry)).sum();
    assert_eq!(moves, entries.iter().map(|(_, entry)| entry.moves.len() as u64).sum::<u64>());
    let mut file = NamedTempFile::new().expect("a temporary file");
    assert!(writer.finish(&mut file).expect("room for it").is_empty());
    let again = BinaryBook::open(file.path()).expect("a book").expect("in the binary form");
    let mut written: Vec<_> = entries.iter().filter(|(_, entry)| !entry.moves.is_empty()).cloned().collect();
    let mut read = entries_of(&again, true);
    // Unsorted records get sorted.
    for entries in [&mut written, &mut read] {
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    assert_eq!(read, written);
    entries
}

/// The first entries of a binary book.
fn entries_of(book: &BinaryBook, is_whole: bool) -> Vec<PositionedEntry> {
    let entry = |index| {
        let read = book.entry(index).expect("the file is there");
        read.faults.iter().for_each(|fault| check_error(fault));
        assert!(!is_whole || read.faults.iter().all(|fault| !fault.problem.leaves_out()), "{:?}", read.faults);
        read.entry
    };
    (0..book.positions().min(50)).filter_map(entry).collect()
}

fn look(book: &Book, positions: &[String]) {
    for sfen in positions {
        let Some(key) = BookKey::new(sfen) else { continue };
        for any_ply in [false, true] {
            for found in [book.moves(&key, any_ply), book.moves_of_either_colour(&key, any_ply)] {
                let _ = found.inspect_err(|error| check_error(error));
            }
        }
    }
}

/// Sorted and unsorted books, with all fields and with few, and binary ones.
pub(crate) fn book_seeds() -> Vec<Vec<u8>> {
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
        .chain(kiki_tests::fixtures::binary_books().map(<[u8]>::to_vec))
        .collect()
}
