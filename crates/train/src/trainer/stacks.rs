//! The numbers of the layers after the transformer: a list for each stack.
//!
//! Stacks may share a part. The gradient of that part is the sum of those of all stacks, and a step
//! of it moves them all. So a stack of few positions learns from the others, as a feature of few
//! positions does from its piece.

use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::adam::{Adam, Moments};
use super::head::{GREATEST_WEIGHT, Layer, WEIGHT};

/// The numbers of a stack of layers with their moments, and the step that changed it last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stack {
    pub(super) numbers: Vec<f32>,
    pub(super) moments: Moments,
    /// One more than the number of the step; 0 for an unchanged stack.
    pub(super) changed: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stacks {
    /// Where the layers stand in a list.
    pub(super) layers: [Layer; 3],
    pub(super) stacks: Vec<Stack>,
    /// The moments of the part that all stacks share. Empty if they share none.
    pub(super) common: Moments,
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
        let common = Moments::new(if factorised && count > 1 { numbers.len() } else { 0 });
        let stack = Stack { moments: Moments::new(numbers.len()), numbers, changed: 0 };
        Self { layers, stacks: vec![stack; count], common }
    }

    /// The numbers of a stack as the file will hold them: weights are rounded to whole units.
    pub(super) fn rounded(&self, stack: usize) -> Vec<f32> {
        let mut numbers = self.stacks[stack].numbers.clone();
        for layer in &self.layers {
            numbers[layer.weights()]
                .iter_mut()
                .for_each(|weight| *weight = (*weight * WEIGHT).round() * (1.0 / WEIGHT));
        }
        numbers
    }

    pub(super) fn forget_moments(&mut self) {
        self.common.forget();
        for stack in &mut self.stacks {
            stack.moments.forget();
            stack.changed = 0;
        }
    }

    /// Changes the stacks that have a gradient, or all if they share a part. Then the own part of a
    /// stack takes the step `of_parts`, else `adam`. Weights stay within the range of a network
    /// file.
    pub(super) fn update(&mut self, gradients: &[Option<Vec<f32>>], [of_parts, adam]: [Adam; 2], step: u64) {
        let Self { layers, stacks, common: Moments { first, second } } = self;
        let mut common_step = vec![0.0; first.len()];
        if !first.is_empty() {
            let mut sum = vec![0.0; first.len()];
            for gradient in gradients.iter().flatten() {
                sum.iter_mut().zip(gradient).for_each(|(sum, term)| *sum += term);
            }
            adam.update(&mut common_step, [first, second], &sum, 1, f32::INFINITY);
        }
        let has_common = !common_step.is_empty();
        let own = if has_common { of_parts } else { adam };
        stacks.par_iter_mut().zip(gradients).for_each(|(stack, gradient)| {
            let Stack { numbers, moments: Moments { first, second }, changed } = stack;
            let weights = layers.each_ref().map(Layer::weights);
            if has_common || gradient.is_some() {
                // A common step changes all stacks, so no decay is overdue.
                let gap = if has_common { 1 } else { step + 1 - *changed };
                weights.iter().for_each(|weights| own.decay(&mut numbers[weights.clone()], gap));
            }
            numbers.iter_mut().zip(&common_step).for_each(|(number, step)| *number += step);
            if let Some(gradient) = gradient {
                own.update(numbers, [first, second], gradient, step + 1 - *changed, f32::INFINITY);
                *changed = step + 1;
            }
            for weights in weights {
                numbers[weights]
                    .iter_mut()
                    .for_each(|weight| *weight = weight.clamp(-GREATEST_WEIGHT, GREATEST_WEIGHT));
            }
        });
    }
}
