//! Networks to search with.

use kiki_eval::{FeatureSet, LayerParameters, NetworkParameters, Shape};
use kiki_tests::networks::random_network;

/// The file of a pseudo-random network.
pub(crate) fn network_file() -> Vec<u8> {
    let (features, [l1, h1, h2]) = (FeatureSet::HalfKp, [32, 16, 16]);
    let network = random_network(7, features.count(), [l1, h1, h2]);
    let parameters = NetworkParameters {
        shape: Shape { features, l1, h1, h2 },
        transformer_biases: network.transformer_biases,
        transformer_weights: network.transformer_weights,
        layers: network.layers.map(|(biases, weights)| LayerParameters { biases, weights }),
    };
    parameters.to_bytes()
}
