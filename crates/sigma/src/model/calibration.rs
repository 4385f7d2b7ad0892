//! Whether estimated sigmas are right, and whether errors are normal.

use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// Samples of about the same estimated sigma.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CalibrationGroup {
    /// The mean of the estimated sigmas.
    pub estimated: f64,
    /// The root mean square of the differences.
    pub observed: f64,
    /// How many samples there are.
    pub samples: usize,
}

/// Samples in the order of their estimated sigmas, cut into groups of the same size.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration {
    /// The groups, the least sigma first.
    pub groups: Vec<CalibrationGroup>,
    /// The slope of the line through the origin that is nearest to the groups, observed over estimated: 1 if sigma is right.
    pub slope: f64,
}

impl Calibration {
    /// Of estimated sigmas and the differences that belong to them.
    ///
    /// # Errors
    /// If there are fewer samples than groups, no group, lists of unequal length, or a sigma that is not above zero.
    pub fn new(sigmas: &[f64], differences: &[f64], groups: usize) -> Result<Self> {
        check("the number of groups", groups as f64, |groups| groups >= 1.0, "1 or more")?;
        check("the number of samples", sigmas.len() as f64, |samples| samples >= groups as f64, "one for each group")?;
        check("the number of differences", differences.len() as f64, |n| n == sigmas.len() as f64, "that of sigmas")?;
        for &sigma in sigmas {
            check("a sigma", sigma, |sigma| sigma > 0.0, "above 0")?;
        }
        let mut order: Vec<usize> = (0..sigmas.len()).collect();
        order.sort_by(|&a, &b| sigmas[a].total_cmp(&sigmas[b]));
        let groups: Vec<CalibrationGroup> = (0..groups)
            .map(|group| &order[group * order.len() / groups..(group + 1) * order.len() / groups])
            .map(|members| {
                let mean = |number: &dyn Fn(usize) -> f64| {
                    members.iter().map(|&member| number(member)).sum::<f64>() / members.len() as f64
                };
                CalibrationGroup {
                    estimated: mean(&|member| sigmas[member]),
                    observed: mean(&|member| differences[member].powi(2)).sqrt(),
                    samples: members.len(),
                }
            })
            .collect();
        let products: f64 = groups.iter().map(|group| group.estimated * group.observed).sum();
        let squares: f64 = groups.iter().map(|group| group.estimated.powi(2)).sum();
        Ok(Self { groups, slope: products / squares })
    }
}

/// How much heavier the tails of numbers are than those of a normal distribution: the fourth central moment over the square of the second,
/// less 3. A normal distribution has 0, one of long tails more.
///
/// # Errors
/// Without two different numbers.
pub fn excess_kurtosis(numbers: &[f64]) -> Result<f64> {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let moment = |power| numbers.iter().map(|number| (number - mean).powi(power)).sum::<f64>() / count;
    let variance = moment(2);
    if variance.is_nan() || variance <= 0.0 {
        return Err(StatsError::NotEstimable { what: "the kurtosis", reason: "there are no two different numbers" });
    }
    Ok(moment(4) / (variance * variance) - 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_the_sigmas_and_hold_every_sample() {
        let calibration = Calibration::new(&[30.0, 10.0, 20.0, 40.0, 50.0], &[3.0, -1.0, 1.0, 4.0, -5.0], 2).unwrap();
        let [low, high] = calibration.groups[..] else { panic!("two groups") };
        assert_eq!((low.samples, low.estimated, low.observed), (2, 15.0, 1.0));
        assert_eq!((high.samples, high.estimated), (3, 40.0));
        assert!((high.observed - (50f64 / 3.0).sqrt()).abs() < 1e-12);
        let slope = (15.0 * 1.0 + 40.0 * high.observed) / (225.0 + 1600.0);
        assert!((calibration.slope - slope).abs() < 1e-12);
    }

    #[test]
    fn impossible_groups_are_refused() {
        assert!(Calibration::new(&[1.0], &[1.0], 2).is_err() && Calibration::new(&[1.0], &[1.0], 0).is_err());
        assert!(Calibration::new(&[1.0, 2.0], &[1.0], 1).is_err() && Calibration::new(&[0.0], &[1.0], 1).is_err());
    }

    #[test]
    fn kurtosis_tells_long_tails() {
        // A coin has the least possible, -2.
        assert_eq!(excess_kurtosis(&[1.0, -1.0, 1.0, -1.0]), Ok(-2.0));
        let mut tailed = vec![0.0; 98];
        tailed.extend([10.0, -10.0]);
        assert!((excess_kurtosis(&tailed).unwrap() - 47.0).abs() < 1e-9);
        assert!(excess_kurtosis(&[5.0, 5.0]).is_err() && excess_kurtosis(&[]).is_err());
    }
}
