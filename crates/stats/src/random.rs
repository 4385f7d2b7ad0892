//! Random streams: one for each replicate of a simulation, whatever thread computes it.

use rand_pcg::Pcg64;

/// The stream of one replicate. The replicate's number selects the generator's stream. The initial
/// state is mixed from seed and number, because streams of a linear generator with equal initial
/// states are strongly correlated.
pub fn stream(seed: u64, replicate: u64) -> Pcg64 {
    let high = mix(seed ^ mix(replicate));
    let low = mix(high.wrapping_add(replicate));
    Pcg64::new(u128::from(high) << 64 | u128::from(low), u128::from(replicate))
}

/// The finishing step of SplitMix64 (Steele, Lea and Flood 2014).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
