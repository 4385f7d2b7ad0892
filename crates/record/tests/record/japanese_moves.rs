//! Moves in Japanese notation: written, read back, and refused where they are ambiguous.

use crate::common::{ROOTS, playout, written};
use kiki_board::Position;
use kiki_record::{JapaneseLine, RecordForm, japanese_move, read_japanese_move, read_records};

/// A position of a game of 2013 with output of two programs: docs/records.md.
const ANALYSED: &str = "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75";
/// Variations of it, with their final positions.
const VARIATIONS: [(&str, &str); 8] = [
    (
        "2d3c+ 2b3c 2g2b+ G*3a N*4e 3a2b 4e5c+ 4a3b",
        "l7l/6kg1/p3+Npg1p/2p3p2/4s4/1Ps1pSP2/P4P2P/2GS5/LN1K3NL b RG3Pr2bn4p 83",
    ),
    (
        "2d3e 5c5b 3e5c+ 5b5c 2g2b+ N*5g 4f5g G*3b 2b1a 3b3a G*3b 4a5b 1a3a 5f5g+ 6h5g",
        "l5+R2/4k1G2/p3rpn1p/2p3p2/4s4/1Ps3P2/P3SP2P/2G6/LN1K3NL w 2GNL4P2bs4p 90",
    ),
    (
        "2d3e 5c5b P*5c 5b8b 4f5e P*2f 2g2f P*2e P*2c 3d3e 2c2b+ 8b2b",
        "l4k2l/7r1/p3Ppn1p/2p6/4S1pp1/1Ps1p1PR1/P4P2P/2GS5/LN1K3NL b 2GS2P2bgn3p 87",
    ),
    (
        "2d3e 5c5b P*5c 5b8b 4f5e P*2f 2g2f P*2e P*2c 3d3e S*5b 4a3a 2c2b+ 3a2b P*2c 2b2c P*2d 2c2d 5b4c N*2b 2f1f 5f5g+ \
         G*1e 2d2c 6h5g B*4e G*2d 2c1b 2d3c 4e7h+ 6i5i P*5h",
        "l7l/1r5nk/p3PSG1p/2p6/4S1ppG/1Ps3P1R/P3SP2P/2+b1p4/LN2K2NL b N2Pb2g4p 107",
    ),
    (
        "2d3e N*5g 6h5g 5f5g+ G*4b 4a4b 2g2b+ G*3b 3e5c+ 4b5c P*5d 5c4d 4f5e 4d5e S*4f 5e6d P*6e 7f6e G*5e 6d7c R*7a 7c8c \
         4f5g 3b2b 5e6e R*3i N*5i 3i5i+ 6i5i B*2f",
        "l1R5l/7g1/pk3pn1p/2p1P1p2/3G5/1P4Pb1/P3SP2P/2G6/LN2K2NL b RS2Pbg2sn5p 105",
    ),
    (
        "2d3e N*5g 6h5g 5f5g+ 4f5g 3d3e 2g2b+ G*3a 2b6b B*4e P*7i 5e4d",
        "l4kg1l/3+R5/p3rpn1p/2p2s3/5bp2/1Ps3P2/P3SP2P/2G6/LNPK3NL b 2GN3Pbs4p 87",
    ),
    (
        "2d3e N*5g 6i7i G*6i 7i8h 6i6h G*4b 4a4b 2g2b+ B*3b 2b3a 4b3a 3e5c+ G*4b R*6a S*4a",
        "l2R1sk1l/5gb2/p3+Bpn1p/2p3p2/4s4/1Ps1pSP2/P3nP2P/1KGg5/LN5NL b G3Pr4p 91",
    ),
    (
        "2d3e N*5g 6i7i G*6i 7i8h 6i6h G*4b 4a4b 2g2b+ B*3b 3e5c+ 4b5c",
        "l7l/6b+R1/p3kpn1p/2p3p2/4s4/1Ps1pSP2/P3nP2P/1KGg5/LN5NL b RG3Pbgs4p 87",
    ),
];

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn read(sfen: &str, text: &str) -> Result<String, String> {
    read_japanese_move(text, &position(sfen)).map(|mv| mv.to_string()).map_err(|error| error.to_string())
}

#[test]
fn the_variations_of_an_analysed_game_are_written_and_read_back() {
    for (moves, end) in VARIATIONS {
        let mut position = position(ANALYSED);
        let mut line = JapaneseLine::new(&position);
        for usi in moves.split_ascii_whitespace() {
            let mv = position.parse_move(usi).unwrap();
            let text = line.play(mv).unwrap();
            assert_eq!(text, japanese_move(&position, mv), "a line writes as one move does");
            assert_eq!(read_japanese_move(&text, &position), Ok(mv), "{text}");
            let bare = text.trim_start_matches(['▲', '△']);
            assert_eq!(read_japanese_move(bare, &position), Ok(mv), "{bare}");
            position.make(mv);
        }
        assert_eq!(position.to_sfen(), end);
    }
}

