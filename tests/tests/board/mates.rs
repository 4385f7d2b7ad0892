//! Forced mates: `kiki-mate` on the fixtures and against trying everything.

use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Move, Position};
use kiki_mate::{MateResult, Solver};
use kiki_tests::playout::{Dice, Manner, play};
use kiki_tests::{fixtures, parallel};

/// Enough for every row; the hardest are given up in their search for a shorter mate.
const NODES: u64 = 100_000;

fn solve(position: &mut Position, nodes: u64) -> MateResult {
    Solver::new(4).solve(position, &mut |searched| searched < nodes)
}

/// Plays a line: every move has to be legal, every other one a check, and the last one mate.
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

/// The plies of the shortest mate by checks, if that is at most `most`, by trying everything.
fn shortest_mate(position: &mut Position, most: usize) -> Option<usize> {
    (1..=most).step_by(2).find(|&plies| mates_within(position, plies))
}

fn mates_within(position: &mut Position, plies: usize) -> bool {
    position.legal_moves().iter().any(|&mv| {
        if !position.gives_check(mv) {
            return false;
        }
        position.make(mv);
        let hopeless = position.legal_moves().iter().all(|&answer| {
            plies > 2 && {
                position.make(answer);
                let mates = mates_within(position, plies - 2);
                position.unmake();
                mates
            }
        });
        position.unmake();
        hopeless
    })
}

#[test]
fn short_mates_of_random_games_are_found_at_their_length() {
    const DEPTH: usize = 5;
    let starts: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).step_by(6).collect();
    let [mates, none] = [const { AtomicUsize::new(0) }; 2];
    parallel::for_each(&starts, |start| {
        let mut dice = Dice::new(start.len() as u64, Manner::Any);
        play(fixtures::position(start), 4, &mut dice, |position, _| {
            let expected = shortest_mate(position, DEPTH);
            let sfen = position.to_sfen();
            match solve(position, 2000) {
                MateResult::Mate(line) => {
                    check_line(&sfen, &line);
                    mates.fetch_add(1, Ordering::Relaxed);
                    assert!(expected.is_none_or(|length| length == line.len()), "{expected:?} but {line:?} in {sfen}");
                    assert!(expected.is_some() || line.len() > DEPTH, "there is no {line:?} in {sfen}");
                }
                MateResult::NoMate => {
                    none.fetch_add(1, Ordering::Relaxed);
                    assert_eq!(expected, None, "{sfen}");
                }
                MateResult::Unknown => assert_eq!(expected, None, "not found in {sfen}"),
            }
        });
    });
    let [mates, none] = [mates, none].map(AtomicUsize::into_inner);
    assert!(mates > 100 && none > 500, "{mates} mates, {none} times none");
}
