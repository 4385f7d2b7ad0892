//! Binary books: read, searched like the text form, written, and used as far as they are intact.

use std::io::{Seek as _, SeekFrom, Write as _};

use kiki_board::{Move, PackedSfen, Position};
use kiki_book::{
    BinaryBook, BinaryProblem, BinaryWriter, Book, BookEntry, BookMove, BookPolicy, BookWriter, EntryTexts,
    LookupError, LostData, NotABook, NotABookReason, PositionedEntry,
};
use kiki_tests::fixtures;

use crate::{AFTER_7G7F, START, chosen, file, key, names};

/// Length of a header and of a record.
const HEADER: usize = 32;
const RECORD: usize = 44;

/// The same bytes as a book in memory and as one in a file.
fn both(bytes: &[u8]) -> [Book; 2] {
    [Book::from_bytes(bytes.to_vec()).unwrap(), Book::open(file(bytes).path(), true).unwrap()]
}

fn written(entries: &[PositionedEntry]) -> (Vec<u8>, LostData) {
    let mut writer = BinaryWriter::default();
    for (board, entry) in entries {
        writer.add(board, entry);
    }
    let mut bytes = Vec::new();
    let lost = writer.finish(&mut bytes).unwrap();
    (bytes, lost)
}

fn text_of(entries: &[PositionedEntry]) -> Vec<u8> {
    let mut entries = entries.to_vec();
    entries.sort_by_cached_key(|(board, entry)| BookEntry::sort_text(board, entry.ply));
    let mut writer = BookWriter::new(Vec::new()).unwrap();
    entries.iter().for_each(|(board, entry)| writer.write(board, entry).unwrap());
    writer.finish().unwrap()
}

fn entries_of(bytes: &[u8]) -> Vec<PositionedEntry> {
    let book = BinaryBook::open(file(bytes).path()).unwrap().unwrap();
    let entry = |index| {
        let read = book.entry(index).unwrap();
        assert_eq!(read.faults, []);
        read.entry.unwrap()
    };
    (0..book.positions()).map(entry).collect()
}

fn with_values(mv: &str, value: i32, depth: Option<u32>) -> BookMove {
    BookMove { value: Some(value), depth, ..BookMove::new(mv) }
}

/// Positions of games, each with some of its moves; depths only with `has_depths`.
fn entries(has_depths: bool) -> Vec<PositionedEntry> {
    let mut entries: Vec<PositionedEntry> = Vec::new();
    for (number, row) in fixtures::midgame().into_iter().enumerate() {
        let position = fixtures::position(row.sfen);
        let fields = position.to_sfen();
        let (board, ply) = fields.rsplit_once(' ').unwrap();
        let moves = position.legal_moves();
        let moves = moves.iter().take(1 + number % 5).enumerate().map(|(at, mv)| {
            let value = [31_990, 120, 0, -7, -32_000][at] - number as i32 % 3;
            with_values(&mv.to_string(), value.max(-32_000), has_depths.then_some((number * 31 % 40) as u32))
        });
        let entry = BookEntry { ply: ply.parse().ok(), moves: moves.collect() };
        if !entries.iter().any(|(other, _)| other == board) {
            entries.push((board.to_owned(), entry));
        }
    }
    assert!(entries.len() > 1200);
    entries
}

#[test]
fn books_of_another_program_are_read() {
    let [book, edited] = fixtures::binary_books();
    let start = [(63, 27, "2g2f"), (20, 25, "7g7f"), (-32, 23, "5g5f"), (-55, 22, "2h7h"), (-74, 18, "3g3f")];
    for book in both(book) {
        let moves = book.moves(&key(START, 1), false).unwrap();
        assert_eq!(moves, start.map(|(value, depth, mv)| with_values(mv, value, Some(depth))));
        let white = book.moves(&key(AFTER_7G7F, 2), true).unwrap();
        assert_eq!(names(&white), ["8c8d", "3c3d", "4a3b"]);
        assert!(book.moves(&key(AFTER_7G7F, 2), false).unwrap().is_empty(), "the file says ply 1 everywhere");
        assert_eq!(book.damage(), None);
    }
    let promotion = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w -";
    for book in both(edited) {
        assert_eq!(names(&book.moves(&key(promotion, 1), false).unwrap()), ["2b8h+", "4c4d", "4a3b"]);
        assert_eq!(book.moves(&key(START, 1), false).unwrap()[3], with_values("2h7h", 43, Some(0)));
    }
    for bytes in [book, edited] {
        let read = entries_of(bytes);
        let moves = read.iter().map(|(_, entry)| entry.moves.len()).collect::<Vec<_>>();
        let expected: &[usize] = if bytes == book { &[3, 5, 3, 3, 4] } else { &[3, 1, 5, 1, 3, 3, 4] };
        assert_eq!(moves, expected);
        assert_eq!(written(&read), (bytes.to_vec(), LostData::default()), "and written byte for byte");
    }
}