#[test]
fn a_move_of_that_game_is_read_in_every_spelling() {
    for text in ["▲３五角", "3五角", "３５角", "35角", "☗３五角不成", "▲35角(24)", "▲３五　角", "  三五角 "]
    {
        assert_eq!(read(ANALYSED, text).as_deref(), Ok("2d3e"), "{text}");
    }
    assert_eq!(read(ANALYSED, "▲３三角成").as_deref(), Ok("2d3c+"));
    let illegal = read(ANALYSED, "▲５三歩").unwrap_err();
    assert_eq!(illegal, format!("the move `▲５三歩` is illegal in the position {ANALYSED}"));
    assert_eq!(read(ANALYSED, "△３五角").unwrap_err(), "`△３五角` is a move of the wrong side");
}

#[test]
fn a_move_alone_is_read_as_in_a_record() {
    for (sfen, text, usi) in [
        (ANALYSED, "▲３三角", "2d3c"),
        ("4k4/9/9/9/9/5s3/9/6R2/4K4 b - 1 moves 3h3g", "△同銀", "4f3g"),
        ("4k4/2P6/9/9/4S4/9/9/9/4K4 b - 1", "７一歩", "7b7a+"),
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

#[test]
fn an_ambiguous_move_names_all_candidates() {
    // Two silvers, and four promoted pawns, two of them on the left.
    let silvers = "4k4/9/9/9/9/9/2S1S4/9/4K4 b - 1";
    assert_eq!(read(silvers, "６六銀"), Err("`６六銀` may be 5g6f (▲６６銀右) or 7g6f (▲６６銀左)".to_owned()));
    assert_eq!(read(silvers, "６六銀右").as_deref(), Ok("5g6f"));
    let pawns = "4k4/9/9/9/9/3+P5/2+P6/2+P+P5/4K4 b - 1";
    assert_eq!(read(pawns, "６七と左"), Err("`６七と左` may be 7g6g (▲６７と寄) or 7h6g (▲６７と左上)".to_owned()));
    for (text, usi) in [("６七と左上", "7h6g"), ("６七と寄", "7g6g"), ("６七と引", "6f6g"), ("６七と直", "6h6g")]
    {
        assert_eq!(read(pawns, text).as_deref(), Ok(usi), "{text}");
    }
    // A rook that may come from above or below.
    let rooks = "4k4/9/9/R8/9/9/R8/9/4K4 b - 1";
    assert!(read(rooks, "９五飛").unwrap_err().contains(" or "));
    assert_eq!(read(rooks, "９五飛引").as_deref(), Ok("9d9e"));
}

#[test]
fn two_dragons_are_told_by_left_and_right_even_from_behind() {
    let dragons = "9/9/9/9/9/9/9/9/+R+R2K1k2 b - 1";
    for (text, usi) in [("８八竜左", "9i8h"), ("８八龍右", "8i8h")] {
        assert_eq!(read(dragons, text).as_deref(), Ok(usi), "{text}");
    }
    // One of two dragons is pinned. The notation rules count it anyway, so its word does not fit
    // the other.
    let pinned = "4l4/9/9/9/9/9/4+R4/4K1+R2/8k b - 1";
    let position = position(pinned);
    let free = position.parse_move("3h4g").unwrap();
    assert_eq!(japanese_move(&position, free), "▲４７竜上");
    assert_eq!(read(pinned, "４七竜").as_deref(), Ok("3h4g"));
    assert!(read(pinned, "４七竜寄").unwrap_err().contains("is illegal"));
}

#[test]
fn drops_need_their_word_only_beside_a_piece_that_could_move() {
    let golds = "4k4/9/9/9/9/9/9/4G4/4K4 b G 1";
    assert_eq!(read(golds, "４八金打").as_deref(), Ok("G*4h"));
    assert_eq!(read(golds, "４八金").as_deref(), Ok("5h4h"));
    assert_eq!(read(golds, "１一金").as_deref(), Ok("G*1a"));
    assert!(read(golds, "１一金寄").unwrap_err().contains("is illegal"));
    assert!(read(golds, "１一金成").unwrap_err().contains("is illegal"));
}

#[test]
fn what_is_no_move_is_refused() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    for text in ["", "▲", "７六", "７六歩 ３四歩", "７六歩成成", "０六歩", "7g7f", "歩", "７６７六歩"]
    {
        let error = read(start, text).unwrap_err();
        assert!(error.ends_with("is not a move like ７六歩, 同銀右上成 or 5五角打"), "{error}");
    }
    assert!(read(start, "同歩").unwrap_err().contains("it is the first move"));
}

#[test]
fn every_legal_move_of_many_positions_is_read_back() {
    const CROWDED: [Option<&str>; 2] = [
        Some("9/9/1+P+P+P+P4/1+P1+P5/1+P+P+P+P4/k8/9/8K/9 b RB2G4S4N4Lrb2g4p 1"),
        Some("4k4/9/3+B1+B3/9/9/2+R2+R3/9/4K4/9 b - 1"),
    ];
    for (seed, root) in ROOTS.into_iter().chain(CROWDED).enumerate() {
        let mut position = root.map_or_else(Position::startpos, position);
        for played in playout(seed as u64, root, 8).0.moves {
            for &mv in position.legal_moves().iter() {
                let text = japanese_move(&position, mv);
                assert_eq!(read_japanese_move(&text, &position), Ok(mv), "{text} in {}", position.to_sfen());
            }
            position.make(played.mv);
        }
    }
}
