//! One stack of layers with VNNI.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_setzero_si128, _mm_unpacklo_epi64, _mm256_add_epi32, _mm256_dpbusd_epi32,
    _mm256_set_m128i, _mm256_set1_epi32, _mm256_setzero_si256, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_castsi256_si512, _mm512_cvtepi16_epi8, _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_dpbusd_epi32,
    _mm512_inserti64x4, _mm512_maskz_compress_epi32, _mm512_max_epi16, _mm512_max_epi32, _mm512_min_epi16,
    _mm512_min_epi32, _mm512_mullo_epi16, _mm512_mullo_epi32, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_srai_epi32, _mm512_srli_epi16, _mm512_test_epi32_mask, _mm512_zextsi256_si512,
};

use crate::network::affine::{Affine, GROUP, LANES, MOST_SQUARED, ONE, OutputRow, SHIFT, SQUARE_SHIFT, WeightBlock};
use crate::network::transformer::CacheLine;
use crate::network::vnni::{CHAINS, Outputs, dot, hidden, is_available, is_known};

/// Bytes of a vector.
const BYTES: usize = 64;
/// Groups of inputs in a vector.
const GROUPS: usize = BYTES / GROUP;

/// Whether the processor has VNNI and [`output`] handles layers of these sizes.
pub(in crate::network) fn is_usable(first: &Affine, second: &Affine) -> bool {
    matches!(first.blocks(), 1 | 2 | 4) && is_known(second) && is_available()
}

/// The network's output from the sums of both sides. `inputs` and `groups` are scratch space: the
/// first layer's inputs, and the indices of the groups that are not 0.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(in crate::network) fn output(
    sums: [&[CacheLine]; 2],
    (first, second, last): (&Affine, &Affine, &OutputRow),
    shortcut: Option<usize>,
    inputs: &mut [u8],
    groups: &mut [u16],
) -> i32 {
    let groups = multiply_pairs(sums, inputs, groups);
    let (sums, inputs) = match first.blocks() {
        1 => first_block(first, inputs, groups),
        2 => first_pairs::<1>(first, inputs, groups),
        _ => first_pairs::<2>(first, inputs, groups),
    };
    let shortcut = shortcut.map_or(0, |output| bytemuck::must_cast::<_, [i32; 4 * LANES]>(sums)[output]);
    dot(last, hidden(second, inputs)).wrapping_add(shortcut)
}

/// The inputs of the first layer, and the indices of the groups that are not 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn multiply_pairs<'a>(sums: [&[CacheLine]; 2], inputs: &mut [u8], groups: &'a mut [u16]) -> &'a [u16] {
    let (vectors, _) = inputs.as_chunks_mut::<BYTES>();
    let mut numbers: __m512i = bytemuck::must_cast(std::array::from_fn::<i32, GROUPS, _>(|group| group as i32));
    let mut count = 0;
    // A side has a multiple of 32 products. If it is an odd one, the last vector holds products of
    // both sides.
    let pairs = sums.into_iter().flat_map(|sums| {
        let (one, other) = sums.split_at(sums.len() / 2);
        one.iter().zip(other)
    });
    let mut products = pairs.map(|(&one, &other)| products(one, other));
    for vector in vectors {
        let (Some(low), Some(high)) = (products.next(), products.next()) else { break };
        let bytes = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
        *vector = bytemuck::must_cast(bytes);
        let set = _mm512_test_epi32_mask(bytes, bytes);
        let listed = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(set, numbers));
        let places: &mut [u16; GROUPS] = (&mut groups[count..count + GROUPS]).try_into().expect("as many");
        *places = bytemuck::must_cast(listed);
        count += set.count_ones() as usize;
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(GROUPS as i32));
    }
    &groups[..count]
}

/// The products of two lines of sums, doubled and clipped; 254 stands for 1.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn products(one: CacheLine, other: CacheLine) -> __m256i {
    let [one, other] = [one, other].map(|line| {
        let line: __m512i = bytemuck::must_cast(line);
        _mm512_min_epi16(_mm512_max_epi16(_mm512_add_epi16(line, line), _mm512_setzero_si512()), _mm512_set1_epi16(254))
    });
    _mm512_cvtepi16_epi8(_mm512_srli_epi16::<9>(_mm512_mullo_epi16(one, other)))
}

