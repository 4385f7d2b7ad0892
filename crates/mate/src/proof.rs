//! What is known of a position, and how it depends on the way that led there.

use kiki_board::{HandCounts, Move};

/// A proof or disproof number that is out of reach: the opposite is settled.
pub(crate) const INFINITE: u32 = 1 << 28;

/// The plies that a mate may take in a search without a limit.
pub(crate) const UNLIMITED: u16 = u16::MAX;

/// On which positions of the line a disproof rests.
///
/// A line that comes back to a position is no mate, but only because that position stands on the line. What follows from it holds
/// wherever the line begins in the same way, down to the deepest position in question: the place from which Kishimoto and Müller
/// (2004) solve the graph history interaction. If the shallowest one is not above the position disproved, the loops are all below
/// it, and the disproof holds everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    shallowest: i16,
    deepest: i16,
}

impl Dependency {
    /// It holds everywhere.
    pub(crate) const NONE: Self = Self { shallowest: i16::MAX, deepest: -1 };

    /// It rests on the position at this depth.
    pub(crate) fn on(depth: usize) -> Self {
        Self { shallowest: depth as i16, deepest: depth as i16 }
    }

    /// It rests on the search going no further than this depth: on the whole line, and not even at the root is it true.
    pub(crate) fn on_horizon(depth: usize) -> Self {
        Self { shallowest: -1, deepest: depth as i16 }
    }

    pub(crate) fn from_depths(shallowest: i16, deepest: usize) -> Self {
        Self { shallowest, deepest: deepest as i16 }
    }

    /// The depth of the shallowest position it rests on; -1 for the horizon.
    pub(crate) fn shallowest(self) -> i16 {
        self.shallowest
    }

    /// The depth down to which the line must be the same.
    pub(crate) fn deepest(self) -> usize {
        usize::try_from(self.deepest).unwrap_or(0)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { shallowest: self.shallowest.min(other.shallowest), deepest: self.deepest.max(other.deepest) }
    }

    /// The same, seen from a position at `depth` that it was found below: loops back to it or below it matter no more.
    pub(crate) fn seen_from(self, depth: usize) -> Self {
        let depth = depth as i16;
        if self.shallowest >= depth { Self::NONE } else { Self { deepest: self.deepest.min(depth - 1), ..self } }
    }
}

/// What the table is asked for: a board, the attacker's hand, and the plies that the mate may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableKey {
    /// The board and the side to move, with the problem's salt.
    pub(crate) board: u64,
    /// The attacker's hand.
    pub(crate) hand: HandCounts,
    /// The most plies that the mate may take; [`UNLIMITED`] for any number.
    pub(crate) limit: u16,
}

/// What is known of a position with a certain number of plies to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofState {
    /// Nothing.
    Unknown,
    /// Proof number and disproof number.
    Open { proof: u32, disproof: u32 },
    /// The attacker mates in at most `length` plies, even with no more than `hand`.
    Proven { hand: HandCounts, length: u16 },
    /// The attacker does not mate, even with `hand`.
    Disproven { hand: HandCounts, dependency: Dependency },
}

/// A move of an expanded position and what is known of the position after it, as the side that moves sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    /// [`TableKey::board`] after the move.
    pub(crate) board: u64,
    /// The attacker's hand after the move; once settled, the hand of the proof or disproof.
    pub(crate) hand: HandCounts,
    /// The proof number if the attacker moves, the disproof number if the defender does: how hard it is to succeed by this move.
    pub(crate) phi: u32,
    /// The other one: how hard it is to refute it.
    pub(crate) delta: u32,
    pub(crate) mv: Move,
    /// The index of the sibling that must fail before this move is looked at, or [`Child::AT_ONCE`].
    pub(crate) after: u16,
    /// Plies of the mate, if proven.
    pub(crate) length: u16,
    /// Of a disproof.
    pub(crate) dependency: Dependency,
}

impl Child {
    pub(crate) const AT_ONCE: u16 = u16::MAX;

    pub(crate) fn new(mv: Move, after: u16, key: TableKey) -> Self {
        Self { board: key.board, hand: key.hand, phi: 1, delta: 1, mv, after, length: 0, dependency: Dependency::NONE }
    }

    pub(crate) fn succeeds(&self) -> bool {
        self.phi == 0
    }

    pub(crate) fn fails(&self) -> bool {
        self.delta == 0
    }

    /// Takes over what is known, as the attacker or the defender who moves sees it.
    pub(crate) fn learn(&mut self, attacking: bool, state: ProofState) {
        let (proof, disproof) = match state {
            ProofState::Unknown => return,
            ProofState::Open { proof, disproof } => (proof, disproof),
            ProofState::Proven { hand, length } => {
                (self.hand, self.length) = (hand, length);
                (0, INFINITE)
            }
            ProofState::Disproven { hand, dependency } => {
                (self.hand, self.dependency) = (hand, dependency);
                (INFINITE, 0)
            }
        };
        (self.phi, self.delta) = if attacking { (proof, disproof) } else { (disproof, proof) };
    }
}
