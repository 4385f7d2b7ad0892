//! An affine layer in training. Matrices are stored by column, and a column belongs to a sample.

use nalgebra::{DMatrix, DMatrixView, Dyn};
use rand::RngExt as _;
use rand_pcg::Pcg64;

use super::adam::{Adam, Moments};

/// Biases of hidden numbers begin in the middle between the two ends at which they are clipped.
pub(super) const FIRST_BIAS: f32 = 0.5;

/// A layer: `outputs` by `inputs` weights, then the biases.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Dense {
    pub(super) weights: DMatrix<f32>,
    pub(super) biases: Vec<f32>,
    pub(super) weight_moments: Moments,
    pub(super) bias_moments: Moments,
}

/// The gradients of a layer's numbers.
#[derive(Clone, Debug)]
pub(super) struct DenseGradient {
    weights: DMatrix<f32>,
    biases: Vec<f32>,
}

impl Dense {
    /// Random weights that keep the size of the numbers about the same (He and others, 2015), equal biases.
    pub(super) fn new(inputs: usize, outputs: usize, bias: f32, random: &mut Pcg64) -> Self {
        let most = 1.0 / (inputs as f32).sqrt();
        Self {
            weights: DMatrix::from_fn(outputs, inputs, |_, _| random.random_range(-most..=most)),
            biases: vec![bias; outputs],
            weight_moments: Moments::new(inputs * outputs),
            bias_moments: Moments::new(outputs),
        }
    }

    /// The outputs before they are clipped.
    pub(super) fn forward(&self, inputs: &DMatrix<f32>) -> DMatrix<f32> {
        let mut outputs = DMatrix::zeros(self.biases.len(), inputs.ncols());
        for mut column in outputs.column_iter_mut() {
            column.copy_from_slice(&self.biases);
        }
        outputs.gemm(1.0, &self.weights, inputs, 1.0);
        outputs
    }

    /// Given the gradients of the outputs, those of the layer's numbers and those of the inputs.
    pub(super) fn backward(&self, inputs: &DMatrix<f32>, of_outputs: &DMatrix<f32>) -> (DenseGradient, DMatrix<f32>) {
        let mut weights = DMatrix::zeros(self.weights.nrows(), self.weights.ncols());
        weights.gemm(1.0, of_outputs, &transposed(inputs), 0.0);
        let biases = of_outputs.row_iter().map(|row| row.sum()).collect();
        let mut of_inputs = DMatrix::zeros(inputs.nrows(), inputs.ncols());
        of_inputs.gemm(1.0, &transposed(&self.weights), of_outputs, 0.0);
        (DenseGradient { weights, biases }, of_inputs)
    }

    /// Changes the numbers and keeps weights within what a network file can hold.
    pub(super) fn update(&mut self, gradient: &DenseGradient, adam: Adam, most: f32) {
        let Moments { first, second } = &mut self.weight_moments;
        adam.update(self.weights.as_mut_slice(), first, second, gradient.weights.as_slice(), 1);
        let Moments { first, second } = &mut self.bias_moments;
        adam.update(&mut self.biases, first, second, &gradient.biases, 1);
        self.weights.apply(|weight| *weight = weight.clamp(-most, most));
    }
}

impl DenseGradient {
    pub(super) fn add(&mut self, other: &Self) {
        self.weights += &other.weights;
        self.biases.iter_mut().zip(&other.biases).for_each(|(sum, term)| *sum += term);
    }
}

/// The same numbers, rows and columns exchanged.
fn transposed(matrix: &DMatrix<f32>) -> DMatrixView<'_, f32, Dyn, Dyn> {
    let (rows, columns) = matrix.shape();
    DMatrixView::from_slice_with_strides(matrix.as_slice(), columns, rows, rows, 1)
}

/// Clips numbers to what the activations of a network can be.
pub(super) fn clip(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = number.clamp(0.0, 1.0));
}

/// The gradients of numbers, given those of the numbers clipped: 0 where they were clipped.
pub(super) fn unclip(gradient: &mut [f32], clipped: &[f32]) {
    gradient.iter_mut().zip(clipped).for_each(|(gradient, &number)| {
        if number <= 0.0 || number >= 1.0 {
            *gradient = 0.0;
        }
    });
}