/// The first layer, of 16 or 32 outputs: its sums and the inputs of the second layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn first_pairs<const PAIRS: usize>(layer: &Affine, inputs: &[u8], groups: &[u16]) -> ([__m512i; 2], Outputs) {
    let (weights, _) = layer.weight_pairs().as_chunks::<PAIRS>();
    let (inputs, _) = inputs.as_chunks::<GROUP>();
    let mut all = [[_mm512_setzero_si512(); PAIRS]; CHAINS];
    let mut add = |chain: usize, group: u16| {
        let group = usize::from(group);
        let input = _mm512_set1_epi32(i32::from_ne_bytes(inputs[group]));
        for pair in 0..PAIRS {
            let sum = &mut all[chain][pair];
            *sum = _mm512_dpbusd_epi32(*sum, input, bytemuck::must_cast(weights[group][pair]));
        }
    };
    let (rounds, rest) = groups.as_chunks::<CHAINS>();
    for round in rounds {
        round.iter().enumerate().for_each(|(chain, &group)| add(chain, group));
    }
    rest.iter().for_each(|&group| add(0, group));
    let (biases, _) = bytemuck::must_cast_slice::<_, i32>(&layer.biases).as_chunks::<{ 2 * LANES }>();
    let mut sums = [_mm512_setzero_si512(); 2];
    let mut outputs = [_mm256_setzero_si256(); 2];
    let mut halves = [[_mm_setzero_si128(); 2]; 2];
    for pair in 0..PAIRS {
        let [one, two] = [0, 2].map(|chain| _mm512_add_epi32(all[chain][pair], all[chain + 1][pair]));
        sums[pair] = _mm512_add_epi32(_mm512_add_epi32(one, two), bytemuck::must_cast(biases[pair]));
        halves[pair] = activations(sums[pair]);
    }
    if PAIRS == 1 {
        outputs[0] = _mm256_set_m128i(halves[0][1], halves[0][0]);
    } else {
        outputs = [0, 1].map(|kind| _mm256_set_m128i(halves[1][kind], halves[0][kind]));
    }
    (sums, outputs)
}

/// The first layer, of 8 outputs: its sums and the inputs of the second layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn first_block(layer: &Affine, inputs: &[u8], groups: &[u16]) -> ([__m512i; 2], Outputs) {
    let weights: &[WeightBlock] = layer.weights();
    let (inputs, _) = inputs.as_chunks::<GROUP>();
    let mut all = [_mm256_setzero_si256(); CHAINS];
    let mut add = |chain: usize, group: u16| {
        let group = usize::from(group);
        let input = _mm256_set1_epi32(i32::from_ne_bytes(inputs[group]));
        all[chain] = _mm256_dpbusd_epi32(all[chain], input, bytemuck::must_cast(weights[group]));
    };
    let (rounds, rest) = groups.as_chunks::<CHAINS>();
    for round in rounds {
        round.iter().enumerate().for_each(|(chain, &group)| add(chain, group));
    }
    rest.iter().for_each(|&group| add(0, group));
    let [one, two] = [0, 2].map(|chain| _mm256_add_epi32(all[chain], all[chain + 1]));
    let sums = _mm256_add_epi32(_mm256_add_epi32(one, two), bytemuck::must_cast(layer.biases[0]));
    let sums = _mm512_zextsi256_si512(sums);
    let [squares, clipped] = activations(sums);
    // The squares of 8 outputs, then their clipped values.
    let inputs = _mm256_set_m128i(_mm_setzero_si128(), _mm_unpacklo_epi64(squares, clipped));
    ([sums, _mm512_setzero_si512()], [inputs, _mm256_setzero_si256()])
}

/// The squares of 16 sums, and the sums clipped.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn activations(sums: __m512i) -> [__m128i; 2] {
    let limit = _mm512_set1_epi32(MOST_SQUARED);
    let sums = _mm512_min_epi32(_mm512_max_epi32(sums, _mm512_set1_epi32(-MOST_SQUARED)), limit);
    let squares = _mm512_srai_epi32::<SQUARE_SHIFT>(_mm512_mullo_epi32(sums, sums));
    let clipped = _mm512_max_epi32(_mm512_srai_epi32::<SHIFT>(sums), _mm512_setzero_si512());
    [squares, clipped].map(|numbers| _mm512_cvtepi32_epi8(_mm512_min_epi32(numbers, _mm512_set1_epi32(ONE))))
}
