//! Mates in one are found if and only if there is one; longer ones are solved like the fixtures.

use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Move, Position};
use kiki_mate::{MateResult, Solver};
use kiki_tests::playout::{Dice, KINGLESS, Manner, play};
use kiki_tests::{fixtures, parallel};

/// Enough for every row; the hardest end before their search for a shorter mate does.
const NODES: u64 = 100_000;

fn solve(position: &mut Position, nodes: u64) -> MateResult {
    Solver::new(4).solve(position, &mut |searched| searched < nodes)
}

/// Plays a line: every move must be legal, every other one a check, and the last one mate.
fn check_line(sfen: &str, line: &[Move]) {
    let mut position = fixtures::position(sfen);
    for (ply, mv) in line.iter().enumerate() {
        assert!(position.legal_moves().contains(mv), "{mv} at {ply} in {line:?} of {sfen}");
        position.make(*mv);
        assert!(position.in_check() || ply % 2 == 1, "{mv} at {ply} in {line:?} of {sfen} is no check");
    }
    assert!(line.len() % 2 == 1 && position.legal_moves().is_empty(), "no mate: {line:?} of {sfen}");
}

#[test]
fn the_mates_of_the_table_are_solved_and_nothing_else() {
    let rows = fixtures::mates();
    assert_eq!(rows.len(), 104);
    let shortest = AtomicUsize::new(0);
    parallel::for_each(&rows, |row| {
        let mut position = fixtures::position(row.sfen);
        match (solve(&mut position, NODES), row.length) {
            (MateResult::Mate(line), Some(length)) => {
                check_line(row.sfen, &line);
                assert!(line.len() >= length as usize, "shorter than possible: {line:?} of {}", row.sfen);
                if line.len() == length as usize {
                    shortest.fetch_add(1, Ordering::Relaxed);
                    let first = line[0].to_string();
                    assert!(row.first_moves.split(' ').any(|known| known == first), "{first} in {}", row.sfen);
                }
            }
            (MateResult::NoMate, None) => {}
            (verdict, length) => panic!("{verdict:?} instead of {length:?} for {}", row.sfen),
        }
        assert_eq!(position.to_sfen(), row.sfen, "the position is left as it was");
    });
    assert!(shortest.into_inner() >= 85, "all but one of the mates are as short as can be");
}

#[test]
fn a_solver_short_of_memory_and_time_says_nothing_untrue() {
    let mut solver = Solver::new(1);
    for (row, nodes) in fixtures::mates().iter().zip([100, 300, 1000, 3000].into_iter().cycle()) {
        let mut position = fixtures::position(row.sfen);
        match (solver.solve(&mut position, &mut |searched| searched < nodes), row.length) {
            (MateResult::Mate(line), Some(_)) => check_line(row.sfen, &line),
            (MateResult::NoMate, None) | (MateResult::Unknown, _) => {}
            (verdict, length) => panic!("{verdict:?} instead of {length:?} for {}", row.sfen),
        }
    }
}

/// A mating answer to a check is so rare (11 in 72,762 positions in check of random games) that it
/// needs examples: by capture, by promotion, by a king move that opens a line.
const MATES_IN_CHECK: [&str; 6] = [
    "ln+R4gl/4G2s1/ppbp1ng1p/2Nkp3g/2P+rSK3/1P2lP3/P4sPPP/9/6+bNL w S2P4p 138",
    "ln6l/2kg2+R2/ppppK4/4+BN2p/5pPb1/1LN1p2+rs/PPNP1P1s1/2S3+p2/L2G5 b 2GSP4p 121",
    "ln1b+RK3/3kg4/pppp2+r2/4+BN2p/4p2P1/1gN5s/PPNP3s1/3S2+p1P/LSPG5 w GL4Plp 136",
    "l3r4/2P1g4/2g6/p1p2ppN1/sp5n1/PP2Ps1gk/3+r1PPSb/1N3+b2K/L1g4NP w s2l6p 154",
    "lns5l/3rg2p1/ppp+N+Pp3/1N7/4P2sp/P1P2PP2/1PSk1GB1P/3g2SR1/LNK1G3L b 4Pb 119",
    "ln1GR2p1/2k1gK2l/ppppP4/4+BN2p/4p2P1/1LN2+rb1s/PPNP3sG/2S3+p2/L2G5 b S3P2p 121",
];

/// Compares with a trial of every move and all its answers. Returns whether there was a mate.
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
    let before = position.to_sfen();
    let found = position.mate_in_one();
    assert_eq!(position.to_sfen(), before, "the position is left as it was");
    match found {
        Some(mv) => assert!(mates.contains(&mv), "{mv} does not mate in {}", position.to_sfen()),
        None => assert!(mates.is_empty(), "{} mates in {}", mates[0], position.to_sfen()),
    }
    !mates.is_empty()
}

#[test]
fn mate_in_one_agrees_with_trying_every_move() {
    for sfen in MATES_IN_CHECK {
        let mut position = fixtures::position(sfen);
        assert!(position.in_check() && check_mate_in_one(&mut position), "{sfen}");
    }
    let mut starts: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).collect();
    starts.extend(fixtures::mates().iter().map(|row| row.sfen));
    starts.extend(KINGLESS.iter().chain(&MATES_IN_CHECK));
    let [mates, positions] = [const { AtomicUsize::new(0) }; 2];
    parallel::for_each(&starts, |start| {
        // After a few random moves from a game position, pieces hang and kings are exposed: mates
        // abound.
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
