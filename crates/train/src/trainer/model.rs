//! A network in floating point, in which 1 is the greatest activation, and its conversion to the integers of a network file.

use kiki_eval::{ClassicParameters, LayerParameters, Shape};
use nalgebra::DMatrix;
use rand::SeedableRng as _;
use rand_pcg::Pcg64;

use super::layers::{Adam, Dense, DenseGradient, FIRST_BIAS, Moments, clip, unclip};
use super::samples::{TrainingSample, piece_first};
use super::table::{FeatureIndex, FeatureTable};
use crate::mix;

/// The greatest activation, 1, as an integer.
pub(super) const ACTIVATION: f32 = 127.0;
/// A weight of 1 of the layers as an integer.
pub(super) const WEIGHT: f32 = 64.0;
/// The greatest weight of the layers in an integer of 8 bits.
const GREATEST_WEIGHT: f32 = 127.0 / WEIGHT;

/// The numbers of a network with their moments.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub(super) shape: Shape,
    pub(super) table: FeatureTable,
    /// The transformer's, `[unit]`.
    pub(super) biases: Vec<f32>,
    pub(super) bias_moments: Moments,
    pub(super) layers: [Dense; 3],
}

/// Activations of the layers for some samples.
pub(super) struct Activations {
    /// The transformer's, `[sample][side][unit]`, the side to move first.
    inputs: DMatrix<f32>,
    hidden: [DMatrix<f32>; 2],
    /// The values, `[sample]`; 1 is the greatest activation times a weight of 1.
    pub(super) outputs: DMatrix<f32>,
}

/// The gradients of all numbers behind the features.
pub(super) struct ModelGradient {
    biases: Vec<f32>,
    layers: [DenseGradient; 3],
}

impl ModelGradient {
    pub(super) fn add(&mut self, other: &Self) {
        self.biases.iter_mut().zip(&other.biases).for_each(|(sum, term)| *sum += term);
        self.layers.iter_mut().zip(&other.layers).for_each(|(sum, term)| sum.add(term));
    }
}

impl Model {
    /// A network with random numbers.
    #[must_use]
    pub fn new(shape: Shape, factorised: bool, seed: u64) -> Self {
        let random = &mut Pcg64::seed_from_u64(mix(seed));
        let Shape { l1, h1, h2, .. } = shape;
        Self {
            shape,
            table: FeatureTable::new(shape, factorised, random),
            biases: vec![FIRST_BIAS; l1],
            bias_moments: Moments::new(l1),
            layers: [
                Dense::new(2 * l1, h1, FIRST_BIAS, random),
                Dense::new(h1, h2, FIRST_BIAS, random),
                Dense::new(h2, 1, 0.0, random),
            ],
        }
    }

    /// The same numbers without memory of earlier gradients.
    pub(super) fn without_moments(mut self) -> Self {
        for rows in [&mut self.table.rows, &mut self.table.pieces] {
            rows.forget_moments();
        }
        self.bias_moments.forget();
        for layer in &mut self.layers {
            layer.weight_moments.forget();
            layer.bias_moments.forget();
        }
        self
    }

    pub(super) fn forward(&self, samples: &[TrainingSample]) -> Activations {
        let l1 = self.shape.l1;
        let mut inputs = DMatrix::zeros(2 * l1, samples.len());
        let views = samples.iter().flat_map(|sample| &sample.features);
        for (features, sums) in views.zip(inputs.as_mut_slice().chunks_exact_mut(l1)) {
            sums.copy_from_slice(&self.biases);
            self.table.add(features, sums);
            clip(sums);
        }
        let [first, second, last] = &self.layers;
        let clipped = |layer: &Dense, inputs: &DMatrix<f32>| {
            let mut outputs = layer.forward(inputs);
            clip(outputs.as_mut_slice());
            outputs
        };
        let one = clipped(first, &inputs);
        let two = clipped(second, &one);
        let outputs = last.forward(&two);
        Activations { inputs, hidden: [one, two], outputs }
    }

    /// Takes the gradients of the outputs. Returns those of the numbers behind the features, and writes those of the sums of features
    /// to `of_views`, `[sample][side][unit]`.
    pub(super) fn backward(
        &self,
        activations: &Activations,
        of_outputs: &DMatrix<f32>,
        of_views: &mut [f32],
    ) -> ModelGradient {
        let Activations { inputs, hidden: [one, two], .. } = activations;
        let [first, second, last] = &self.layers;
        let back = |layer: &Dense, inputs: &DMatrix<f32>, of_outputs: &DMatrix<f32>| {
            let (gradient, mut of_inputs) = layer.backward(inputs, of_outputs);
            unclip(of_inputs.as_mut_slice(), inputs.as_slice());
            (gradient, of_inputs)
        };
        let (of_last, of_two) = back(last, two, of_outputs);
        let (of_second, of_one) = back(second, one, &of_two);
        let (of_first, of_inputs) = back(first, inputs, &of_one);
        of_views.copy_from_slice(of_inputs.as_slice());
        let mut biases = vec![0.0; self.shape.l1];
        for view in of_views.chunks_exact(self.shape.l1) {
            biases.iter_mut().zip(view).for_each(|(sum, term)| *sum += term);
        }
        ModelGradient { biases, layers: [of_first, of_second, of_last] }
    }

    /// Changes the rows of features by `of_rows`, all other numbers by `adam`. `of_views` and `index` belong to the whole batch.
    pub(super) fn update(
        &mut self,
        gradient: &ModelGradient,
        index: &FeatureIndex,
        of_views: &[f32],
        [of_rows, adam]: [Adam; 2],
        step: u64,
    ) {
        self.table.update(index, of_views, [of_rows, adam], step);
        let Moments { first, second } = &mut self.bias_moments;
        adam.update(&mut self.biases, first, second, &gradient.biases, 1);
        for (layer, gradient) in self.layers.iter_mut().zip(&gradient.layers) {
            layer.update(gradient, adam, GREATEST_WEIGHT);
        }
    }
}

/// Half of the divisor of hidden sums, added to them because the division rounds down.
const ROUNDING: f32 = WEIGHT / 2.0;

fn to_i16(number: f32) -> i16 {
    (number * ACTIVATION).round().clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

fn layer(layer: &Dense, rounding: f32) -> LayerParameters {
    let bias = |&bias: &f32| (bias * ACTIVATION * WEIGHT + rounding).round() as i32;
    let weight = |&weight: &f32| (weight * WEIGHT).round() as i8;
    LayerParameters {
        biases: layer.biases.iter().map(bias).collect(),
        weights: layer.weights.row_iter().flat_map(|row| row.iter().map(weight).collect::<Vec<i8>>()).collect(),
    }
}

impl Model {
    /// The numbers of a network file, each rounded to the nearest.
    #[must_use]
    pub fn to_network(&self) -> ClassicParameters {
        let set = self.shape.features;
        let rows = (0..set.count()).flat_map(|feature| self.table.weights(piece_first(set, feature)));
        let [first, second, last] = &self.layers;
        ClassicParameters {
            shape: self.shape,
            transformer_biases: self.biases.iter().copied().map(to_i16).collect(),
            transformer_weights: rows.map(to_i16).collect(),
            layers: [layer(first, ROUNDING), layer(second, ROUNDING), layer(last, 0.0)],
        }
    }

    /// The outputs in the unit of a network file.
    pub(super) fn outputs(&self, samples: &[TrainingSample]) -> Vec<f64> {
        let outputs = self.forward(samples).outputs;
        outputs.iter().map(|output| f64::from(output * ACTIVATION * WEIGHT)).collect()
    }
}
