//! The layers behind the transformer: 8-bit weights, sums of 32 bits.

use super::shape::Shape;
use crate::network::affine::{Affine, LANES, OutputRow, VECTOR, dot, forward};
use crate::network::parts::LayerParameters;
use crate::network::transformer::{CacheLine, LINE, clip};

/// Room for the numbers between the layers. Not needed with VNNI.
#[derive(Clone, Debug)]
pub(in crate::network) struct Buffers {
    /// The first layer's inputs: the side to move's, then the opponent's.
    inputs: Vec<u8>,
    /// The outputs of the hidden layers, padded with zeros.
    hidden: [Vec<u8>; 2],
}

/// All layers behind the transformer.
#[derive(Clone, Debug)]
pub(in crate::network) struct Layers {
    hidden: [Affine; 2],
    last: OutputRow,
    /// Whether the processor has VNNI and `vnni` handles these layers.
    #[cfg(target_arch = "x86_64")]
    has_vnni: bool,
}

impl Layers {
    /// The layers of a shape, as a file holds them.
    pub(in crate::network) fn of_shape(shape: &Shape, [one, two, three]: &[LayerParameters; 3]) -> Self {
        let Shape { l1, h1, .. } = *shape;
        // Each side's inputs are padded to whole lines.
        let side = l1.next_multiple_of(LINE);
        let mut first = Vec::new();
        for inputs in one.weights.chunks_exact(l1) {
            first.extend(inputs);
            first.resize(first.len() + side - l1, 0);
        }
        let hidden = [Affine::new(2 * side, &one.biases, &first), Affine::new(h1, &two.biases, &two.weights)];
        Self::new(hidden, OutputRow::new(three.biases[0], &three.weights))
    }

    fn new(hidden: [Affine; 2], last: OutputRow) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            has_vnni: super::vnni::is_usable(&hidden),
            hidden,
            last,
        }
    }

    /// Room for the numbers of these layers.
    pub(in crate::network) fn buffers(&self) -> Buffers {
        let hidden = self.hidden.each_ref().map(|layer| vec![0; (LANES * layer.blocks()).next_multiple_of(VECTOR)]);
        Buffers { inputs: vec![0; VECTOR * self.hidden[0].input_vectors()], hidden }
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(in crate::network) fn output(&self, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::affine::{ONE, SHIFT, clipped_relu};
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

    /// With VNNI, if the processor has it, and without.
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
