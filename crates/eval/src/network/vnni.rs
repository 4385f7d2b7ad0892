//! Products of inputs and weights by the processor's instruction for them (VNNI), where it is found when the program runs.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::{__m256i, _mm256_dpbusd_epi32, _mm256_set1_epi32};

use super::block::{GROUP, LANES};

/// Whether the processor has the instruction.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl")
}

/// Adds the products of all groups of inputs with their weights to the sums of the outputs.
#[target_feature(enable = "avx512vnni,avx512vl")]
pub(super) fn add_products<const BLOCKS: usize>(
    sums: &mut [[i32; LANES]; BLOCKS],
    inputs: &[[u8; GROUP]],
    weights: &[[[i8; GROUP * LANES]; BLOCKS]],
) {
    let mut all: [__m256i; BLOCKS] = bytemuck::cast(*sums);
    for (weights, &input) in weights.iter().zip(inputs) {
        // Many groups are 0, as values below 0 are clipped.
        if input != [0; GROUP] {
            let input = _mm256_set1_epi32(i32::from_ne_bytes(input));
            for block in 0..BLOCKS {
                all[block] = _mm256_dpbusd_epi32(all[block], input, bytemuck::must_cast(weights[block]));
            }
        }
    }
    *sums = bytemuck::cast(all);
}
