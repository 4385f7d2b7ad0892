//! Quantiles of a sample.

/// By linear interpolation between the sorted values, of which there is one at least.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_values() {
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
        assert_eq!(quantile(&[1.0, 3.0], 0.5), 2.0);
        assert_eq!(quantile(&[0.0, 10.0, 20.0, 30.0, 40.0], 0.9), 36.0);
    }
}
