//! Dense layers, and the optimiser of their numbers: Adam (Kingma and Ba, 2015).

use nalgebra::{DMatrix, DMatrixView, Dyn};
use rand::RngExt as _;
use rand_pcg::Pcg64;

/// Share of the mean gradient that remains from step to step.
const BETA_1: f32 = 0.9;
/// Share of the mean squared gradient that remains from step to step.
const BETA_2: f32 = 0.999;
/// Usual summand of [`Adam`] to the root of the mean squared gradient.
pub(super) const EPSILON: f64 = 1e-8;

/// Numbers with the running means of their gradients and squared gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Moments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
}

impl Moments {
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// Forgets all gradients.
    pub(super) fn forget(&mut self) {
        self.first.fill(0.0);
        self.second.fill(0.0);
    }
}

/// One step of Adam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    /// The learning rate, corrected for means that began with 0.
    rate: f32,
    /// The same correction for the root of the mean squared gradient.
    root_correction: f32,
    /// Summand to that root. Far smaller gradients move numbers in proportion to their size, greater ones by about the rate.
    epsilon: f32,
}

impl Adam {
    /// The step with this number, from 0.
    pub(super) fn new(rate: f64, epsilon: f64, step: u64) -> Self {
        let power = |beta: f32| 1.0 - f64::from(beta).powf((step + 1) as f64);
        let root_correction = 1.0 / power(BETA_2).sqrt();
        Self { rate: (rate / power(BETA_1)) as f32, root_correction: root_correction as f32, epsilon: epsilon as f32 }
    }

    /// Changes numbers by their gradients. The last change was `gap` steps ago, with gradients of 0 in between. The small steps that the
    /// numbers would have made in between are left out.
    pub(super) fn update(self, numbers: &mut [f32], first: &mut [f32], second: &mut [f32], gradient: &[f32], gap: u64) {
        let unseen = i32::try_from(gap.saturating_sub(1)).unwrap_or(i32::MAX);
        let (kept_1, kept_2) = (BETA_1 * BETA_1.powi(unseen), BETA_2 * BETA_2.powi(unseen));
        let moments = first.iter_mut().zip(second);
        for ((number, (first, second)), &gradient) in numbers.iter_mut().zip(moments).zip(gradient) {
            *first = kept_1 * *first + (1.0 - BETA_1) * gradient;
            *second = kept_2 * *second + (1.0 - BETA_2) * gradient * gradient;
            *number -= self.rate * *first / (second.sqrt() * self.root_correction + self.epsilon);
        }
    }
}

/// First bias of hidden numbers, in the middle of the range to which they are clipped.
pub(super) const FIRST_BIAS: f32 = 0.5;

/// An affine layer: `outputs` by `inputs` weights, then the biases. Matrices are stored by column, one column per sample.
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

    /// The outputs before clipping.
    pub(super) fn forward(&self, inputs: &DMatrix<f32>) -> DMatrix<f32> {
        let mut outputs = DMatrix::zeros(self.biases.len(), inputs.ncols());
        for mut column in outputs.column_iter_mut() {
            column.copy_from_slice(&self.biases);
        }
        outputs.gemm(1.0, &self.weights, inputs, 1.0);
        outputs
    }

    /// The gradients of the layer's numbers and of its inputs, from those of the outputs.
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

/// Exchanges rows and columns.
fn transposed(matrix: &DMatrix<f32>) -> DMatrixView<'_, f32, Dyn, Dyn> {
    let (rows, columns) = matrix.shape();
    DMatrixView::from_slice_with_strides(matrix.as_slice(), columns, rows, rows, 1)
}

/// Clips numbers to the range of activations.
pub(super) fn clip(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = number.clamp(0.0, 1.0));
}

/// Sets the gradients of clipped numbers to 0.
pub(super) fn unclip(gradient: &mut [f32], clipped: &[f32]) {
    gradient.iter_mut().zip(clipped).for_each(|(gradient, &number)| {
        if number <= 0.0 || number >= 1.0 {
            *gradient = 0.0;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let (mut numbers, mut moments) = ([1.0, 1.0], Moments::new(2));
        Adam::new(0.25, EPSILON, 0).update(&mut numbers, &mut moments.first, &mut moments.second, &[3.0, -0.001], 1);
        assert!((numbers[0] - 0.75).abs() < 1e-4 && (numbers[1] - 1.25).abs() < 1e-4, "{numbers:?}");
    }

    #[test]
    fn steps_without_a_gradient_may_be_made_up_for() {
        let (mut dense, mut lazy) = (Moments::new(1), Moments::new(1));
        let mut ignored = [0.0];
        for (step, gradient) in [2.0, 0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
            let adam = Adam::new(0.1, EPSILON, step as u64);
            adam.update(&mut ignored, &mut dense.first, &mut dense.second, &[gradient], 1);
            if gradient != 0.0 {
                adam.update(
                    &mut ignored,
                    &mut lazy.first,
                    &mut lazy.second,
                    &[gradient],
                    if step == 4 { 4 } else { 1 },
                );
            }
        }
        assert!((dense.first[0] - lazy.first[0]).abs() < 1e-6 && (dense.second[0] - lazy.second[0]).abs() < 1e-9);
    }
}
