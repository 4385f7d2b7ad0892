//! Books that are written, checked and grown.

use std::collections::HashMap;
use std::io::Write as _;

use kiki_board::Position;
use kiki_book::{
    Book, BookEntry, BookKey, BookMove, BookWriter, CheckedEntry, DuplicateCheck, EntryTexts, Expansion,
    ExpansionSettings, HEADER, MergedEntries, OrderCheck, PlyRule, PositionedEntry,
};
use kiki_tests::playout::{Dice, Manner, play};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::START;

/// Positions of a random game.
fn positions(seed: u64, plies: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    play(Position::startpos(), plies, &mut Dice::new(seed, Manner::Any), |position, _| {
        positions.push(Position::from_sfen(&position.to_sfen()).unwrap());
    });
    positions
}

/// The legal moves of a position as book moves, with data from `known`.
fn moves_of(position: &Position, known: &[(Option<i32>, Option<u32>, Option<u64>)]) -> Vec<BookMove> {
    let legal = position.legal_moves();
    let with = |(mv, &(value, depth, count)): (&kiki_board::Move, &_)| BookMove {
        value,
        depth,
        count,
        ..BookMove::new(mv.to_string())
    };
    legal.iter().zip(known).map(with).collect()
}

fn written(entries: &[PositionedEntry]) -> Vec<u8> {
    let mut writer = BookWriter::new(Vec::new()).unwrap();
    entries.iter().for_each(|(board, entry)| writer.write(board, entry).unwrap());
    writer.finish().unwrap()
}

/// All faults of a book as `line: problem`.
fn faults(text: &[u8]) -> Vec<String> {
    let mut order = OrderCheck::default();
    let mut found = Vec::new();
    for entry in EntryTexts::new(text) {
        let checked: CheckedEntry = entry.unwrap().check();
        found.extend(checked.position.as_deref().and_then(|position| order.compare(checked.line, position)));
        found.extend(checked.faults);
    }
    if order.is_unsorted() {
        let mut duplicates = DuplicateCheck::default();
        found.extend(EntryTexts::new(text).filter_map(|entry| duplicates.next(&entry.unwrap())));
    }
    found.sort_by_key(|fault| fault.line);
    found.iter().map(|fault| format!("{}: {}", fault.line, fault.problem)).collect()
}

type Known = (Option<i32>, Option<u32>, Option<u64>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Everything written is found again, in memory and on file, and the check finds no fault.
    #[test]
    fn every_position_of_a_written_book_is_found(
        seed in any::<u64>(),
        plies in 1_usize..60,
        known in vec(any::<(Option<i16>, Option<u32>, Option<u64>)>(), 1..5),
        ply_known in option::of(Just(())),
    ) {
        let known: Vec<Known> = known.iter().map(|&(value, depth, count)| {
            (value.map(|value| i32::from(value).clamp(-32_000, 32_000)), depth, count.map(|count| count >> 2))
        }).collect();
        let mut entries: Vec<PositionedEntry> = Vec::new();
        for position in positions(seed, plies) {
            let key = BookKey::new(&position.to_sfen()).unwrap();
            let ply = ply_known.map(|()| position.ply());
            entries.push((key.board().to_owned(), BookEntry { ply, moves: moves_of(&position, &known) }));
        }
        entries.retain(|(_, entry)| !entry.moves.is_empty());
        let unsorted = entries.iter().cloned();
        let one_by_one: Vec<_> = unsorted.map(|entry| std::iter::once(Ok::<_, ()>(entry))).collect();
        let merged: Vec<_> = MergedEntries::new(one_by_one, PlyRule::Keep).map(Result::unwrap).collect();
        let text = written(&merged);
        prop_assert_eq!(faults(&text), Vec::<String>::new());
        let read: Vec<_> = EntryTexts::new(&text[..]).filter_map(|text| text.unwrap().entry()).collect();
        prop_assert_eq!(&read, &merged);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&text).unwrap();
        for on_the_fly in [false, true] {
            let book = Book::open(file.path(), on_the_fly).unwrap();
            for (board, entry) in &merged {
                let key = BookKey::new(&format!("{board} {}", entry.ply.unwrap_or(7))).unwrap();
                prop_assert_eq!(&book.moves(&key, false).unwrap(), &entry.moves);
            }
        }
    }
}

