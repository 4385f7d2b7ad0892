//! Layers with the VNNI instruction for products and sums, and vectors of 512 bits. The program
//! checks for both at run time. All numbers between the layers stay in registers.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_setzero_si128, _mm_shuffle_epi32,
    _mm256_castsi256_si128, _mm256_dpbusd_epi32, _mm256_extracti128_si256, _mm256_set_m128i, _mm256_setzero_si256,
    _mm512_add_epi32, _mm512_castsi256_si512, _mm512_cvtsepi32_epi8, _mm512_dpbusd_epi32, _mm512_max_epi32,
    _mm512_permutexvar_epi32, _mm512_setzero_si512, _mm512_shuffle_i64x2, _mm512_srai_epi32,
};

use super::affine::{Affine, LANES, OutputRow, SHIFT, VECTOR, VECTOR_GROUPS, WeightPair};

/// Number of independent sums of products, so that no instruction waits for the one before it.
pub(super) const CHAINS: usize = 4;

/// The outputs of a hidden layer, zeros behind them.
pub(super) type Outputs = [__m256i; 2];

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

/// Whether [`hidden`] handles layers with this many blocks of outputs.
pub(super) fn is_known(layer: &Affine) -> bool {
    matches!(layer.blocks(), 1 | 2 | 4 | 8)
}

/// A hidden layer of at most 64 inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn hidden(layer: &Affine, inputs: Outputs) -> Outputs {
    let inputs = &inputs[..layer.input_vectors];
    match layer.blocks() {
        1 => hidden_block(layer, inputs),
        2 => hidden_pairs::<1>(layer, inputs),
        4 => hidden_pairs::<2>(layer, inputs),
        _ => hidden_pairs::<4>(layer, inputs),
    }
}

/// A hidden layer of 16, 32 or 64 outputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn hidden_pairs<const PAIRS: usize>(layer: &Affine, inputs: &[__m256i]) -> Outputs {
    let mut all = [[_mm512_setzero_si512(); PAIRS]; CHAINS];
    for (&inputs, weights) in inputs.iter().zip(by_vector(layer)) {
        add_products(&mut all, inputs, weights);
    }
    outputs(layer, &all)
}

/// A hidden layer of 8 outputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn hidden_block(layer: &Affine, inputs: &[__m256i]) -> Outputs {
    let mut all = [_mm512_setzero_si512(); CHAINS];
    let (weights, _) = layer.weight_pairs().as_chunks();
    for (&inputs, weights) in inputs.iter().zip(weights) {
        add_products_of_block(&mut all, inputs, weights);
    }
    outputs_of_block(layer, all)
}

/// Weights by vector of inputs, group in it and pair of blocks.
#[inline(always)]
pub(super) fn by_vector<const PAIRS: usize>(layer: &Affine) -> &[[[WeightPair; PAIRS]; VECTOR_GROUPS]] {
    let (groups, _) = layer.weight_pairs().as_chunks();
    groups.as_chunks().0
}

/// Adds the products of a vector of inputs and their weights. Each group of inputs is broadcast
/// over a vector of outputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn add_products<const PAIRS: usize>(
    sums: &mut [[__m512i; PAIRS]; CHAINS],
    inputs: __m256i,
    weights: &[[WeightPair; PAIRS]; VECTOR_GROUPS],
) {
    let inputs = _mm512_castsi256_si512(inputs);
    for group in 0..VECTOR_GROUPS {
        let input = _mm512_permutexvar_epi32(bytemuck::must_cast([group as i32; 16]), inputs);
        for pair in 0..PAIRS {
            let sum = &mut sums[group % CHAINS][pair];
            *sum = _mm512_dpbusd_epi32(*sum, input, bytemuck::must_cast(weights[group][pair]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn outputs<const PAIRS: usize>(layer: &Affine, sums: &[[__m512i; PAIRS]; CHAINS]) -> Outputs {
    let (biases, _) = bytemuck::must_cast_slice::<_, i32>(&layer.biases).as_chunks::<{ 2 * LANES }>();
    let mut outputs = [_mm_setzero_si128(); 4];
    for pair in 0..PAIRS {
        let halves = [0, 2].map(|chain| _mm512_add_epi32(sums[chain][pair], sums[chain + 1][pair]));
        let sum = _mm512_add_epi32(halves[0], halves[1]);
        outputs[pair] = clipped(_mm512_add_epi32(sum, bytemuck::must_cast(biases[pair])));
    }
    [_mm256_set_m128i(outputs[1], outputs[0]), _mm256_set_m128i(outputs[3], outputs[2])]
}

/// Adds the products of a vector of inputs and their weights for 8 outputs: two groups of inputs at
/// a time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn add_products_of_block(sums: &mut [__m512i; CHAINS], inputs: __m256i, weights: &[WeightPair; CHAINS]) {
    let inputs = _mm512_castsi256_si512(inputs);
    for chain in 0..CHAINS {
        let groups: [i32; 16] = std::array::from_fn(|lane| (2 * chain + lane / LANES) as i32);
        let group_pair = _mm512_permutexvar_epi32(bytemuck::must_cast(groups), inputs);
        sums[chain] = _mm512_dpbusd_epi32(sums[chain], group_pair, bytemuck::must_cast(weights[chain]));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn outputs_of_block(layer: &Affine, sums: [__m512i; CHAINS]) -> Outputs {
    let halves = [0, 2].map(|chain| _mm512_add_epi32(sums[chain], sums[chain + 1]));
    let sum = _mm512_add_epi32(halves[0], halves[1]);
    let sum = _mm512_add_epi32(sum, _mm512_shuffle_i64x2::<0b01_00_11_10>(sum, sum));
    let mut biases = [[0; LANES]; 2];
    biases[0] = layer.biases[0];
    let bytes = clipped(_mm512_add_epi32(sum, bytemuck::must_cast(biases)));
    // The upper half repeats the lower one and has no weights.
    [_mm256_set_m128i(_mm_setzero_si128(), bytes), _mm256_setzero_si256()]
}

/// The inputs of the next layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn clipped(sums: __m512i) -> __m128i {
    // Saturation to the narrower type gives the upper bound.
    _mm512_cvtsepi32_epi8(_mm512_max_epi32(_mm512_srai_epi32::<SHIFT>(sums), _mm512_setzero_si512()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dot(last: &OutputRow, inputs: Outputs) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for (&weights, input) in last.weights.iter().zip(inputs) {
        sums = _mm256_dpbusd_epi32(sums, input, bytemuck::must_cast::<[i8; VECTOR], _>(weights));
    }
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
    // The bias of a file may be any number. The vector code wraps around too.
    last.bias.wrapping_add(_mm_cvtsi128_si32(sums))
}
