//! What the moves of a position come to.

use crate::proof::{Child, INFINITE};

/// The numbers of a position, and what the choice of its most promising move needs.
///
/// In the words of its side to move: the phi of a position is the least phi of its moves, as one is enough. Its delta
/// comes from all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeNumbers {
    pub(crate) phi: u32,
    pub(crate) delta: u32,
    /// The index of the move of least phi among the moves of the position.
    pub(crate) best: usize,
    /// The least phi of the others.
    pub(crate) second: u32,
    /// What the others add to the delta.
    pub(crate) others: u32,
}

impl NodeNumbers {
    /// Sums up.
    ///
    /// The defender's moves are counted in full, as each of them has to be answered. Checks lead to the same positions by many ways, so
    /// of their disproof numbers only the largest counts, and one for each other check: the weak proof number search of Ueda,
    /// Hashimoto, Hashimoto and Iida (2008).
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

    /// How far the best move is searched before another becomes more promising, or the position itself less promising than its limits
    /// allow. Going a quarter beyond the second best spares much changing to and fro (the 1 + epsilon of Pawlewicz and Lew 2006).
    pub(crate) fn limits(&self, phi_threshold: u32, delta_threshold: u32) -> (u32, u32) {
        let phi = phi_threshold.min(self.second.saturating_add(1 + self.second / 4));
        let delta = if delta_threshold >= INFINITE { INFINITE } else { delta_threshold - self.others };
        (phi, delta)
    }
}
