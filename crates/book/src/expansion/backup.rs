//! Values backed up by minimax.
//!
//! Positions may repeat, so that there is no order in which all values could be computed once. The game of the book is one in which the players
//! move on until a leaf pays, and a play that never ends is a draw: a deterministic graphical game (Washburn, 1990). Its values are those of the
//! same game cut off with a draw after n plies, for every n from the number of positions on: whoever has more than a draw reaches a leaf that
//! pays it without repeating a position, whoever has less cannot be made to lose more. They are computed for n = 0, 1, 2, .. until nothing
//! changes, which takes about as many rounds as the longest line has plies.
//!
//! Only a play in which one side does nothing but check is no draw: that side has lost. Where such a play is possible a position counts once for each
//! number of checks in a row that led to it, and with too many of them the game is over. A side that need not lose gives each check in a row from
//! another position, so that the values of positions after no checks are those of the whole game.

use super::graph::{Edge, Node};
use super::perpetual::{CheckCycles, State};
use crate::entry::BookMove;
use crate::faults::GREATEST_VALUE;

/// The value of a draw.
const DRAW: i32 = 0;

/// The values of all positions.
pub(super) struct Backup {
    /// For the side to move; a draw for positions that were not searched. By the places of positions, and then by the other states.
    values: Vec<i32>,
}

impl Backup {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let cycles = CheckCycles::new(nodes);
        let states = cycles.states();
        let mut backup = Self { values: vec![DRAW; states.len()] };
        for _ in 0..=states.len() {
            let next = Self { values: states.iter().map(|&state| backup.step(nodes, &cycles, state)).collect() };
            if next.values == backup.values {
                break;
            }
            backup = next;
        }
        backup
    }

    /// The value of a position, one ply from values that are known.
    fn step(&self, nodes: &[Node], cycles: &CheckCycles, state: State) -> i32 {
        let node = &nodes[state.place];
        let Some(moves) = &node.moves else { return DRAW };
        let over = if node.is_won { GREATEST_VALUE } else { -GREATEST_VALUE };
        let value_of = |edge: &Edge| match cycles.next(nodes, state, edge) {
            Some(next) => self.value_in(nodes, edge, next),
            None => -GREATEST_VALUE,
        };
        moves.iter().map(value_of).max().unwrap_or(over)
    }

    /// The value of a move, which leads to a state, for the side that makes it.
    fn value_in(&self, nodes: &[Node], edge: &Edge, state: usize) -> i32 {
        if nodes[edge.child].moves.is_some() { -self.values[state] } else { edge.searched_value() }
    }

    pub(super) fn value(&self, place: usize) -> i32 {
        self.values[place]
    }

    /// The value of a move for the side that makes it.
    pub(super) fn value_of(&self, nodes: &[Node], edge: &Edge) -> i32 {
        self.value_in(nodes, edge, edge.child)
    }

    /// The best move of a position, the first of several.
    fn best<'a>(&self, nodes: &'a [Node], place: usize) -> Option<&'a Edge> {
        let moves = nodes[place].moves.as_ref()?;
        moves.iter().rev().max_by_key(|edge| self.value_of(nodes, edge))
    }

    /// The best moves from a position on, up to a leaf or a position that was met.
    pub(super) fn line_from<'a>(&self, nodes: &'a [Node], place: usize) -> impl Iterator<Item = &'a Edge> {
        let (mut place, mut met) = (place, Vec::new());
        std::iter::from_fn(move || {
            if met.contains(&place) {
                return None;
            }
            met.push(place);
            let edge = self.best(nodes, place)?;
            place = edge.child;
            Some(edge)
        })
    }

    /// A move as the book tells it.
    pub(super) fn book_move(&self, nodes: &[Node], edge: &Edge) -> BookMove {
        let line = std::iter::once(edge).chain(self.line_from(nodes, edge.child));
        let mut plies = 0;
        let mut last = edge;
        let mut reply = None;
        for next in line {
            last = next;
            reply = if plies == 1 { Some(next.searched.mv.clone()) } else { reply };
            plies += 1;
        }
        let is_leaf = nodes[last.child].moves.is_none();
        let beyond = if is_leaf { last.searched.depth.unwrap_or(0).saturating_sub(1) } else { 0 };
        BookMove {
            ponder: reply.or_else(|| edge.searched.ponder.clone()),
            value: Some(self.value_of(nodes, edge)),
            depth: Some(plies + beyond),
            ..edge.searched.clone()
        }
    }
}
