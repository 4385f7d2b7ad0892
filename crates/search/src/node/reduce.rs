//! Late-move reductions: by how many plies late moves are searched shallower.

use kiki_eval::Evaluator;

use super::context::{Context, MoveCandidate};
use super::kind::NodeKind;
use super::worker::Worker;
use crate::params;

/// Natural logarithms of 0 to 255 in 1/1024, 0 for 0.
static LOGARITHMS: [i32; 256] = logarithms();

const fn logarithms() -> [i32; 256] {
    let mut table = [0; 256];
    let mut n = 2;
    while n < 256 {
        table[n] = (1024.0 * logarithm(n as f64) + 0.5) as i32;
        n += 1;
    }
    table
}

/// The natural logarithm of a number of at least 1, by the series of the inverse hyperbolic tangent, which converges fast below 2. (The
/// library's function is not available to constants.)
const fn logarithm(number: f64) -> f64 {
    let (mut rest, mut result) = (number, 0.0);
    while rest >= 2.0 {
        rest /= 2.0;
        result += std::f64::consts::LN_2;
    }
    let ratio = (rest - 1.0) / (rest + 1.0);
    let (mut power, mut divisor) = (ratio, 1.0);
    while divisor < 40.0 {
        result += 2.0 * power / divisor;
        power *= ratio * ratio;
        divisor += 2.0;
    }
    result
}

impl<E: Evaluator> Worker<E> {
    /// The reduction by depth and place in the order alone, in hundredths of a ply: a + log(depth) * log(number) / b.
    #[inline(always)]
    pub(crate) fn base_reduction(&self, context: &Context, number: usize) -> i32 {
        let depth = LOGARITHMS[(context.depth as usize).min(255)];
        let number = LOGARITHMS[number.min(255)];
        let product = depth * number / 1024;
        let base = params::reduction_base() + product * 100 / 1024 * 100 / params::reduction_divisor();
        base + if context.improving { 0 } else { base * params::reduction_falling() / 100 }
    }

    /// The reduction of a late move, in plies.
    #[inline(always)]
    pub(crate) fn reduction<N: NodeKind>(&self, context: &Context, candidate: &MoveCandidate, was_pv: bool) -> i32 {
        let mut hundredths = self.base_reduction(context, candidate.number);
        if candidate.searched.tactical {
            hundredths = hundredths * params::reduction_tactical() / 100;
        }
        if context.cut_node {
            hundredths += params::reduction_cut_node();
        }
        if was_pv {
            hundredths -= params::reduction_was_pv();
        }
        if N::PV {
            hundredths -= params::reduction_pv();
        }
        if candidate.gives_check {
            hundredths -= params::reduction_check();
        }
        if context.in_check {
            hundredths -= params::reduction_evasion();
        }
        if context.mate_threat {
            hundredths -= params::reduction_threat();
        }
        hundredths -= candidate.history * 100 / params::reduction_history();
        (hundredths / 100).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_the_logarithms() {
        assert_eq!(LOGARITHMS[0], 0);
        for (n, &constant) in LOGARITHMS.iter().enumerate().skip(1) {
            let exact = (n as f64).ln();
            assert!((logarithm(n as f64) - exact).abs() < 1e-12, "{n}");
            assert_eq!(constant, (1024.0 * exact).round() as i32, "{n}");
        }
    }
}
