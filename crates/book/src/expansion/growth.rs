//! A book that grows round by round.

use kiki_board::Position;

use super::backup::Backup;
use super::choose::leaves;
use super::graph::{Edge, Graph};
use super::settings::ExpansionSettings;
use crate::entry::{BookEntry, BookMove, split};
use crate::merge::PositionedEntry;

/// The fewest positions of a round.
const LEAST_ROUND: usize = 4;
/// A round has at most one of so many of the positions searched: what it learns is used soon.
const ROUND_SHARE: usize = 32;

/// What a search said that does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExpansionError {
    /// The position is not one that was to be searched.
    #[error("the position {0} was not to be searched")]
    Position(String),
    /// A move is illegal or stands twice.
    #[error("`{mv}` is no move, or stands twice, in {sfen}")]
    Move {
        /// The move.
        mv: String,
        /// The position.
        sfen: String,
    },
}

/// A book that grows.
pub struct Expansion {
    settings: ExpansionSettings,
    graph: Graph,
    searched: usize,
}

impl Expansion {
    /// A book that grows from these positions.
    #[must_use]
    pub fn new(settings: ExpansionSettings, roots: &[Position]) -> Self {
        let mut graph = Graph::default();
        roots.iter().for_each(|root| graph.add_root(root));
        Self { settings, graph, searched: 0 }
    }

    /// How many positions were searched.
    #[must_use]
    pub const fn searched(&self) -> usize {
        self.searched
    }

    /// The positions to be searched next as SFEN, at most so many; none if nothing is left. They depend on nothing but what was added so far, so
    /// that those of a round may be searched in any order and by any number of threads.
    #[must_use]
    pub fn next_round(&self, most: usize) -> Vec<String> {
        let count = LEAST_ROUND.max(self.searched / ROUND_SHARE).min(most);
        let chosen = leaves(&self.graph, &self.settings, count);
        chosen.into_iter().map(|place| self.graph.sfen(place)).collect()
    }

    /// Adds what a search said of a position of the last round: moves with values for the side to move. No moves mean that the game is
    /// over: lost for the side to move without a legal move, or else won by declaration.
    ///
    /// # Errors
    /// If the position was not to be searched, or has no such moves.
    pub fn add(&mut self, sfen: &str, moves: Vec<BookMove>) -> Result<(), ExpansionError> {
        let unknown = || ExpansionError::Position(sfen.to_owned());
        let board = split(sfen).ok_or_else(unknown)?.0;
        let place = self.graph.leaf(&board).ok_or_else(unknown)?;
        let mut position = Position::from_sfen(&self.graph.sfen(place)).map_err(|_| unknown())?;
        let mut children = Vec::with_capacity(moves.len());
        for (index, book_move) in moves.iter().enumerate() {
            let wrong = || ExpansionError::Move { mv: book_move.mv.clone(), sfen: sfen.to_owned() };
            let twice = moves[..index].iter().any(|other| other.mv == book_move.mv);
            let mv = position.parse_move(&book_move.mv).ok().filter(|_| !twice).ok_or_else(wrong)?;
            position.make(mv);
            children.push((position.to_sfen(), position.in_check()));
            position.unmake();
        }
        let ply = self.graph.nodes[place].ply;
        let mut edges = Vec::with_capacity(moves.len());
        for (searched, (child, gives_check)) in moves.into_iter().zip(children) {
            let child = self.graph.place_of(split(&child).ok_or_else(unknown)?.0, ply + 1);
            edges.push(Edge { searched, child, gives_check });
        }
        let node = &mut self.graph.nodes[place];
        node.is_won = edges.is_empty() && !position.legal_moves().is_empty();
        node.moves = Some(edges);
        self.searched += 1;
        Ok(())
    }

    /// The book in its order: every searched position, its moves with the values that come from the ends of their lines, the best first and none
    /// that is worse than it by more than `margin` centipawns. A depth counts the plies to the end of the line and those of the search there.
    #[must_use]
    pub fn entries(&self, margin: u32) -> Vec<PositionedEntry> {
        let backup = Backup::new(&self.graph.nodes);
        let mut entries = Vec::with_capacity(self.searched);
        for node in &self.graph.nodes {
            let moves = node.moves.iter().flatten().map(|edge| backup.book_move(&self.graph.nodes, edge));
            let mut entry = BookEntry { ply: Some(node.ply), moves: moves.collect() };
            entry.sort();
            let best = entry.moves.first().and_then(|book_move| book_move.value);
            let is_good = |mv: &BookMove| mv.value.zip(best).is_none_or(|(value, best)| best.abs_diff(value) <= margin);
            entry.moves.retain(is_good);
            if !entry.moves.is_empty() {
                entries.push((node.board.clone(), entry));
            }
        }
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries
    }

    /// The best line from the first root, up to a leaf or a repetition, and its value for the side to move there.
    #[must_use]
    pub fn best_line(&self) -> (Vec<String>, Option<i32>) {
        let Some(&root) = self.graph.roots.first() else { return (Vec::new(), None) };
        let backup = Backup::new(&self.graph.nodes);
        let line = backup.line_from(&self.graph.nodes, root).map(|edge| edge.searched.mv.clone()).collect();
        (line, self.graph.nodes[root].moves.is_some().then(|| backup.value(root)))
    }
}
