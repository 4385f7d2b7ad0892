//! The layers behind the transformer: 8-bit weights, sums of 32 bits.

use super::affine::{Affine, GROUP, LANES, OutputRow, SHIFT, VECTOR, WeightBlock};
use super::transformer::{CacheLine, LINE, clip};

/// The greatest output of a clipped ReLU, which stands for 1.
const ONE: i32 = 127;

/// Room for the numbers between the layers. Not needed with VNNI.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    /// The first layer's inputs: the side to move's, then the opponent's.
    inputs: Vec<u8>,
    /// The outputs of the hidden layers, padded with zeros.
    hidden: [Vec<u8>; 2],
}

/// All layers behind the transformer.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    hidden: [Affine; 2],
    last: OutputRow,
    /// Whether the processor multiplies and adds in one instruction, and that works for these layers.
    #[cfg(target_arch = "x86_64")]
    has_vnni: bool,
}

impl Layers {
    pub(super) fn new(hidden: [Affine; 2], last: OutputRow) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            has_vnni: super::vnni::is_usable(&hidden),
            hidden,
            last,
        }
    }

    /// Room for the numbers of these layers.
    pub(super) fn buffers(&self) -> Buffers {
        let hidden = self.hidden.each_ref().map(|layer| vec![0; (LANES * layer.blocks()).next_multiple_of(VECTOR)]);
        Buffers { inputs: vec![0; VECTOR * self.hidden[0].input_vectors()], hidden }
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
        let Self { hidden: [first, second], last, .. } = self;
        let Buffers { inputs, hidden: [hidden_one, hidden_two] } = buffers;
        #[cfg(target_arch = "x86_64")]
        if self.has_vnni {
            // SAFETY: the processor has the features that the function is compiled for: `has_vnni` has checked them.
            #[expect(unsafe_code, reason = "a function compiled for features of the processor has no safe call")]
            return unsafe { super::vnni::output(sums, &self.hidden, last) };
        }
        let (own, others) = inputs.split_at_mut(LINE * sums[0].len());
        clip(sums[0], own);
        clip(sums[1], others);
        forward(first, inputs, hidden_one);
        forward(second, hidden_one, hidden_two);
        dot(last, hidden_two)
    }
}

/// The outputs of a hidden layer, given its inputs (0 to 127), padded with zeros.
#[inline(always)]
fn forward(layer: &Affine, inputs: &[u8], outputs: &mut [u8]) {
    match layer.blocks() {
        1 => forward_blocks::<1>(layer, inputs, outputs),
        2 => forward_blocks::<2>(layer, inputs, outputs),
        4 => forward_blocks::<4>(layer, inputs, outputs),
        8 => forward_blocks::<8>(layer, inputs, outputs),
        blocks => {
            let (inputs, _) = inputs.as_chunks::<GROUP>();
            let (outputs, _) = outputs.as_chunks_mut::<LANES>();
            for (block, (&biases, output)) in layer.biases().iter().zip(outputs).enumerate() {
                let groups = layer.weights()[block..].iter().step_by(blocks).zip(inputs);
                *output =
                    clipped_relu(&groups.fold(biases, |sums, (weights, &input)| add_products(sums, input, weights)));
            }
        }
    }
}

#[inline(always)]
fn forward_blocks<const BLOCKS: usize>(layer: &Affine, inputs: &[u8], outputs: &mut [u8]) {
    let mut sums = [[0; LANES]; BLOCKS];
    sums.copy_from_slice(layer.biases());
    let (weights, _) = layer.weights().as_chunks::<BLOCKS>();
    let (inputs, _) = inputs.as_chunks::<GROUP>();
    for (weights, &input) in weights.iter().zip(inputs) {
        // Many groups are 0, as values below 0 are clipped.
        if input != [0; GROUP] {
            for block in 0..BLOCKS {
                sums[block] = add_products(sums[block], input, &weights[block]);
            }
        }
    }
    let (outputs, _) = outputs.as_chunks_mut::<LANES>();
    for block in 0..BLOCKS {
        outputs[block] = clipped_relu(&sums[block]);
    }
}

#[inline(always)]
fn dot(last: &OutputRow, inputs: &[u8]) -> i32 {
    let products = last.weights.as_flattened().iter().zip(inputs);
    // The bias of a file may be any number; vectors wrap around too.
    last.bias.wrapping_add(products.map(|(&weight, &input)| i32::from(weight) * i32::from(input)).sum())
}

/// Adds the products of one group of inputs with its weights to the sums of a block of outputs.
#[cfg(target_feature = "avx2")]
#[inline(always)]
fn add_products(sums: [i32; LANES], input: [u8; GROUP], weights: &WeightBlock) -> [i32; LANES] {
    use safe_arch::{
        add_i32_m256i, m256i, mul_i16_horizontal_add_m256i, mul_u8i8_add_horizontal_saturating_m256i,
        set_splat_i16_m256i, set_splat_i32_m256i,
    };
    let inputs = set_splat_i32_m256i(i32::from_ne_bytes(input));
    // Inputs are at most 127, so that the sum of two products fits into 16 bits.
    let pairs = mul_u8i8_add_horizontal_saturating_m256i(inputs, m256i::from(*weights));
    let products = mul_i16_horizontal_add_m256i(pairs, set_splat_i16_m256i(1));
    add_i32_m256i(m256i::from(sums), products).into()
}