#[test]
fn every_fault_is_named_with_its_line() {
    let good =
        format!("{HEADER}\n# a comment\nsfen {START} 1\n7g7f 3c3d 50 20 7\n2g2f none 40\n\nsfen {START} 2\nresign\n");
    assert_eq!(faults(good.as_bytes()), [""; 0]);
    let second = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
    let wrong = format!(
        "7g7f\nsfen {second} 2\n3c3d 8h1a 1\n8c8d 2g2g\n8c8d\n7g7f\n3c3d+\nx y\nsfen {START} 1\nsfen {START} 1\n\
         7g7f none one\n2g2f none 40000\n1g1f none 1 -1\n9g9f none 1 1 1 1\n3g3f none none none none\n\
         sfen {START}R 1\n7g7f\nsfen 4k4/9/9/9/9/9/9/9/4K4 b 2pP 3\n5i5h\nsfen 5k3/54/9/9/9/9/9/9/4K4 b - 3\nsfen k\n1a1b\n\
         sfen {second} 2\n3c3d\n"
    );
    let expected = [
        "1: the first line is not `#YANEURAOU-DB2016 1.00`",
        "1: `7g7f` stands before the first position",
        "3: the reply 8h1a is illegal after 3c3d",
        "4: the reply 2g2g is illegal after 8c8d",
        "5: the move 8c8d stands twice under its position",
        "6: the move 7g7f is illegal",
        "7: the move 3c3d+ is illegal",
        "8: `x` is no move",
        "9: no move follows the position",
        "10: the position stands in line 9 already",
        "11: the value `one` is not a number",
        "12: the value 40000 is beyond 32000",
        "13: the depth `-1` is not a number",
        "14: `1` follows the count",
    ];
    let found = faults(wrong.as_bytes());
    assert_eq!(found[..expected.len()], expected, "{found:#?}");
    let rest = found[expected.len()..].join("\n");
    for part in [
        "16: no position: ",
        "18: the position is not sorted: by its text it comes before the one of line 16",
        "18: the position is usually written `4k4/9/9/9/9/9/9/9/4K4 b P2p`",
        "23: the position stands in line 2 already",
        "21: no position: ",
    ] {
        assert!(rest.contains(part), "{part}: {rest}");
    }
}

#[test]
fn what_is_not_understood_is_left_out_and_told() {
    let book = format!(
        "{HEADER}\n7g7f\nsfen {START} 1\n7g7f hello 50 20\n2g2f 8c8d 10 10\nhello\nresign\nwin 3c3d 10\nPass\n1g1f win 1\n9g9a\n\nsfen broken\n1a1b\n"
    );
    let texts: Vec<_> = EntryTexts::new(book.as_bytes()).map(Result::unwrap).collect();
    let left_out: Vec<_> = texts
        .iter()
        .flat_map(|text| text.left_out())
        .map(|fault| format!("{}: {}", fault.line, fault.problem))
        .collect();
    let expected = [
        "2: `7g7f` stands before the first position",
        "4: the reply hello is illegal after 7g7f",
        "6: `hello` is no move",
        "13: no position: ",
        "14: `1a1b` stands before the first position",
    ];
    assert!(
        left_out.len() == 5 && left_out.iter().zip(expected).all(|(told, part)| told.starts_with(part)),
        "{left_out:#?}"
    );
    // The check counts the same entries as a reader.
    let entries: Vec<PositionedEntry> = texts.iter().filter_map(|text| text.entry()).collect();
    assert_eq!(
        entries[0].1.moves.iter().map(|mv| mv.mv.as_str()).collect::<Vec<_>>(),
        ["7g7f", "2g2f", "1g1f", "9g9a"]
    );
    assert_eq!(texts.iter().map(|text| text.check().moves).collect::<Vec<_>>(), [0, 4, 0]);
    assert_eq!(
        written(&entries),
        format!("{HEADER}\nsfen {START} 1\n7g7f none 50 20\n2g2f 8c8d 10 10\n1g1f none 1\n9g9a\n").as_bytes()
    );
}