#[test]
fn both_forms_of_a_book_give_the_same_moves() {
    for has_depths in [true, false] {
        let all = entries(has_depths);
        let kept: Vec<PositionedEntry> =
            all.iter().enumerate().filter(|(number, _)| number % 6 > 0).map(|(_, entry)| entry.clone()).collect();
        let (bytes, lost) = written(&kept);
        assert!(lost.is_empty() && kept.len() >= 1000, "{lost}");
        // With all that a text may have between its entries.
        let text = String::from_utf8(text_of(&kept)).unwrap().replace("\nsfen ", "\n// between\n\nsfen ");
        let texts = crate::both(format!("\u{feff}{text}").replace('\n', "\r\n").as_bytes());
        let [memory, on_the_fly] = both(&bytes);
        for (number, (board, entry)) in all.iter().enumerate() {
            for (ply, any_ply) in [(entry.ply.unwrap(), false), (entry.ply.unwrap() + 1, false), (1000, true)] {
                let here = key(board, ply);
                let moves = texts[0].moves(&here, any_ply).unwrap();
                assert_eq!(texts[1].moves(&here, any_ply).unwrap(), moves);
                let is_found = number % 6 > 0 && (any_ply || Some(ply) == entry.ply);
                assert_eq!(moves.len(), if is_found { entry.moves.len() } else { 0 }, "{board}");
                let of_either_colour = texts[0].moves_of_either_colour(&here, any_ply).unwrap();
                for book in [&memory, &on_the_fly] {
                    assert_eq!(book.moves(&here, any_ply).unwrap(), moves, "{board} {ply}");
                    assert_eq!(book.moves_of_either_colour(&here, any_ply).unwrap(), of_either_colour, "{board} {ply}");
                }
            }
        }
        assert_eq!((memory.damage(), on_the_fly.damage()), (None, None));
    }
}

#[test]
fn what_the_form_holds_comes_back_and_the_rest_is_told() {
    for has_depths in [true, false] {
        let entries = entries(has_depths);
        let text = text_of(&entries);
        let read: Vec<PositionedEntry> = EntryTexts::new(&text[..]).filter_map(|text| text.unwrap().entry()).collect();
        let (bytes, lost) = written(&read);
        assert!(lost.is_empty());
        assert_eq!(String::from_utf8(text_of(&entries_of(&bytes))).unwrap(), String::from_utf8(text).unwrap());
    }
    let text = format!(
        "sfen 4k4/9/9/9/9/9/9/9/9 b G 1\nG*5b\nsfen {START} 70000\n7g7f 3c3d 40000 20 5\n2g2f 8c8d\n9a9b\nsfen {AFTER_7G7F} 2\n3c3d 2g2f\nsfen nothing b -\n1a1b\n"
    );
    let read: Vec<PositionedEntry> =
        EntryTexts::new(text.as_bytes()).filter_map(|text| text.unwrap().entry()).collect();
    let (bytes, lost) = written(&read);
    let expected =
        LostData { replies: 2, counts: 1, values: 1, unvalued: 1, depths: 1, cut: 2, moves: 1, positions: 2 };
    assert_eq!(lost, expected);
    assert_eq!(
        lost.to_string(),
        "2 replies are left out, 1 counts are left out, 1 moves without a value get 0, \
         1 moves without a value beside others with one are left out, 1 moves without a depth get 0, 2 numbers are cut, \
         1 illegal moves are left out, 2 positions that cannot be packed are left out"
    );
    let book = Book::from_bytes(bytes).unwrap();
    let moves = book.moves(&key(START, 65_535), false).unwrap();
    assert_eq!(moves, [with_values("7g7f", 32_767, Some(20))]);
    assert_eq!(book.moves(&key(AFTER_7G7F, 2), false).unwrap(), [with_values("3c3d", 0, Some(0))]);
}

#[test]
fn a_position_without_ply_stands_at_every_ply_and_one_at_several_plies_at_each() {
    let entry = |ply, mv| (START.to_owned(), BookEntry { ply, moves: vec![with_values(mv, 0, None)] });
    for book in both(&written(&[entry(None, "7g7f")]).0) {
        assert_eq!(names(&book.moves(&key(START, 9), false).unwrap()), ["7g7f"]);
    }
    for book in both(&written(&[entry(Some(10), "7g7f"), entry(Some(8), "2g2f")]).0) {
        assert_eq!(names(&book.moves(&key(START, 10), false).unwrap()), ["7g7f"]);
        assert_eq!(names(&book.moves(&key(START, 8), false).unwrap()), ["2g2f"]);
        assert_eq!(names(&book.moves(&key(START, 3), true).unwrap()), ["2g2f"], "the first ply");
    }
}

