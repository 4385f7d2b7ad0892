//! Depth-first proof-number search (Nagai 2002) without recursion.
//!
//! Attacker's and defender's nodes are treated alike. A node's *phi* is the number that becomes zero when its side to move succeeds (the
//! proof number at attacker's nodes, the disproof number at defender's nodes), its *delta* the other number. A node's phi is its
//! parent's delta for that move.

use kiki_board::{Color, Move, MoveList, Position};

use crate::node_numbers::NodeNumbers;
use crate::proof::{Child, INFINITE, ProofState, TableKey, UNLIMITED};
use crate::table::MateTable;

/// `proceed` is asked once in so many nodes.
const ASK_EVERY: u64 = 32;

/// What is constant while a problem is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MateProblem {
    pub(crate) attacker: Color,
    /// Added to board keys, so that table entries of problems with other pieces in play, or of the other attacker, do not match.
    pub(crate) salt: u64,
    /// The greatest length of a line in plies.
    pub(crate) most_plies: usize,
}

/// A node of the current line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MateFrame {
    pub(crate) key: TableKey,
    /// Whether the attacker is to move.
    pub(crate) attacking: bool,
    /// A hash of all positions of the line down to here.
    pub(crate) line: u64,
    /// The index of its first child in the stack of children.
    pub(crate) first: usize,
    /// The node is left when one of its numbers reaches its threshold.
    phi_threshold: u32,
    delta_threshold: u32,
    /// The index of the child that is being searched.
    chosen: usize,
    /// The node count before it was entered.
    nodes_before: u64,
}

/// A df-pn search from one root position.
pub(crate) struct MateSearch<'a> {
    pub(crate) position: &'a mut Position,
    pub(crate) table: &'a mut MateTable,
    pub(crate) proceed: &'a mut dyn FnMut(u64) -> bool,
    pub(crate) problem: MateProblem,
    /// Nodes entered so far.
    pub(crate) nodes: u64,
    /// The search ends at this many nodes.
    pub(crate) most_nodes: u64,
    /// Whether `proceed` has returned false.
    pub(crate) cancelled: bool,
    /// The current line.
    pub(crate) frames: Vec<MateFrame>,
    /// The children of all nodes of the current line.
    pub(crate) children: Vec<Child>,
    /// Scratch list for the move generators.
    pub(crate) list: MoveList,
    /// The only move that is searched at the root, if not all are.
    pub(crate) only: Option<Move>,
}

impl<'a> MateSearch<'a> {
    pub(crate) fn new(
        position: &'a mut Position,
        table: &'a mut MateTable,
        proceed: &'a mut dyn FnMut(u64) -> bool,
        problem: MateProblem,
    ) -> Self {
        Self {
            position,
            table,
            proceed,
            problem,
            nodes: 0,
            most_nodes: u64::MAX,
            cancelled: false,
            frames: Vec::new(),
            children: Vec::new(),
            list: MoveList::new(),
            only: None,
        }
    }

    /// Searches the current position, the attacker to move, for a mate of at most `limit` plies. Returns what is known of it in the end
    /// (`Open` if the search was stopped) and the most promising move.
    pub(crate) fn run(&mut self, limit: u16) -> (ProofState, Move) {
        debug_assert!(self.frames.is_empty() && self.children.is_empty());
        self.enter(self.key(limit), INFINITE, INFINITE);
        loop {
            let frame = self.frames[self.frames.len() - 1];
            let numbers = NodeNumbers::of(&self.children[frame.first..], frame.attacking);
            let reached = numbers.phi >= frame.phi_threshold || numbers.delta >= frame.delta_threshold;
            if !reached && !self.is_over() {
                self.descend(&frame, &numbers);
                continue;
            }
            let best = self.children.get(frame.first + numbers.best).map_or(Move::NONE, |child| child.mv);
            let state = self.leave(&frame, &numbers);
            let Some(parent) = self.frames.last() else { return (state, best) };
            self.position.unmake();
            self.children[parent.chosen].learn(parent.attacking, state);
        }
    }

    /// Searches one move of the attacker from the current position: whether it mates in at most `limit` plies, itself counted.
    pub(crate) fn run_only(&mut self, mv: Move, limit: u16) -> ProofState {
        self.only = Some(mv);
        let (state, _) = self.run(limit);
        self.only = None;
        state
    }

