//! What the processor must know for this build. A program that meets an instruction that its processor lacks is killed without a word; this one
//! says which build would run.
//!
//! `is_x86_feature_detected!` does not serve: what a program is compiled for it takes to be there. And whatever is done here before the answer is
//! known must do without the instructions in question, for which no attribute exists. So it is done with whole numbers, one bit after the other,
//! without formatting; `.ci/interop` starts the programs on an emulated processor that is too old. In a program's `main` this comes first, and what else it
//! does stands in a function that is not inlined.
//!
//! Beside that, [`prefer_short_time_slices`]: how soon a thread that was waiting gets a processor.

mod time_slice;

use std::io::Write;

pub use time_slice::prefer_short_time_slices;

/// Whether this program runs on this processor. If not, one line to `output` says what is missing.
#[inline(never)]
pub fn is_sufficient(program: &str, output: &mut dyn Write) -> bool {
    let Some(feature) = missing_feature() else { return true };
    // Without formatting, which is compiled for the newer processor too.
    for text in [program, ": this program was built for a newer processor: this one lacks ", feature, "\n"] {
        let _ = output.write_all(text.as_bytes());
    }
    false
}

/// The name of a feature that this program was compiled for and the processor lacks; `None` where it can run.
#[cfg(target_arch = "x86_64")]
#[must_use]
#[inline(never)]
pub fn missing_feature() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let greatest = __cpuid(0).eax;
    let features = __cpuid(1).ecx;
    let extended = if greatest >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let amd = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
    // By the levels x86-64-v2, v3 and v4, without what compilers hardly ever use.
    missing(cfg!(target_feature = "ssse3"), features, 9, "SSSE3")
        .or(missing(cfg!(target_feature = "sse4.1"), features, 19, "SSE4.1"))
        .or(missing(cfg!(target_feature = "sse4.2"), features, 20, "SSE4.2"))
        .or(missing(cfg!(target_feature = "popcnt"), features, 23, "POPCNT"))
        .or(missing(cfg!(target_feature = "avx"), features, 28, "AVX"))
        .or(missing(cfg!(target_feature = "fma"), features, 12, "FMA"))
        .or(missing(cfg!(target_feature = "movbe"), features, 22, "MOVBE"))
        .or(missing(cfg!(target_feature = "lzcnt"), amd, 5, "LZCNT"))
        .or(missing(cfg!(target_feature = "bmi1"), extended, 3, "BMI1"))
        .or(missing(cfg!(target_feature = "avx2"), extended, 5, "AVX2"))
        .or(missing(cfg!(target_feature = "bmi2"), extended, 8, "BMI2"))
        .or(missing(cfg!(target_feature = "avx512f"), extended, 16, "AVX-512F"))
        .or(missing(cfg!(target_feature = "avx512dq"), extended, 17, "AVX-512DQ"))
        .or(missing(cfg!(target_feature = "avx512cd"), extended, 28, "AVX-512CD"))
        .or(missing(cfg!(target_feature = "avx512bw"), extended, 30, "AVX-512BW"))
        .or(missing(cfg!(target_feature = "avx512vl"), extended, 31, "AVX-512VL"))
}

/// Other processors have no levels that a release may have been built for.
#[cfg(not(target_arch = "x86_64"))]
#[must_use]
pub fn missing_feature() -> Option<&'static str> {
    None
}

/// The name, if the feature is needed and its bit is not set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn missing(is_needed: bool, features: u32, bit: u32, name: &'static str) -> Option<&'static str> {
    // Several bits must not be looked at together, in a vector.
    let is_present = std::hint::black_box(features) & (1 << bit) != 0;
    if is_needed && !is_present { Some(name) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_will_do() {
        let mut said = Vec::new();
        assert!(is_sufficient("program", &mut said) && said.is_empty());
        assert_eq!(missing_feature(), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_feature_is_missed_only_where_it_is_needed() {
        assert_eq!(missing(true, 0b0101, 1, "X"), Some("X"));
        assert_eq!(missing(true, 0b0101, 2, "X"), None);
        assert_eq!(missing(false, 0, 1, "X"), None);
    }
}
