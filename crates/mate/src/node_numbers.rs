//! The proof and disproof numbers of a node, computed from its children.

use crate::proof::{Child, INFINITE};

/// The numbers of a node, and those needed to select its most promising child.
///
/// A node's phi is the least phi of its children, as one good move is enough. Its delta comes from all children.
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
    /// At a defender's node the deltas are added, as every defence must be answered. At an attacker's node different checks often lead to
    /// the same positions, so only the largest delta counts, plus one for each other check (weak proof-number search: Ueda, Hashimoto,
    /// Hashimoto and Iida 2008).
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

    /// The thresholds for the best child, as (phi, delta) of this node: it is searched until another child is better by a quarter, or the
    /// node's own thresholds are reached. The quarter avoids switching to and fro (the 1 + epsilon trick of Pawlewicz and Lew 2006).
    pub(crate) fn child_thresholds(&self, phi_threshold: u32, delta_threshold: u32) -> (u32, u32) {
        let phi = phi_threshold.min(self.second.saturating_add(1 + self.second / 4));
        let delta = if delta_threshold >= INFINITE { INFINITE } else { delta_threshold - self.others };
        (phi, delta)
    }
}
