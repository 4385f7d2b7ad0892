//! What the moves of a position come to.

use crate::proof::{Child, INFINITE};

/// The numbers of a position, and what the choice of its most promising move needs.
///
/// In the words of its side to move: the effort of a position is the least effort of its moves, as one is enough. Its resistance
/// comes from all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    pub(crate) effort: u32,
    pub(crate) resistance: u32,
    /// The index of the move of least effort among the moves of the position.
    pub(crate) best: usize,
    /// The least effort of the others.
    pub(crate) second: u32,
    /// What the others add to the resistance.
    pub(crate) others: u32,
}

impl Summary {
    /// Sums up.
    ///
    /// The defender's moves are counted in full, as each of them has to be answered. Checks lead to the same positions by many ways, so
    /// of their disproof numbers only the largest counts, and one for each other check: the weak proof number search of Ueda,
    /// Hashimoto, Hashimoto and Iida (2008).
    pub(crate) fn of(children: &[Child], attacking: bool) -> Self {
        let mut summary = Self { effort: INFINITE, resistance: 0, best: 0, second: INFINITE, others: 0 };
        let (mut count, mut most, mut sum) = (0_u32, 0, 0_u32);
        for (index, child) in children.iter().enumerate() {
            if child.fails() || (child.after != Child::AT_ONCE && !children[usize::from(child.after)].fails()) {
                continue;
            }
            count += 1;
            most = child.resistance.max(most);
            sum = sum.saturating_add(child.resistance);
            if child.effort < summary.effort {
                summary.second = summary.effort;
                summary.effort = child.effort;
                summary.best = index;
            } else if child.effort < summary.second {
                summary.second = child.effort;
            }
        }
        if summary.effort == 0 {
            return Self { resistance: INFINITE, ..summary };
        }
        if count > 0 {
            let (total, others) = match attacking {
                true => (most.saturating_add(count - 1), count - 1),
                false => (sum, sum - children[summary.best].resistance),
            };
            (summary.resistance, summary.others) = (total.min(INFINITE - 1), others.min(INFINITE - 1));
        }
        summary
    }

    /// How far the best move is searched before another becomes more promising, or the position itself less promising than its limits
    /// allow. Going a quarter beyond the second best spares much changing to and fro (the 1 + epsilon of Pawlewicz and Lew 2006).
    pub(crate) fn limits(&self, effort_limit: u32, resistance_limit: u32) -> (u32, u32) {
        let effort = effort_limit.min(self.second.saturating_add(1 + self.second / 4));
        let resistance = if resistance_limit >= INFINITE { INFINITE } else { resistance_limit - self.others };
        (effort, resistance)
    }
}
