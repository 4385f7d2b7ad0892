//! Every way of finding and making moves counts the same trees as the programs that made the table.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Choice, Move, Position, perft, perft_by_making};
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
            position.evasions(list, Choice::All);
        } else {
            position.captures(list, Choice::All);
            position.quiets(list, Choice::All);
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