    /// What is known of the problem in the end. What the table knows is not searched again: that might find a longer mate than the one
    /// that was told, of which this position is a part.
    pub(crate) fn decide(&mut self, limit: u16) -> ProofState {
        let known = self.known(self.key(limit));
        if known == ProofState::Unknown {
            self.table.age();
        }
        match known {
            ProofState::Unknown | ProofState::Open { .. } => self.run(limit).0,
            _ => known,
        }
    }

    fn is_over(&self) -> bool {
        self.cancelled || self.nodes >= self.most_nodes
    }

    /// The table's key for the current position.
    pub(crate) fn key(&self, limit: u16) -> TableKey {
        let hand = self.position.hand(self.problem.attacker);
        TableKey { board: self.position.board_key() ^ self.problem.salt, hand, limit }
    }

    /// What the table knows of a position reached by the current line.
    #[inline]
    pub(crate) fn known(&self, key: TableKey) -> ProofState {
        self.table.probe(key, |depth| self.frames.get(depth).map(|frame| frame.line))
    }

    /// Searches the most promising child, unless the table knows its outcome by now.
    fn descend(&mut self, frame: &MateFrame, numbers: &NodeNumbers) {
        let chosen = frame.first + numbers.best;
        let child = self.children[chosen];
        let key = TableKey { board: child.board, hand: child.hand, limit: one_less(frame.key.limit) };
        let known = self.known(key);
        if matches!(known, ProofState::Proven { .. } | ProofState::Disproven { .. }) {
            self.children[chosen].learn(frame.attacking, known);
            return;
        }
        let (phi_threshold, delta_threshold) = numbers.child_thresholds(frame.phi_threshold, frame.delta_threshold);
        let depth = self.frames.len() - 1;
        self.frames[depth].chosen = chosen;
        self.position.make(child.mv);
        self.enter(key, delta_threshold, phi_threshold);
    }

    fn enter(&mut self, key: TableKey, phi_threshold: u32, delta_threshold: u32) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(ASK_EVERY) && !(self.proceed)(self.nodes) {
            self.cancelled = true;
        }
        // A disproof that depends on the line also depends on the limits of the search.
        let before =
            self.frames.last().map_or(self.problem.most_plies as u64 ^ u64::from(key.limit) << 32, |frame| frame.line);
        self.frames.push(MateFrame {
            key,
            attacking: self.position.side_to_move() == self.problem.attacker,
            line: mix(before ^ key.board ^ self.position.hand_key()),
            first: self.children.len(),
            phi_threshold,
            delta_threshold,
            chosen: 0,
            nodes_before: self.nodes - 1,
        });
        self.expand();
    }

    /// Leaves the node on top of the stack, stores what is known of it in the table, and returns that.
    fn leave(&mut self, frame: &MateFrame, numbers: &NodeNumbers) -> ProofState {
        self.frames.pop();
        let state = match (frame.attacking, numbers.phi, numbers.delta) {
            (true, 0, _) => self.proven_by(&self.children[frame.first + numbers.best]),
            (false, 0, _) => self.disproven_by(&self.children[frame.first + numbers.best]),
            (true, _, 0) => self.disproven_by_all(frame),
            (false, _, 0) => self.proven_by_all(frame),
            (true, proof, disproof) | (false, disproof, proof) => ProofState::Open { proof, disproof },
        };
        let (state, line) = match state {
            ProofState::Disproven { hand, dependency } => {
                let dependency = dependency.seen_from(self.frames.len());
                let line = self.frames.get(dependency.deepest()).map_or(0, |frame| frame.line);
                (ProofState::Disproven { hand, dependency }, line)
            }
            other => (other, 0),
        };
        self.children.truncate(frame.first);
        // What one move leads to is not what is known of the position.
        if self.frames.is_empty() && self.only.is_some() {
            return state;
        }
        self.table.store(frame.key, state, line, self.nodes - frame.nodes_before);
        state
    }
}

/// The limit of plies after one move.
pub(crate) fn one_less(limit: u16) -> u16 {
    if limit == UNLIMITED { UNLIMITED } else { limit - 1 }
}

/// A step of splitmix64 (Steele, Lea and Flood 2014).
pub(crate) const fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}
