//! The layers of the classic form with VNNI.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::{__m256i, _mm512_cvtsepi16_epi8, _mm512_max_epi16, _mm512_setzero_si512};

use crate::network::affine::{Affine, OutputRow};
use crate::network::transformer::CacheLine;
use crate::network::vnni::{
    CHAINS, Outputs, add_products, add_products_of_block, by_vector, dot, hidden, is_available, is_known, outputs,
    outputs_of_block,
};

/// Whether the processor has VNNI and [`output`] handles hidden layers of these sizes.
pub(in crate::network) fn is_usable(first: &Affine, second: &Affine) -> bool {
    is_known(first) && is_known(second) && is_available()
}

/// The network's output from the sums of both sides.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(in crate::network) fn output(
    sums: [&[CacheLine]; 2],
    (first, second, last): (&Affine, &Affine, &OutputRow),
) -> i32 {
    let inputs = match first.blocks() {
        1 => first_block(first, sums),
        2 => first_pairs::<1>(first, sums),
        4 => first_pairs::<2>(first, sums),
        _ => first_pairs::<4>(first, sums),
    };
    dot(last, hidden(second, inputs))
}

/// Sums of the transformer, clipped to 0 to 127.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn clip(line: CacheLine) -> __m256i {
    // Saturation to the narrower type gives the upper bound.
    _mm512_cvtsepi16_epi8(_mm512_max_epi16(bytemuck::must_cast(line), _mm512_setzero_si512()))
}

/// The first layer, of 16, 32 or 64 outputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn first_pairs<const PAIRS: usize>(layer: &Affine, sums: [&[CacheLine]; 2]) -> Outputs {
    let mut all = [[_mm512_setzero_si512(); PAIRS]; CHAINS];
    for (sums, weights) in sums.into_iter().zip(by_vector(layer).chunks_exact(sums[0].len())) {
        for (&line, weights) in sums.iter().zip(weights) {
            add_products(&mut all, clip(line), weights);
        }
    }
    outputs(layer, &all)
}

/// The first layer, of 8 outputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn first_block(layer: &Affine, sums: [&[CacheLine]; 2]) -> Outputs {
    let (weights, _) = layer.weight_pairs().as_chunks();
    let mut all = [_mm512_setzero_si512(); CHAINS];
    for (sums, weights) in sums.into_iter().zip(weights.chunks_exact(sums[0].len())) {
        for (&line, weights) in sums.iter().zip(weights) {
            add_products_of_block(&mut all, clip(line), weights);
        }
    }
    outputs_of_block(layer, all)
}
