//! The answer of a search: chosen from what its threads have found.

use kiki_board::{Move, Position};

use super::vote::vote;
use crate::gamble::{GambleMode, chances, choose, sigma_beyond};
use crate::node::RootLine;
use crate::report::{Action, SearchInfo, SearchResult, WorkDone};
use crate::root::{KnownWin, SearchParams, told_lines};
use crate::table::TranspositionTable;
use crate::value::{Bound, MATE, RootScore};

/// The answer, and the lines that are reported with it, best first. `results` are the best lines of each thread.
pub(crate) fn outcome(
    params: &SearchParams,
    results: &[Vec<RootLine>],
    table: &TranspositionTable,
    work: WorkDone,
) -> (SearchResult, Vec<SearchInfo>) {
    let position = &params.position;
    let mut best = vote(results).unwrap_or_default().to_vec();
    let chances = match params.gamble {
        GambleMode::Off => Vec::new(),
        _ => chances(position, &best, &params.sigma_model),
    };
    // A line that is played comes first, whatever its value.
    if !chances.is_empty() {
        best[..=choose(params.gamble, &chances)].rotate_right(1);
    }
    let win = KnownWin::of(position, &params.rules);
    let action = match win {
        Some(KnownWin::Declaration) => Action::DeclareWin,
        Some(KnownWin::By(mv)) => Action::Play(mv),
        None => best
            .first()
            .map(|line| line.moves[0])
            .or_else(|| unsearched_move(params, table))
            .map_or(Action::Resign, Action::Play),
    };
    let depth = best.first().map_or(0, |line| line.depth);
    let lines = match action {
        Action::Resign => {
            vec![RootLine { depth, seldepth: 1, value: -MATE, moves: Vec::new() }.info(1, Bound::Exact, work)]
        }
        _ => told_lines(win, &best, params.multipv, work),
    };
    // If nothing was searched, nothing is known.
    let score = lines.first().map_or(RootScore::Centipawns(0), |info| info.score);
    let ponder = ponder_move(position, action, lines.first(), table);
    let sigma = sigma_beyond(&params.sigma_model, depth, position);
    (SearchResult { action, ponder, score, depth, nodes: work.nodes, time: work.time, sigma, chances }, lines)
}

/// The answer if none can be chosen.
pub(crate) fn any_move(params: &SearchParams, work: WorkDone) -> SearchResult {
    SearchResult {
        action: params.position.legal_moves().first().copied().map_or(Action::Resign, Action::Play),
        ponder: None,
        score: RootScore::Centipawns(0),
        depth: 0,
        nodes: work.nodes,
        time: work.time,
        sigma: None,
        chances: Vec::new(),
    }
}

/// A move when nothing was searched: the table's, or any.
fn unsearched_move(params: &SearchParams, table: &TranspositionTable) -> Option<Move> {
    let SearchParams { position, search_moves, .. } = params;
    let allowed = |mv: &Move| position.is_legal(*mv) && (search_moves.is_empty() || search_moves.contains(mv));
    let stored = table.probe(position.key(), 0).map(|entry| entry.mv);
    stored.filter(allowed).or_else(|| position.legal_moves().iter().copied().find(allowed))
}

/// The expected answer to the best move: from its line, or from the table if the line is short. Always legal.
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
    let candidate = line.or_else(|| table.probe(after.key(), 0).map(|entry| entry.mv))?;
    after.is_legal(candidate).then_some(candidate)
}
