//! The numbers of the layers after the transformer: a list for each stack.
//!
//! Stacks may share a part. The gradient of that part is the sum of those of all stacks, and a step
//! of it moves them all. So a stack of few positions learns from the others, as a feature of few
//! positions does from its piece.

use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::adam::{Adam, AdamMoments};
use super::head::{GREATEST_WEIGHT, Layer, WEIGHT};
use super::table::{RowRange, Rows, add};

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stacks {
    /// Where the layers stand in a row.
    pub(super) layers: [Layer; 3],
    pub(super) rows: Rows,
    /// The moments of the part that all stacks share. Empty if they share none.
    pub(super) common: AdamMoments,
}

impl Stacks {
    /// Equal stacks with random numbers. `bias` gives the biases by layer and output.
    pub(super) fn new(
        sizes: [(usize, usize); 3],
        count: usize,
        factorised: bool,
        bias: impl Fn(usize, usize) -> f32,
        random: &mut Pcg64,
    ) -> Self {
        let layers = Layer::in_a_list(sizes);
        let mut numbers = Vec::new();
        for (number, layer) in layers.iter().enumerate() {
            layer.push_first(&mut numbers, |output| bias(number, output), random);
        }
        // A single stack has nothing to share.
        let common = AdamMoments::new(if factorised && count > 1 { numbers.len() } else { 0 });
        let rows = Rows { numbers: numbers.repeat(count), ..Rows::zero(count, numbers.len()) };
        Self { layers, rows, common }
    }

    /// The numbers of a stack as the file will hold them: weights are rounded to whole units.
    pub(super) fn rounded(&self, stack: usize) -> Vec<f32> {
        let mut numbers = self.rows.row(stack).to_vec();
        for layer in &self.layers {
            numbers[layer.weights()]
                .iter_mut()
                .for_each(|weight| *weight = (*weight * WEIGHT).round() * (1.0 / WEIGHT));
        }
        numbers
    }

    /// Changes the stacks that have a gradient, or all if they share a part. Then the own part of a
    /// stack takes the step `of_parts`, else `adam`. Weights stay within the range of a network
    /// file.
    pub(super) fn update(&mut self, gradients: &[Option<Vec<f32>>], [of_parts, adam]: [Adam; 2], step: u64) {
        let Self { layers, rows, common: AdamMoments { first, second } } = self;
        let mut common_step = vec![0.0; first.len()];
        if !first.is_empty() {
            let mut sum = vec![0.0; first.len()];
            gradients.iter().flatten().for_each(|gradient| add(&mut sum, gradient));
            adam.update(&mut common_step, [first, second], &sum, 1, f32::INFINITY);
        }
        let has_common = !common_step.is_empty();
        let own = if has_common { of_parts } else { adam };
        rows.ranges(1).zip(gradients).for_each(|(RowRange { numbers, first, second, changed }, gradient)| {
            let weights = layers.each_ref().map(Layer::weights);
            if has_common || gradient.is_some() {
                // A common step changes all stacks, so no decay is overdue.
                let gap = if has_common { 1 } else { step + 1 - changed[0] };
                weights.iter().for_each(|weights| own.decay(&mut numbers[weights.clone()], gap));
            }
            add(numbers, &common_step);
            if let Some(gradient) = gradient {
                own.update(numbers, [first, second], gradient, step + 1 - changed[0], f32::INFINITY);
                changed[0] = step + 1;
            }
            for weights in weights {
                numbers[weights]
                    .iter_mut()
                    .for_each(|weight| *weight = weight.clamp(-GREATEST_WEIGHT, GREATEST_WEIGHT));
            }
        });
    }
}
