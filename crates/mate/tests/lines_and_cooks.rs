//! Mate lines and cooks. After every defence the mate takes at most as many plies as the rest of
//! the line; a solved problem stays solved; cooks are those listed in a table of mates.

use kiki_board::{Move, Position};
use kiki_mate::{AlternativeKind, Cooks, MateResult, Solver, is_mate};

/// Problems with their first moves that mate.
const TABLE: &str = include_str!("../../../tests/fixtures/mate.tsv");

/// Mates with transposing defences, so that bounds shrink behind moves that were chosen for them;
/// with the shortest length.
const INTERWOVEN: [(usize, &str); 3] = [
    (25, "9/9/9/9/9/9/4G4/9/3N1k3 b 3G3S2P2r2bs3n4l16p 1"),
    (31, "1kSb3R1/L3g4/R1g6/1b1pN4/2pn1P3/P8/+pP7/2+p1N4/2NP5 b 2g3s3l10p 1"),
    (31, "3Sg4/9/5l3/4p3r/Ss1+R5/7Pp/lpk3P2/3gB4/4P1N2 b BGgs3n2l12p 1"),
];

/// A mate of hundreds of plies in which the same board recurs with other hands.
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

/// After every defence, another solver proves a mate within the rest of the line.
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
    // The defender follows the line, and deviates every third time.
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

/// Every alternative is a mate by another move in place of its move.
fn check_alternatives(position: &mut Position, solution: &[Move], cooks: &Cooks) {
    for alternative in &cooks.alternatives {
        let before = &solution[..alternative.number - 1];
        for &mv in before {
            position.make(mv);
        }
        assert!(alternative.number % 2 == 1 && alternative.line[0] != solution[before.len()], "{alternative:?}");
        assert!(is_mate(position, &alternative.line), "{alternative:?} in {}", position.to_sfen());
        let mut verifier = Solver::new(16);
        let within = verifier.solve_within(position, alternative.line.len(), &mut |nodes| nodes < 1_000_000);
        assert!(matches!(within, MateResult::Mate(_)), "{alternative:?}: {within:?} in {}", position.to_sfen());
        before.iter().for_each(|_| position.unmake());
    }
}

#[test]
fn the_first_moves_of_the_table_are_found() -> Result<(), kiki_board::SfenError> {
    let (mut unique, mut cooked) = (0, 0);
    for row in TABLE.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let Ok(length @ 1..=7) = fields[0].parse::<usize>() else { continue };
        let mut position = Position::from_sfen(fields[1])?;
        let mut solver = Solver::new(16);
        let solution = solve(&mut solver, &mut position, 300_000);
        assert_eq!(solution.len(), length, "{}", fields[1]);
        let cooks = solver.cooks(&mut position, &solution, &mut |nodes| nodes < 300_000);
        check_alternatives(&mut position, &solution, &cooks);
        assert_eq!(position.to_sfen(), fields[1], "the position is left as it was");
        let first: Vec<String> = cooks
            .alternatives
            .iter()
            .filter(|alternative| alternative.number == 1 && alternative.kind != AlternativeKind::Detour)
            .map(|alternative| alternative.line[0].to_string())
            .collect();
        let is_listed = |mv: &str| {
            mv == solution[0].to_string()
                || first.iter().any(|found| found == mv)
                || cooks.open.iter().any(|(number, open)| *number == 1 && open.to_string() == mv)
        };
        for known in fields[2].split(' ').chain(fields[3].split(' ')).filter(|mv| !["", "-"].contains(mv)) {
            let known = known.split_once(':').map_or(known, |(mv, _)| mv);
            assert!(is_listed(known), "{known} mates in {}, {first:?} are listed", fields[1]);
        }
        // The shortest ones are all in the table.
        let short = cooks.alternatives.iter().filter(|other| other.number == 1 && other.line.len() == length);
        for alternative in short {
            let mv = alternative.line[0].to_string();
            assert!(fields[2].split(' ').any(|known| known == mv), "{mv} does not mate in {length} in {}", fields[1]);
        }
        if cooks.alternatives.is_empty() && cooks.open.is_empty() {
            unique += 1;
        } else if first.len() > usize::from(length == 1) {
            cooked += 1;
        }
    }
    assert!(unique > 3 && cooked > 3, "{unique} are unique, {cooked} have other first moves");
    Ok(())
}

#[test]
fn old_problems_are_sound_but_for_choices_that_do_not_count() -> Result<(), kiki_board::SfenError> {
    use AlternativeKind::{Distance, LastMove, Promotion};
    let problems = [
        ("9/9/9/1+P1+B5/1p2S4/+pn7/1k2G4/s8/+l1L+p1+B3 b 3G2r2s3n2l14p 1", 11, &[][..]),
        (
            "nn3B3/2Pp3r1/S1p1B4/s2Pp4/L1k6/2+p6/5+r3/9/3L5 b G3g2s2n2l12p 1",
            27,
            &[Promotion, Promotion, Distance, Distance, Distance, Distance, LastMove],
        ),
    ];
    for (sfen, length, kinds) in problems {
        let mut position = Position::from_sfen(sfen)?;
        let mut solver = Solver::new(64);
        solver.set_shortest(true);
        let solution = solve(&mut solver, &mut position, 300_000);
        assert!(solver.is_shortest() && solution.len() == length, "{} plies in {sfen}", solution.len());
        let cooks = solver.cooks(&mut position, &solution, &mut |_| true);
        check_alternatives(&mut position, &solution, &cooks);
        let found: Vec<AlternativeKind> = cooks.alternatives.iter().map(|alternative| alternative.kind).collect();
        assert_eq!((found.as_slice(), cooks.open.len()), (kinds, 0), "{sfen}");
    }
    Ok(())
}
