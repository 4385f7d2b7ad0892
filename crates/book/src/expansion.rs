//! Books made by search: drop-out expansion (Lincke, "Strategies for the Automatic Construction of
//! Opening Books", 2000).
//!
//! The book is a graph of positions, each once however it is reached. A searched position has some
//! moves with values. A move leads to another searched position, whose own value then counts, or to
//! a leaf. The next leaf to search is the one reached with the smallest total loss of both sides:
//! good players may reach it.
//!
//! The file has the growing book, its settings, the choice of leaves, the values of positions, the
//! cycles of checks, and finally the graph itself.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use kiki_board::{Color, Position};
use serde::{Deserialize, Serialize};

use crate::entry::{BookEntry, BookMove, split};
use crate::faults::GREATEST_VALUE;
use crate::merge::PositionedEntry;

/// The fewest positions in a round.
const LEAST_ROUND: usize = 4;
/// A round searches at most one new position for this many searched ones, so that later choices
/// soon use its results.
const ROUND_SHARE: usize = 32;

/// Why the result of a search is refused: the position is not a leaf of the book, or a move is
/// illegal or occurs twice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExpansionError(String);

/// A growing book.
pub struct Expansion {
    settings: ExpansionSettings,
    graph: Graph,
    searched: usize,
}

impl Expansion {
    /// A book that grows from these positions.
    pub fn new(settings: ExpansionSettings, roots: &[Position]) -> Self {
        let mut graph = Graph::default();
        for root in roots {
            let sfen = root.to_sfen();
            let board = split(&sfen).map_or(sfen, |(board, _)| board);
            let root = graph.place_of(board, root.ply());
            if !graph.roots.contains(&root) {
                graph.roots.push(root);
            }
        }
        Self { settings, graph, searched: 0 }
    }

    /// Number of positions searched.
    pub const fn searched(&self) -> usize {
        self.searched
    }

    /// The positions to search next, as SFEN, at most `most`; empty if nothing is left. They depend
    /// only on the results added so far. So a round may be searched in any order and by any number
    /// of threads.
    pub fn next_round(&self, most: usize) -> Vec<String> {
        let count = LEAST_ROUND.max(self.searched / ROUND_SHARE).min(most);
        let chosen = leaves(&self.graph, &self.settings, count);
        chosen.into_iter().map(|place| self.graph.sfen(place)).collect()
    }

    /// Adds the search result of a position of the last round: moves with values for the side to
    /// move. No moves mean that the game is over: lost if the side to move has no legal move, else
    /// won by declaration.
    pub fn add(&mut self, sfen: &str, moves: Vec<BookMove>) -> Result<(), ExpansionError> {
        let unknown = || ExpansionError(format!("the book did not ask for a search of the position {sfen}"));
        let board = split(sfen).ok_or_else(unknown)?.0;
        let place = self.graph.places.get(&board).copied();
        let place = place.filter(|&place| self.graph.nodes[place].moves.is_none()).ok_or_else(unknown)?;
        let mut position = Position::from_sfen(&self.graph.sfen(place)).map_err(|_| unknown())?;
        let mut children = Vec::with_capacity(moves.len());
        for (index, book_move) in moves.iter().enumerate() {
            let wrong = || ExpansionError(format!("`{}` is no move, or stands twice, in {sfen}", book_move.mv));
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

    /// The book in its order: every searched position with its moves, the best first. A value comes
    /// from the end of the move's line; a depth counts the plies to that end plus those of the
    /// search there. Moves worse than the best by more than `margin` centipawns are dropped.
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

    /// The best line from the first root, up to a leaf or a repetition, and its value for the side
    /// to move at the root.
    pub fn best_line(&self) -> (Vec<String>, Option<i32>) {
        let Some(&root) = self.graph.roots.first() else { return (Vec::new(), None) };
        let backup = Backup::new(&self.graph.nodes);
        let line = backup.line_from(&self.graph.nodes, root).map(|edge| edge.searched.mv.clone()).collect();
        (line, self.graph.nodes[root].moves.is_some().then(|| backup.values[root]))
    }
}

/// How a book grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpansionSettings {
    /// Cost of each ply in addition to the loss of its move, in centipawns. A small cost makes long
    /// lines, a large one many moves.
    pub ply_cost: u32,
    /// Positions with a greater value for either side are not searched, in centipawns.
    pub value_limit: u32,
    /// Positions at later plies are not searched.
    pub last_ply: u32,
}

/// The leaves reached with the smallest loss, at most `count`, the smallest first; of equal ones
/// the older.
///
/// The loss of a line is a sum over the moves of both sides: how much worse each is than the best
/// move of its position, plus the cost of its ply. No loss is negative, so Dijkstra's method finds
/// the smallest.
fn leaves(graph: &Graph, settings: &ExpansionSettings, count: usize) -> Vec<usize> {
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
                let move_loss = backup.values[place].abs_diff(value);
                open.push(Reverse((loss + u64::from(move_loss) + u64::from(settings.ply_cost), edge.child)));
            }
        }
    }
    chosen
}

