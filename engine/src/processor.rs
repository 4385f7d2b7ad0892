//! What the processor must know for this build. A program that meets an instruction that its processor lacks is killed without a word; this one
//! says which build would run.

/// Features that this program was compiled for and the processor lacks; `None` where it can run.
///
/// `is_x86_feature_detected!` does not serve: what a program is compiled for it takes to be there.
#[cfg(target_arch = "x86_64")]
pub(crate) fn refusal() -> Option<String> {
    let missing: Vec<&str> =
        required().into_iter().filter(|feature| feature.required && !feature.present).map(|found| found.name).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "this program was built for a newer processor: {} missing. Build it with RUSTFLAGS=\"-C target-cpu=native\", or take the release for an \
             older processor",
            missing.join(", ")
        )
    })
}

/// Other processors have no levels that a release may have been built for.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn refusal() -> Option<String> {
    None
}

/// A feature of a processor.
#[cfg(target_arch = "x86_64")]
struct Feature {
    name: &'static str,
    /// Whether this program was compiled for it.
    required: bool,
    /// Whether the processor has it.
    present: bool,
}

/// The features that set the levels x86-64-v2, v3 and v4 apart, but those that compilers hardly ever use.
#[cfg(target_arch = "x86_64")]
fn required() -> [Feature; 14] {
    let identity = raw_cpuid::CpuId::new();
    let basic = identity.get_feature_info();
    let extended = identity.get_extended_feature_info();
    let amd = identity.get_extended_processor_and_feature_identifiers();
    let basic = |has: fn(&raw_cpuid::FeatureInfo) -> bool| basic.as_ref().is_some_and(has);
    let extended = |has: fn(&raw_cpuid::ExtendedFeatures) -> bool| extended.as_ref().is_some_and(has);
    let feature = |name, required, present| Feature { name, required, present };
    [
        feature("SSSE3", cfg!(target_feature = "ssse3"), basic(raw_cpuid::FeatureInfo::has_ssse3)),
        feature("SSE4.1", cfg!(target_feature = "sse4.1"), basic(raw_cpuid::FeatureInfo::has_sse41)),
        feature("SSE4.2", cfg!(target_feature = "sse4.2"), basic(raw_cpuid::FeatureInfo::has_sse42)),
        feature("POPCNT", cfg!(target_feature = "popcnt"), basic(raw_cpuid::FeatureInfo::has_popcnt)),
        feature("AVX", cfg!(target_feature = "avx"), basic(raw_cpuid::FeatureInfo::has_avx)),
        feature("FMA", cfg!(target_feature = "fma"), basic(raw_cpuid::FeatureInfo::has_fma)),
        feature("MOVBE", cfg!(target_feature = "movbe"), basic(raw_cpuid::FeatureInfo::has_movbe)),
        feature("LZCNT", cfg!(target_feature = "lzcnt"), amd.as_ref().is_some_and(|amd| amd.has_lzcnt())),
        feature("BMI1", cfg!(target_feature = "bmi1"), extended(raw_cpuid::ExtendedFeatures::has_bmi1)),
        feature("BMI2", cfg!(target_feature = "bmi2"), extended(raw_cpuid::ExtendedFeatures::has_bmi2)),
        feature("AVX2", cfg!(target_feature = "avx2"), extended(raw_cpuid::ExtendedFeatures::has_avx2)),
        feature("AVX512F", cfg!(target_feature = "avx512f"), extended(raw_cpuid::ExtendedFeatures::has_avx512f)),
        feature("AVX512BW", cfg!(target_feature = "avx512bw"), extended(raw_cpuid::ExtendedFeatures::has_avx512bw)),
        feature("AVX512VL", cfg!(target_feature = "avx512vl"), extended(raw_cpuid::ExtendedFeatures::has_avx512vl)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_will_do() {
        assert_eq!(refusal(), None);
    }

    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[test]
    fn what_is_present_is_what_the_system_says() {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let line = text.lines().find(|line| line.starts_with("flags")).unwrap();
        let flags: Vec<&str> = line.split_whitespace().collect();
        for feature in required() {
            let name = match feature.name {
                "LZCNT" => "abm".to_owned(),
                other => other.to_lowercase().replace('.', "_"),
            };
            assert_eq!(feature.present, flags.contains(&name.as_str()), "{}", feature.name);
        }
    }
}
