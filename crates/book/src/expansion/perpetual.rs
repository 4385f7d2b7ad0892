//! Circles of moves in which one side gives check with each of its moves.
//!
//! Whoever goes round in one for ever has lost. In the circles of a side all of its moves are checks, and those of the other side are any; they are found
//! from the checks, of which books have few, so that most books have no circle.

use std::collections::{HashMap, HashSet};

use kiki_board::Color;

use super::graph::{Edge, Node};

/// A set of positions, each of which leads to each other one by such moves.
#[derive(Clone, Copy, Debug)]
struct Circle {
    /// Differs from that of other circles.
    name: usize,
    checker: Color,
    /// So many checks in a row pass one of the positions twice.
    limit: u32,
}

/// All circles; a position belongs to one at most.
#[derive(Default)]
pub(super) struct PerpetualChecks {
    circles: HashMap<usize, Circle>,
}

impl PerpetualChecks {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let mut found = Self::default();
        for (place, node) in nodes.iter().enumerate() {
            let is_checked = |edge: &Edge| edge.gives_check && nodes[edge.child].moves.is_some();
            if !found.circles.contains_key(&place) && node.moves.iter().flatten().any(is_checked) {
                let circle = positions_of_circle(nodes, place);
                let limit = u32::try_from(circle.len()).unwrap_or(u32::MAX);
                for member in circle {
                    found.circles.entry(member).or_insert(Circle { name: place, checker: node.side, limit });
                }
            }
        }
        found
    }

    /// Each position of a circle with each number of checks in a row that may have led to it.
    pub(super) fn counted_positions(&self) -> impl Iterator<Item = (usize, u32)> {
        self.circles.iter().flat_map(|(&place, circle)| (1..circle.limit).map(move |checks| (place, checks)))
    }

    /// How many checks in a row have led to the next position if so many have led to this one; `None` if they are perpetual.
    pub(super) fn checks_after(&self, nodes: &[Node], place: usize, checks: u32, edge: &Edge) -> Option<u32> {
        let (Some(here), Some(there)) = (self.circles.get(&place), self.circles.get(&edge.child)) else {
            return Some(0);
        };
        if here.name != there.name {
            return Some(0);
        }
        let after = match (nodes[place].side == here.checker, edge.gives_check) {
            (true, true) => checks + 1,
            (true, false) => 0,
            (false, _) => checks,
        };
        (after < here.limit).then_some(after)
    }
}

/// The positions that lead to a position, and that it leads to, if its side does nothing but check; none if it does not come back.
fn positions_of_circle(nodes: &[Node], start: usize) -> HashSet<usize> {
    let checker = nodes[start].side;
    let next = |place: usize| {
        let node = &nodes[place];
        node.moves.iter().flatten().filter(move |edge| node.side != checker || edge.gives_check).map(|edge| edge.child)
    };
    let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
    let (mut open, mut reached) = (vec![start], HashSet::from([start]));
    while let Some(place) = open.pop() {
        for child in next(place) {
            before.entry(child).or_default().push(place);
            if reached.insert(child) {
                open.push(child);
            }
        }
    }
    let (mut open, mut circle) = (vec![start], HashSet::new());
    while let Some(place) = open.pop() {
        open.extend(before.get(&place).into_iter().flatten().filter(|&&parent| circle.insert(parent)));
    }
    circle
}
