//! What is no book is refused with line, offset and reason; what is a careless book is not.

use std::io::{Seek, SeekFrom, Write};

use kiki_book::{Book, BookError, BookKey, LookupError, NotABook, NotABookReason};
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use tempfile::NamedTempFile;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

fn file(text: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    file
}

/// Why a file is refused, which must be the same for a book in memory and one in its file.
fn refusal(text: &[u8]) -> Option<NotABook> {
    let file = file(text);
    let reasons = [false, true].map(|on_the_fly| match Book::open(file.path(), on_the_fly) {
        Ok(_) => None,
        Err(error @ BookError::NotABook { .. }) => {
            let start = format!("the book {} is refused: line ", file.path().display());
            assert!(error.to_string().starts_with(&start), "{error}");
            let BookError::NotABook { cause, .. } = error else { unreachable!() };
            Some(cause)
        }
        Err(error) => panic!("{error}"),
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
        // Without a control character it is the text that says nothing.
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

/// The beginning is good; behind it stand gigabytes of nothing, which take no room on a disk.
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
    // A line without end is not read to its end.
    file.as_file_mut().set_len(0).unwrap();
    file.as_file_mut().seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&text).unwrap();
    file.write_all("x".repeat(3 * text.len()).as_bytes()).unwrap();
    let book = Book::open(file.path(), true).unwrap();
    let error = book.moves(&BookKey::new("9/9/00007 b - 1").unwrap(), true).unwrap_err();
    assert!(matches!(error, LookupError::NotABook(NotABook { reason: NotABookReason::LongLine, .. })), "{error}");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    for on_the_fly in [false, true] {
        let error = Book::open(folder.path(), on_the_fly).unwrap_err().to_string();
        assert!(error.ends_with("cannot be read: it is a folder, not a file"), "{error}");
    }
}
