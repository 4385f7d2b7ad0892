//! Cooks against the table of mates, which lists the first moves that mate.

use kiki_board::{Move, Position};
use kiki_mate::{AlternativeKind, Cooks, MateResult, Solver, is_mate};

const TABLE: &str = include_str!("../../../tests/fixtures/mate.tsv");

fn solve(solver: &mut Solver, position: &mut Position) -> Vec<Move> {
    match solver.solve(position, &mut |nodes| nodes < 300_000) {
        MateResult::Mate(line) => line,
        result => panic!("{result:?} for {}", position.to_sfen()),
    }
}

/// Every alternative is a mate in the place of its move, by another move.
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
        let solution = solve(&mut solver, &mut position);
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
        let told = |mv: &str| {
            mv == solution[0].to_string()
                || first.iter().any(|found| found == mv)
                || cooks.open.iter().any(|(number, open)| *number == 1 && open.to_string() == mv)
        };
        for known in fields[2].split(' ').chain(fields[3].split(' ')).filter(|mv| !["", "-"].contains(mv)) {
            let known = known.split_once(':').map_or(known, |(mv, _)| mv);
            assert!(told(known), "{known} mates in {}, {first:?} are told", fields[1]);
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
        let solution = solve(&mut solver, &mut position);
        assert!(solver.is_shortest() && solution.len() == length, "{} plies in {sfen}", solution.len());
        let cooks = solver.cooks(&mut position, &solution, &mut |_| true);
        check_alternatives(&mut position, &solution, &cooks);
        let told: Vec<AlternativeKind> = cooks.alternatives.iter().map(|alternative| alternative.kind).collect();
        assert_eq!((told.as_slice(), cooks.open.len()), (kinds, 0), "{sfen}");
    }
    Ok(())
}
