//! Mate in one is found if and only if there is one.

use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::Position;
use kiki_tests::playout::{Dice, KINGLESS, Manner, play};
use kiki_tests::{fixtures, parallel};

/// From random games, and the first from a game of two engines: by capture, by promotion, by a king's step that opens a line.
const MATES_IN_CHECK: [&str; 6] = [
    "ln+R4gl/4G2s1/ppbp1ng1p/2Nkp3g/2P+rSK3/1P2lP3/P4sPPP/9/6+bNL w S2P4p 138",
    "ln6l/2kg2+R2/ppppK4/4+BN2p/5pPb1/1LN1p2+rs/PPNP1P1s1/2S3+p2/L2G5 b 2GSP4p 121",
    "ln1b+RK3/3kg4/pppp2+r2/4+BN2p/4p2P1/1gN5s/PPNP3s1/3S2+p1P/LSPG5 w GL4Plp 136",
    "l3r4/2P1g4/2g6/p1p2ppN1/sp5n1/PP2Ps1gk/3+r1PPSb/1N3+b2K/L1g4NP w s2l6p 154",
    "lns5l/3rg2p1/ppp+N+Pp3/1N7/4P2sp/P1P2PP2/1PSk1GB1P/3g2SR1/LNK1G3L b 4Pb 119",
    "ln1GR2p1/2k1gK2l/ppppP4/4+BN2p/4p2P1/1LN2+rb1s/PPNP3sG/2S3+p2/L2G5 b S3P2p 121",
];

#[test]
fn mates_in_one_of_the_table_are_found_and_no_longer_ones() {
    let rows = fixtures::mates();
    assert_eq!(rows.len(), 104);
    let mut in_one = 0;
    for row in rows {
        let mut position = fixtures::position(row.sfen);
        let found = position.mate_in_one();
        assert_eq!(position.to_sfen(), row.sfen, "the position is left as it was");
        if row.length == Some(1) {
            let mv = found.unwrap_or_else(|| panic!("no mate found in {}", row.sfen)).to_string();
            assert!(row.first_moves.split(' ').any(|known| known == mv), "{mv} in {}", row.sfen);
            in_one += 1;
        } else {
            assert_eq!(found, None, "{}", row.sfen);
        }
    }
    assert_eq!(in_one, 25);
}

/// Compares with trying every move and looking for an answer among all legal moves. Says whether there was a mate.
fn check_mate_in_one(position: &mut Position) -> bool {
    let mut mates = Vec::new();
    for &mv in &position.legal_moves() {
        position.make(mv);
        let mated = position.in_check() && position.legal_moves().is_empty();
        assert_eq!(position.is_checkmate(), mated, "after {mv}: {}", position.to_sfen());
        position.unmake();
        if mated {
            mates.push(mv);
        }
    }
    match position.mate_in_one() {
        Some(mv) => assert!(mates.contains(&mv), "{mv} does not mate in {}", position.to_sfen()),
        None => assert!(mates.is_empty(), "{} mates in {}", mates[0], position.to_sfen()),
    }
    !mates.is_empty()
}

#[test]
fn mate_in_one_agrees_with_trying_every_move() {
    let mut starts: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).collect();
    starts.extend(fixtures::mates().iter().map(|row| row.sfen));
    starts.extend(KINGLESS);
    let [mates, positions] = [const { AtomicUsize::new(0) }; 2];
    parallel::for_each(&starts, |start| {
        // A few random moves on from a position of a game, pieces are hanging and kings exposed: mates abound.
        let mut dice = Dice::new(start.len() as u64, Manner::Any);
        play(fixtures::position(start), 6, &mut dice, |position, _| {
            positions.fetch_add(1, Ordering::Relaxed);
            mates.fetch_add(usize::from(check_mate_in_one(position)), Ordering::Relaxed);
        });
    });
    let [mates, positions] = [mates, positions].map(AtomicUsize::into_inner);
    assert!(positions > 9_000, "{positions} positions");
    assert!(mates > 300, "{mates} mates");
}

/// An answer to a check that mates is so rare (11 in 72,762 positions in check of random games) that it needs its own examples.
#[test]
fn a_mate_that_answers_a_check_is_found() {
    for sfen in MATES_IN_CHECK {
        let mut position = fixtures::position(sfen);
        assert!(position.in_check(), "{sfen}");
        assert!(check_mate_in_one(&mut position), "{sfen}");
    }
}

#[test]
fn mate_in_one_agrees_along_the_openings_and_random_games() {
    let openings = fixtures::openings();
    assert_eq!(openings.len(), 630);
    parallel::for_each(&openings, |opening| {
        let mut position = Position::startpos();
        fixtures::play(&mut position, &opening.join(" "));
        check_mate_in_one(&mut position);
    });
    let seeds: Vec<u64> = (0..40).collect();
    parallel::for_each(&seeds, |&seed| {
        let mut dice = Dice::new(seed, Manner::Any);
        play(Position::startpos(), 200, &mut dice, |position, _| {
            check_mate_in_one(position);
        });
    });
}
