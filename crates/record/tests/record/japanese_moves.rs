//! Moves in Japanese notation: written, read back, and refused where they are ambiguous.

use crate::common::{ROOTS, fits, playout, written};
use kiki_board::{PieceKind, Position};
use kiki_record::{RecordForm, japanese_move, kanji_moves, read_japanese_move, read_records};
use shogi_official_kifu::display_single_move;

/// A position of a game of 2013.
const ANALYSED: &str = "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75";
/// Pieces before ranks where they must or may promote.
const PROMOTIONS: &str = "4k4/P8/1N7/2P3L2/9/9/9/9/4K4 b S 1";

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

#[test]
fn a_move_alone_is_read_as_in_a_record() {
    for (sfen, text, usi) in [
        (ANALYSED, "▲３三角", "2d3c"),
        ("4k4/9/9/9/9/5s3/9/6R2/4K4 b - 1 moves 3h3g", "△同銀", "4f3g"),
        ("4k4/2P6/9/9/4S4/9/9/9/4K4 b - 1", "７一歩", "7b7a+"),
        // A piece that could not move again must promote. A drop needs no word either.
        (PROMOTIONS, "▲７三歩", "7d7c"),
        (PROMOTIONS, "▲７三歩成", "7d7c+"),
        (PROMOTIONS, "▲３三香", "3d3c"),
        (PROMOTIONS, "▲３二香", "3d3b"),
        (PROMOTIONS, "▲３一香", "3d3a+"),
        (PROMOTIONS, "▲９一歩", "9b9a+"),
        (PROMOTIONS, "▲７一桂", "8c7a+"),
        (PROMOTIONS, "▲２二銀", "S*2b"),
        ("4k4/9/9/3S1S3/9/9/9/9/4K4 b - 1", "５三銀", ""),
        ("4k4/9/9/3S1S3/9/9/9/9/4K4 b - 1", "５三銀右", "4d5c"),
        ("4k4/9/9/3S1S3/9/9/9/9/4K4 b - 1", "５三銀右成", "4d5c+"),
    ] {
        let game = RecordForm::Usi.read(sfen.as_bytes()).remove(0).unwrap();
        let mut position = game.root.as_deref().map_or_else(Position::startpos, position);
        game.moves.iter().for_each(|played| {
            position.make(played.mv);
        });
        let alone = read_japanese_move(text, &position).map(|mv| mv.to_string());
        let root = written(RecordForm::Ki2, &game);
        let recorded = read_records("a.ki2", format!("{root}{text}\n").as_bytes()).remove(0);
        match (&alone, &recorded) {
            (Ok(mv), Ok(record)) => assert_eq!([mv, usi], [&record.moves.last().unwrap().mv.to_string(), mv], "{text}"),
            (Err(alone), Err(recorded)) => assert_eq!((alone, usi), (&recorded.problem, "")),
            _ => panic!("{text}: {alone:?} {recorded:?}"),
        }
    }
}

/// A table: a position, a text, and the move or the error. Two dots stand for any text.
#[test]
fn every_text_of_the_table_is_the_move_or_the_error() {
    for row in include_str!("japanese.tsv").lines().skip(1) {
        let [sfen, text, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let read = read_japanese_move(text, &position(sfen));
        let read = read.map_or_else(|error| error.to_string(), |mv| mv.to_string());
        assert!(fits(&read, expected), "{row}: {read}");
    }
}

/// One of two dragons is pinned. The notation rules count it anyway, so its word does not fit the
/// other.
#[test]
fn a_pinned_piece_counts_for_the_words_of_the_other() {
    let position = position("4l4/9/9/9/9/9/4+R4/4K1+R2/8k b - 1");
    let mv = position.parse_move("3h4g").unwrap();
    assert_eq!(japanese_move(&position, mv), "▲４７竜上");
    assert_eq!(kanji_moves(&position, &[mv]), ["▲４七竜上"]);
}

/// Positions in which several pieces of a kind attack many squares.
const CROWDED: [Option<&str>; 5] = [
    Some(ANALYSED),
    Some("9/9/1+P+P+P+P4/1+P1+P5/1+P+P+P+P4/k8/9/8K/9 b RB2G4S4N4Lrb2g4p 1"),
    Some("4k4/9/3+B1+B3/9/9/2+R2+R3/9/4K4/9 b - 1"),
    Some("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RG5Pgsn 1"),
    Some("4k4/9/2SGS4/2GSG4/9/2N1N4/9/3R1R3/4K4 b GSNL 1"),
];

/// The crate searches mates by drops of pawns, for ever if both sides hold many. So it is asked
/// where the mover holds none.
#[test]
fn moves_are_written_as_another_program_writes_them() {
    let mut checked = 0;
    for (seed, root) in ROOTS.into_iter().chain(CROWDED).cycle().take(14).enumerate() {
        let mut position = root.map_or_else(Position::startpos, position);
        for played in playout(seed as u64, root, 80).0.moves {
            let mover = position.side_to_move();
            if position.hand(mover).count(PieceKind::Pawn) == 0 {
                // It does not know the previous move, and so it always writes the square.
                let text_after = |text: &str, skipped| text.chars().skip(skipped).collect::<String>();
                for &mv in position.legal_moves().iter() {
                    let text = japanese_move(&position, mv);
                    let other = display_single_move(&position.to_core(), mv.to_core(mover)).unwrap();
                    let skipped = if text.contains('同') { 2 } else { 3 };
                    assert_eq!(text_after(&text, skipped), text_after(&other, 3), "{mv} in {}", position.to_sfen());
                    checked += 1;
                }
            }
            position.make(played.mv);
        }
    }
    assert!(checked > 20_000, "{checked}");
}

/// A chain of drops of pawns that check would have to be followed to know whether one mates.
#[test]
fn a_move_is_written_without_a_search() {
    let position = position("4kr3/n2R1l3/2P5G/9/2S6/1s1Nl1pBL/3gN2S1/Gs1p4L/4K2g1 b B8Pn7p 25");
    assert_eq!(japanese_move(&position, position.parse_move("P*1g").unwrap()), "▲１７歩");
    assert_eq!(japanese_move(&position, position.parse_move("2f3e").unwrap()), "▲３５角");
}

#[test]
fn every_legal_move_of_many_positions_is_read_back() {
    for (seed, root) in ROOTS.into_iter().chain(CROWDED).enumerate() {
        let mut position = root.map_or_else(Position::startpos, position);
        for played in playout(seed as u64, root, 8).0.moves {
            for &mv in position.legal_moves().iter() {
                let text = japanese_move(&position, mv);
                for text in [&*text, text.trim_start_matches(['▲', '△'])] {
                    assert_eq!(read_japanese_move(text, &position), Ok(mv), "{text} in {}", position.to_sfen());
                }
            }
            position.make(played.mv);
        }
    }
}
