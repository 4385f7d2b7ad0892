//! The layers behind the transformer: 8-bit weights, sums of 32 bits.

use super::block::{GROUP, LANES};

/// The greatest output of a clipped ReLU, which stands for 1.
const ONE: i32 = 127;
/// Sums of hidden layers are shifted right by so many bits.
const SHIFT: u32 = 6;

/// An affine layer.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    /// Groups of inputs.
    groups: usize,
    /// Padded with zeros to blocks of outputs.
    biases: Vec<[i32; LANES]>,
    /// By group of inputs and block of outputs: for each output the weights of the group's inputs.
    weights: Vec<[i8; GROUP * LANES]>,
    /// Whether the processor multiplies and adds in one instruction.
    has_vnni: bool,
}

impl Affine {
    /// A layer from its biases and, for each output, a row of weights, of which the first `inputs` count.
    pub(super) fn new(inputs: usize, biases: &[i32], rows: &[&[i8]]) -> Self {
        let (groups, blocks) = (inputs.div_ceil(GROUP), biases.len().div_ceil(LANES));
        let mut weights = vec![[0; GROUP * LANES]; groups * blocks];
        for (output, row) in rows.iter().enumerate() {
            for (input, &weight) in row.iter().take(inputs).enumerate() {
                let block = &mut weights[input / GROUP * blocks + output / LANES];
                block[output % LANES * GROUP + input % GROUP] = weight;
            }
        }
        let mut padded = vec![[0; LANES]; blocks];
        biases.iter().enumerate().for_each(|(output, &bias)| padded[output / LANES][output % LANES] = bias);
        Self { groups, biases: padded, weights, has_vnni: has_vnni() }
    }

    /// Blocks of outputs.
    pub(super) fn blocks(&self) -> usize {
        self.biases.len()
    }

    /// The sums, given at least as many inputs as the layer has (0 to 127), padded with zeros to whole groups. `sums` has room for all
    /// blocks.
    #[inline(always)]
    pub(super) fn forward(&self, inputs: &[u8], sums: &mut [[i32; LANES]]) {
        match self.blocks() {
            1 => self.forward_blocks::<1>(inputs, sums),
            2 => self.forward_blocks::<2>(inputs, sums),
            4 => self.forward_blocks::<4>(inputs, sums),
            8 => self.forward_blocks::<8>(inputs, sums),
            blocks => {
                sums.copy_from_slice(&self.biases);
                for (group, weights) in self.weights.chunks_exact(blocks).enumerate() {
                    let input = group_of(inputs, group);
                    sums.iter_mut()
                        .zip(weights)
                        .for_each(|(sums, weights)| *sums = add_products(*sums, input, weights));
                }
            }
        }
    }

    #[inline(always)]
    fn forward_blocks<const BLOCKS: usize>(&self, inputs: &[u8], sums: &mut [[i32; LANES]]) {
        let mut all = [[0; LANES]; BLOCKS];
        all.copy_from_slice(&self.biases[..BLOCKS]);
        let (weights, _) = self.weights.as_chunks::<BLOCKS>();
        let (inputs, _) = inputs.as_chunks::<GROUP>();
        let inputs = &inputs[..self.groups];
        #[cfg(target_arch = "x86_64")]
        if self.has_vnni {
            // SAFETY: the processor has the features that the function is compiled for: `has_vnni` says so.
            #[expect(unsafe_code, reason = "a function compiled for features of the processor has no safe call")]
            unsafe {
                super::vnni::add_products(&mut all, inputs, weights);
            }
            sums[..BLOCKS].copy_from_slice(&all);
            return;
        }
        for (weights, &input) in weights.iter().zip(inputs) {
            // Many groups are 0, as values below 0 are clipped.
            if input != [0; GROUP] {
                for block in 0..BLOCKS {
                    all[block] = add_products(all[block], input, &weights[block]);
                }
            }
        }
        sums[..BLOCKS].copy_from_slice(&all);
    }
}

#[cfg(target_arch = "x86_64")]
fn has_vnni() -> bool {
    super::vnni::is_available()
}

#[cfg(not(target_arch = "x86_64"))]
fn has_vnni() -> bool {
    false
}

fn group_of(inputs: &[u8], group: usize) -> [u8; GROUP] {
    std::array::from_fn(|at| inputs[group * GROUP + at])
}

/// Adds the products of one group of inputs with its weights to the sums of a block of outputs.
#[cfg(target_feature = "avx2")]
#[inline(always)]
fn add_products(sums: [i32; LANES], input: [u8; GROUP], weights: &[i8; GROUP * LANES]) -> [i32; LANES] {
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
fn add_products(sums: [i32; LANES], input: [u8; GROUP], weights: &[i8; GROUP * LANES]) -> [i32; LANES] {
    std::array::from_fn(|output| {
        let row = &weights[output * GROUP..][..GROUP];
        let products = input.iter().zip(row).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
        sums[output] + products.sum::<i32>()
    })
}

/// The inputs of the next layer.
#[inline(always)]
pub(super) fn clipped_relu(sums: &[[i32; LANES]], outputs: &mut [u8]) {
    let (outputs, _) = outputs.as_chunks_mut::<LANES>();
    for (sums, outputs) in sums.iter().zip(outputs) {
        for lane in 0..LANES {
            outputs[lane] = (sums[lane] >> SHIFT).clamp(0, ONE) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    #[test]
    fn sums_are_those_of_the_definition_for_every_size() {
        let mut random = StdRng::seed_from_u64(3);
        for (inputs, outputs) in [(512, 32), (64, 16), (2048, 8), (8, 64), (30, 1), (5, 3), (33, 40), (1, 1)] {
            let rows: Vec<Vec<i8>> =
                (0..outputs).map(|_| (0..inputs).map(|_| random.random_range(-128..=127)).collect()).collect();
            let biases: Vec<i32> = (0..outputs).map(|_| random.random_range(-9000..9000)).collect();
            let mut layer = Affine::new(inputs, &biases, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut values: Vec<u8> = (0..inputs).map(|_| random.random_range(-60_i32..=127).max(0) as u8).collect();
            values[0] = 127;
            let expected: Vec<i32> = (0..outputs)
                .map(|output| {
                    let products =
                        values.iter().zip(&rows[output]).map(|(&value, &weight)| i32::from(value) * i32::from(weight));
                    biases[output] + products.sum::<i32>()
                })
                .collect();
            values.resize(inputs.next_multiple_of(32), 0);
            // With the processor's own instruction, if it has it, and without.
            for _ in 0..2 {
                let mut sums = vec![[0; LANES]; layer.blocks()];
                layer.forward(&values, &mut sums);
                assert_eq!(sums.concat()[..outputs], expected, "{inputs} to {outputs}, {}", layer.has_vnni);
                layer.has_vnni = false;
            }
        }
    }

    #[test]
    fn a_clipped_relu_shifts_towards_minus_infinity_and_clips() {
        let mut outputs = [9; 8];
        clipped_relu(&[[-1, 0, 63, 64, 8127, 8128, 1 << 30, i32::MIN]], &mut outputs);
        assert_eq!(outputs, [0, 0, 0, 1, 126, 127, 127, 0]);
    }
}
