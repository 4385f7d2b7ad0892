//! Depth-first proof-number search (Nagai 2002) without recursion.
//!
//! Attacker's and defender's nodes are treated alike. A node's *phi* becomes zero when its side to
//! move succeeds: the proof number at attacker's nodes, the disproof number at defender's nodes.
//! Its *delta* is the other number. A node's phi is its parent's delta for that move.
//!
//! Hands dominate each other: a proof holds with any larger hand of the attacker, a disproof with
//! any smaller one. The board and the attacker's hand determine the defender's hand, as the
//! defender has all other pieces of the game.

use kiki_board::{CheckInfo, Color, HandCounts, Move, MoveList, PieceKind, Position, PromotionChoice, mix, opponent};

use crate::proof::NodeNumbers;
use crate::proof::{Child, Dependency, INFINITE, ProofState, TableKey, UNLIMITED};
use crate::table::MateTable;

/// Number of nodes between two calls of `proceed`.
const ASK_EVERY: u64 = 32;

/// The constants of a problem while it is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MateProblem {
    pub(crate) attacker: Color,
    /// Added to board keys, so that table entries of problems with other pieces in play, or of the
    /// other attacker, do not match.
    pub(crate) salt: u64,
    /// The greatest length of a line in plies.
    pub(crate) most_plies: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MateFrame {
    pub(crate) key: TableKey,
    pub(crate) attacking: bool,
    /// A hash of all positions of the line down to here.
    pub(crate) line: u64,
    /// The index of its first child in the stack of children.
    pub(crate) first: usize,
    /// The search leaves the node when one of its numbers reaches its threshold.
    phi_threshold: u32,
    delta_threshold: u32,
    /// The index of the child that is being searched.
    chosen: usize,
    /// The node count before it was entered.
    nodes_before: u64,
}

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

    /// Searches the current position, with the attacker to move, for a mate of at most `limit`
    /// plies. Returns what is known at the end (`Open` if the search was stopped) and the most
    /// promising move.
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

    /// Searches one move of the attacker: whether it mates in at most `limit` plies, itself
    /// included.
    pub(crate) fn run_only(&mut self, mv: Move, limit: u16) -> ProofState {
        self.only = Some(mv);
        let (state, _) = self.run(limit);
        self.only = None;
        state
    }

    /// The verdict on the problem. A verdict in the table is not searched again: a new search might
    /// find a longer mate than the line to this position.
    pub(crate) fn decide(&mut self, limit: u16) -> ProofState {
        let known = self.known(self.key(limit));
        if known == ProofState::Unknown {
            self.table.age();
        }
        if known.is_settled() { known } else { self.run(limit).0 }
    }

    fn is_over(&self) -> bool {
        self.cancelled || self.nodes >= self.most_nodes
    }

    pub(crate) fn key(&self, limit: u16) -> TableKey {
        let hand = self.position.hand(self.problem.attacker);
        TableKey { board: self.position.board_key() ^ self.problem.salt, hand, limit }
    }

    /// The entry of the table for a position reached by the current line.
    #[inline]
    pub(crate) fn known(&self, key: TableKey) -> ProofState {
        self.table.probe(key, |depth| self.frames.get(depth).map(|frame| frame.line))
    }

    /// Searches the most promising child, unless the table knows its result by now.
    fn descend(&mut self, frame: &MateFrame, numbers: &NodeNumbers) {
        let chosen = frame.first + numbers.best;
        let child = self.children[chosen];
        let key = TableKey { board: child.board, hand: child.hand, limit: one_less(frame.key.limit) };
        let known = self.known(key);
        if known.is_settled() {
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

    /// Leaves the node on top of the stack. Stores what is known about it in the table, and returns
    /// it.
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
        // The result of one move is not the result of the position.
        if self.frames.is_empty() && self.only.is_some() {
            return state;
        }
        self.table.store(frame.key, state, line, self.nodes - frame.nodes_before);
        state
    }

    /// Lists the moves of the node on top of the stack as children. If some are known to succeed,
    /// lists only the one that mates soonest.
    pub(crate) fn expand(&mut self) {
        let depth = self.frames.len() - 1;
        let frame = self.frames[depth];
        let start = self.list.len();
        let mut success: Option<Child> = None;
        if frame.attacking {
            let info = CheckInfo::new(self.position);
            self.position.all_checks(&mut self.list, &info, PromotionChoice::All);
        } else {
            self.position.evasions(&mut self.list, PromotionChoice::All);
        }
        let only = self.only.filter(|_| depth == 0);
        for index in start..self.list.len() {
            let mv = self.list[index];
            if only.is_some_and(|only| only != mv) {
                continue;
            }
            let after = self.predecessor(frame.attacking, start, index);
            self.children.push(Child::new(mv, after, self.key_after(&frame, mv)));
        }
        // Start all prefetches together, as most time is spent waiting for memory.
        self.table.touch(self.children[frame.first..].iter().map(|child| child.board));
        for index in frame.first..self.children.len() {
            let mut child = self.children[index];
            let key = TableKey { board: child.board, hand: child.hand, limit: one_less(frame.key.limit) };
            child.learn(frame.attacking, self.after(frame.attacking, child.mv, key));
            if child.succeeds() {
                if success.is_none_or(|best| child.length < best.length) {
                    success = Some(Child { after: Child::AT_ONCE, ..child });
                }
                // No check mates sooner than at once, and one defence that escapes is as good as
                // another.
                if child.length == 0 {
                    break;
                }
            }
            self.children[index] = child;
        }
        if let Some(child) = success {
            self.children.truncate(frame.first);
            self.children.push(child);
        }
        self.list.truncate(start);
    }

    /// The index of the sibling that must fail before this move is searched, or [`Child::AT_ONCE`].
    /// A move without promotion waits for the same move with promotion where that is nearly always
    /// better. A drop that blocks a check waits for other drops on that square.
    fn predecessor(&self, attacking: bool, start: usize, index: usize) -> u16 {
        use PieceKind::{Bishop, Lance, Pawn, Rook};
        let mv = self.list[index];
        let waits = if mv.is_drop() {
            !attacking
        } else {
            let kind = self.position.cell(mv.from()).kind();
            !mv.is_promotion() && matches!(kind, Some(Pawn | Lance | Bishop | Rook))
        };
        if !waits || self.only.is_some() && self.frames.len() == 1 {
            return Child::AT_ONCE;
        }
        let must_fail = |other: &Move| {
            let alike = if mv.is_drop() { other.is_drop() } else { other.is_promotion() && other.from() == mv.from() };
            alike && other.to() == mv.to()
        };
        self.list[start..index].iter().rposition(must_fail).map_or(Child::AT_ONCE, |found| found as u16)
    }

    /// The key after a move from the frame's position, which is the current one.
    fn key_after(&self, frame: &MateFrame, mv: Move) -> TableKey {
        let board = self.position.board_key_after(mv) ^ self.problem.salt;
        let hand = match (mv.dropped_kind(), self.position.cell(mv.to()).hand_kind()) {
            _ if !frame.attacking => frame.key.hand,
            (Some(kind), _) => frame.key.hand.without(kind),
            (None, Some(kind)) => frame.key.hand.with(kind),
            (None, None) => frame.key.hand,
        };
        TableKey { board, hand, limit: one_less(frame.key.limit) }
    }

    /// What is known or assumed about the position after a move.
    fn after(&mut self, attacking: bool, mv: Move, key: TableKey) -> ProofState {
        let known = self.known(key);
        if known.is_settled() {
            return known;
        }
        if let Some(disproven) = self.recurrence(key) {
            return disproven;
        }
        let depth = self.frames.len();
        match known {
            _ if !attacking && depth >= self.problem.most_plies => {
                ProofState::Disproven { hand: key.hand, dependency: Dependency::on_horizon(depth) }
            }
            ProofState::Open { .. } if !attacking || key.limit > 0 => known,
            _ if attacking => self.after_check(mv, key),
            _ => ProofState::Open { proof: 1, disproof: 1 },
        }
    }

    /// What the answers to a check show.
    fn after_check(&mut self, check: Move, key: TableKey) -> ProofState {
        self.position.make(check);
        let state = match self.count_ways_out() {
            0 => ProofState::Proven { hand: self.needed_against_blocks(key.hand), length: 0 },
            _ if key.limit == 0 => ProofState::Disproven { hand: key.hand, dependency: Dependency::NONE },
            ways_out => ProofState::Open { proof: ways_out, disproof: 1 },
        };
        self.position.unmake();
        state
    }

    /// A disproof if the board after a move occurred before on this line, with at least as many
    /// pieces in the attacker's hand. Repeating it brings the attacker no nearer to mate.
    fn recurrence(&self, key: TableKey) -> Option<ProofState> {
        // The frames are those above the current position. A board cannot recur within two plies.
        let latest = self.frames.len().checked_sub(4)?;
        (0..=latest).rev().step_by(2).find_map(|depth| {
            let past = &self.frames[depth].key;
            let recurs = past.board == key.board && past.hand.covers(key.hand);
            recurs.then(|| ProofState::Disproven { hand: past.hand, dependency: Dependency::on(depth) })
        })
    }

    /// The number of answers to the check; all drops on one square count as one.
    fn count_ways_out(&mut self) -> u32 {
        let start = self.list.len();
        self.position.evasions(&mut self.list, PromotionChoice::All);
        let (mut count, mut blocked) = (0, 0_u128);
        for mv in &self.list[start..] {
            if mv.is_drop() {
                blocked |= 1 << mv.to().index();
            } else {
                count += 1;
            }
        }
        self.list.truncate(start);
        count + blocked.count_ones()
    }

    /// The proof of an attacker's node by one move that mates.
    pub(crate) fn proven_by(&self, child: &Child) -> ProofState {
        ProofState::Proven { hand: self.hand_before(child.mv, child.hand), length: longer(child.length) }
    }

    /// The disproof of a defender's node by one move that escapes.
    pub(crate) fn disproven_by(&self, child: &Child) -> ProofState {
        ProofState::Disproven { hand: child.hand.min(self.both_hands()), dependency: child.dependency }
    }

    /// The disproof of an attacker's node: no check mates.
    pub(crate) fn disproven_by_all(&self, frame: &MateFrame) -> ProofState {
        // More pieces of a kind already held allow no new checks; a new kind could.
        let mut hand = self.both_hands().of_kinds_in(frame.key.hand);
        let mut dependency = Dependency::NONE;
        for child in &self.children[frame.first..] {
            hand = hand.min(self.hand_before(child.mv, child.hand));
            dependency = dependency.and(child.dependency);
        }
        ProofState::Disproven { hand, dependency }
    }

    /// The proof of a defender's node: no defence escapes.
    pub(crate) fn proven_by_all(&self, frame: &MateFrame) -> ProofState {
        let mut hand = self.needed_against_blocks(frame.key.hand);
        let mut length = 0;
        for child in &self.children[frame.first..] {
            hand = hand.max(child.hand);
            length = longer(child.length).max(length);
        }
        ProofState::Proven { hand, length }
    }

    /// The pieces that the attacker must hold so that the defender cannot block the check with
    /// them: those of the kinds that the defender lacks. None if no drop could block the check.
    pub(crate) fn needed_against_blocks(&self, attackers_hand: HandCounts) -> HandCounts {
        if self.is_blockable() {
            attackers_hand.of_kinds_missing_in(self.position.hand(opponent(self.problem.attacker)))
        } else {
            HandCounts::NONE
        }
    }

    /// Whether a drop could block the check to the side to move.
    fn is_blockable(&self) -> bool {
        let king = self.position.king(self.position.side_to_move());
        let mut checkers = self.position.checkers().into_iter();
        match (checkers.next(), checkers.next()) {
            (Some(only), None) => only.distance(king) > 1 && self.position.cell(only).kind() != Some(PieceKind::Knight),
            _ => false,
        }
    }

    /// The hand that the attacker needs before its move `mv` to hold `after` after it.
    fn hand_before(&self, mv: Move, after: HandCounts) -> HandCounts {
        if let Some(kind) = mv.dropped_kind() {
            return after.with(kind);
        }
        self.position.cell(mv.to()).hand_kind().map_or(after, |kind| after.without(kind))
    }

    fn both_hands(&self) -> HandCounts {
        self.position.hand(Color::Black).plus(self.position.hand(Color::White))
    }
}

pub(crate) fn one_less(limit: u16) -> u16 {
    if limit == UNLIMITED { UNLIMITED } else { limit - 1 }
}

/// One ply more, up to a maximum: lengths from the table could add up without limit.
fn longer(length: u16) -> u16 {
    const MOST: u16 = u16::MAX - 2;
    (length + 1).min(MOST)
}
