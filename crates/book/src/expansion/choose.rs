//! Which leaves are searched next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::backup::Backup;
use super::graph::Graph;
use super::settings::ExpansionSettings;

/// The leaves that are reached with the smallest loss, at most so many, the smallest first; the older one of two with the same. The loss of a
/// line is the sum over its moves, of both sides, of what each is worse than the best one of its position, and of what plies cost. No loss is
/// negative, so that the smallest ones are found by Dijkstra's method.
pub(super) fn leaves(graph: &Graph, settings: &ExpansionSettings, count: usize) -> Vec<usize> {
    let nodes = &graph.nodes;
    let backup = Backup::new(nodes);
    let mut open: BinaryHeap<Reverse<(u64, usize)>> = graph.roots.iter().map(|&root| Reverse((0, root))).collect();
    let mut reached = vec![false; nodes.len()];
    let mut chosen = Vec::new();
    while chosen.len() < count
        && let Some(Reverse((loss, place))) = open.pop()
    {
        if std::mem::replace(&mut reached[place], true) {
            continue;
        }
        let Some(moves) = &nodes[place].moves else {
            chosen.push(place);
            continue;
        };
        for edge in moves {
            let value = backup.value_of(nodes, edge);
            let is_wanted = value.unsigned_abs() <= settings.value_limit && nodes[edge.child].ply <= settings.last_ply;
            if is_wanted && !reached[edge.child] {
                let move_loss = backup.value(place).abs_diff(value);
                open.push(Reverse((loss + u64::from(move_loss) + u64::from(settings.ply_cost), edge.child)));
            }
        }
    }
    chosen
}
