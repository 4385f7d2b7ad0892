//! The weights and biases of the layers behind the transformer, as they lie in memory.

/// Inputs that are multiplied at once.
pub(super) const GROUP: usize = 4;
/// Outputs that are summed at once.
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

/// Weights that fill a line of the processor's cache.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
struct WeightLine(WeightPair);

/// A hidden layer.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    /// The number of inputs, padded, in [`VECTOR`]s.
    input_vectors: usize,
    /// Padded with zeros to blocks of outputs.
    biases: Vec<[i32; LANES]>,
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

    /// The number of inputs, padded, in [`VECTOR`]s.
    pub(super) fn input_vectors(&self) -> usize {
        self.input_vectors
    }

    /// Blocks of outputs.
    pub(super) fn blocks(&self) -> usize {
        self.biases.len()
    }

    /// By block of outputs.
    pub(super) fn biases(&self) -> &[[i32; LANES]] {
        &self.biases
    }

    /// By group of inputs and block of outputs.
    pub(super) fn weights(&self) -> &[WeightBlock] {
        bytemuck::must_cast_slice(&self.weights)
    }

    /// Two blocks at a time, aligned to lines of the processor's cache.
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
