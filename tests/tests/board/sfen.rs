//! Any position survives writing and reading; any text is a position or gives an error that says
//! what is wrong.

use kiki_board::{Move, MoveError, Position, SfenError, Sq};
use kiki_tests::diagram::Diagram;
use kiki_tests::fixtures;
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use proptest::prelude::*;

/// The position after some random moves.
fn reached(start: &str, seed: u64, plies: usize) -> Position {
    let mut reached = fixtures::position(start);
    let mut dice = Dice::new(seed, Manner::Any);
    play(reached.clone(), plies, &mut dice, |position, _| reached.clone_from(position));
    reached
}

/// A start for random games: the usual one, a handicap, a problem without a king, or a middle game.
fn starts() -> impl Strategy<Value = &'static str> {
    let midgame = fixtures::midgame();
    let mut starts = vec!["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"];
    starts.extend(HANDICAPS.iter().chain(&SPARSE).chain(&KINGLESS));
    starts.extend(midgame.iter().step_by(50).map(|row| row.sfen));
    proptest::sample::select(starts)
}

/// The same position through text, and through types of `shogi_core`.
fn assert_round_trip(position: &Position) {
    let sfen = position.to_sfen();
    let through_text = Position::from_sfen(&sfen).expect("an SFEN written by the board");
    let through_core = Position::from_core(&position.to_core()).expect("a position of the board");
    for copy in [through_text, through_core] {
        copy.validate();
        assert_eq!(copy.to_sfen(), sfen);
        assert_eq!(copy.key(), position.key());
        assert_eq!(copy.legal_moves().to_vec(), position.legal_moves().to_vec());
    }
}

#[test]
fn fixtures_are_written_as_they_were_read() {
    let midgame = fixtures::midgame().into_iter().map(|row| row.sfen);
    let perft = fixtures::perft().into_iter().map(|row| row.sfen);
    let rules = fixtures::rules().into_iter().map(|row| row.sfen);
    for sfen in midgame.chain(perft).chain(rules).chain(HANDICAPS).chain(KINGLESS) {
        assert_eq!(fixtures::position(sfen).to_sfen(), sfen);
        assert_eq!(Diagram::parse(sfen).to_sfen(), sfen);
        assert_round_trip(&fixtures::position(sfen));
    }
}

#[test]
fn the_move_number_may_be_missing_zero_or_large() {
    let ply = |number: &str| {
        let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b -{number}");
        Position::from_sfen(&sfen).map(|position| position.ply())
    };
    assert_eq!(ply(""), Ok(1));
    assert_eq!(ply(" 0"), Ok(1));
    assert_eq!(ply(" 70000"), Ok(70_000));
    assert!(matches!(ply(" x"), Err(SfenError::Malformed { field: "move number", token, .. }) if token == "x"));
}

#[test]
fn moves_after_the_largest_number_are_written_so_that_they_are_read_again() {
    let mut position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b P 99999999").unwrap();
    for text in ["P*5e", "5a4a", "5e5d"] {
        position.make(position.parse_move(text).unwrap());
        let sfen = position.to_sfen();
        assert_eq!(Position::from_sfen(&sfen).unwrap().to_sfen(), sfen);
    }
}

