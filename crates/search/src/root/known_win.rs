//! Wins by the rules of the game that need no search: an entered king that may be declared, a try.

use kiki_board::{DeclarationVerdict, Move, Position};

use crate::limits::Rules;
use crate::node::RootLine;
use crate::report::{SearchInfo, WorkDone};
use crate::value::{Bound, MATE};

/// A win that the side to move has at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KnownWin {
    /// It may be declared.
    Declaration,
    /// This move wins.
    By(Move),
}

impl KnownWin {
    /// The win in a position, if there is one.
    pub(crate) fn of(position: &Position, rules: &Rules) -> Option<Self> {
        match position.declaration(rules.declaration) {
            DeclarationVerdict::Win => Some(Self::Declaration),
            DeclarationVerdict::WinBy(mv) => Some(Self::By(mv)),
            DeclarationVerdict::No | DeclarationVerdict::Draw => None,
        }
    }

    fn moves(self) -> Vec<Move> {
        match self {
            Self::Declaration => Vec::new(),
            Self::By(mv) => vec![mv],
        }
    }
}

/// At most `count` lines as they are told, best first: the win that is known, and what was searched.
pub(crate) fn told_lines(
    win: Option<KnownWin>,
    searched: &[RootLine],
    count: usize,
    work: WorkDone,
) -> Vec<SearchInfo> {
    let moves = win.map(KnownWin::moves);
    let first = moves.as_ref().and_then(|moves| moves.first());
    let others = searched.iter().filter(|line| line.moves.first() != first).cloned();
    let depth = searched.first().map_or(1, |line| line.depth);
    let known = moves.clone().map(|moves| RootLine { depth, seldepth: 1, value: MATE - 1, moves });
    let lines = known.into_iter().chain(others).take(count.max(1));
    lines.enumerate().map(|(index, line)| line.info(index + 1, Bound::Exact, work)).collect()
}