/// The value of a draw.
const DRAW: i32 = 0;

/// The values of all positions, backed up by minimax.
///
/// Positions may repeat, so no order allows computing each value once. The game of the book is a
/// deterministic graphical game (Washburn, 1990): the players move until a leaf pays, and an
/// endless play is a draw. Its values are those of the same game cut off with a draw after n plies,
/// for every n from the number of positions on. A side with more than a draw reaches a leaf that
/// pays it without repeating a position; a side with less cannot be made to lose more. The values
/// are computed for n = 0, 1, 2, .. until nothing changes: about as many rounds as the longest line
/// has plies.
///
/// One endless play is no draw: a side that only checks has lost. Where such a play is possible, a
/// position has a state for each number of consecutive checks before it, and too many checks end
/// the game. A side that need not lose gives each consecutive check from another position. So the
/// values of positions after no checks are those of the whole game.
struct Backup {
    /// For the side to move; a draw for unsearched positions. In the order of
    /// [`CheckCycles::states`].
    values: Vec<i32>,
}

impl Backup {
    fn new(nodes: &[Node]) -> Self {
        let cycles = CheckCycles::new(nodes);
        let states = &cycles.states;
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

    /// The value of a position, one ply before known values.
    fn step(&self, nodes: &[Node], cycles: &CheckCycles, state: CheckState) -> i32 {
        let node = &nodes[state.place];
        let Some(moves) = &node.moves else { return DRAW };
        let over = if node.is_won { GREATEST_VALUE } else { -GREATEST_VALUE };
        let value_of = |edge: &Edge| match cycles.next(nodes, state, edge) {
            Some(next) => self.value_in(nodes, edge, next),
            None => -GREATEST_VALUE,
        };
        moves.iter().map(value_of).max().unwrap_or(over)
    }

    /// The value of a move to a state, for the side that makes it.
    fn value_in(&self, nodes: &[Node], edge: &Edge, state: usize) -> i32 {
        if nodes[edge.child].moves.is_some() { -self.values[state] } else { edge.searched_value() }
    }

    /// The value of a move for the side that makes it.
    fn value_of(&self, nodes: &[Node], edge: &Edge) -> i32 {
        self.value_in(nodes, edge, edge.child)
    }

    /// The best move of a position; of several, the first.
    fn best<'a>(&self, nodes: &'a [Node], place: usize) -> Option<&'a Edge> {
        let moves = nodes[place].moves.as_ref()?;
        moves.iter().rev().max_by_key(|edge| self.value_of(nodes, edge))
    }

    /// The best moves from a position on, up to a leaf or a repetition.
    fn line_from<'a>(&self, nodes: &'a [Node], place: usize) -> impl Iterator<Item = &'a Edge> {
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

    /// A move as written in the book.
    fn book_move(&self, nodes: &[Node], edge: &Edge) -> BookMove {
        let line: Vec<&Edge> = std::iter::once(edge).chain(self.line_from(nodes, edge.child)).collect();
        let last = line[line.len() - 1];
        let is_leaf = nodes[last.child].moves.is_none();
        let beyond = if is_leaf { last.searched.depth.unwrap_or(0).saturating_sub(1) } else { 0 };
        let reply = line.get(1).map(|reply| reply.searched.mv.clone());
        BookMove {
            ponder: reply.or_else(|| edge.searched.ponder.clone()),
            value: Some(self.value_of(nodes, edge)),
            depth: Some(line.len() as u32 + beyond),
            ..edge.searched.clone()
        }
    }
}

