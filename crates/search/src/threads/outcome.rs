//! The answer of a search, chosen from the results of its threads.

use kiki_board::{Move, Position};

use crate::limits::Limits;
use crate::report::{Action, RootLine, SearchInfo, SearchResult, WorkDone};
use crate::root::{SearchRequest, known_win, lines_to_report};
use crate::table::TranspositionTable;
use crate::value::{Bound, MATE, MATE_BOUND, RootScore};

/// The answer and the lines reported with it, best first. `results` has the best lines of each
/// thread.
pub(crate) fn outcome(
    request: &SearchRequest,
    results: &[Vec<RootLine>],
    table: &TranspositionTable,
    work: WorkDone,
) -> (SearchResult, Vec<SearchInfo>) {
    let position = &request.position;
    let mut best = vote(results).unwrap_or_default().to_vec();
    let chances = request.reliability.choose_line(position, &mut best);
    let win = known_win(position, &request.limits, &request.options.rules);
    let action = win.unwrap_or_else(|| {
        let found = best.first().map(|line| line.moves[0]).or_else(|| unsearched_move(request, table));
        found.map_or(Action::Resign, Action::Play)
    });
    let depth = best.first().map_or(0, |line| line.depth);
    let lines = match action {
        Action::Resign => {
            vec![RootLine { depth, seldepth: 1, value: -MATE, moves: Vec::new() }.info(1, Bound::Exact, work)]
        }
        _ => lines_to_report(win, &best, request.options.multipv, work),
    };
    // If nothing was searched, nothing is known.
    let score = lines.first().map_or(RootScore::Centipawns(0), |info| info.score);
    let ponder = ponder_move(position, action, lines.first(), table);
    let sigma = request.reliability.sigma(depth, position);
    (SearchResult { action, ponder, score, depth, nodes: work.nodes, time: work.time, sigma, chances }, lines)
}

/// The answer if the choice fails.
pub(crate) fn any_move(request: &SearchRequest, work: WorkDone) -> SearchResult {
    SearchResult {
        action: request.position.legal_moves().first().copied().map_or(Action::Resign, Action::Play),
        ponder: None,
        score: RootScore::Centipawns(0),
        depth: 0,
        nodes: work.nodes,
        time: work.time,
        sigma: None,
        chances: Vec::new(),
    }
}

/// A move when nothing was searched: from the table, or any legal one.
fn unsearched_move(request: &SearchRequest, table: &TranspositionTable) -> Option<Move> {
    let SearchRequest { position, limits: Limits { search_moves, .. }, .. } = request;
    let allowed = |mv: &Move| position.is_legal(*mv) && (search_moves.is_empty() || search_moves.contains(mv));
    let stored = table.probe(position.key(), 0).mv;
    Some(stored).filter(allowed).or_else(|| position.legal_moves().iter().copied().find(allowed))
}

/// The expected reply to the best move: from its line, or from the table if the line is short.
/// Always legal.
fn ponder_move(
    position: &Position,
    action: Action,
    best: Option<&SearchInfo>,
    table: &TranspositionTable,
) -> Option<Move> {
    let Action::Play(mv) = action else { return None };
    let mut after = position.clone();
    after.make(mv);
    let line = best.and_then(|info| info.pv.get(1).copied());
    let candidate = line.unwrap_or_else(|| table.probe(after.key(), 0).mv);
    after.is_legal(candidate).then_some(candidate)
}

/// Chooses among the results of the threads, each with its best lines. Threads vote for their
/// moves, with more weight for deeper and better results. A proved mate needs no votes: the
/// shortest wins. Ties go to the first, the main thread's. `None` without any result.
pub(crate) fn vote(results: &[Vec<RootLine>]) -> Option<&[RootLine]> {
    let known = || results.iter().filter(|lines| !lines.is_empty());
    let mates = known().filter(|lines| lines[0].value >= MATE_BOUND);
    if let Some(mate) = mates.rev().max_by_key(|lines| lines[0].value) {
        return Some(mate);
    }
    let worst = known().map(|lines| lines[0].value).min()?;
    let weight = |line: &RootLine| i64::from(line.value - worst + 14) * i64::from(line.depth);
    let votes =
        |mv: Move| -> i64 { known().filter(|lines| lines[0].moves[0] == mv).map(|lines| weight(&lines[0])).sum() };
    let key = |lines: &[RootLine]| (votes(lines[0].moves[0]), weight(&lines[0]));
    known().rev().map(Vec::as_slice).max_by_key(|lines| key(lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

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
