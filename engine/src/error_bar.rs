//! A value with its uncertainty, drawn with letters.

/// The values at both ends of the bar, in centipawns.
const END: i32 = 1500;
/// Letters on each side of the middle one.
const HALF: i32 = 20;

/// A line with the value as `●` on a scale from -1500 to 1500 centipawns, and the interval of one sigma on both sides of it.
pub(crate) fn error_bar(value: i32, sigma: f32) -> String {
    let place = |value: i32| HALF + (value.clamp(-END, END) as f32 * HALF as f32 / END as f32).round() as i32;
    let sigma = sigma.round() as i32;
    let (low, middle, high) = (place(value - sigma), place(value), place(value + sigma));
    let letter = |at: i32| match at {
        at if at == middle => '●',
        at if at == low => '├',
        at if at == high => '┤',
        at if low < at && at < high => '─',
        at if at == HALF => '|',
        _ => '·',
    };
    (0..=2 * HALF).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_stands_in_its_interval() {
        assert_eq!(error_bar(0, 300.0), "················├───●───┤················");
        assert_eq!(error_bar(750, 75.0), "····················|········├●┤·········");
        assert_eq!(error_bar(-750, 75.0), "·········├●┤········|····················");
    }

    #[test]
    fn what_lies_beyond_the_scale_stands_at_its_end() {
        assert_eq!(error_bar(5000, 300.0), "····················|···················●");
        assert_eq!(error_bar(-1400, 300.0), "├●───┤··············|····················");
    }
}
