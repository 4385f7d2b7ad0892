//! Opening books, in memory and on file: searched, refused and made.

mod binary;
mod built_in;
mod making;

use std::io::{Seek, SeekFrom, Write};

use kiki_book::{Book, BookKey, BookMove, BookPolicy, LookupError, NotABook, NotABookReason};
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use tempfile::NamedTempFile;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

fn file(text: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    file
}

/// The same text as a book in memory and as one in a file.
fn both(text: &[u8]) -> [Book; 2] {
    // The open file outlives its name.
    [Book::from_text(text).unwrap(), Book::open(file(text).path(), true).unwrap()]
}

fn key(board: &str, ply: u32) -> BookKey {
    BookKey::new(&format!("{board} {ply}")).unwrap()
}

fn names(moves: &[BookMove]) -> Vec<&str> {
    moves.iter().map(|book_move| book_move.mv.as_str()).collect()
}

#[test]
fn careless_files_are_read_as_far_as_they_can_be() {
    let same_at_two_plies = format!("sfen {START} 1\n2g2f\nsfen {START} 5\n7g7f\n\n\n");
    for book in both(same_at_two_plies.as_bytes()) {
        assert_eq!(names(&book.moves(&key(START, 5), false).unwrap()), ["7g7f"]);
        assert_eq!(names(&book.moves(&key(START, 3), true).unwrap()), ["2g2f"]);
    }
    // As a text, 10 comes before 9.
    let ten = format!("sfen {START} 10\n7g7f\nsfen {START} 9\n2g2f\n\nsfen {START} 9\n5g5f\n");
    for book in both(ten.as_bytes()) {
        assert_eq!(names(&book.moves(&key(START, 10), false).unwrap()), ["7g7f"]);
        assert_eq!(names(&book.moves(&key(START, 3), true).unwrap()), ["2g2f"]);
    }
    let fields_missing = format!("7g7f\nsfen {START}\n2g2f 3c3d x y z\nnone\n7g7f None 12\nsfen broken\n1g1f");
    for book in both(fields_missing.as_bytes()) {
        let moves = book.moves(&key(START, 9), false).unwrap();
        assert_eq!(names(&moves), ["2g2f", "7g7f"], "a position without ply stands at every ply");
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (Some("3c3d"), None));
        assert_eq!((moves[1].ponder.as_deref(), moves[1].value), (None, Some(12)));
    }
    // A word that does not look like a move is neither a move nor a reply.
    let no_moves = format!("sfen {START} 1\nhello\n7g7f hello 30 8\n1a1\n2g2f+x\n");
    for book in both(no_moves.as_bytes()) {
        let moves = book.moves(&key(START, 1), false).unwrap();
        assert_eq!(names(&moves), ["7g7f"]);
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (None, Some(30)));
    }
    // An invalid position ends the entry before it, whatever blanks there are.
    for between in ["sfen", "\u{3000}sfen x", "sfen\u{3000}broken", "\x0bsfen y"] {
        for book in both(format!("sfen {START} 1\n2g2f\n{between}\n7g7f\n").as_bytes()) {
            assert_eq!(names(&book.moves(&key(START, 1), false).unwrap()), ["2g2f"], "{between:?}");
        }
    }
    for tiny in ["", "\n", "sfen", "#YANEURAOU-DB2016 1.00"] {
        for book in both(tiny.as_bytes()) {
            assert!(book.moves(&key(START, 1), true).unwrap().is_empty(), "{tiny:?}");
        }
    }
    let missing = Book::open(std::path::Path::new("no/such/book.db"), false).unwrap_err().to_string();
    assert!(missing.starts_with("the book no/such/book.db cannot be read: "), "{missing}");
}

#[test]
fn a_position_is_found_from_the_other_side_too() {
    let text = format!("sfen {AFTER_7G7F} 2\n3c3d 2g2f 7\n");
    // The position for Black when White has opened the diagonal first.
    let turned = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    for book in both(text.as_bytes()) {
        assert!(book.moves(&key(turned, 3), true).unwrap().is_empty());
        let moves = book.moves_of_either_colour(&key(turned, 3), false).unwrap();
        assert_eq!(names(&moves), ["7g7f"]);
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (Some("8c8d"), Some(7)));
        assert_eq!(names(&book.moves_of_either_colour(&key(AFTER_7G7F, 2), false).unwrap()), ["3c3d"]);
    }
}