/// Adds the products of one group of inputs with its weights to the sums of a block of outputs.
#[cfg(not(target_feature = "avx2"))]
#[inline(always)]
fn add_products(sums: [i32; LANES], input: [u8; GROUP], weights: &WeightBlock) -> [i32; LANES] {
    std::array::from_fn(|output| {
        let row = &weights[output * GROUP..][..GROUP];
        let products = input.iter().zip(row).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
        sums[output].wrapping_add(products.sum())
    })
}

/// The inputs of the next layer.
#[inline(always)]
fn clipped_relu(sums: &[i32; LANES]) -> [u8; LANES] {
    sums.map(|sum| (sum >> SHIFT).clamp(0, ONE) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// A layer's biases, and weights by output and input.
    type Parameters = (Vec<i32>, Vec<i8>);

    /// A random bias.
    type Bias = fn(&mut StdRng) -> i32;

    fn random_layer(random: &mut StdRng, bias: Bias, inputs: usize, outputs: usize) -> Parameters {
        let biases = (0..outputs).map(|_| bias(random)).collect();
        (biases, (0..inputs * outputs).map(|_| random.random_range(-128..=127)).collect())
    }

    /// The sums of a layer.
    fn sums_by_definition((biases, weights): &Parameters, inputs: &[i32]) -> Vec<i32> {
        let rows = weights.chunks_exact(inputs.len());
        rows.zip(biases)
            .map(|(row, bias)| bias.wrapping_add(row.iter().zip(inputs).map(|(&w, n)| i32::from(w) * n).sum()))
            .collect()
    }

    /// With the processor's own instructions, if it has them, and without.
    fn with_and_without_vnni(layers: Layers) -> Vec<Layers> {
        #[cfg(target_arch = "x86_64")]
        return vec![layers.clone(), Layers { has_vnni: false, ..layers }];
        #[cfg(not(target_arch = "x86_64"))]
        vec![layers]
    }

    #[test]
    fn outputs_are_those_of_the_definition_for_every_size() {
        assert_outputs_are_those_of_the_definition(|random| random.random_range(-9000..9000));
    }

    #[test]
    fn sums_beyond_the_greatest_number_wrap_around_with_and_without_vnni() {
        assert_outputs_are_those_of_the_definition(|random| if random.random() { i32::MAX } else { i32::MIN });
    }

    fn assert_outputs_are_those_of_the_definition(bias: Bias) {
        let mut random = StdRng::seed_from_u64(3);
        for (lines, h1, h2) in [
            (8, 32, 32),
            (1, 16, 16),
            (32, 8, 32),
            (32, 8, 64),
            (2, 64, 8),
            (1, 30, 1),
            (1, 5, 3),
            (2, 40, 33),
            (1, 1, 1),
            (3, 12, 64),
        ] {
            let inputs = 2 * LINE * lines;
            let [one, two, three] = [(inputs, h1), (h1, h2), (h2, 1)]
                .map(|(inputs, outputs)| random_layer(&mut random, bias, inputs, outputs));
            let hidden = [Affine::new(inputs, &one.0, &one.1), Affine::new(h1, &two.0, &two.1)];
            let layers = Layers::new(hidden, OutputRow::new(three.0[0], &three.1));
            let mut buffers = layers.buffers();
            let ways = with_and_without_vnni(layers);
            for greatest in [100, 600, 32_767] {
                let sums: Vec<i16> = (0..inputs).map(|_| random.random_range(-greatest..=greatest)).collect();
                let clipped: Vec<i32> = sums.iter().map(|&sum| i32::from(sum).clamp(0, 127)).collect();
                let next = |sums: Vec<i32>| sums.iter().map(|sum| (sum >> SHIFT).clamp(0, ONE)).collect::<Vec<_>>();
                let first = next(sums_by_definition(&one, &clipped));
                let second = next(sums_by_definition(&two, &first));
                let expected = sums_by_definition(&three, &second)[0];
                let all: Vec<CacheLine> = sums.as_chunks().0.iter().map(CacheLine::new).collect();
                let sides = all.split_at(lines);
                for layers in &ways {
                    let output = layers.output([sides.0, sides.1], &mut buffers);
                    assert_eq!(output, expected, "{lines} lines, {h1}, {h2}, {layers:?}");
                }
            }
        }
    }

    #[test]
    fn a_clipped_relu_shifts_towards_minus_infinity_and_clips() {
        let outputs = clipped_relu(&[-1, 0, 63, 64, 8127, 8128, 1 << 30, i32::MIN]);
        assert_eq!(outputs, [0, 0, 0, 1, 126, 127, 127, 0]);
    }
}
