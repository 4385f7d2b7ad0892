//! Pseudo-random networks, and their values by an independent implementation.

use kiki_board::mix;
use kiki_eval::{Architecture, FeatureSet, GameProgress, LayerParameters, NetworkFile, SfnnShape, Shape};

use crate::fixtures::{number, pick};

/// The generator splitmix64, with which any program makes the same networks without files.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The generator of a seed after some numbers.
    fn after(seed: u64, numbers: usize) -> Self {
        Self(seed.wrapping_add((numbers as u64).wrapping_mul(Self::STEP)))
    }

    fn bits(&mut self) -> u64 {
        let bits = mix(self.0);
        self.0 = self.0.wrapping_add(Self::STEP);
        bits
    }

    /// The next number from `-range` to `range`.
    pub fn number(&mut self, range: i64) -> i64 {
        Self::plain(self.bits(), range)
    }

    fn plain(bits: u64, range: i64) -> i64 {
        ((bits >> 33) % (2 * range as u64 + 1)) as i64 - range
    }

    /// A number of an SFNN transformer: a few are much larger.
    fn of_transformer(&mut self, range: i64) -> i16 {
        let bits = self.bits();
        (match bits {
            _ if bits.is_multiple_of(65_536) => Self::plain(bits, 12_000),
            _ if bits.is_multiple_of(256) => Self::plain(bits, 200),
            _ => Self::plain(bits, range),
        }) as i16
    }

    /// Biases, and weights by output and input.
    fn layer(
        &mut self,
        (inputs, outputs): (usize, usize),
        bias: i64,
        weight: impl Fn(&mut Self) -> i8,
    ) -> (Vec<i32>, Vec<i8>) {
        let biases = (0..outputs).map(|_| self.number(bias) as i32).collect();
        let mut weights = Vec::with_capacity(inputs * outputs);
        for _ in 0..outputs {
            // Rows in files are padded to 32 bytes, and the padding uses up numbers too.
            let row: Vec<i8> = (0..inputs.next_multiple_of(32)).map(|_| weight(self)).collect();
            weights.extend(&row[..inputs]);
        }
        (biases, weights)
    }

    /// A weight of an SFNN layer: a few use the whole range.
    fn of_layer(&mut self, range: i64) -> i8 {
        let bits = self.bits();
        (if bits.is_multiple_of(256) { ((bits >> 33) % 256) as i64 - 128 } else { Self::plain(bits, range) }) as i8
    }
}

/// A pseudo-random SFNN network. Every number follows from the seed and its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct RandomSfnn {
    pub seed: u64,
    pub features: usize,
    /// Outputs of the transformer for a side, and inputs of the first layer.
    pub l1: usize,
    /// Outputs of the first layer that the second one sees.
    pub h1: usize,
    /// Outputs of the second layer.
    pub h2: usize,
    /// Inputs that one output of the first layer sees.
    pub seen: usize,
    /// Whether the progress of the game chooses the stack.
    pub has_progress: bool,
}

impl RandomSfnn {
    #[must_use]
    pub fn biases(&self) -> Vec<i16> {
        let mut random = SplitMix64(self.seed);
        (0..self.l1).map(|_| random.of_transformer(64)).collect()
    }

    /// The transformer's weights of a feature.
    #[must_use]
    pub fn row(&self, feature: usize) -> Vec<i16> {
        let mut random = SplitMix64::after(self.seed, self.l1 * (1 + feature));
        (0..self.l1).map(|_| random.of_transformer(24)).collect()
    }

    /// Bias and weights of the progress.
    #[must_use]
    pub fn progress(&self) -> Option<(i32, Vec<i32>)> {
        let mut random = SplitMix64::after(self.seed, self.l1 * (1 + self.features));
        let bias = random.number(100_000) as i32;
        self.has_progress.then(|| (bias, (0..81 * 1548).map(|_| random.number(40_000) as i32).collect()))
    }

    /// Biases, and weights by output and input, of the layers of a stack.
    #[must_use]
    pub fn stack(&self, stack: usize) -> [(Vec<i32>, Vec<i8>); 3] {
        let outputs = self.h1 + usize::from(self.h1 % 8 == 7);
        let layers = [(self.l1, outputs), (2 * self.h1, self.h2), (self.h2, 1)];
        let length: usize = layers.iter().map(|(inputs, outputs)| outputs * (1 + inputs.next_multiple_of(32))).sum();
        let progress = if self.has_progress { 1 + 81 * 1548 } else { 0 };
        let mut random = SplitMix64::after(self.seed, self.l1 * (1 + self.features) + progress + stack * length);
        let root = |number: usize| number.isqrt() as i64;
        let ranges = [
            (2000, root(204_800 / self.seen)),
            (2000, root(22_400 / self.h1).min(127)),
            (4000, root(259_200 / self.h2).min(127)),
        ];
        std::array::from_fn(|layer| {
            let (bias, weight) = ranges[layer];
            random.layer(layers[layer], bias, |random| random.of_layer(weight))
        })
    }
}

#[derive(Clone, Debug)]
pub struct RandomNetwork {
    /// L1 numbers.
    pub transformer_biases: Vec<i16>,
    /// L1 numbers for each feature.
    pub transformer_weights: Vec<i16>,
    /// Biases, and weights by output and input, of each layer.
    pub layers: [(Vec<i32>, Vec<i8>); 3],
}