#[test]
fn an_error_names_what_is_wrong() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let kings = "4k4/9/9/9/9/9/9/9/4K4";
    for (sfen, named) in [
        (String::new(), "board"),
        (start.to_owned(), "side to move"),
        (format!("{start} b"), "hands"),
        (format!("{start} b - 1 2"), "`2`"),
        (format!("{start} x - 1"), "`x`"),
        (format!("{start} b - -1"), "`-1`"),
        (format!("{start} b - one"), "`one`"),
        (format!("{kings} b X 1"), "`X`"),
        (format!("{kings} b K 1"), "`K`"),
        (format!("{kings} b 2 1"), "`2`"),
        (format!("{kings} b 0P 1"), "P"),
        (format!("{kings} b 19P 1"), "19"),
        (format!("{kings} b 99999999999P 1"), "99999999999"),
        (format!("{kings} b 2R1r 1"), "R"),
        (format!("{start} b P 1"), "P"),
        ("4k4/9/9/9/9/9/9/9/4KX3 b - 1".to_owned(), "`4k4/9/9/9/9/9/9/9/4KX3`"),
        ("4k4/9/9/9/9/9/9/9/4K5 b - 1".to_owned(), "`4k4/9/9/9/9/9/9/9/4K5`"),
        ("4k4/9/9/9/9/9/9/9/4K3 b - 1".to_owned(), "`4k4/9/9/9/9/9/9/9/4K3`"),
        ("4k4/9/9/9/9/9/9/9 b - 1".to_owned(), "`4k4/9/9/9/9/9/9/9`"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "`4k4/9/9/9/9/9/9/9/9/4K4`"),
        ("4k4/9/9/9/9/9/9/4+G4/4K4 b - 1".to_owned(), "+G"),
        ("4k4/9/9/9/9/9/9/9/3KK4 b - 1".to_owned(), "Black"),
        ("3kk4/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "White"),
        ("4k3P/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "1a"),
        ("4k4/N8/9/9/9/9/9/9/4K4 b - 1".to_owned(), "9b"),
        ("4k4/9/9/9/9/9/9/9/4K3l b - 1".to_owned(), "1i"),
        ("4k4/9/9/2P6/9/2P6/9/9/4K4 b - 1".to_owned(), "file 7"),
        ("4k4/9/4R4/9/9/9/9/9/4K4 b - 1".to_owned(), "White is in check"),
    ] {
        match Position::from_sfen(&sfen) {
            Ok(position) => panic!("{sfen} was read as {}", position.to_sfen()),
            Err(error) => assert!(error.to_string().contains(named), "{sfen}: {error}"),
        }
    }
}

/// Any field may be long, or have line breaks that are not ASCII blanks.
#[test]
fn what_an_error_quotes_is_short_and_on_one_line() {
    for place in 0..5 {
        for foreign in ["歩", "1", "9/", "K", "\u{2028}", "\u{85}"].map(|text| text.repeat(300)) {
            let mut fields = ["4k4/9/9/9/9/9/9/9/4K4", "b", "-", "1", ""];
            fields[place] = &foreign;
            let error = Position::from_sfen(&fields.join(" ")).err().expect(&foreign).to_string();
            let breaks = |letter: char| letter.is_control() || letter == '\u{2028}';
            assert!(error.chars().count() < 1000 && !error.contains(breaks), "{error:?}");
        }
    }
    let error = Position::startpos().parse_move(&"歩".repeat(300)).unwrap_err().to_string();
    assert!(error.chars().count() < 200, "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_game_survives_being_written_and_read(
        start in starts(), seed in any::<u64>(), plies in 0_usize..120,
    ) {
        assert_round_trip(&reached(start, seed, plies));
    }

    /// Pieces are removed from board and hands: as in handicaps and problems, any part of a set
    /// will do.
    #[test]
    fn an_incomplete_set_survives_being_written_and_read(
        start in starts(), seed in any::<u64>(), plies in 0_usize..80,
        removed in prop::collection::vec(0_usize..81, 0..60),
        held in prop::array::uniform14(any::<bool>()),
    ) {
        let mut diagram = Diagram::parse(&reached(start, seed, plies).to_sfen());
        for index in removed {
            diagram.set(Sq::new(index), None);
        }
        for (count, keep) in diagram.hands.as_flattened_mut().iter_mut().zip(held) {
            *count = if keep { *count } else { 0 };
        }
        match Position::from_sfen(&diagram.to_sfen()) {
            Ok(position) => {
                prop_assert_eq!(position.to_sfen(), diagram.to_sfen());
                assert_round_trip(&position);
            }
            // The removed piece may have shielded the king of the side not to move.
            Err(error) => prop_assert!(matches!(error, SfenError::KingCanBeCaptured(_)), "{}", error),
        }
    }

    #[test]
    fn no_text_upsets_the_reader_of_moves(
        start in starts(), text in prop_oneof![".*", "[0-9PLNSGBRKa-j*+]{0,6}", "[1-9][a-i][1-9][a-i]\\+?"],
    ) {
        let position = fixtures::position(start);
        match position.parse_move(&text) {
            Ok(mv) => {
                prop_assert_eq!(mv.to_string(), text);
                prop_assert!(position.legal_moves().contains(&mv));
            }
            Err(MoveError::Malformed(token)) => prop_assert_eq!(token, text),
            Err(MoveError::Illegal { mv, sfen }) => prop_assert_eq!((mv, sfen), (text, position.to_sfen())),
        }
    }

    #[test]
    fn a_legal_move_survives_being_written_and_read(
        start in starts(), seed in any::<u64>(), plies in 0_usize..80,
    ) {
        let position = reached(start, seed, plies);
        for &mv in &position.legal_moves() {
            prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv));
            let through_core: Move = mv.to_core(position.side_to_move()).into();
            prop_assert_eq!(through_core, mv);
            prop_assert_eq!(Move::from_bits(mv.bits()), mv);
        }
    }
}
