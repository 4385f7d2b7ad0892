//! The SFNN layers after the transformer: products of pairs of sums, squared and clipped outputs of
//! the first layer, a shortcut from there to the output.
//!
//! Integers are rounded down in four places. There the floating-point numbers are half a unit less,
//! the mean loss of rounding down.

use kiki_eval::SfnnShape;
use nalgebra::DMatrix;

use super::head::{ACTIVATION, Layer, Passed, clip, of_unclipped, unclip};

/// A product of two activations of 1, or a square: 254 * 254 / 512 = 126 of 127 in integers.
const PRODUCT: f32 = 127.0 / 128.0;
/// Half a unit of an activation.
const HALF: f32 = 0.5 / ACTIVATION;

/// The expectation of a product that is rounded down.
#[inline(always)]
fn rounded_down(product: f32) -> f32 {
    (PRODUCT * product - HALF).max(0.0)
}

/// Passes sums through the layers. Clips the sums.
pub(super) fn pass<'a>(
    shape: &SfnnShape,
    [first_layer, second_layer, last_layer]: &'a [Layer; 3],
    numbers: &'a [f32],
    sums: &mut [f32],
) -> Passed<'a> {
    let SfnnShape { l1, h1, .. } = *shape;
    let half = l1 / 2;
    let samples = sums.len() / (2 * l1);
    // The inputs of the first layer.
    let mut products = DMatrix::zeros(l1, samples);
    for (sums, products) in sums.chunks_exact_mut(l1).zip(products.as_mut_slice().chunks_exact_mut(half)) {
        clip(sums);
        let (one, other) = sums.split_at(half);
        for ((product, one), other) in products.iter_mut().zip(one).zip(other) {
            *product = rounded_down(one * other);
        }
    }
    let first = first_layer.forward(numbers, products.as_slice());
    // The inputs of the second layer: squares, then clipped outputs.
    let mut second = DMatrix::zeros(2 * h1, samples);
    for (outputs, mut inputs) in first.column_iter().zip(second.column_iter_mut()) {
        for at in 0..h1 {
            let output = outputs[at];
            inputs[at] = rounded_down(output * output).min(1.0);
            inputs[h1 + at] = (output - HALF).clamp(0.0, 1.0);
        }
    }
    // The inputs of the last layer.
    let mut last = second_layer.forward(numbers, second.as_slice());
    last.apply(|output| *output = (*output - HALF).clamp(0.0, 1.0));
    let mut outputs = last_layer.forward(numbers, last.as_slice());
    if shape.has_shortcut() {
        outputs += first.row(h1);
    }
    let backward = move |of_outputs: &DMatrix<f32>, sums: &mut [f32], gradient: &mut [f32]| {
        let mut of_last = last_layer.backward(numbers, last.as_slice(), of_outputs, gradient);
        unclip(of_last.as_mut_slice(), last.as_slice());
        let mut of_second = second_layer.backward(numbers, second.as_slice(), &of_last, gradient);
        unclip(of_second.as_mut_slice(), second.as_slice());
        let of_first = DMatrix::from_fn(first.nrows(), first.ncols(), |at, sample| {
            if at == h1 {
                return of_outputs[sample];
            }
            let of_square = 2.0 * PRODUCT * first[(at, sample)] * of_second[(at, sample)];
            of_square + of_second[(h1 + at, sample)]
        });
        let of_products = first_layer.backward(numbers, products.as_slice(), &of_first, gradient);
        let products = products.as_slice().chunks_exact(half).zip(of_products.as_slice().chunks_exact(half));
        for (sums, (products, of_products)) in sums.chunks_exact_mut(l1).zip(products) {
            let (one, other) = sums.split_at_mut(half);
            let products = products.iter().zip(of_products);
            for ((one, other), (&product, &of_product)) in one.iter_mut().zip(other).zip(products) {
                let of_product = if product > 0.0 { PRODUCT * of_product } else { 0.0 };
                (*one, *other) = (of_unclipped(of_product * *other, *one), of_unclipped(of_product * *one, *other));
            }
        }
    };
    Passed { outputs, backward: Box::new(backward) }
}
