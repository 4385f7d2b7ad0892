//! The search stack: a frame for each ply from the root to the present node, and its principal variation.

use kiki_board::Move;

use super::history::{CorrectionKeys, PieceTo};
use crate::value::{MAX_PLY, NONE, Value};

/// One ply of the stack.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Corrected static evaluation of the node; `NONE` in check.
    pub(crate) static_eval: Value,
    /// Indices of the corrections of that evaluation.
    pub(crate) correction_keys: CorrectionKeys,
    /// The move that is being searched.
    pub(crate) piece_to: PieceTo,
    /// Whether a null move is being searched.
    pub(crate) null: bool,
    /// Killer moves: the last two quiet moves that caused a cutoff at this ply.
    pub(crate) killers: [Move; 2],
    /// The move that a singular search leaves out.
    pub(crate) excluded: Move,
    /// Double extensions on the way from the root to the node.
    pub(crate) double_extensions: i32,
    /// Length of the principal variation stored for this ply.
    pv_len: usize,
}

impl Frame {
    const EMPTY: Self = Self {
        static_eval: NONE,
        correction_keys: CorrectionKeys::NONE,
        piece_to: PieceTo::NONE,
        null: false,
        killers: [Move::NONE; 2],
        excluded: Move::NONE,
        double_extensions: 0,
        pv_len: 0,
    };
}

/// `[ply]`. Frames beyond the present ply keep what earlier nodes wrote there.
pub(crate) struct Stack {
    /// More frames than plies: a node writes to the frames of its children and grandchildren.
    frames: Vec<Frame>,
    /// Principal variations: `[ply][move]`, `MAX_PLY` moves each.
    pvs: Vec<Move>,
    /// The present node's distance from the root.
    pub(crate) ply: usize,
}

impl Stack {
    pub(crate) fn new() -> Self {
        Self { frames: vec![Frame::EMPTY; MAX_PLY + 8], pvs: vec![Move::NONE; (MAX_PLY + 2) * MAX_PLY], ply: 0 }
    }

    /// Back to the root of a new search.
    pub(crate) fn reset(&mut self) {
        self.frames.fill(Frame::EMPTY);
        self.ply = 0;
    }

    /// The frame of the present node.
    #[inline(always)]
    pub(crate) fn frame(&self) -> &Frame {
        &self.frames[self.ply]
    }

    #[inline(always)]
    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        &mut self.frames[self.ply]
    }

    /// The frame `plies` below the present node.
    #[inline(always)]
    pub(crate) fn frame_below(&mut self, plies: usize) -> &mut Frame {
        &mut self.frames[self.ply + plies]
    }

    /// The frame `plies` above the present node, if the root is not nearer.
    #[inline(always)]
    pub(crate) fn frame_above(&self, plies: usize) -> Option<&Frame> {
        (self.ply >= plies).then(|| &self.frames[self.ply - plies])
    }

    /// The move made `plies` above the present node.
    #[inline(always)]
    pub(crate) fn piece_to_before(&self, plies: usize) -> PieceTo {
        self.frame_above(plies).map_or(PieceTo::NONE, |frame| frame.piece_to)
    }

    /// Goes to a child: by a move, or by a null move (`None`).
    #[inline(always)]
    pub(crate) fn push(&mut self, mv: Option<PieceTo>) {
        let frame = self.frame_mut();
        frame.piece_to = mv.unwrap_or(PieceTo::NONE);
        frame.null = mv.is_none();
        let double_extensions = frame.double_extensions;
        self.ply += 1;
        self.frame_mut().double_extensions = double_extensions;
    }

    /// Goes back to the parent.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        self.ply -= 1;
    }

    /// A quiet move has caused a cutoff at the present node.
    pub(crate) fn add_killer(&mut self, mv: Move) {
        let killers = &mut self.frame_mut().killers;
        if killers[0] != mv {
            *killers = [mv, killers[0]];
        }
    }

    /// The principal variation of the present node is empty.
    #[inline(always)]
    pub(crate) fn clear_pv(&mut self) {
        self.frame_mut().pv_len = 0;
    }

    /// The principal variation of the present node is `mv` and then its child's.
    pub(crate) fn extend_pv(&mut self, mv: Move) {
        let (at, below) = (self.ply * MAX_PLY, (self.ply + 1) * MAX_PLY);
        let len = self.frames[self.ply + 1].pv_len.min(MAX_PLY - 1);
        self.pvs.copy_within(below..below + len, at + 1);
        self.pvs[at] = mv;
        self.frame_mut().pv_len = len + 1;
    }

    /// The principal variation of a ply.
    pub(crate) fn pv(&self, ply: usize) -> &[Move] {
        &self.pvs[ply * MAX_PLY..][..self.frames[ply].pv_len]
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
        stack.push(Some(PieceTo::NONE));
        stack.clear_pv();
        stack.push(Some(PieceTo::NONE));
        stack.clear_pv();
        stack.extend_pv(third);
        stack.pop();
        stack.extend_pv(second);
        stack.pop();
        stack.extend_pv(first);
        assert_eq!((stack.pv(0), stack.pv(1)), (&[first, second, third][..], &[second, third][..]));
        stack.push(None);
        stack.clear_pv();
        stack.pop();
        stack.extend_pv(second);
        assert_eq!(stack.pv(0), [second]);
    }

    #[test]
    fn killers_are_the_last_two_different_moves() {
        let [first, second, third] = [11, 22, 33].map(Move::from_bits);
        let mut stack = Stack::new();
        for mv in [first, second, second, third, third] {
            stack.add_killer(mv);
        }
        assert_eq!(stack.frame().killers, [third, second]);
    }

    #[test]
    fn double_extensions_are_counted_along_the_line_null_moves_included() {
        let mut stack = Stack::new();
        stack.frame_mut().double_extensions = 2;
        // Leftovers of an earlier line.
        stack.frame_below(1).double_extensions = 7;
        stack.frame_below(2).double_extensions = 8;
        stack.push(Some(PieceTo::NONE));
        assert_eq!(stack.frame().double_extensions, 2);
        stack.push(None);
        assert_eq!(stack.frame().double_extensions, 2);
    }
}
