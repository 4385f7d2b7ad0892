//! The classic layers after the transformer (Yu Nasu, 2018): clipped sums, and three layers.

use nalgebra::DMatrix;

use super::head::{Layer, Passed, WEIGHT, clip, of_unclipped, unclip};

/// Half of the divisor of hidden sums, added to the biases of their layers because the division
/// rounds down.
pub(super) const ROUNDING: [f32; 3] = [WEIGHT / 2.0, WEIGHT / 2.0, 0.0];

/// Passes sums through the layers. Clips the sums.
pub(super) fn pass<'a>([first, second, last]: &'a [Layer; 3], numbers: &'a [f32], sums: &mut [f32]) -> Passed<'a> {
    clip(sums);
    let mut one = first.forward(numbers, sums);
    clip(one.as_mut_slice());
    let mut two = second.forward(numbers, one.as_slice());
    clip(two.as_mut_slice());
    let outputs = last.forward(numbers, two.as_slice());
    let backward = move |of_outputs: &DMatrix<f32>, sums: &mut [f32], gradient: &mut [f32]| {
        let mut of_two = last.backward(numbers, two.as_slice(), of_outputs, gradient);
        unclip(of_two.as_mut_slice(), two.as_slice());
        let mut of_one = second.backward(numbers, one.as_slice(), &of_two, gradient);
        unclip(of_one.as_mut_slice(), one.as_slice());
        let of_inputs = first.backward(numbers, sums, &of_one, gradient);
        sums.iter_mut().zip(of_inputs.as_slice()).for_each(|(sum, &gradient)| *sum = of_unclipped(gradient, *sum));
    };
    Passed { outputs, backward: Box::new(backward) }
}
