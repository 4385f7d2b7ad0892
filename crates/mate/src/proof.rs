//! What is known about a position, whether it depends on the moves that led there, and the numbers
//! of a node.

use kiki_board::{HandCounts, Move};

/// The proof number of a disproven position, the disproof number of a proven one.
pub(crate) const INFINITE: u32 = 1 << 28;

/// The plies that a mate may take in a search without a limit.
pub(crate) const UNLIMITED: u16 = u16::MAX;

/// The positions of the current line that a disproof depends on (graph history interaction,
/// Kishimoto and Müller 2004).
///
/// A line that repeats a position is no mate, but only because the position occurred earlier on
/// this line. A disproof that follows from that holds on every line with the same beginning, down
/// to the deepest position repeated. If even the shallowest repeated position is at or below the
/// disproven one, all loops lie below it, and the disproof holds on every line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    /// The depth of the shallowest position that it depends on; -1 for the horizon.
    pub(crate) shallowest: i16,
    /// The depth down to which lines must be equal.
    pub(crate) deepest: i16,
}

impl Dependency {
    /// The disproof holds on every line.
    pub(crate) const NONE: Self = Self { shallowest: i16::MAX, deepest: -1 };

    /// It depends on the position at this depth of the line.
    pub(crate) fn on(depth: usize) -> Self {
        Self { shallowest: depth as i16, deepest: depth as i16 }
    }

    /// It depends on the search horizon at this depth, so on the whole line: it does not hold even
    /// at the root.
    pub(crate) fn on_horizon(depth: usize) -> Self {
        Self { shallowest: -1, deepest: depth as i16 }
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The depth down to which lines must be equal, at least the root's.
    pub(crate) fn deepest(self) -> usize {
        self.deepest.max(0) as usize
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { shallowest: self.shallowest.min(other.shallowest), deepest: self.deepest.max(other.deepest) }
    }

    /// The dependency for a node at `depth` further up: loops back to that node or below it no
    /// longer count.
    pub(crate) fn seen_from(self, depth: usize) -> Self {
        let depth = depth as i16;
        if self.shallowest >= depth { Self::NONE } else { Self { deepest: self.deepest.min(depth - 1), ..self } }
    }
}

/// The key of a table lookup: a board, the attacker's hand, and the plies that the mate may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableKey {
    /// The board and the side to move, with the problem's salt.
    pub(crate) board: u64,
    pub(crate) hand: HandCounts,
    /// The most plies that the mate may take; [`UNLIMITED`] for any number.
    pub(crate) limit: u16,
}

/// What is known about a position, for mates within a number of plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofState {
    /// Nothing is known.
    Unknown,
    /// Proof number and disproof number.
    Open { proof: u32, disproof: u32 },
    /// The attacker mates in at most `length` plies, and would with only `hand` in hand.
    Proven { hand: HandCounts, length: u16 },
    /// The attacker does not mate, and would not with `hand` in hand.
    Disproven { hand: HandCounts, dependency: Dependency },
}

impl ProofState {
    /// Whether it is decided if the attacker mates, on this line at least.
    pub(crate) fn is_settled(self) -> bool {
        matches!(self, Self::Proven { .. } | Self::Disproven { .. })
    }

    /// Whether the attacker does not mate on any line.
    pub(crate) fn is_refuted(self) -> bool {
        matches!(self, Self::Disproven { dependency, .. } if dependency.is_none())
    }

    /// The plies of the mate, if proven.
    pub(crate) fn length(self) -> Option<u16> {
        if let Self::Proven { length, .. } = self { Some(length) } else { None }
    }
}

/// A child of an expanded node: a move, and what is known about the position after it, for the side
/// that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    /// [`TableKey::board`] after the move.
    pub(crate) board: u64,
    /// The attacker's hand after the move; once the child is proven or disproven, the hand of that
    /// [`ProofState`].
    pub(crate) hand: HandCounts,
    /// The proof number if the attacker moves, the disproof number if the defender does; 0 if the
    /// move is known to succeed.
    pub(crate) phi: u32,
    /// The other number; 0 if the move is known to fail.
    pub(crate) delta: u32,
    pub(crate) mv: Move,
    /// The index of the sibling that must fail before this move is searched, or [`Child::AT_ONCE`].
    pub(crate) after: u16,
    /// Plies of the mate, if proven.
    pub(crate) length: u16,
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

    /// Stores what is known about the position after the move. `attacking`: whether the attacker
    /// makes the move.
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

/// The numbers of a node, and those needed to select its most promising child.
///
/// A node's phi is the least phi of its children, as one good move is enough. Its delta comes from
/// all children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeNumbers {
    pub(crate) phi: u32,
    pub(crate) delta: u32,
    /// The index of the child with the least phi.
    pub(crate) best: usize,
    /// The least phi of the other children.
    pub(crate) second: u32,
    /// What the other children add to the delta.
    pub(crate) others: u32,
}

impl NodeNumbers {
    /// Computes the numbers from the children.
    ///
    /// At a defender's node the deltas are added, as every defence must be answered. At an
    /// attacker's node different checks often lead to the same positions, so only the largest delta
    /// counts, plus one for each other check (weak proof-number search: Ueda, Hashimoto, Hashimoto
    /// and Iida 2008).
    pub(crate) fn of(children: &[Child], attacking: bool) -> Self {
        let mut numbers = Self { phi: INFINITE, delta: 0, best: 0, second: INFINITE, others: 0 };
        let (mut count, mut most, mut sum) = (0_u32, 0, 0_u32);
        for (index, child) in children.iter().enumerate() {
            if child.fails() || (child.after != Child::AT_ONCE && !children[usize::from(child.after)].fails()) {
                continue;
            }
            count += 1;
            most = child.delta.max(most);
            sum = sum.saturating_add(child.delta);
            if child.phi < numbers.phi {
                numbers.second = numbers.phi;
                numbers.phi = child.phi;
                numbers.best = index;
            } else if child.phi < numbers.second {
                numbers.second = child.phi;
            }
        }
        if numbers.phi == 0 {
            return Self { delta: INFINITE, ..numbers };
        }
        if count > 0 {
            let (total, others) = match attacking {
                true => (most.saturating_add(count - 1), count - 1),
                false => (sum, sum - children[numbers.best].delta),
            };
            (numbers.delta, numbers.others) = (total.min(INFINITE - 1), others.min(INFINITE - 1));
        }
        numbers
    }

    /// The thresholds for the best child, as (phi, delta) of this node. It is searched until
    /// another child is better by a quarter, or the node's own thresholds are reached. The quarter
    /// avoids switching back and forth (the 1 + epsilon trick of Pawlewicz and Lew 2006).
    pub(crate) fn child_thresholds(&self, phi_threshold: u32, delta_threshold: u32) -> (u32, u32) {
        let phi = phi_threshold.min(self.second.saturating_add(1 + self.second / 4));
        let delta = if delta_threshold >= INFINITE { INFINITE } else { delta_threshold - self.others };
        (phi, delta)
    }
}