#[test]
fn a_taste_asks_for_no_depth_and_no_count_where_there_is_none() {
    let policy = BookPolicy { value_difference: 30, least_value: 0, least_depth: 16, by_count: false, narrow: false };
    for (depths, expected) in [([None; 3], &["2g2f", "7g7f"][..]), ([Some(10), Some(20), Some(30)], &["2g2f"])] {
        let moves = [("7g7f", 50), ("2g2f", 40), ("1g1f", -90)];
        let moves = moves.iter().zip(depths).map(|(&(mv, value), depth)| with_values(mv, value, depth)).collect();
        let bytes = written(&[(START.to_owned(), BookEntry { ply: Some(1), moves })]).0;
        for book in both(&bytes) {
            let found = book.moves(&key(START, 1), false).unwrap();
            for policy in [policy, BookPolicy { by_count: true, ..policy }, BookPolicy { narrow: true, ..policy }] {
                assert_eq!(chosen(&policy, &found), expected);
            }
        }
    }
}

/// The first sample with other bytes at a place.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut sample = fixtures::binary_books()[0].to_vec();
    sample[at..at + bytes.len()].copy_from_slice(bytes);
    sample
}

#[test]
fn a_header_that_does_not_fit_its_file_is_refused_by_name() {
    let sample = fixtures::binary_books()[0];
    let mut cases = vec![(sample[..HEADER - 1].to_vec(), 31, BinaryProblem::Header)];
    for told in [8, 1 << 40, u64::MAX / 44, u64::MAX] {
        cases.push((changed(16, &u64::to_le_bytes(told)), 16, BinaryProblem::Records { told, room: 7 }));
    }
    cases.push((sample[..HEADER + 2 * RECORD].to_vec(), 16, BinaryProblem::Records { told: 5, room: 2 }));
    cases.push((changed(24, &[3]), 24, BinaryProblem::Flags(3)));
    for (bytes, offset, problem) in cases {
        let file = file(&bytes);
        for on_the_fly in [false, true] {
            let error = Book::open(file.path(), on_the_fly).unwrap_err();
            let told = format!("the book {} is refused: offset {offset}: {problem}", file.path().display());
            assert_eq!(error.to_string(), told);
            let LookupError::NotABook(cause) = error.cause else { panic!("{}", error.cause) };
            assert_eq!(cause, NotABook { line: None, offset, reason: NotABookReason::Binary(problem.clone()) });
        }
    }
    // A file shorter than the first bytes is of another kind.
    assert!(Book::open(file(&sample[..12]).path(), true).is_err());
}

/// A fault by its offset, if there is one, and moves.
type Found = (Option<(u64, BinaryProblem)>, Vec<BookMove>);

/// The first fault that a book reports when opened and searched for the start of the game, in
/// memory and on the fly; and the moves.
fn damage(bytes: &[u8]) -> [Found; 2] {
    both(bytes).map(|book| {
        let moves = book.moves(&key(START, 1), true).unwrap();
        (book.damage().map(|fault| (fault.offset, fault.problem.clone())), moves)
    })
}

