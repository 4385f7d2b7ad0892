//! Books of many origins, in memory and in the file.

use std::io::Write;

use kiki_book::{Book, BookKey, BookMove, BookPolicy};
use rand::{RngExt, SeedableRng, rngs::StdRng};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

/// The same text as a book in memory and as one in a file.
fn both(text: &[u8]) -> [Book; 2] {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    // The open file outlives its name.
    [Book::from_text(text).unwrap(), Book::open(file.path(), true).unwrap()]
}

fn key(board: &str, ply: u32) -> BookKey {
    BookKey::new(&format!("{board} {ply}")).unwrap()
}

fn names(moves: &[BookMove]) -> Vec<&str> {
    moves.iter().map(|book_move| book_move.mv.as_str()).collect()
}

#[test]
fn every_position_of_a_large_book_is_found_in_memory_and_in_the_file_and_no_other() {
    let mut random = StdRng::seed_from_u64(7);
    let pieces = ["P", "p", "+p", "L", "k", "2", "G", "1"];
    let mut board = || {
        let rank =
            |random: &mut StdRng| (0..4).map(|_| pieces[random.random_range(0..pieces.len())]).collect::<String>();
        let ranks: Vec<String> = (0..3).map(|_| rank(&mut random)).collect();
        let hands = ["-", "P", "P2p", "R", "RP"][random.random_range(0..5)];
        format!("{} {} {hands}", ranks.join("/"), if random.random_bool(0.5) { "b" } else { "w" })
    };
    let mut boards: Vec<String> = (0..3000).map(|_| board()).collect();
    boards.sort_unstable();
    boards.dedup();
    let (mut absent, mut present) = (Vec::new(), Vec::new());
    let mut text = b"\xef\xbb\xbf#YANEURAOU-DB2016 1.00\r\n# a comment\r\n".to_vec();
    for (number, board) in boards.iter().enumerate() {
        if number % 3 == 0 {
            absent.push(board);
            continue;
        }
        present.push((number, board));
        text.extend(format!("sfen {board} {}\r\n1a1b none {number} 3\r\n", number % 7).bytes());
        text.extend(b"// between\r\n\r\n");
    }
    for book in both(&text) {
        for &(number, board) in &present {
            let right = key(board, (number % 7) as u32);
            let moves = book.moves(&right, false).unwrap();
            assert_eq!(moves.len(), 1, "{board}");
            assert_eq!(
                (moves[0].value, moves[0].depth, moves[0].ponder.as_ref()),
                (Some(number as i32), Some(3), None)
            );
            let wrong = key(board, 50);
            assert!(book.moves(&wrong, false).unwrap().is_empty(), "another ply");
            assert_eq!(book.moves(&wrong, true).unwrap(), moves, "any ply");
        }
        for board in &absent {
            assert!(book.moves(&key(board, 1), true).unwrap().is_empty(), "{board}");
        }
    }
}

#[test]
fn careless_files_are_read_as_far_as_they_can_be() {
    let same_at_two_plies = format!("sfen {START} 1\n2g2f\nsfen {START} 5\n7g7f\n\n\n");
    for book in both(same_at_two_plies.as_bytes()) {
        assert_eq!(names(&book.moves(&key(START, 5), false).unwrap()), ["7g7f"]);
        assert_eq!(names(&book.moves(&key(START, 3), true).unwrap()), ["2g2f"]);
    }
    let fields_missing = format!("7g7f\nsfen {START}\n2g2f 3c3d x y z\nnone\n7g7f None 12\nsfen broken\n1g1f");
    for book in both(fields_missing.as_bytes()) {
        let moves = book.moves(&key(START, 9), false).unwrap();
        assert_eq!(names(&moves), ["2g2f", "7g7f"], "a position without ply stands at every ply");
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (Some("3c3d"), None));
        assert_eq!((moves[1].ponder.as_deref(), moves[1].value), (None, Some(12)));
    }
    // What has not the shape of a move is no move, and no reply.
    let no_moves = format!("sfen {START} 1\nhello\n7g7f hello 30 8\n1a1\n2g2f+x\n");
    for book in both(no_moves.as_bytes()) {
        let moves = book.moves(&key(START, 1), false).unwrap();
        assert_eq!(names(&moves), ["7g7f"]);
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (None, Some(30)));
    }
    // What is no position ends the entry before it, whatever blanks there are.
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
    // What Black faces when White has opened the diagonal first.
    let turned = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    for book in both(text.as_bytes()) {
        assert!(book.moves(&key(turned, 3), true).unwrap().is_empty());
        let moves = book.moves_of_either_colour(&key(turned, 3), false).unwrap();
        assert_eq!(names(&moves), ["7g7f"]);
        assert_eq!((moves[0].ponder.as_deref(), moves[0].value), (Some("8c8d"), Some(7)));
        assert_eq!(names(&book.moves_of_either_colour(&key(AFTER_7G7F, 2), false).unwrap()), ["3c3d"]);
    }
}

/// What a policy lets through, by many choices.
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
}

#[test]
fn choice_by_count_follows_the_counts() {
    let text = format!("sfen {START} 1\n7g7f none 0 0 75\n2g2f none 0 0 25\n");
    let moves = Book::from_text(text.as_bytes()).unwrap().moves(&key(START, 1), false).unwrap();
    let policy = BookPolicy { value_difference: 0, least_value: -99, least_depth: 0, by_count: true, narrow: false };
    let mut random = StdRng::seed_from_u64(5);
    let first = (0..4000).filter(|_| policy.choose(&moves, &mut random).unwrap().mv == "7g7f").count();
    // Four standard deviations of 27 either way.
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
