use super::*;

const OPEN: Window = Window { alpha: -INFINITE, beta: INFINITE };

fn mv(number: u16) -> Move {
    Move::from_bits(number)
}

fn list(count: u16) -> RootMoves {
    RootMoves::new((1..=count).map(mv))
}

/// Notes values of moves in the order in which they are searched.
fn note(moves: &mut RootMoves, window: Window, values: &[(u16, Value)]) {
    moves.begin_window();
    for (index, &(number, value)) in values.iter().enumerate() {
        let line = [mv(100 + number)];
        moves.note(&RootMoveResult { mv: mv(number), value, number: index + 1, window, seldepth: 7, line: &line });
    }
    moves.end_window();
}

/// A whole iteration of one line.
fn iteration(moves: &mut RootMoves, depth: u32, values: &[(u16, Value)]) -> RootLine {
    moves.begin_iteration(depth);
    moves.begin_line(0);
    note(moves, OPEN, values);
    moves.end_line();
    moves.lines(1).remove(0)
}

/// Move, depth and value of lines.
fn told(lines: &[RootLine]) -> Vec<(u16, u32, Value)> {
    lines.iter().map(|line| (line.moves[0].bits(), line.depth, line.value)).collect()
}

#[test]
fn a_move_asked_for_twice_counts_once() {
    let moves = RootMoves::new([mv(3), mv(4), mv(3)]);
    assert_eq!(moves.len(), 2);
    assert!(moves.contains(mv(4)) && !moves.contains(mv(5)) && !moves.is_empty());
}

#[test]
fn the_best_move_goes_to_the_front_with_its_line() {
    let mut moves = list(4);
    // 3 is known only to be no better than 2.
    let best = iteration(&mut moves, 1, &[(1, 10), (2, 30), (3, 30), (4, -5)]);
    assert_eq!((best.value, best.moves.as_slice(), best.seldepth), (30, &[mv(2), mv(102)][..], 7));
    assert_eq!(moves.front(), mv(2));
    moves.begin_iteration(2);
    assert_eq!(moves.begin_line(0), Some(30), "the middle of the next window");
}

#[test]
fn values_of_an_earlier_window_are_not_taken_for_this_ones() {
    let mut moves = list(3);
    iteration(&mut moves, 1, &[(1, 0), (2, -10), (3, -10)]);
    moves.begin_iteration(2);
    moves.begin_line(0);
    note(&mut moves, Window { alpha: -20, beta: 20 }, &[(1, -40), (2, -25), (3, -25)]);
    assert_eq!(moves.front(), mv(1), "below the window nothing is known to be better");
    // The window is lowered; the first move turns out worse still, and the second is better than that.
    note(&mut moves, Window { alpha: -100, beta: 0 }, &[(1, -60), (2, -50), (3, -70)]);
    assert_eq!((moves.front(), moves.window_value()), (mv(2), -50));
    moves.end_line();
    assert_eq!(told(&moves.lines(1)), [(2, 2, -50)]);
}

#[test]
fn a_move_that_failed_high_is_played_when_the_iteration_is_interrupted() {
    let mut moves = list(3);
    let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
    moves.begin_iteration(5);
    moves.begin_line(0);
    let window = Window { alpha: 0, beta: 20 };
    note(&mut moves, window, &[(1, 5), (2, 25)]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(2, 4, 10)], "with the last exact value");
    // The wider window has not come to its first move when the time is up.
    note(&mut moves, OPEN, &[]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(2, 4, 10)]);
    // It has: the value is exact.
    note(&mut moves, OPEN, &[(2, 33)]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(2, 5, 33)]);
}

#[test]
fn an_interrupted_iteration_that_found_nothing_better_leaves_the_last_one() {
    let mut moves = list(3);
    let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
    moves.begin_iteration(5);
    moves.begin_line(0);
    note(&mut moves, OPEN, &[]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(1, 4, 10)]);
    note(&mut moves, Window { alpha: 5, beta: 15 }, &[(1, -30)]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(1, 4, 10)], "only known to be worse");
    note(&mut moves, OPEN, &[(1, -30)]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(1, 5, -30)], "known exactly");
}

#[test]
fn a_mate_outside_the_window_is_exact() {
    let mut moves = list(2);
    let completed = iteration(&mut moves, 4, &[(1, 10), (2, 0)]);
    moves.begin_iteration(5);
    moves.begin_line(0);
    note(&mut moves, Window { alpha: 0, beta: 20 }, &[(1, 5), (2, MATE_BOUND + 9)]);
    assert_eq!(told(&[moves.interrupted_line(&completed)]), [(2, 5, MATE_BOUND + 9)]);
}

#[test]
fn a_proven_mate_goes_before_all_others() {
    let mut moves = list(3);
    iteration(&mut moves, 4, &[(1, 10), (2, 0), (3, 0)]);
    let mate = RootLine { depth: 4, seldepth: 3, value: MATE_BOUND + 3, moves: vec![mv(3), mv(8), mv(9)] };
    moves.put_mate_first(mate.clone());
    assert_eq!(moves.lines(1), [mate]);
    assert_eq!(moves.front(), mv(3));
    moves.put_first(|other| other == mv(2));
    assert_eq!(moves.front(), mv(2));
    moves.put_first(|_| false);
    assert_eq!(moves.front(), mv(2));
}

/// An iteration of three lines.
fn three_lines(moves: &mut RootMoves, depth: u32, values: [&[(u16, Value)]; 3]) -> Vec<RootLine> {
    moves.begin_iteration(depth);
    for (first, values) in values.into_iter().enumerate() {
        moves.begin_line(first);
        note(moves, OPEN, values);
        moves.end_line();
    }
    moves.lines(3)
}

fn searched_three_lines() -> (RootMoves, Vec<RootLine>) {
    let mut moves = list(4);
    let lines = three_lines(
        &mut moves,
        6,
        [&[(1, 100), (2, 80), (3, 60), (4, 0)], &[(2, 80), (3, 60), (4, 0)], &[(3, 60), (4, 0)]],
    );
    (moves, lines)
}

#[test]
fn lines_are_sorted_also_when_a_later_one_is_better() {
    let (mut moves, lines) = searched_three_lines();
    assert_eq!(told(&lines), [(1, 6, 100), (2, 6, 80), (3, 6, 60)]);
    let lines = three_lines(&mut moves, 7, [&[(1, 50), (2, 40), (3, 0)], &[(2, 70), (3, 0)], &[(3, 10), (4, 0)]]);
    assert_eq!(told(&lines), [(2, 7, 70), (1, 7, 50), (3, 7, 10)]);
}

#[test]
fn moves_of_better_lines_are_not_searched_again() {
    let (mut moves, _) = searched_three_lines();
    moves.begin_iteration(7);
    moves.begin_line(1);
    assert!(!moves.is_searched_now(mv(1)) && moves.is_searched_now(mv(2)) && moves.line_index() == 1);
}

#[test]
fn every_move_has_a_value_where_that_is_asked_for() {
    let mut moves = list(3);
    moves.begin_iteration(1);
    moves.begin_line(0);
    moves.value_all(true);
    moves.begin_window();
    for (number, value) in [(1, 10), (2, -40), (3, 30)] {
        let line = [mv(100 + number)];
        // Each is searched like the first.
        moves.note(&RootMoveResult { mv: mv(number), value, number: 1, window: OPEN, seldepth: 2, line: &line });
    }
    moves.end_window();
    moves.end_line();
    assert_eq!(told(&moves.lines(3)), [(3, 1, 30), (1, 1, 10), (2, 1, -40)]);
}
