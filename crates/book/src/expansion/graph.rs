//! The graph of positions.

use std::collections::HashMap;

use kiki_board::{Color, Position};

use crate::entry::{BookMove, split};
use crate::faults::GREATEST_VALUE;

/// A move of a searched position.
pub(super) struct Edge {
    pub(super) searched: BookMove,
    pub(super) child: usize,
    pub(super) gives_check: bool,
}

impl Edge {
    /// The value by the search, in centipawns for the side to move.
    pub(super) fn searched_value(&self) -> i32 {
        self.searched.value.unwrap_or(0).clamp(-GREATEST_VALUE, GREATEST_VALUE)
    }
}

/// A position.
pub(super) struct Node {
    /// Board, side to move and hands.
    pub(super) board: String,
    pub(super) side: Color,
    /// The first ply at which it is reached.
    pub(super) ply: u32,
    /// `None` before the search.
    pub(super) moves: Option<Vec<Edge>>,
    /// The side to move has legal moves and needs none, as it has won by declaration.
    pub(super) is_won: bool,
}

/// Positions, each once however it is reached.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<usize>,
    places: HashMap<String, usize>,
}

impl Graph {
    pub(super) fn add_root(&mut self, position: &Position) {
        let sfen = position.to_sfen();
        let board = split(&sfen).map_or(sfen, |(board, _)| board);
        let root = self.place_of(board, position.ply());
        if !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }

    /// The place of a position that was not searched.
    pub(super) fn leaf(&self, board: &str) -> Option<usize> {
        self.places.get(board).copied().filter(|&place| self.nodes[place].moves.is_none())
    }

    pub(super) fn sfen(&self, place: usize) -> String {
        format!("{} {}", self.nodes[place].board, self.nodes[place].ply)
    }

    /// The place of a position that is reached at a ply.
    pub(super) fn place_of(&mut self, board: String, ply: u32) -> usize {
        if let Some(&place) = self.places.get(&board) {
            self.lower_ply(place, ply);
            return place;
        }
        let place = self.nodes.len();
        self.places.insert(board.clone(), place);
        let side = if board.split(' ').nth(1) == Some("w") { Color::White } else { Color::Black };
        self.nodes.push(Node { board, side, ply, moves: None, is_won: false });
        place
    }

    /// A position is reached at an earlier ply, and with it all that it leads to.
    fn lower_ply(&mut self, place: usize, ply: u32) {
        let mut open = vec![(place, ply)];
        while let Some((place, ply)) = open.pop() {
            if ply < self.nodes[place].ply {
                self.nodes[place].ply = ply;
                open.extend(self.nodes[place].moves.iter().flatten().map(|edge| (edge.child, ply + 1)));
            }
        }
    }
}