#[test]
fn what_is_whole_of_a_damaged_book_is_used() {
    let sample = fixtures::binary_books()[0];
    let whole = Book::from_bytes(sample.to_vec()).unwrap().moves(&key(START, 1), true).unwrap();
    // The start is the second record; its moves are the fourth to the eighth.
    let (record, moves) = (HEADER + RECORD, HEADER + 5 * RECORD + 18);
    for place in [200_u64, 1 << 40, u64::MAX, u64::MAX - 300] {
        let expected = (record as u64, BinaryProblem::BeyondEnd { moves: 5, place });
        for found in damage(&changed(record + 32, &place.to_le_bytes())) {
            assert_eq!(found, (Some(expected.clone()), vec![]));
        }
    }
    for (bits, problem) in [
        (0x7f7f_u16, BinaryProblem::MoveBits(0x7f7f)),
        (Move::NONE.packed(), BinaryProblem::MoveBits(0)),
        (
            Position::startpos().parse_move("7g7f").unwrap().packed() | 1 << 15,
            BinaryProblem::Illegal { mv: "7g7f+".to_owned(), sfen: Position::startpos().to_sfen() },
        ),
    ] {
        for (fault, found) in damage(&changed(moves + 6, &bits.to_le_bytes())) {
            assert_eq!(fault, Some((moves as u64 + 6, problem.clone())));
            assert_eq!(names(&found), ["2g2f", "5g5f", "2h7h", "3g3f"], "the others are played");
        }
    }
    let trailing = [sample, &[1, 2, 3]].concat();
    for found in damage(&trailing) {
        assert_eq!(found, (Some((sample.len() as u64, BinaryProblem::Trailing(3))), whole.clone()));
    }
    // The first record moved to the end: the others move up.
    let records = &sample[HEADER..HEADER + 5 * RECORD];
    let turned = [&sample[..HEADER], &records[RECORD..], &records[..RECORD], &sample[HEADER + 5 * RECORD..]].concat();
    let [memory, on_the_fly] = damage(&turned);
    assert_eq!(memory, (Some(((HEADER + 4 * RECORD) as u64, BinaryProblem::Order)), whole.clone()));
    assert_eq!(on_the_fly, (None, whole.clone()), "nothing wrong was met on the way");
    let first = Book::open(file(&turned).path(), true).unwrap();
    assert!(
        first.moves(&key("lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b -", 1), true).is_ok()
    );
    assert!(first.moves(&key(AFTER_7G7F, 1), true).is_ok());
    // Kings on the same square.
    let kings = PackedSfen([0; 32]).unpack().unwrap_err();
    let [memory, on_the_fly] = damage(&changed(HEADER, &[0; 32]));
    assert_eq!(memory, (Some((HEADER as u64, BinaryProblem::Position(kings))), whole.clone()));
    assert_eq!(on_the_fly, (None, whole), "it is not read");
}

#[test]
fn disorder_on_the_way_to_a_position_is_told() {
    let mut bytes = written(&entries(false)).0;
    let count = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let records = &mut bytes[HEADER..HEADER + count * RECORD];
    let half = count / 2;
    // The second half comes first: bisection meets it early.
    records.rotate_left(half * RECORD);
    let book = Book::open(file(&bytes).path(), true).unwrap();
    for (board, _) in entries(false) {
        book.moves(&key(&board, 1), true).unwrap();
    }
    let fault = book.damage().unwrap();
    assert_eq!(fault.problem, BinaryProblem::Order);
    assert!(fault.to_string().starts_with(&format!("offset {}: the records are not sorted", fault.offset)));
    let repaired = Book::from_bytes(bytes).unwrap();
    assert_eq!(repaired.damage().map(|fault| fault.problem.clone()), Some(BinaryProblem::Order));
    for (board, entry) in entries(false) {
        assert_eq!(repaired.moves(&key(&board, 1), true).unwrap(), entry.moves);
    }
}

#[test]
fn every_fault_of_a_record_is_listed() {
    let faults = |bytes: &[u8]| -> Vec<String> {
        let book = BinaryBook::open(file(bytes).path()).unwrap().unwrap();
        let listed = (0..book.positions()).flat_map(|index| book.entry(index).unwrap().faults);
        listed.map(|fault| fault.to_string()).collect()
    };
    let twice = |ply| {
        let moves = vec![with_values("7g7f", 32_500, None), with_values("7g7f", 3, None)];
        (START.to_owned(), BookEntry { ply: Some(ply), moves })
    };
    let mut bytes = written(&[twice(1), twice(2), twice(2)]).0;
    bytes[HEADER + 42] = 0;
    assert_eq!(
        faults(&bytes),
        [
            "offset 32: the position has no move",
            "offset 76: the value 32500 is beyond 32000",
            "offset 76: the move 7g7f stands twice under its position",
            "offset 120: the record before has the same position",
            "offset 120: the value 32500 is beyond 32000",
            "offset 120: the move 7g7f stands twice under its position",
        ]
    );
    let zeros = [&fixtures::binary_books()[0][..16], &1_u64.to_le_bytes(), &[0; 52]].concat();
    assert_eq!(
        faults(&zeros),
        [
            "offset 32: the position has no move",
            "offset 32: no position: the kings stand on the squares numbered 0 and 0: expected two different numbers up to 80"
        ]
    );
}

/// The beginning is valid; gigabytes of zeros follow, which take no disk space.
#[test]
fn a_file_of_gigabytes_is_opened_at_once_and_asked_at_once() {
    let mut file = file(fixtures::binary_books()[0]);
    file.as_file_mut().set_len(6 << 30).unwrap();
    file.as_file_mut().seek(SeekFrom::Start(16)).unwrap();
    file.write_all(&100_000_000_u64.to_le_bytes()).unwrap();
    let start = std::time::Instant::now();
    let book = Book::open(file.path(), true).unwrap();
    assert!(book.moves(&key(START, 1), true).unwrap().is_empty());
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(Book::open(file.path(), false).unwrap_err().to_string().contains(" cannot be read: "), "too large");
}
