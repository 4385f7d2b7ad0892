//! What the values themselves say about their reliability: a shallow value that lies far from the static one comes from exchanges and threats
//! that a deeper search may refute.

use crate::Value;

/// The number of features of a pair of values.
pub const VALUE_FEATURES: usize = 3;

/// What these features say.
pub const VALUE_FEATURE_NAMES: [&str; VALUE_FEATURES] =
    ["distance of the shallow value from the static one", "its square", "distance of the shallow value from 0"];

/// Greater distances count as this, in centipawns.
const GREATEST_DISTANCE: Value = 1500;
const GREATEST_VALUE: Value = 2000;

/// The features of the static value of a position and that of a shallow search, each about 1 where the value is surprising.
#[must_use]
pub fn value_features(static_value: Value, shallow: Value) -> [f32; VALUE_FEATURES] {
    let distance = (shallow - static_value).abs().min(GREATEST_DISTANCE) as f32 / 500.0;
    [distance, distance * distance, shallow.abs().min(GREATEST_VALUE) as f32 / 1000.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprising_values_have_great_features_up_to_a_limit() {
        assert_eq!(value_features(100, 100), [0.0, 0.0, 0.1]);
        assert_eq!(value_features(-250, 250), [1.0, 1.0, 0.25]);
        assert_eq!(value_features(0, 30_000), value_features(0, -2000));
    }
}
