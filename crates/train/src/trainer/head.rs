//! The layers after the transformer: affine layers in one list, and what all forms of them do.

use std::ops::Range;

use kiki_eval::LayerParameters;
use nalgebra::{DMatrix, DMatrixView, Dyn};
use rand::RngExt as _;
use rand_pcg::Pcg64;

/// The greatest activation, 1, as an integer.
pub(super) const ACTIVATION: f32 = 127.0;
/// A weight of 1 of the layers as an integer.
pub(super) const WEIGHT: f32 = 64.0;
/// The greatest weight of the layers in an integer of 8 bits.
pub(super) const GREATEST_WEIGHT: f32 = 127.0 / WEIGHT;
/// Initial bias of hidden units: the middle of the range to which they are clipped.
pub(super) const FIRST_BIAS: f32 = 0.5;

/// With fewer rows or columns `gemm` of nalgebra 0.35 writes beyond its result if the first factor
/// is a view with strides.
const SMALL: usize = 8;

/// The sums of samples, `[sample][side][unit]`, after a pass through the layers of a stack. All
/// matrices have a column for each sample.
pub(super) struct Passed<'a> {
    /// 1 is the greatest activation times a weight of 1.
    pub(super) outputs: DMatrix<f32>,
    pub(super) backward: Backward<'a>,
}

/// A backward pass: takes the gradients of the outputs and the clipped sums. Replaces the sums by
/// their gradients, and adds those of the stack's numbers to the last list.
type Backward<'a> = Box<dyn FnOnce(&DMatrix<f32>, &mut [f32], &mut [f32]) + 'a>;

/// An affine layer in a list of numbers: `outputs` by `inputs` weights, by column, then the biases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layer {
    inputs: usize,
    outputs: usize,
    start: usize,
}

impl Layer {
    /// Layers with these inputs and outputs, one after the other in a list.
    pub(super) fn in_a_list(sizes: [(usize, usize); 3]) -> [Self; 3] {
        let mut end = 0;
        sizes.map(|(inputs, outputs)| {
            let layer = Self { inputs, outputs, start: end };
            end = layer.biases().end;
            layer
        })
    }

    pub(super) fn weights(&self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    pub(super) fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.outputs
    }

    /// Appends random weights that keep the scale of activations (He and others, 2015), then
    /// biases.
    pub(super) fn push_first(&self, numbers: &mut Vec<f32>, bias: impl Fn(usize) -> f32, random: &mut Pcg64) {
        let most = 1.0 / (self.inputs as f32).sqrt();
        numbers.extend(self.weights().map(|_| random.random_range(-most..=most)));
        numbers.extend((0..self.outputs).map(bias));
    }

    fn matrix<'a>(&self, numbers: &'a [f32]) -> DMatrixView<'a, f32> {
        DMatrixView::from_slice(&numbers[self.weights()], self.outputs, self.inputs)
    }

    /// The outputs before any activation, for inputs `[sample][input]`.
    pub(super) fn forward(&self, numbers: &[f32], inputs: &[f32]) -> DMatrix<f32> {
        let biases = &numbers[self.biases()];
        let samples = inputs.len() / self.inputs;
        let mut outputs = DMatrix::from_fn(self.outputs, samples, |output, _| biases[output]);
        outputs.gemm(1.0, &self.matrix(numbers), &DMatrixView::from_slice(inputs, self.inputs, samples), 1.0);
        outputs
    }

    /// Takes the gradients of the outputs. Adds those of the layer's numbers to `gradient`, and
    /// returns those of its inputs.
    pub(super) fn backward(
        &self,
        numbers: &[f32],
        inputs: &[f32],
        of_outputs: &DMatrix<f32>,
        gradient: &mut [f32],
    ) -> DMatrix<f32> {
        let mut weights = DMatrix::zeros(self.outputs, self.inputs);
        weights.gemm(1.0, of_outputs, &transposed(inputs, self.inputs, of_outputs.ncols()), 0.0);
        gradient[self.weights()].iter_mut().zip(weights.as_slice()).for_each(|(sum, term)| *sum += term);
        gradient[self.biases()].iter_mut().zip(of_outputs.row_iter()).for_each(|(sum, row)| *sum += row.sum());
        let mut of_inputs = DMatrix::zeros(self.inputs, of_outputs.ncols());
        if [self.inputs, self.outputs, of_outputs.ncols()].into_iter().min() > Some(SMALL) {
            of_inputs.gemm(1.0, &transposed(&numbers[self.weights()], self.outputs, self.inputs), of_outputs, 0.0);
        } else {
            of_inputs.gemm_tr(1.0, &self.matrix(numbers), of_outputs, 0.0);
        }
        of_inputs
    }

    /// The numbers as a file holds them. `rounding` is added to the integers of the biases.
    pub(super) fn to_parameters(self, numbers: &[f32], rounding: f32) -> LayerParameters {
        let bias = |bias: &f32| (bias * ACTIVATION * WEIGHT + rounding).round() as i32;
        let weight = |&weight: &f32| (weight * WEIGHT).round() as i8;
        let rows = self.matrix(numbers);
        LayerParameters {
            biases: numbers[self.biases()].iter().map(bias).collect(),
            weights: rows.row_iter().flat_map(|row| row.iter().map(weight).collect::<Vec<i8>>()).collect(),
        }
    }

    /// Takes over the layer of a file: the inverse of [`Self::to_parameters`].
    pub(super) fn take_parameters(self, numbers: &mut [f32], parameters: &LayerParameters, rounding: f32) {
        for (number, &bias) in numbers[self.biases()].iter_mut().zip(&parameters.biases) {
            *number = (bias as f32 - rounding) / (ACTIVATION * WEIGHT);
        }
        let weights = &mut numbers[self.weights()];
        for (output, row) in parameters.weights.chunks_exact(self.inputs).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                weights[input * self.outputs + output] = f32::from(weight) / WEIGHT;
            }
        }
    }
}

/// Transposes a matrix that stands in a list by column.
fn transposed(matrix: &[f32], rows: usize, columns: usize) -> DMatrixView<'_, f32, Dyn, Dyn> {
    DMatrixView::from_slice_with_strides(matrix, columns, rows, rows, 1)
}

/// Clips numbers to the range of activations.
pub(super) fn clip(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = number.clamp(0.0, 1.0));
}

/// The gradient of a number before clipping, given that of the clipped number.
#[inline(always)]
pub(super) fn of_unclipped(gradient: f32, clipped: f32) -> f32 {
    if clipped > 0.0 && clipped < 1.0 { gradient } else { 0.0 }
}

/// Sets the gradients of clipped numbers to 0.
pub(super) fn unclip(gradient: &mut [f32], clipped: &[f32]) {
    gradient.iter_mut().zip(clipped).for_each(|(gradient, &number)| *gradient = of_unclipped(*gradient, number));
}
