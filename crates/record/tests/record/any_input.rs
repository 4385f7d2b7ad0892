//! No input makes a reader panic, and what one reads can be written and read again.

use crate::common::{ROOTS, playout};
use kiki_record::{PgnMoves, read_csa, read_pgn, to_csa, to_pgn};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Lines and pieces of lines that reach further into the readers than noise does.
const CSA_WORDS: &str = "V2.2 N+a N-b $EVENT:x PI PI82HI P1 P5 P+ P- P+00AL P+55OU P-51OU 00FU 00AL 55KI -KY +FU * + - +7776FU -3334FU +2726FU +0055KA \
                         -5551OU +8822UM T T1 T1.5 % %TORYO %KACHI %+ILLEGAL_ACTION # #ILLEGAL_MOVE #DRAW / ' '** '**5 '*info mate -3 nodes '*result \
                         black-wins time: 'summary:toryo:a win:b lose , 歩 \\";
const PGN_WORDS: &str = "[White \"a\"] [Black \"b\"] [Result \"1-0\"] [ ] \" \\\" \\ { } ( ) ; % 1. e4 * 1-0 [Event 歩";

fn text_of(words: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let word = select(words.split(' ').collect::<Vec<_>>()).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![12 => word, 1 => vec(any::<u8>(), 0..5)];
    let separator = select(vec!["\n", "\n", "\n", "\r\n", "", " ", ","]);
    vec((piece, separator), 0..40)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [&piece, end.as_bytes()].concat()).collect())
}

/// A record of a real game with a few bytes changed, cut out or put in.
fn damaged(text: String) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), any::<Index>(), select(b"\n,'+-%#/T0159FUKI*\"[]{}()\\\xe6\xff".to_vec()), 0..3_u8);
    vec(edit, 1..6).prop_map(move |edits| {
        let mut bytes = text.clone().into_bytes();
        for (at, other, byte, kind) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    let end = (at + other.index(40)).min(bytes.len() - 1);
                    bytes.drain(at..end);
                }
            }
        }
        bytes
    })
}

fn check_csa(bytes: &[u8]) {
    for game in read_csa(bytes) {
        match game {
            Ok(game) => {
                let text = to_csa(&game).expect("what was read is legal");
                let again = read_csa(text.as_bytes()).next().expect("a game").expect("what was written can be read");
                assert_eq!((again.moves, again.outcome, again.root), (game.moves, game.outcome, game.root));
            }
            Err(error) => assert!(error.line > 0 && error.to_string().lines().count() == 1),
        }
    }
}

fn check_pgn(bytes: &[u8]) {
    if let Err(error) = read_pgn(bytes) {
        assert!(error.line > 0 && error.to_string().lines().count() == 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn noise_is_no_danger(bytes in vec(any::<u8>(), 0..300)) {
        check_csa(&bytes);
        check_pgn(&bytes);
    }

    #[test]
    fn nearly_csa_is_no_danger(bytes in text_of(CSA_WORDS)) {
        check_csa(&bytes);
    }

    #[test]
    fn nearly_pgn_is_no_danger(bytes in text_of(PGN_WORDS)) {
        check_pgn(&bytes);
    }

    #[test]
    fn damaged_csa_is_no_danger(bytes in (0..50_u64).prop_flat_map(|seed| {
        damaged(to_csa(&playout(seed, ROOTS[seed as usize % ROOTS.len()], 20).0).unwrap())
    })) {
        check_csa(&bytes);
    }

    #[test]
    fn damaged_pgn_is_no_danger(bytes in (0..50_u64).prop_flat_map(|seed| {
        damaged(to_pgn(&playout(seed, None, 20).0, "1", PgnMoves::Commented).repeat(2))
    })) {
        check_pgn(&bytes);
    }
}