/// The network of a seed: `features` inputs, then layers of `l1` (for each side), `h1`, `h2` and 1
/// numbers.
#[must_use]
pub fn random_network(seed: u64, features: usize, [l1, h1, h2]: [usize; 3]) -> RandomNetwork {
    let mut random = SplitMix64(seed);
    let transformer_biases = (0..l1).map(|_| random.number(64) as i16).collect();
    let transformer_weights = (0..l1 * features).map(|_| random.number(24) as i16).collect();
    let mut layer = |sizes, bias, weight| random.layer(sizes, bias, |random| random.number(weight) as i8);
    let layers = [layer((2 * l1, h1), 2000, 40), layer((h1, h2), 2000, 40), layer((h2, 1), 4000, 90)];
    RandomNetwork { transformer_biases, transformer_weights, layers }
}

/// The file of the HalfKP network of a seed; L1, H1 and H2 as for [`random_network`].
#[must_use]
pub fn network_file(seed: u64, [l1, h1, h2]: [usize; 3]) -> Vec<u8> {
    let features = FeatureSet::HalfKp;
    let network = random_network(seed, features.count(), [l1, h1, h2]);
    let stacks = vec![network.layers.map(|(biases, weights)| LayerParameters { biases, weights })];
    let [biases, weights] = [&network.transformer_biases, &network.transformer_weights];
    NetworkFile::new(Architecture::Classic(Shape { features, l1, h1, h2 }), biases, weights, None, stacks).to_bytes()
}

/// The file of the SFNN network of a seed. Panics if the name is not that of an SFNN network, or
/// has shards.
#[must_use]
pub fn sfnn_file(seed: u64, name: &str) -> Vec<u8> {
    let shape: SfnnShape = name.parse().expect("a name");
    assert_eq!(shape.shards, None);
    let SfnnShape { features, l1, h1, h2, choice, .. } = shape;
    let has_progress = choice.progress > 1;
    let random = RandomSfnn { seed, features: features.count(), l1, h1, h2, seen: l1, has_progress };
    let weights: Vec<i16> = (0..features.count()).flat_map(|feature| random.row(feature)).collect();
    let progress = random.progress().map(|(bias, weights)| GameProgress { bias, weights });
    let layers = |stack| random.stack(stack).map(|(biases, weights)| LayerParameters { biases, weights });
    let stacks = (0..choice.stacks()).map(layers).collect();
    NetworkFile::new(Architecture::Sfnn(shape), &random.biases(), &weights, progress, stacks).to_bytes()
}

/// The value of a position by a pseudo-random network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkRow {
    /// `halfkp` or `halfkp_vm`.
    pub features: &'static str,
    pub seed: u64,
    /// L1, H1 and H2.
    pub shape: [usize; 3],
    pub sfen: &'static str,
    /// The output for the side to move.
    pub output: i32,
    /// The output divided by 16, towards zero.
    pub value: i32,
}

/// The rows of `nnue_eval.tsv`.
#[must_use]
pub fn network_rows() -> Vec<NetworkRow> {
    let text = include_str!("../fixtures/nnue_eval.tsv");
    pick(text, ["features", "seed", "l1", "h1", "h2", "sfen", "output", "value"])
        .map(|[features, seed, l1, h1, h2, sfen, output, value]| NetworkRow {
            features,
            seed: number(seed),
            shape: [l1, h1, h2].map(number),
            sfen,
            output: number(output),
            value: number(value),
        })
        .collect()
}

/// The value of a position by a pseudo-random SFNN network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SfnnRow {
    /// The name of the architecture, without `SFNN_`.
    pub name: &'static str,
    pub seed: u64,
    pub sfen: &'static str,
    pub stack: usize,
    /// The output for the side to move.
    pub output: i32,
    /// The output divided by 16, towards zero.
    pub value: i32,
}

/// The rows of `sfnn_eval.tsv`.
#[must_use]
pub fn sfnn_rows() -> Vec<SfnnRow> {
    let text = include_str!("../fixtures/sfnn_eval.tsv");
    pick(text, ["name", "seed", "sfen", "stack", "output", "value"])
        .map(|[name, seed, sfen, stack, output, value]| SfnnRow {
            name,
            seed: number(seed),
            sfen,
            stack: number(stack),
            output: number(output),
            value: number(value),
        })
        .collect()
}

/// The bucket of a position for one way to choose a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketRow {
    pub sfen: &'static str,
    /// The word for the way in architecture names.
    pub choice: &'static str,
    pub bucket: usize,
}

/// The entries of `sfnn_buckets.tsv`.
#[must_use]
pub fn bucket_rows() -> Vec<BucketRow> {
    let mut lines = include_str!("../fixtures/sfnn_buckets.tsv").lines();
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let row = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let entries = head.iter().zip(&columns).filter(|(name, _)| !matches!(**name, "sfen" | "origin"));
        let bucket = |text: &str| text.parse().expect("a bucket");
        entries.map(|(&choice, text)| BucketRow { sfen: columns[0], choice, bucket: bucket(text) }).collect::<Vec<_>>()
    };
    lines.flat_map(row).collect()
}
