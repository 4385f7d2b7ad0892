//! Every way of finding and making moves counts the same trees as the programs that made the table.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Move, Position, PromotionChoice, divide, perft, perft_by_making, perft_until};
use kiki_tests::fixtures::{self, Perft};
use kiki_tests::moves::{all_conceivable, set_of};
use kiki_tests::parallel;

/// Trees up to this size are also counted leaf by leaf. With debug assertions the whole position is validated after every move,
/// so this is what the time of the test goes into; the larger trees have the same positions a ply earlier.
const MAKING_LIMIT: u64 = 1_000_000;
/// The staged generators are asked once for each inner node.
const STAGED_LIMIT: u64 = 10_000_000;
/// So is the legality predicate, but it is asked about 13,689 moves at each.
const FILTER_LIMIT: u64 = 30_000;

const ROWS: usize = 427;
const POSITIONS: usize = 124;

/// Counts every row of at most `limit` nodes, largest first, and returns how many rows and positions that were.
fn count_rows(limit: u64, count: impl Fn(&mut Position, u32) -> u64 + Sync) -> (usize, usize) {
    let mut rows: Vec<Perft> = fixtures::perft();
    assert_eq!(rows.len(), ROWS);
    rows.retain(|row| row.nodes <= limit);
    rows.sort_by_key(|row| std::cmp::Reverse(row.nodes));
    let checked = AtomicUsize::new(0);
    parallel::for_each(&rows, |row| {
        let mut position = fixtures::position(row.sfen);
        assert_eq!(count(&mut position, row.depth), row.nodes, "{} at depth {}: {}", row.tag, row.depth, row.sfen);
        checked.fetch_add(1, Ordering::Relaxed);
    });
    let positions: BTreeSet<&str> = rows.iter().map(|row| row.sfen).collect();
    (checked.into_inner(), positions.len())
}

/// Perft over any list of legal moves; the last ply is counted by the length of the list.
fn perft_with(position: &mut Position, depth: u32, legal: &impl Fn(&Position) -> Vec<Move>) -> u64 {
    let moves = legal(position);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for mv in moves {
        position.make(mv);
        total += perft_with(position, depth - 1, legal);
        position.unmake();
    }
    total
}

/// Legal moves as a move picker gets them.
fn staged(position: &Position) -> Vec<Move> {
    let set = set_of(|list| {
        if position.in_check() {
            position.evasions(list, PromotionChoice::All);
        } else {
            position.captures(list, PromotionChoice::All);
            position.quiets(list, PromotionChoice::All);
            position.drops(list);
        }
    });
    set.into_iter().map(Move::from_bits).collect()
}

/// Legal moves as the legality predicate sees them.
fn filtered(position: &Position) -> Vec<Move> {
    all_conceivable().filter(|&mv| position.is_legal(mv)).collect()
}

#[test]
fn every_row_by_counting_the_last_ply() {
    assert_eq!(count_rows(u64::MAX, perft), (ROWS, POSITIONS));
}

#[test]
fn every_position_by_making_every_move() {
    assert_eq!(count_rows(MAKING_LIMIT, perft_by_making), (394, POSITIONS));
}

#[test]
fn every_position_through_the_staged_generators() {
    let counted = count_rows(STAGED_LIMIT, |position, depth| perft_with(position, depth, &staged));
    assert_eq!(counted, (423, POSITIONS));
}

#[test]
fn every_position_through_the_legality_predicate() {
    let counted = count_rows(FILTER_LIMIT, |position, depth| perft_with(position, depth, &filtered));
    assert_eq!(counted, (298, POSITIONS));
}

#[test]
fn an_interrupted_count_tells_what_it_has_and_leaves_the_position_as_it_was() {
    let mut position = Position::startpos();
    let before = position.to_sfen();
    let mut last = 0;
    // Each of the 900 positions after two plies asks once whether to stop.
    for most in [0, 1, 29, 30, 899] {
        let mut questions = 0;
        let count = perft_until(&mut position, 4, || {
            questions += 1;
            questions > most
        });
        assert!(!count.complete && count.nodes < 719_731 && (count.nodes > last || most == 0), "{most}: {count:?}");
        assert_eq!((position.to_sfen(), position.moves_made()), (before.clone(), 0));
        last = count.nodes;
    }
    let whole = perft_until(&mut position, 4, || false);
    assert_eq!((whole.nodes, whole.complete), (719_731, true));
}

#[test]
fn a_divided_count_is_told_move_by_move_until_it_is_interrupted() {
    let mut position = Position::startpos();
    let mut parts: Vec<(Move, u64)> = Vec::new();
    let whole = divide(&mut position, 3, || false, |mv, below| parts.push((mv, below)));
    assert_eq!((whole.nodes, whole.complete, parts.len()), (25_470, true, 30));
    assert_eq!(parts.iter().map(|&(_, below)| below).sum::<u64>(), 25_470);
    // One question for each first move: the third is not counted.
    let (mut questions, mut heard) = (0, Vec::new());
    let part = divide(
        &mut position,
        3,
        || {
            questions += 1;
            questions > 2
        },
        |mv, below| heard.push((mv, below)),
    );
    assert!(!part.complete);
    assert_eq!(heard, parts[..2]);
    assert_eq!(part.nodes, heard.iter().map(|&(_, below)| below).sum::<u64>());
    assert_eq!(position.moves_made(), 0);
}