/// A search that knows the values of positions: it returns all legal moves in a table.
struct Table(HashMap<String, Vec<(&'static str, i32)>>);

impl Table {
    fn of(lines: &[(&str, &[(&'static str, i32)])]) -> Self {
        let board = |moves: &str| {
            let mut position = Position::startpos();
            for mv in moves.split_whitespace() {
                let mv = position.parse_move(mv).unwrap();
                position.make(mv);
            }
            BookKey::new(&position.to_sfen()).unwrap().board().to_owned()
        };
        Self(lines.iter().map(|(moves, found)| (board(moves), found.to_vec())).collect())
    }

    fn search(&self, sfen: &str) -> Vec<BookMove> {
        let found = self.0.get(BookKey::new(sfen).unwrap().board());
        let found = found.unwrap_or_else(|| panic!("{sfen} was not to be searched"));
        let book_move =
            |&(mv, value): &(&str, i32)| BookMove { value: Some(value), depth: Some(8), ..BookMove::new(mv) };
        found.iter().map(book_move).collect()
    }
}

const SETTINGS: ExpansionSettings = ExpansionSettings { ply_cost: 1, value_limit: 1000, last_ply: 100 };

fn grown(table: &Table, settings: ExpansionSettings, positions: usize) -> Expansion {
    let mut expansion = Expansion::new(settings, &[Position::startpos()]);
    while expansion.searched() < positions {
        let round = expansion.next_round(positions - expansion.searched());
        if round.is_empty() {
            break;
        }
        // In reverse: the order within a round does not matter.
        round.iter().rev().for_each(|sfen| expansion.add(sfen, table.search(sfen)).unwrap());
    }
    expansion
}

/// Move, value, depth and reply.
type FoundMove = (String, Option<i32>, Option<u32>, Option<String>);

fn entry_of(expansion: &Expansion, board: &str) -> Vec<FoundMove> {
    let entries = expansion.entries(u32::MAX);
    let (_, entry) = entries.iter().find(|(found, _)| found == board).unwrap();
    entry.moves.iter().map(|mv| (mv.mv.clone(), mv.value, mv.depth, mv.ponder.clone())).collect()
}

#[test]
fn values_come_from_the_ends_of_lines_and_the_least_loss_is_searched_first() {
    let table = Table::of(&[
        ("", &[("7g7f", 50), ("2g2f", 40), ("9g9f", -500)]),
        ("7g7f", &[("3c3d", 30), ("8c8d", 0)]),
        ("2g2f", &[("8c8d", -35)]),
    ]);
    let expansion = grown(&table, SETTINGS, 3);
    // 7g7f has proved bad for Black: 3c3d is worth 30 to White.
    let expected = [
        ("2g2f".to_owned(), Some(35), Some(9), Some("8c8d".to_owned())),
        ("7g7f".to_owned(), Some(-30), Some(9), Some("3c3d".to_owned())),
        ("9g9f".to_owned(), Some(-500), Some(8), None),
    ];
    assert_eq!(entry_of(&expansion, START), expected);
    assert_eq!(expansion.best_line(), (vec!["2g2f".to_owned(), "8c8d".to_owned()], Some(35)));
    // Next are the leaves in the order of their losses: 2g2f 8c8d for 2 plies; 7g7f 3c3d, a loss of
    // 65; 7g7f 8c8d, 30 more; 9g9f, 535.
    let next = expansion.next_round(10);
    let boards: Vec<&str> = next.iter().map(|sfen| sfen.split(' ').next().unwrap()).collect();
    assert_eq!(boards.len(), 4);
    assert!(boards[0].contains("1p7") && boards[0].contains("7P1") && boards[3].contains("/P8/"), "{boards:?}");
    assert_eq!(expansion.entries(70).iter().find(|(board, _)| board == START).unwrap().1.moves.len(), 2, "a margin");
}

#[test]
fn transpositions_are_one_position_and_limits_hold() {
    let table = Table::of(&[
        ("", &[("7g7f", 0), ("2g2f", 0)]),
        ("7g7f", &[("3c3d", 0)]),
        ("2g2f", &[("3c3d", 0)]),
        ("7g7f 3c3d", &[("2g2f", 0), ("8h2b+", 600)]),
        ("2g2f 3c3d", &[("7g7f", 0)]),
        ("7g7f 3c3d 2g2f", &[("4c4d", 0)]),
    ]);
    let expansion = grown(&table, ExpansionSettings { value_limit: 599, last_ply: 4, ..SETTINGS }, 100);
    assert_eq!(expansion.searched(), 6);
    assert!(expansion.next_round(100).is_empty());
    let mut wrong = Expansion::new(SETTINGS, &[Position::startpos()]);
    let error = wrong.add(&format!("{START} 1"), vec![BookMove::new("7g7e")]).unwrap_err().to_string();
    assert_eq!(error, format!("`7g7e` is no move, or stands twice, in {START} 1"));
    wrong.add(&format!("{START} 1"), Vec::new()).unwrap();
    assert!(wrong.add(&format!("{START} 1"), Vec::new()).is_err(), "it was searched");
}

#[test]
fn a_play_that_never_ends_is_a_draw() {
    let back_and_forth: &[(&str, &[(&'static str, i32)])] = &[
        ("", &[("2h3h", 0), ("7g7f", -80)]),
        ("2h3h", &[("8b7b", 0), ("3c3d", -90)]),
        ("2h3h 8b7b", &[("3h2h", 0), ("7g7f", -70)]),
        ("2h3h 8b7b 3h2h", &[("7b8b", 0), ("3c3d", -60)]),
        ("7g7f", &[("3c3d", 80)]),
    ];
    let expansion = grown(&Table::of(back_and_forth), ExpansionSettings { value_limit: 65, ..SETTINGS }, 4);
    assert_eq!(expansion.searched(), 4);
    // A side loses by leaving the cycle, so both stay.
    assert_eq!(entry_of(&expansion, START)[0].1, Some(0));
    // If White gains by leaving it, Black does not enter it.
    let gained: Vec<_> = back_and_forth
        .iter()
        .map(
            |&(moves, found)| {
                if moves == "2h3h 8b7b 3h2h" { (moves, &[("7b8b", 0), ("3c3d", 65)][..]) } else { (moves, found) }
            },
        )
        .collect();
    let expansion = grown(&Table::of(&gained), ExpansionSettings { value_limit: 65, ..SETTINGS }, 4);
    let values: Vec<_> = entry_of(&expansion, START).into_iter().map(|found| (found.0, found.1)).collect();
    assert_eq!(values, [("2h3h".to_owned(), Some(-65)), ("7g7f".to_owned(), Some(-80))]);
}

#[test]
fn whoever_checks_for_ever_loses() {
    // The rook drives the king back and forth, and Black also has 9i9h.
    let root = Position::from_sfen("8k/9/9/9/9/9/9/9/K6R1 b - 1").unwrap();
    let answers: [&[(&str, i32)]; 4] = [&[("2i1i", 0), ("9i9h", -300)], &[("1a2a", 0)], &[("1i2i", 0)], &[("2a1a", 0)]];
    let mut expansion = Expansion::new(ExpansionSettings { value_limit: 200, ..SETTINGS }, std::slice::from_ref(&root));
    let mut board = String::new();
    for answer in answers {
        let round = expansion.next_round(10);
        assert_eq!(round.len(), 1, "{round:?}");
        let found = answer.iter().map(|&(mv, value)| BookMove { value: Some(value), ..BookMove::new(mv) });
        expansion.add(&round[0], found.collect()).unwrap();
        board = BookKey::new(&round[0]).unwrap().board().to_owned();
    }
    // Black may check some more times, but ends it by 9i9h, by which White gains.
    let start = BookKey::new(&root.to_sfen()).unwrap();
    let values: Vec<_> = entry_of(&expansion, start.board()).into_iter().map(|found| (found.0, found.1)).collect();
    assert_eq!(values, [("2i1i".to_owned(), Some(-300)), ("9i9h".to_owned(), Some(-300))]);
    assert_eq!(entry_of(&expansion, &board)[0].1, Some(300));
    // Without another move the game is lost, and for the other colour as well.
    let turned = Position::from_sfen("1r6k/9/9/9/9/9/9/9/K8 w - 1").unwrap();
    let mut expansion = Expansion::new(SETTINGS, &[turned]);
    for mv in ["8a9a", "9i8i", "9a8a", "8i9i"] {
        let round = expansion.next_round(10);
        expansion.add(&round[0], vec![BookMove { value: Some(0), ..BookMove::new(mv) }]).unwrap();
    }
    assert_eq!(expansion.best_line().1, Some(-kiki_book::GREATEST_VALUE));
}

#[test]
fn a_declared_win_is_won_for_the_side_to_move_and_a_mate_lost() {
    let table = Table::of(&[("", &[("7g7f", 50), ("2g2f", 40)]), ("7g7f", &[]), ("2g2f", &[("8c8d", -35)])]);
    // A side that can move but has no book move has declared: after 7g7f White has won.
    let found = entry_of(&grown(&table, SETTINGS, 3), START);
    assert_eq!(found[0].0, "2g2f");
    assert_eq!(found[1], ("7g7f".to_owned(), Some(-kiki_book::GREATEST_VALUE), Some(1), None));
    // G*5b mates.
    let root = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
    let mut expansion = Expansion::new(SETTINGS, &[root]);
    let sfen = expansion.next_round(1).pop().unwrap();
    let mate = BookMove { value: Some(100), depth: Some(8), ..BookMove::new("G*5b") };
    expansion.add(&sfen, vec![mate]).unwrap();
    let mated = expansion.next_round(1).pop().unwrap();
    expansion.add(&mated, Vec::new()).unwrap();
    assert_eq!(expansion.entries(0)[0].1.moves[0].value, Some(kiki_book::GREATEST_VALUE));
}
