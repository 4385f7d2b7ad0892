//! The search stack: a frame for each ply from the root to the current node, with its principal
//! variation.

use std::ops::{Index, IndexMut};

use kiki_board::{Delta, Move};

use super::history::{ContinuationRow, SearchedMove, StructureKeys};
use crate::params;
use crate::value::{MAX_PLY, NONE, Value};

#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Corrected static evaluation of the node; in check that of two plies before.
    pub(crate) static_eval: Value,
    pub(crate) keys: StructureKeys,
    /// The move being searched; none before the root and for a null move.
    pub(crate) searched: SearchedMove,
    /// The counters of moves after that one.
    pub(crate) row: ContinuationRow,
    pub(crate) in_check: bool,
    /// Whether the table had an entry of the node.
    pub(crate) hit: bool,
    /// Whether the node was on a principal variation.
    pub(crate) was_pv: bool,
    /// Whether the line to the node begins the best line of the last iteration.
    pub(crate) on_last_line: bool,
    /// Number of the move being searched, from 1; 0 before the first.
    pub(crate) move_count: i32,
    /// The score of that move by the histories.
    pub(crate) stat: i32,
    /// Plies by which it is reduced, during a reduced search.
    pub(crate) reduction: i32,
    /// Cutoffs at this ply since the grandparent was entered.
    pub(crate) cutoffs: i32,
    /// Killer moves: the last two quiet moves that caused a cutoff at this ply since the
    /// grandparent was entered, the later one first.
    killers: [Move; 2],
    /// The move that a singular search leaves out.
    pub(crate) excluded: Move,
    /// Length of the principal variation stored for this ply.
    pv_len: usize,
}

impl Frame {
    const EMPTY: Self = Self {
        static_eval: NONE,
        keys: StructureKeys::EMPTY,
        searched: SearchedMove::NONE,
        row: ContinuationRow::NONE,
        in_check: false,
        hit: false,
        was_pv: false,
        on_last_line: false,
        move_count: 0,
        stat: 0,
        reduction: 0,
        cutoffs: 0,
        killers: [Move::NONE; 2],
        excluded: Move::NONE,
        pv_len: 0,
    };

    /// Notes a cutoff at this node: a quiet move becomes a killer. `counts`: whether it adds to
    /// `cutoffs`.
    #[inline(always)]
    pub(crate) fn note_cutoff(&mut self, searched: &SearchedMove, counts: bool) {
        self.cutoffs += i32::from(counts);
        if !searched.is_capture() && self.killers[0] != searched.mv {
            self.killers = [searched.mv, self.killers[0]];
        }
    }

    /// Forgets the cutoffs below another grandparent.
    #[inline(always)]
    pub(crate) fn forget_cutoffs(&mut self) {
        (self.cutoffs, self.killers) = (0, [Move::NONE; 2]);
    }

    /// The score of a quiet move as a killer.
    #[inline(always)]
    pub(crate) fn killer_score(&self, mv: Move) -> i32 {
        let [last, before] = self.killers.map(|killer| i32::from(mv == killer));
        last * params::quiet_killer() + before * (params::quiet_killer() / 2)
    }
}

/// Frames above the root: nodes look at moves some plies before.
const ABOVE: usize = 8;

/// The search stack. Frames below the current ply keep what earlier nodes wrote there.
pub(crate) struct Stack {
    /// `[ABOVE + ply]`. There are more frames than plies: a node writes to the frames of its
    /// children and grandchildren.
    frames: Vec<Frame>,
    /// Principal variations: `[ply][move]`, `MAX_PLY` moves each.
    pvs: Vec<Move>,
    /// The current node's distance from the root.
    pub(crate) ply: usize,
}

/// `stack[0]` is the frame of the current node, `stack[-1]` its parent's, and so on, at least to -8:
/// those above the root are empty.
impl Index<isize> for Stack {
    type Output = Frame;

    #[inline(always)]
    fn index(&self, plies: isize) -> &Frame {
        &self.frames[(ABOVE + self.ply).wrapping_add_signed(plies)]
    }
}

impl IndexMut<isize> for Stack {
    #[inline(always)]
    fn index_mut(&mut self, plies: isize) -> &mut Frame {
        &mut self.frames[(ABOVE + self.ply).wrapping_add_signed(plies)]
    }
}

impl Stack {
    pub(crate) fn new() -> Self {
        Self { frames: vec![Frame::EMPTY; ABOVE + MAX_PLY + 8], pvs: vec![Move::NONE; (MAX_PLY + 2) * MAX_PLY], ply: 0 }
    }

    /// Returns to the root of a new search, with these keys.
    pub(crate) fn reset(&mut self, keys: StructureKeys) {
        self.frames.fill(Frame::EMPTY);
        self.ply = 0;
        self[0].keys = keys;
    }

    /// Goes to a child by a move and its effect on the board.
    #[inline(always)]
    pub(crate) fn push(&mut self, searched: &SearchedMove, delta: &Delta) {
        let frame = &mut self[0];
        frame.searched = *searched;
        frame.row = ContinuationRow::new(frame.in_check, searched.is_capture(), searched.piece_to);
        let keys = frame.keys.after(delta);
        self.ply += 1;
        self[0].keys = keys;
    }

    /// Goes to a child by a null move.
    pub(crate) fn push_null(&mut self) {
        let frame = &mut self[0];
        (frame.searched, frame.row) = (SearchedMove::NONE, ContinuationRow::NONE);
        let keys = frame.keys;
        self.ply += 1;
        self[0].keys = keys;
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        self.ply -= 1;
    }

    /// Empties the principal variation of the current node.
    #[inline(always)]
    pub(crate) fn clear_pv(&mut self) {
        self[0].pv_len = 0;
    }

    /// Sets the principal variation of the current node to `mv` and its child's.
    pub(crate) fn extend_pv(&mut self, mv: Move) {
        let (at, below) = (self.ply * MAX_PLY, (self.ply + 1) * MAX_PLY);
        let len = self[1].pv_len.min(MAX_PLY - 1);
        self.pvs.copy_within(below..below + len, at + 1);
        self.pvs[at] = mv;
        self[0].pv_len = len + 1;
    }

    pub(crate) fn pv(&self, ply: usize) -> &[Move] {
        &self.pvs[ply * MAX_PLY..][..self.frames[ABOVE + ply].pv_len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_move_and_the_line_of_the_child() {
        let [first, second, third] = [11, 22, 33].map(Move::from_bits);
        let mut stack = Stack::new();
        stack.clear_pv();
        stack.push_null();
        stack.clear_pv();
        stack.push_null();
        stack.clear_pv();
        stack.extend_pv(third);
        stack.pop();
        stack.extend_pv(second);
        stack.pop();
        stack.extend_pv(first);
        assert_eq!((stack.pv(0), stack.pv(1)), (&[first, second, third][..], &[second, third][..]));
        stack.push_null();
        stack.clear_pv();
        stack.pop();
        stack.extend_pv(second);
        assert_eq!(stack.pv(0), [second]);
    }
}
