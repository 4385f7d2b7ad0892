//! Pseudo-random networks, and their values by an independent implementation.

use kiki_eval::{FeatureSet, LayerParameters, NetworkParameters, Shape};

/// The generator splitmix64, by which any program makes the same networks without their files.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next number from `-range` to `range`.
    pub fn number(&mut self, range: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 33) % (2 * range as u64 + 1)) as i64 - range
    }
}

/// The numbers of a pseudo-random network.
#[derive(Clone, Debug)]
pub struct RandomNetwork {
    /// L1 numbers.
    pub transformer_biases: Vec<i16>,
    /// L1 numbers for each feature.
    pub transformer_weights: Vec<i16>,
    /// Biases, and weights by output and input, of each layer.
    pub layers: [(Vec<i32>, Vec<i8>); 3],
}

/// The network of a seed: `features` inputs, then layers of `l1` (for each side), `h1`, `h2` and 1 numbers.
#[must_use]
pub fn random_network(seed: u64, features: usize, [l1, h1, h2]: [usize; 3]) -> RandomNetwork {
    let mut random = SplitMix64(seed);
    let transformer_biases = (0..l1).map(|_| random.number(64) as i16).collect();
    let transformer_weights = (0..l1 * features).map(|_| random.number(24) as i16).collect();
    let mut layer = |inputs: usize, outputs: usize, [bias, weight]: [i64; 2]| {
        let biases: Vec<i32> = (0..outputs).map(|_| random.number(bias) as i32).collect();
        let mut weights = Vec::with_capacity(inputs * outputs);
        for _ in 0..outputs {
            // Rows of files are padded to 32 bytes, and the padding takes its numbers too.
            let row: Vec<i8> = (0..inputs.next_multiple_of(32)).map(|_| random.number(weight) as i8).collect();
            weights.extend(&row[..inputs]);
        }
        (biases, weights)
    };
    let layers = [layer(2 * l1, h1, [2000, 40]), layer(h1, h2, [2000, 40]), layer(h2, 1, [4000, 90])];
    RandomNetwork { transformer_biases, transformer_weights, layers }
}

/// The file of the HalfKP network of a seed; L1, H1 and H2 as for [`random_network`].
#[must_use]
pub fn network_file(seed: u64, [l1, h1, h2]: [usize; 3]) -> Vec<u8> {
    let features = FeatureSet::HalfKp;
    let network = random_network(seed, features.count(), [l1, h1, h2]);
    let parameters = NetworkParameters {
        shape: Shape { features, l1, h1, h2 },
        transformer_biases: network.transformer_biases,
        transformer_weights: network.transformer_weights,
        layers: network.layers.map(|(biases, weights)| LayerParameters { biases, weights }),
    };
    parameters.to_bytes()
}

/// The value of a position by a pseudo-random network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkRow {
    /// `halfkp` or `halfkp_vm`.
    pub features: &'static str,
    /// Of the network.
    pub seed: u64,
    /// L1, H1 and H2.
    pub shape: [usize; 3],
    /// The position.
    pub sfen: &'static str,
    /// The output for the side to move.
    pub output: i32,
    /// The output divided by 16, towards zero.
    pub value: i32,
}

/// The rows of `nnue_eval.tsv`.
///
/// # Panics
/// If the table is damaged.
#[must_use]
pub fn network_rows() -> Vec<NetworkRow> {
    let row = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [features, seed, l1, h1, h2, sfen, output, value] = columns[..] else { panic!("eight columns: {line}") };
        let size = |text: &str| text.parse().expect("a size");
        let number = |text: &str| text.parse().expect("a number");
        let shape = [size(l1), size(h1), size(h2)];
        let seed = seed.parse().expect("a seed");
        NetworkRow { features, seed, shape, sfen, output: number(output), value: number(value) }
    };
    include_str!("../fixtures/nnue_eval.tsv").lines().skip(1).map(row).collect()
}
