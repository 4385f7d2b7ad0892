//! The classic layers after the transformer (Yu Nasu, 2018): clipped sums, and three layers.

use kiki_eval::Shape;
use nalgebra::DMatrix;

use super::head::{Head, Layer, WEIGHT, clip, of_unclipped, unclip};

/// Half of the divisor of hidden sums, added to the biases of their layers because the division
/// rounds down.
pub(super) const ROUNDING: [f32; 3] = [WEIGHT / 2.0, WEIGHT / 2.0, 0.0];

pub(super) struct ClassicHead {
    layers: [Layer; 3],
}

impl ClassicHead {
    pub(super) fn new(shape: &Shape) -> Self {
        let Shape { l1, h1, h2, .. } = *shape;
        Self { layers: Layer::in_a_list([(2 * l1, h1), (h1, h2), (h2, 1)]) }
    }
}

impl Head for ClassicHead {
    /// Outputs of the hidden layers, clipped.
    type Activations = [DMatrix<f32>; 2];

    fn forward(&self, numbers: &[f32], sums: &mut [f32]) -> (DMatrix<f32>, Self::Activations) {
        let [first, second, last] = &self.layers;
        clip(sums);
        let mut one = first.forward(numbers, sums);
        clip(one.as_mut_slice());
        let mut two = second.forward(numbers, one.as_slice());
        clip(two.as_mut_slice());
        (last.forward(numbers, two.as_slice()), [one, two])
    }

    fn backward(
        &self,
        numbers: &[f32],
        [one, two]: Self::Activations,
        of_outputs: DMatrix<f32>,
        sums: &mut [f32],
        gradient: &mut [f32],
    ) {
        let [first, second, last] = &self.layers;
        let mut of_two = last.backward(numbers, two.as_slice(), &of_outputs, gradient);
        unclip(of_two.as_mut_slice(), two.as_slice());
        let mut of_one = second.backward(numbers, one.as_slice(), &of_two, gradient);
        unclip(of_one.as_mut_slice(), one.as_slice());
        let of_inputs = first.backward(numbers, sums, &of_one, gradient);
        sums.iter_mut().zip(of_inputs.as_slice()).for_each(|(sum, &gradient)| *sum = of_unclipped(gradient, *sum));
    }
}