/// A position after a number of consecutive checks within its component.
#[derive(Clone, Copy, Debug)]
struct CheckState {
    place: usize,
    checks: usize,
}

/// A position of a component.
#[derive(Clone, Copy, Debug)]
struct CycleMember {
    /// The number of its component.
    component: usize,
    checker: Color,
    /// Number of positions of the component in which the checker moves: this many consecutive
    /// checks can be repeated forever.
    limit: usize,
    /// The index of the state after one check; those after more checks follow.
    first_state: usize,
}

/// Cycles of moves in which one side checks with each of its moves. A side that repeats such a
/// cycle forever has lost.
///
/// Cycles that share positions form a strongly connected component of the graph without that side's
/// other moves. The search for components starts at checks. Books have few checks, and most have no
/// cycle. A position belongs to the first component found. It could belong to one of each side only
/// if both kings were in check in turn.
struct CheckCycles {
    members: HashMap<usize, CycleMember>,
    /// Each position after no checks, by its place, then the members after each number of checks
    /// below the limit.
    states: Vec<CheckState>,
}

impl CheckCycles {
    fn new(nodes: &[Node]) -> Self {
        let states = (0..nodes.len()).map(|place| CheckState { place, checks: 0 }).collect();
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
                self.members.insert(place, CycleMember { component: start, checker, limit, first_state });
                self.states.extend((1..limit).map(|checks| CheckState { place, checks }));
            }
        }
    }

    /// The index of the state that a move leads to; `None` if the move completes a perpetual check.
    fn next(&self, nodes: &[Node], state: CheckState, edge: &Edge) -> Option<usize> {
        let no_checks = Some(edge.child);
        let both = self.members.get(&state.place).zip(self.members.get(&edge.child));
        let Some((here, there)) = both.filter(|(here, there)| here.component == there.component) else {
            return no_checks;
        };
        // A checker's move that stays in the component is a check.
        let checks = state.checks + usize::from(nodes[state.place].side == here.checker);
        if checks == 0 { no_checks } else { (checks < here.limit).then(|| there.first_state + checks - 1) }
    }
}

/// The positions that a position leads to and that lead back to it, by checks of its side and any
/// moves of the other. Empty outside cycles.
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

/// A move of a searched position.
struct Edge {
    searched: BookMove,
    child: usize,
    gives_check: bool,
}

impl Edge {
    /// The value from the search, in centipawns for the side to move.
    fn searched_value(&self) -> i32 {
        self.searched.value.unwrap_or(0).clamp(-GREATEST_VALUE, GREATEST_VALUE)
    }
}

/// A position.
struct Node {
    /// Board, side to move and hands.
    board: String,
    side: Color,
    /// The first ply at which it is reached.
    ply: u32,
    /// `None` before the search.
    moves: Option<Vec<Edge>>,
    /// Whether the side to move has won by declaration, although it has legal moves.
    is_won: bool,
}

/// Positions, each once however it is reached.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    roots: Vec<usize>,
    places: HashMap<String, usize>,
}

impl Graph {
    fn sfen(&self, place: usize) -> String {
        format!("{} {}", self.nodes[place].board, self.nodes[place].ply)
    }

    /// The place of a position reached at a ply.
    fn place_of(&mut self, board: String, ply: u32) -> usize {
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

    /// Lowers the ply of a position, and of all positions that it leads to.
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