/// The moves that a policy chooses in many draws.
fn chosen(policy: &BookPolicy, moves: &[BookMove]) -> Vec<String> {
    let mut random = StdRng::seed_from_u64(3);
    let mut chosen: Vec<String> =
        (0..400).filter_map(|_| policy.choose(moves, &mut random).map(|book_move| book_move.mv.clone())).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[test]
fn a_taste_lets_through_what_it_asks_for() {
    let text =
        format!("sfen {START} 1\n7g7f none 50 20 60\n2g2f none 40 10 35\n5g5f none 0 30 4\n1g1f none -90 30 1\n");
    let book = Book::from_text(text.as_bytes()).unwrap();
    let moves = book.moves(&key(START, 1), false).unwrap();
    let all = BookPolicy { value_difference: 1000, least_value: -1000, least_depth: 0, by_count: false, narrow: false };
    assert_eq!(chosen(&all, &moves).len(), 4);
    assert_eq!(chosen(&BookPolicy { value_difference: 30, ..all }, &moves), ["2g2f", "7g7f"]);
    assert_eq!(chosen(&BookPolicy { value_difference: 0, ..all }, &moves), ["7g7f"]);
    assert_eq!(chosen(&BookPolicy { least_value: 0, ..all }, &moves), ["2g2f", "5g5f", "7g7f"]);
    assert_eq!(chosen(&BookPolicy { least_depth: 16, ..all }, &moves), ["1g1f", "5g5f", "7g7f"]);
    assert_eq!(chosen(&BookPolicy { narrow: true, ..all }, &moves), ["2g2f", "7g7f"]);
    assert!(chosen(&BookPolicy { least_value: 100, ..all }, &moves).is_empty());
    assert!(chosen(&all, &[]).is_empty());
    let without_values: Vec<BookMove> = moves.iter().cloned().map(|mv| BookMove { value: None, ..mv }).collect();
    assert_eq!(chosen(&all, &without_values), ["7g7f"], "the one that was played most");
    // Games in which moves were played do not tell whether these are as good as the searched ones.
    let mut mixed = moves.clone();
    mixed.push(BookMove { count: Some(90), ..BookMove::new("9g9f") });
    for by_count in [false, true] {
        for (policy, expected) in [
            (all, &["1g1f", "2g2f", "5g5f", "7g7f"][..]),
            (BookPolicy { value_difference: 30, ..all }, &["2g2f", "7g7f"]),
            (BookPolicy { least_value: 100, ..all }, &[]),
            (BookPolicy { least_depth: 40, ..all }, &[]),
        ] {
            assert_eq!(chosen(&BookPolicy { by_count, ..policy }, &mixed), expected, "{policy:?}");
        }
    }
}

#[test]
fn choice_by_count_follows_the_counts() {
    let text = format!("sfen {START} 1\n7g7f none 0 0 75\n2g2f none 0 0 25\n");
    let moves = Book::from_text(text.as_bytes()).unwrap().moves(&key(START, 1), false).unwrap();
    let policy = BookPolicy { value_difference: 0, least_value: -99, least_depth: 0, by_count: true, narrow: false };
    let mut random = StdRng::seed_from_u64(5);
    let first = (0..4000).filter(|_| policy.choose(&moves, &mut random).unwrap().mv == "7g7f").count();
    // Four standard deviations of 27 on either side.
    assert!((2890..=3110).contains(&first), "{first} of 4000");
}

#[test]
fn counts_whose_sum_does_not_fit_are_counted_all_the_same() {
    let half = 1_u64 << 63;
    let text =
        format!("sfen {START} 1\n7g7f none 0 0 {half}\n2g2f none 0 0 {half}\n5g5f none 0 0 {half}\n1g1f none 0 0 7\n");
    let moves = Book::from_text(text.as_bytes()).unwrap().moves(&key(START, 1), false).unwrap();
    let policy = BookPolicy { value_difference: 0, least_value: -99, least_depth: 0, by_count: true, narrow: false };
    assert_eq!(chosen(&policy, &moves), ["2g2f", "5g5f", "7g7f"]);
    let narrow = BookPolicy { by_count: false, narrow: true, ..policy };
    assert_eq!(chosen(&narrow, &moves), ["2g2f", "5g5f", "7g7f"], "a rare move is left out");
    let full = format!("sfen {START} 1\n7g7f none 0 0 {0}\n7g7f none 0 0 {0}\n", u64::MAX);
    let joined = kiki_book::EntryTexts::new(full.as_bytes()).next().unwrap().unwrap().entry().unwrap();
    let merged = kiki_book::MergedEntries::new([[Ok::<_, ()>(joined)].into_iter()], kiki_book::PlyRule::Keep);
    assert_eq!(merged.map(|entry| entry.unwrap().1.moves[0].count).collect::<Vec<_>>(), [Some(u64::MAX)]);
}

/// The reason for refusing a file, which must be the same for a book in memory and in its file.
fn refusal(text: &[u8]) -> Option<NotABook> {
    let file = file(text);
    let reasons = [false, true].map(|on_the_fly| match Book::open(file.path(), on_the_fly) {
        Ok(_) => None,
        Err(error) => {
            let start = format!("the book {} is refused: line ", file.path().display());
            assert!(error.to_string().starts_with(&start), "{error}");
            let LookupError::NotABook(cause) = error.cause else { panic!("{}", error.cause) };
            Some(cause)
        }
    });
    let [memory, on_the_fly] = reasons;
    assert_eq!(memory, on_the_fly);
    memory
}

fn place(refusal: &NotABook) -> (Option<u64>, u64) {
    (refusal.line, refusal.offset)
}

#[test]
fn pictures_programs_and_other_texts_are_no_books() {
    let png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR";
    let found = refusal(png).unwrap();
    assert_eq!((place(&found), found.reason), ((Some(3), 8), NotABookReason::Byte(0)));
    let found = refusal(b"\xff\xfe#\x00Y\x00").unwrap();
    assert_eq!((place(&found), found.reason), ((Some(1), 0), NotABookReason::Utf16));
    let zeros_in_the_middle = format!("sfen {START} 1\n7g7f\n\0\0\0\n2g2f\n");
    let found = refusal(zeros_in_the_middle.as_bytes()).unwrap();
    assert_eq!(
        (place(&found), found.reason),
        ((Some(3), zeros_in_the_middle.find('\0').unwrap() as u64), NotABookReason::Byte(0))
    );
    let found = refusal(b"\xef\xbb\xbf# A letter\r\n\r\nDear \xe6\xad\xa9,\r\nno book is here.").unwrap();
    assert_eq!(place(&found), (Some(3), 17));
    assert_eq!(found.to_string(), "line 3, offset 17: neither a position (`sfen ..`) nor a move: `Dear 歩,`");
    for text in ["{\"moves\": []}", "7g7f,2g2f", "startpos moves 7g7f", START, "\x7f\x7f"] {
        assert!(
            matches!(refusal(text.as_bytes()), Some(NotABook { reason: NotABookReason::Content(_), .. })),
            "{text}"
        );
    }
    let found = refusal("x".repeat(200_000).as_bytes()).unwrap();
    assert_eq!((place(&found), found.reason), ((Some(1), 0), NotABookReason::LongLine));
    let program = std::env::current_exe().unwrap();
    for on_the_fly in [false, true] {
        let error = Book::open(&program, on_the_fly).unwrap_err().to_string();
        assert!(error.contains(" is refused: line ") && error.ends_with(" does not occur in text"), "{error}");
    }
}

#[test]
fn random_bytes_are_no_book() {
    let mut random = StdRng::seed_from_u64(11);
    for length in (1..400).step_by(3).chain([5_000, 300_000]) {
        let mut bytes = vec![0; length];
        random.fill_bytes(&mut bytes);
        // One or two random bytes may be blanks or a comment.
        assert!(refusal(&bytes).is_some() || length < 4, "{}", bytes.escape_ascii());
        // Without a control character, the text is refused for its content.
        bytes.iter_mut().for_each(|byte| *byte = random.random_range(b'0'..=b'z'));
        assert!(refusal(&bytes).is_some(), "{}", bytes.escape_ascii());
    }
}

#[test]
fn careless_books_are_not_refused() {
    let cases: [&[u8]; 14] = [
        b"",
        b"\n\n\r\n",
        b"\xef\xbb\xbf",
        b"#YANEURAOU-DB2016 1.00",
        b"# \x83v\x83\x8d in Shift_JIS\n// \x1b$B%W%m\x1b(B in ISO-2022-JP\n",
        b"sfen",
        b"sfen broken\n7g7f",
        b"7g7f none\nP*5e\n8h2b+ 3a2b 100",
        b"none\nNone\nresign\nwin\n",
        b"\xef\xbb\xbfsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\r\n7g7f\r\n\r\n\r\n",
        b"sfen 4k4/9/9/9/9/9/9/9/4K4 b -\n5i5h\n\x1a",
        b"a title\n\nsfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n5i5h\n",
        b"  sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n\t5i5h\tnone\n",
        b"\n\n\n\n7g7f\n",
    ];
    for text in cases {
        assert_eq!(refusal(text), None, "{}", text.escape_ascii());
    }
}

#[test]
fn a_comment_longer_than_what_is_checked_at_first_is_passed_over() {
    let text = format!("{}sfen {START} 1\n7g7f\n", "# a long introduction\n".repeat(20_000));
    assert_eq!(refusal(text.as_bytes()), None);
}

/// The beginning is valid; gigabytes of zeros follow, which take no disk space.
#[test]
fn a_file_of_gigabytes_is_opened_at_once_and_refused_where_it_is_no_book() {
    let mut text = Vec::new();
    for number in 0..20_000 {
        text.extend(format!("sfen 9/9/{number:05} b - 1\n7g7f none 1 1\n").bytes());
    }
    let mut file = file(&text);
    file.as_file_mut().set_len(4 << 30).unwrap();
    let start = std::time::Instant::now();
    let book = Book::open(file.path(), true).unwrap();
    let error = book.moves(&BookKey::new("9/9/00007 b - 1").unwrap(), true).unwrap_err();
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
    let LookupError::NotABook(NotABook { line: None, offset, reason: NotABookReason::Byte(0) }) = error else {
        panic!("{error}")
    };
    assert!(offset >= text.len() as u64);
    // The reader stops before the end of an endless line.
    file.as_file_mut().set_len(0).unwrap();
    file.as_file_mut().seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&text).unwrap();
    file.write_all("x".repeat(3 * text.len()).as_bytes()).unwrap();
    let book = Book::open(file.path(), true).unwrap();
    let error = book.moves(&BookKey::new("9/9/00007 b - 1").unwrap(), true).unwrap_err();
    assert!(matches!(error, LookupError::NotABook(NotABook { reason: NotABookReason::LongLine, .. })), "{error}");
}
