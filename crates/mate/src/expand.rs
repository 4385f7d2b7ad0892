//! Expanding a node: its moves, and what is known or assumed of each.

use kiki_board::{CheckInfo, Move, PieceKind, PromotionChoice};

use crate::proof::{Child, Dependency, ProofState, TableKey};
use crate::search::{MateFrame, MateSearch, one_less};

impl MateSearch<'_> {
    /// Lists the moves of the node on top of the stack as children. If some of them are known to succeed, only the
    /// one that mates soonest is listed.
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
        // The memory of all is asked for at once, as most of the time is spent waiting for it.
        self.table.touch(self.children[frame.first..].iter().map(|child| child.board));
        for index in frame.first..self.children.len() {
            let mut child = self.children[index];
            let key = TableKey { board: child.board, hand: child.hand, limit: one_less(frame.key.limit) };
            let known = if frame.attacking { self.after_check(child.mv, key) } else { self.after_defence(key) };
            child.learn(frame.attacking, known);
            if child.succeeds() {
                if success.is_none_or(|best| child.length < best.length) {
                    success = Some(Child { after: Child::AT_ONCE, ..child });
                }
                // No check mates sooner than at once, and one defence is as good as another.
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

    /// The index of the sibling that must fail before this move is searched, or [`Child::AT_ONCE`]. A move without promotion waits for
    /// the same move with promotion where that is nearly always better; a drop that blocks a check waits for other drops on that square.
    fn predecessor(&self, attacking: bool, start: usize, index: usize) -> u16 {
        let mv = self.list[index];
        let alike = |other: &Move| match mv.is_drop() {
            true => other.is_drop() && other.to() == mv.to(),
            false => other.is_promotion() && other.from() == mv.from() && other.to() == mv.to(),
        };
        let single = match mv.is_drop() {
            true => attacking,
            false => {
                let kind = self.position.cell(mv.from()).kind();
                mv.is_promotion()
                    || !matches!(kind, Some(PieceKind::Pawn | PieceKind::Lance | PieceKind::Bishop | PieceKind::Rook))
            }
        };
        if single || self.only.is_some() && self.frames.len() == 1 {
            return Child::AT_ONCE;
        }
        self.list[start..index].iter().rposition(alike).map_or(Child::AT_ONCE, |found| found as u16)
    }

    /// The key after a move from the position of a frame, which is the current one.
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

    /// What is known or assumed of the position after a check.
    fn after_check(&mut self, check: Move, key: TableKey) -> ProofState {
        let known = self.known(key);
        if let ProofState::Proven { .. } | ProofState::Disproven { .. } = known {
            return known;
        }
        if let Some(disproven) = self.recurrence(key) {
            return disproven;
        }
        if let ProofState::Open { .. } = known
            && key.limit > 0
        {
            return known;
        }
        self.position.make(check);
        let state = match self.count_ways_out() {
            0 => ProofState::Proven { hand: self.needed_against_blocks(key.hand), length: 0 },
            _ if key.limit == 0 => ProofState::Disproven { hand: key.hand, dependency: Dependency::NONE },
            ways_out => ProofState::Open { proof: ways_out, disproof: 1 },
        };
        self.position.unmake();
        state
    }

    /// What is known or assumed of the position after an answer to a check.
    fn after_defence(&self, key: TableKey) -> ProofState {
        let known = self.known(key);
        if let ProofState::Proven { .. } | ProofState::Disproven { .. } = known {
            return known;
        }
        if let Some(disproven) = self.recurrence(key) {
            return disproven;
        }
        let depth = self.frames.len();
        if depth >= self.problem.most_plies {
            return ProofState::Disproven { hand: key.hand, dependency: Dependency::on_horizon(depth) };
        }
        match known {
            ProofState::Unknown => ProofState::Open { proof: 1, disproof: 1 },
            open => open,
        }
    }

    /// A disproof if the board of a move's key stood on this line before with at least as many pieces in the attacker's hand: then repeating it brings
    /// the attacker no nearer to mate.
    fn recurrence(&self, key: TableKey) -> Option<ProofState> {
        // The frames are those above the current position; a board cannot come back in two plies.
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
}
