//! By how much late moves are searched shallower: pure arithmetic.

use std::sync::LazyLock;

use kiki_eval::Evaluator;

use crate::negamax::Candidate;
use crate::node::{Context, Node};
use crate::params;
use crate::worker::Worker;

/// Natural logarithms of 0 to 255 in 1/1024, 0 for 0.
static LOGARITHMS: LazyLock<[i32; 256]> =
    LazyLock::new(|| std::array::from_fn(|n| ((n.max(1) as f64).ln() * 1024.0).round() as i32));

impl<E: Evaluator> Worker<E> {
    /// Hundredths of a ply, from depth and place in the order alone: a + log(depth) * log(number) / b.
    #[inline(always)]
    pub(crate) fn base_reduction(&self, context: &Context, number: usize) -> i32 {
        let logarithms = &LOGARITHMS;
        let depth = logarithms[(context.depth as usize).min(255)];
        let number = logarithms[number.min(255)];
        let product = depth * number / 1024;
        let base = params::reduction_base() + product * 100 / 1024 * 100 / params::reduction_divisor();
        base + if context.improving { 0 } else { base * params::reduction_falling() / 100 }
    }

    /// Plies by which a late move is searched shallower.
    #[inline(always)]
    pub(crate) fn reduction<N: Node>(&self, context: &Context, candidate: &Candidate, was_pv: bool) -> i32 {
        let mut hundredths = self.base_reduction(context, candidate.number);
        if candidate.tried.tactical {
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
        if context.threat {
            hundredths -= params::reduction_threat();
        }
        hundredths -= candidate.history * 100 / params::reduction_history();
        (hundredths / 100).max(0)
    }
}
