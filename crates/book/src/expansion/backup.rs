//! Values backed up by minimax.
//!
//! Positions may repeat, so that there is no order in which all values could be computed once. The game of the book is one in which the players
//! move on until a leaf pays, and a play that never ends is a draw: a deterministic graphical game (Washburn, 1990). Its values are those of the
//! same game cut off with a draw after n plies, for every n from the number of positions on: whoever has more than a draw reaches a leaf that
//! pays it without repeating a position, whoever has less cannot be made to lose more. They are computed for n = 0, 1, 2, .. until nothing
//! changes, which takes about as many rounds as the longest line has plies.
//!
//! Only a play in which one side does nothing but check is no draw: that side has lost. Where such a play is possible a position counts once for each
//! number of checks in a row that led to it, and with too many of them the game is over.

use std::collections::HashMap;

use super::graph::{Edge, Node};
use super::perpetual::PerpetualChecks;
use crate::entry::BookMove;
use crate::faults::GREATEST_VALUE;

/// The value of a draw.
const DRAW: i32 = 0;

/// The values of all positions for the side to move; a draw for those that were not searched.
#[derive(PartialEq, Eq)]
struct Values {
    values: Vec<i32>,
    /// By the place of the position and the number of checks in a row, from 1, that led to it.
    after_checks: HashMap<(usize, u32), i32>,
}

impl Values {
    fn of(&self, place: usize, checks: u32) -> i32 {
        if checks == 0 { self.values[place] } else { self.after_checks.get(&(place, checks)).copied().unwrap_or(DRAW) }
    }
}

/// The values of all positions.
pub(super) struct Backup {
    values: Values,
    perpetual: PerpetualChecks,
}

impl Backup {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let perpetual = PerpetualChecks::new(nodes);
        let after_checks: HashMap<_, _> = perpetual.counted_positions().map(|key| (key, DRAW)).collect();
        let most = nodes.len() + after_checks.len();
        let mut backup = Self { values: Values { values: vec![DRAW; nodes.len()], after_checks }, perpetual };
        for _ in 0..=most {
            let keys = backup.values.after_checks.keys();
            let next = Values {
                values: (0..nodes.len()).map(|place| backup.step(nodes, place, 0)).collect(),
                after_checks: keys
                    .map(|&(place, checks)| ((place, checks), backup.step(nodes, place, checks)))
                    .collect(),
            };
            if next == backup.values {
                break;
            }
            backup.values = next;
        }
        backup
    }

    /// The value of a position, one ply from values that are known.
    fn step(&self, nodes: &[Node], place: usize, checks: u32) -> i32 {
        let node = &nodes[place];
        let Some(moves) = &node.moves else { return DRAW };
        let over = if node.is_won { GREATEST_VALUE } else { -GREATEST_VALUE };
        moves.iter().map(|edge| self.value_after_checks(nodes, place, checks, edge)).max().unwrap_or(over)
    }

    fn value_after_checks(&self, nodes: &[Node], place: usize, checks: u32, edge: &Edge) -> i32 {
        if nodes[edge.child].moves.is_none() {
            return edge.searched_value();
        }
        let after = self.perpetual.checks_after(nodes, place, checks, edge);
        after.map_or(-GREATEST_VALUE, |after| -self.values.of(edge.child, after))
    }

    pub(super) fn value(&self, place: usize) -> i32 {
        self.values.of(place, 0)
    }

    /// The value of a move of a position for the side that makes it.
    pub(super) fn value_of(&self, nodes: &[Node], place: usize, edge: &Edge) -> i32 {
        self.value_after_checks(nodes, place, 0, edge)
    }

    /// The best move of a position, the first of several.
    fn best<'a>(&self, nodes: &'a [Node], place: usize) -> Option<&'a Edge> {
        let moves = nodes[place].moves.as_ref()?;
        moves.iter().rev().max_by_key(|edge| self.value_of(nodes, place, edge))
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

    /// A move of a position as the book tells it.
    pub(super) fn book_move(&self, nodes: &[Node], place: usize, edge: &Edge) -> BookMove {
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
            value: Some(self.value_of(nodes, place, edge)),
            depth: Some(plies + beyond),
            ..edge.searched.clone()
        }
    }
}
