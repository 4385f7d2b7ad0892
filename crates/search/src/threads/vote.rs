//! Which thread's result is followed.

use kiki_board::Move;

use crate::node::RootLine;
use crate::value::MATE_BOUND;

/// Chooses among the results of the threads, each its best lines: threads vote for their moves, the deeper and the better the more. A
/// proved mate needs no votes, the shortest wins. Of equal ones the first is taken, which is the main thread's. `None` if no thread has
/// found anything.
pub(crate) fn vote(results: &[Vec<RootLine>]) -> Option<&[RootLine]> {
    let known = || results.iter().filter(|lines| !lines.is_empty());
    let mate = known()
        .filter(|lines| lines[0].value >= MATE_BOUND)
        .reduce(|best, next| if next[0].value > best[0].value { next } else { best });
    if let Some(mate) = mate {
        return Some(mate);
    }
    let worst = known().map(|lines| lines[0].value).min()?;
    let weight = |line: &RootLine| i64::from(line.value - worst + 20) * i64::from(line.depth + 1);
    let votes =
        |mv: Move| -> i64 { known().filter(|lines| lines[0].moves[0] == mv).map(|lines| weight(&lines[0])).sum() };
    let key = |lines: &[RootLine]| (votes(lines[0].moves[0]), weight(&lines[0]));
    known().map(Vec::as_slice).reduce(|best, next| if key(next) > key(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{MATE, Value};

    fn result(mv: u16, depth: u32, value: Value) -> Vec<RootLine> {
        vec![RootLine { depth, seldepth: depth, value, moves: vec![Move::from_bits(mv)] }]
    }

    fn chosen(results: &[Vec<RootLine>]) -> Option<(u16, u32, Value)> {
        vote(results).map(|lines| (lines[0].moves[0].bits(), lines[0].depth, lines[0].value))
    }

    #[test]
    fn nothing_found_is_no_result() {
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[Vec::new(), Vec::new()]), None);
        assert_eq!(chosen(&[Vec::new(), result(3, 1, -900)]), Some((3, 1, -900)));
    }

    #[test]
    fn the_main_thread_is_followed_unless_others_outweigh_it() {
        assert_eq!(chosen(&[result(1, 9, 50), result(2, 9, 50)]), Some((1, 9, 50)));
        assert_eq!(chosen(&[result(1, 9, 50), result(2, 11, 50)]), Some((2, 11, 50)), "deeper");
        assert_eq!(chosen(&[result(1, 9, 50), result(2, 9, 80)]), Some((2, 9, 80)), "better");
        let two_for_one = [result(1, 10, 50), result(2, 9, 50), result(2, 9, 52)];
        assert_eq!(chosen(&two_for_one), Some((2, 9, 52)), "two votes, and the better of them tells");
    }

    #[test]
    fn the_shortest_proved_mate_needs_no_votes() {
        let results = [result(1, 20, 3000), result(1, 20, 3000), result(2, 5, MATE - 9), result(3, 4, MATE - 5)];
        assert_eq!(chosen(&results), Some((3, 4, MATE - 5)));
        let being_mated = [result(1, 20, -3000), result(2, 9, 5 - MATE)];
        assert_eq!(chosen(&being_mated), Some((1, 20, -3000)));
    }
}
