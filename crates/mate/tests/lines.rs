//! The length of a told mate is proved: after every defence it takes at most as many plies as the rest of the line. And what was once
//! solved stays solved.

use kiki_board::{Move, Position};
use kiki_mate::{MateResult, Solver, is_mate};

/// Mates whose defences run together, so that bounds shrink behind moves that were chosen for them; with the length of the shortest.
const INTERWOVEN: [(usize, &str); 3] = [
    (25, "9/9/9/9/9/9/4G4/9/3N1k3 b 3G3S2P2r2bs3n4l16p 1"),
    (31, "1kSb3R1/L3g4/R1g6/1b1pN4/2pn1P3/P8/+pP7/2+p1N4/2NP5 b 2g3s3l10p 1"),
    (31, "3Sg4/9/5l3/4p3r/Ss1+R5/7Pp/lpk3P2/3gB4/4P1N2 b BGgs3n2l12p 1"),
];

/// A mate of hundreds of plies in which the same board comes back with other hands.
const LONG: &str = "7k1/5+Bp2/7Ss/9/9/9/1n7/9/9 b 2rb4g2s3n4l17p 1";

fn solve(solver: &mut Solver, position: &mut Position, nodes: u64) -> Vec<Move> {
    let sfen = position.to_sfen();
    match solver.solve(position, &mut |entered| entered < nodes) {
        MateResult::Mate(line) => {
            assert!(is_mate(position, &line), "{line:?} in {sfen}");
            line
        }
        result => panic!("{result:?} for {sfen}"),
    }
}

/// Another solver proves a mate within what is left of the line after every defence.
fn check_length(position: &mut Position, line: &[Move]) {
    let mut verifier = Solver::new(64);
    for (ply, &mv) in line.iter().enumerate() {
        if ply % 2 == 1 {
            let left = line.len() - ply - 1;
            for &defence in &position.legal_moves() {
                position.make(defence);
                let verdict = verifier.solve_within(position, left, &mut |nodes| nodes < 3_000_000);
                let proved = matches!(&verdict, MateResult::Mate(rest) if rest.len() <= left);
                assert!(proved, "{verdict:?} within {left} plies in {} after {line:?}", position.to_sfen());
                position.unmake();
            }
        }
        position.make(mv);
    }
    line.iter().for_each(|_| position.unmake());
}

#[test]
fn after_every_defence_the_mate_takes_at_most_what_is_left_of_the_line() -> Result<(), kiki_board::SfenError> {
    for (shortest, sfen) in INTERWOVEN {
        let mut position = Position::from_sfen(sfen)?;
        let line = solve(&mut Solver::new(64), &mut position, 2_000_000);
        assert!(line.len() >= shortest, "{} plies are fewer than possible in {sfen}", line.len());
        check_length(&mut position, &line);
    }
    Ok(())
}

#[test]
fn a_solved_problem_stays_solved_and_shrinks_with_every_step() -> Result<(), kiki_board::SfenError> {
    let mut position = Position::from_sfen(LONG)?;
    let mut solver = Solver::new(64);
    let mut left = solve(&mut solver, &mut position, 200_000).len();
    for _ in 0..3 {
        let again = solve(&mut solver, &mut position, 50_000).len();
        assert!(again <= left, "{again} plies after {left}");
        left = again;
    }
    // The defender plays what the line says, and every third time something else.
    for step in 0.. {
        let line = solve(&mut solver, &mut position, 5000);
        assert!(line.len() <= left, "{} plies where {left} remain", line.len());
        position.make(line[0]);
        let Some(&expected) = line.get(1) else { break };
        let defences = position.legal_moves();
        let other = defences.iter().find(|&&mv| mv != expected).filter(|_| step % 3 == 2);
        position.make(*other.unwrap_or(&expected));
        left = line.len() - 2;
    }
    assert!(position.is_checkmate());
    Ok(())
}
