//! From floating point to the integers of a network file.

use kiki_eval::{LayerParameters, NetworkParameters};

use super::dense::Dense;
use super::model::{ACTIVATION, Model, WEIGHT};
use super::sample::{Sample, piece_first};

/// Half of what a hidden sum is divided by: added to it, because the division rounds down.
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
    pub fn to_network(&self) -> NetworkParameters {
        let set = self.shape.features;
        let rows = (0..set.count()).flat_map(|feature| self.table.weights(piece_first(set, feature)));
        let [first, second, last] = &self.layers;
        NetworkParameters {
            shape: self.shape,
            transformer_biases: self.biases.iter().copied().map(to_i16).collect(),
            transformer_weights: rows.map(to_i16).collect(),
            layers: [layer(first, ROUNDING), layer(second, ROUNDING), layer(last, 0.0)],
        }
    }

    /// The outputs in the unit of a network file's.
    pub(super) fn outputs(&self, samples: &[Sample]) -> Vec<f64> {
        let outputs = self.forward(samples).outputs;
        outputs.iter().map(|output| f64::from(output * ACTIVATION * WEIGHT)).collect()
    }
}
