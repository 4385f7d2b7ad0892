//! Cycles of moves in which one side gives check with each of its moves.
//!
//! Whoever repeats such a cycle for ever has lost. Together they are strongly connected components of the graph without the other moves of that
//! side. They are found from the checks, of which books have few, so that most books have none.

use std::collections::{HashMap, HashSet};

use kiki_board::Color;

use super::graph::{Edge, Node};

/// A position after some checks in a row within its component.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) place: usize,
    checks: usize,
}

/// A position of a component.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Differs from that of other components.
    component: usize,
    checker: Color,
    /// In how many positions of the component the checker moves: so many checks in a row can be repeated for ever.
    limit: usize,
    /// The index of the state after one check; those after more checks follow.
    first_state: usize,
}

/// All such components. A position belongs to the first one found: it could be in one of each side only if both kings stood in check in turn.
pub(super) struct CheckCycles {
    members: HashMap<usize, Member>,
    /// Each position after no checks, by its place, and then the members after each number of checks below the limit.
    states: Vec<State>,
}

impl CheckCycles {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let states = (0..nodes.len()).map(|place| State { place, checks: 0 }).collect();
        let mut cycles = Self { members: HashMap::new(), states };
        for (place, node) in nodes.iter().enumerate() {
            let leads_on = |edge: &Edge| edge.gives_check && nodes[edge.child].moves.is_some();
            if !cycles.members.contains_key(&place) && node.moves.iter().flatten().any(leads_on) {
                cycles.add_component(nodes, place);
            }
        }
        cycles
    }

    fn add_component(&mut self, nodes: &[Node], start: usize) {
        let component = component_of(nodes, start);
        let checker = nodes[start].side;
        let limit = component.iter().filter(|&&place| nodes[place].side == checker).count();
        for place in component {
            if !self.members.contains_key(&place) {
                let first_state = self.states.len();
                self.members.insert(place, Member { component: start, checker, limit, first_state });
                self.states.extend((1..limit).map(|checks| State { place, checks }));
            }
        }
    }

    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// The index of the state that a move leads to; `None` if the checks before it and the move are a perpetual check.
    pub(super) fn next(&self, nodes: &[Node], state: State, edge: &Edge) -> Option<usize> {
        let no_checks = Some(edge.child);
        let (Some(here), Some(there)) = (self.members.get(&state.place), self.members.get(&edge.child)) else {
            return no_checks;
        };
        if here.component != there.component {
            return no_checks;
        }
        // A move of the checker that stays in the component is a check.
        let checks = state.checks + usize::from(nodes[state.place].side == here.checker);
        match checks {
            0 => no_checks,
            _ => (checks < here.limit).then(|| there.first_state + checks - 1),
        }
    }
}

/// The positions that a position leads to, and that lead back to it, by checks of its side and any moves of the other; none if it is in no cycle.
fn component_of(nodes: &[Node], start: usize) -> HashSet<usize> {
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
    let (mut open, mut component) = (vec![start], HashSet::new());
    while let Some(place) = open.pop() {
        open.extend(before.get(&place).into_iter().flatten().filter(|&&parent| component.insert(parent)));
    }
    component
}
