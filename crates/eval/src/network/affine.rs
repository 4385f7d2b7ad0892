//! Layers of 8-bit weights and 32-bit sums: their layout in memory, and their outputs.

/// Inputs that are multiplied together.
pub(super) const GROUP: usize = 4;
/// Outputs that are summed together.
pub(super) const LANES: usize = 8;
/// The weights of a group of inputs for a block of outputs: `[output][input]`.
pub(super) type WeightBlock = [i8; GROUP * LANES];
/// The weights of a group of inputs for two blocks of outputs.
pub(super) type WeightPair = [i8; 2 * GROUP * LANES];
/// The inputs of all layers are padded with zeros to a multiple of this.
pub(super) const VECTOR: usize = 32;
/// Groups of a vector of inputs.
pub(super) const VECTOR_GROUPS: usize = VECTOR / GROUP;
/// Number of bits by which sums of hidden layers are shifted right.
pub(super) const SHIFT: u32 = 6;

/// Number of bits by which squares of sums are shifted right.
pub(super) const SQUARE_SHIFT: u32 = 19;
/// The least sum whose square exceeds the greatest output.
pub(super) const MOST_SQUARED: i32 = 1 << 13;

/// The greatest output of a clipped ReLU, which stands for 1.
pub(super) const ONE: i32 = 127;

/// Weights that fill a cache line.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
struct WeightLine(WeightPair);

#[derive(Clone, Debug)]
pub(super) struct Affine {
    /// The number of inputs, padded, in [`VECTOR`]s.
    pub(super) input_vectors: usize,
    /// Padded with zeros to blocks of outputs.
    pub(super) biases: Vec<[i32; LANES]>,
    /// By group of inputs and block of outputs.
    weights: Vec<WeightLine>,
}

impl Affine {
    /// A layer from its biases and, for each output, a row of `inputs` weights.
    pub(super) fn new(inputs: usize, biases: &[i32], rows: &[i8]) -> Self {
        let (vectors, blocks) = (inputs.div_ceil(VECTOR), biases.len().div_ceil(LANES));
        let mut lines = vec![WeightLine([0; _]); vectors * VECTOR_GROUPS * blocks / 2];
        let weights: &mut [WeightBlock] = bytemuck::must_cast_slice_mut(&mut lines);
        for (output, row) in rows.chunks_exact(inputs).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                let block = &mut weights[input / GROUP * blocks + output / LANES];
                block[output % LANES * GROUP + input % GROUP] = weight;
            }
        }
        let mut padded = vec![[0; LANES]; blocks];
        biases.iter().enumerate().for_each(|(output, &bias)| padded[output / LANES][output % LANES] = bias);
        Self { input_vectors: vectors, biases: padded, weights: lines }
    }

    /// Blocks of outputs.
    pub(super) fn blocks(&self) -> usize {
        self.biases.len()
    }

    /// By group of inputs and block of outputs.
    pub(super) fn weights(&self) -> &[WeightBlock] {
        bytemuck::must_cast_slice(&self.weights)
    }

    /// Two blocks at a time, aligned to cache lines.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn weight_pairs(&self) -> &[WeightPair] {
        bytemuck::must_cast_slice(&self.weights)
    }
}

/// The last layer, which has one output.
#[derive(Clone, Debug)]
pub(super) struct OutputRow {
    pub(super) bias: i32,
    /// Padded with zeros.
    pub(super) weights: Vec<[i8; VECTOR]>,
}

impl OutputRow {
    pub(super) fn new(bias: i32, weights: &[i8]) -> Self {
        let padded = |weights: &[i8]| std::array::from_fn(|at| weights.get(at).copied().unwrap_or(0));
        Self { bias, weights: weights.chunks(VECTOR).map(padded).collect() }
    }
}

/// The sums of a layer, given its inputs (0 to 127), padded with zeros, and the groups of them that
/// are not all 0.
#[inline(always)]
pub(super) fn sum(layer: &Affine, inputs: &[u8], groups: impl Iterator<Item = usize>, sums: &mut [[i32; LANES]]) {
    match layer.blocks() {
        1 => sum_blocks::<1>(layer, inputs, groups, sums),
        2 => sum_blocks::<2>(layer, inputs, groups, sums),
        4 => sum_blocks::<4>(layer, inputs, groups, sums),
        8 => sum_blocks::<8>(layer, inputs, groups, sums),
        blocks => {
            sums.copy_from_slice(&layer.biases);
            let (inputs, _) = inputs.as_chunks::<GROUP>();
            for group in groups {
                for (sums, weights) in sums.iter_mut().zip(&layer.weights()[group * blocks..]) {
                    *sums = add_products(*sums, inputs[group], weights);
                }
            }
        }
    }
}

#[inline(always)]
fn sum_blocks<const BLOCKS: usize>(
    layer: &Affine,
    inputs: &[u8],
    groups: impl Iterator<Item = usize>,
    sums: &mut [[i32; LANES]],
) {
    let mut all = [[0; LANES]; BLOCKS];
    all.copy_from_slice(&layer.biases);
    let (weights, _) = layer.weights().as_chunks::<BLOCKS>();
    let (inputs, _) = inputs.as_chunks::<GROUP>();
    for group in groups {
        let (input, weights) = (inputs[group], &weights[group]);
        for block in 0..BLOCKS {
            all[block] = add_products(all[block], input, &weights[block]);
        }
    }
    sums.copy_from_slice(&all);
}

/// The outputs of a hidden layer: its sums, clipped.
#[inline(always)]
pub(super) fn forward(layer: &Affine, inputs: &[u8], sums: &mut [[i32; LANES]], outputs: &mut [u8]) {
    let sums = &mut sums[..layer.blocks()];
    let (groups, _) = inputs.as_chunks::<GROUP>();
    // Many groups are 0, as negative values are clipped.
    sum(layer, inputs, (0..groups.len()).filter(|&group| groups[group] != [0; GROUP]), sums);
    for (sums, outputs) in sums.iter().zip(outputs.as_chunks_mut().0) {
        *outputs = clipped_relu(sums);
    }
}

#[inline(always)]
pub(super) fn dot(last: &OutputRow, inputs: &[u8]) -> i32 {
    let products = last.weights.as_flattened().iter().zip(inputs);
    // The bias of a file may be any number. The vector code wraps around too.
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
