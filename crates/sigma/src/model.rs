//! How far a shallow value may be off: a normal error whose width, sigma, depends on the position.
//!
//! [`SigmaSamples`] holds features of positions, each with a deep value less a shallow one. [`fit`]
//! finds the weights under which these differences are most likely, by Fisher's method of scoring
//! (1935). [`SigmaCalibration`] compares the fitted sigma with the observed one, group by group.

use std::f64::consts::PI;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kiki_eval::sigma::SigmaLink;
use kiki_stats::error::check;
use kiki_stats::regression::cholesky;
use kiki_stats::sparse_rows::SparseRows;
use kiki_stats::{Result, StatsError};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

pub(crate) fn link_parser() -> impl TypedValueParser<Value = SigmaLink> {
    PossibleValuesParser::new(["linear", "log"])
        .map(|name| if name == "log" { SigmaLink::Log } else { SigmaLink::Linear })
}

/// Sigma for a weighted sum of features, in the unit of the differences. With the linear link the
/// sum of features that never occurred together may be negative, so users apply a floor. With the
/// logarithmic link the likelihood has a single maximum.
fn sigma_of(link: SigmaLink, sum: f64) -> f64 {
    match link {
        SigmaLink::Linear => sum,
        SigmaLink::Log => sum.exp(),
    }
}

/// Logarithm of the density of a difference under a sigma.
fn log_likelihood(difference: f64, sigma: f64) -> f64 {
    let z = difference / sigma;
    -0.5 * z * z - sigma.ln() - 0.5 * (2.0 * PI).ln()
}

pub(crate) fn column_name(column: usize) -> String {
    if column == 0 { "constant".to_owned() } else { format!("feature {column}") }
}

/// The constant sigma with this mean log-likelihood at its maximum: `exp(-L - 1/2) / sqrt(2 pi)`.
/// Refuses a mean beyond ±700, which keeps sigma above 0 and finite.
pub(crate) fn equivalent_sigma(mean_log_likelihood: f64) -> Result<f64> {
    check("a mean log-likelihood", mean_log_likelihood, |value| value.abs() <= 700.0, "from -700 to 700")?;
    Ok((-mean_log_likelihood - 0.5).exp() / (2.0 * PI).sqrt())
}

/// Features of positions (a column and a value), each with a deep value less a shallow one.
///
/// Column 0 is the constant: every sample has it with the value 1.
#[derive(Clone, Debug)]
pub(crate) struct SigmaSamples {
    rows: SparseRows,
    /// Deep less shallow value of each sample.
    pub(crate) differences: Vec<f64>,
}

impl SigmaSamples {
    /// An empty set with features in columns 1 to `columns - 1`.
    pub(crate) fn new(columns: usize) -> Self {
        Self { rows: SparseRows::new(columns.max(1)), differences: Vec::new() }
    }

    /// Refuses column 0, the constant, and numbers that are not finite.
    pub(crate) fn push(&mut self, features: &[(u16, f32)], difference: f64) -> Result<()> {
        check("a difference", difference, |_| true, "a number")?;
        for &(column, _) in features {
            check("a column", column.into(), |column| column >= 1.0, "1 or more: 0 is the constant")?;
        }
        let row: Vec<(u16, f32)> = std::iter::once((0, 1.0)).chain(features.iter().copied()).collect();
        self.rows.push(&row)?;
        self.differences.push(difference);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.differences.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// Sigma of each sample, at least `floor`. There is a weight for each column.
    pub(crate) fn sigmas(&self, weights: &[f64], link: SigmaLink, floor: f64) -> Vec<f64> {
        (0..self.len()).map(|sample| sigma_of(link, self.rows.dot(sample, weights)).max(floor)).collect()
    }

    /// Mean log-likelihood of the differences, each sigma at least `floor`.
    pub(crate) fn mean_log_likelihood(&self, weights: &[f64], link: SigmaLink, floor: f64) -> Result<f64> {
        if self.is_empty() {
            return Err(StatsError::NoGames);
        }
        let sigma = |sample| sigma_of(link, self.rows.dot(sample, weights)).max(floor);
        let sum = self.rows.sum(|sample| log_likelihood(self.differences[sample], sigma(sample)));
        check("a sigma", sum, |_| true, "above 0 everywhere")?;
        Ok(sum / self.len() as f64)
    }
}

/// A fit fails after this number of steps.
const MAX_STEPS: usize = 100;
/// A fit ends when a step gains less than this for each sample, in nats.
const GAIN: f64 = 1e-13;
/// A fit also ends after this number of successive steps that each gain at most this over all
/// samples, in nats.
///
/// Steps stay short while sigmas of samples leave and reach their minimum. A weight that is one
/// standard error off costs half a nat.
const SMALL_GAINS: (usize, f64) = (3, 0.01);
/// A step counts as zero after this number of halvings.
const MAX_HALVINGS: usize = 40;
/// Minimum sigma within a fit, as a share of the root mean square of all differences.
const LEAST_SHARE: f64 = 0.01;
/// Minimum floor: a tenth of a pawn, in centipawns.
const LEAST_FLOOR: f64 = 10.0;
/// Share of the training sigmas below the floor.
const FLOOR_SHARE: f64 = 0.01;

/// Weights of the highest likelihood.
#[derive(Clone, Debug)]
pub(crate) struct SigmaFit {
    pub(crate) link: SigmaLink,
    /// A weight for each column.
    pub(crate) weights: Vec<f64>,
    /// Standard errors of the weights: square roots of the diagonal of the inverse information.
    pub(crate) standard_errors: Vec<f64>,
    /// Mean log-likelihood of the fitted samples, without the ridge.
    pub(crate) mean_log_likelihood: f64,
    /// Minimum sigma for users: the first percentile of the samples' sigmas, at least 10.
    pub(crate) floor: f64,
}

/// `ridge` is the precision (1 / variance) of a normal prior around 0 for each weight but the
/// constant. 0 is no prior; then the samples themselves must tell every column apart.
pub(crate) fn fit(samples: &SigmaSamples, link: SigmaLink, ridge: f64) -> Result<SigmaFit> {
    if samples.is_empty() {
        return Err(StatsError::NoGames);
    }
    check("a ridge", ridge, |ridge| ridge >= 0.0, "0 or more")?;
    let square = samples.differences.iter().map(|g| g * g).sum::<f64>() / samples.len() as f64;
    let constant = check("the mean square of the differences", square, |square| square > 0.0, "above 0")?.sqrt();
    let scoring = Scoring { samples, link, ridge, constant };
    let mut weights = scoring.start();
    let mut objective = scoring.objective(&weights);
    let mut small_gains = 0;
    for _ in 0..MAX_STEPS {
        let (gradient, information) = scoring.derivatives(&weights);
        let step = cholesky(&information, column_name)?.solve(&gradient);
        let (next, gained) = scoring.advance(&weights, &step, objective);
        (weights, objective) = (next, objective + gained);
        small_gains = if gained <= SMALL_GAINS.1 { small_gains + 1 } else { 0 };
        if gained <= GAIN * samples.len() as f64 || small_gains == SMALL_GAINS.0 {
            return scoring.finished(weights);
        }
    }
    Err(StatsError::NotConverged { what: "a fit of sigma", iterations: MAX_STEPS })
}

struct Scoring<'a> {
    samples: &'a SigmaSamples,
    link: SigmaLink,
    ridge: f64,
    /// Root mean square of the differences.
    constant: f64,
}

impl Scoring<'_> {
    /// Least squares of the absolute differences, whose mean is `sigma sqrt(2 / pi)`. One sigma for
    /// all samples with the log link, and where least squares give a sigma below the minimum.
    fn start(&self) -> Vec<f64> {
        let samples = self.samples;
        let mut weights = vec![0.0; samples.rows.columns()];
        weights[0] = match self.link {
            SigmaLink::Linear => self.constant,
            SigmaLink::Log => self.constant.ln(),
        };
        if self.link == SigmaLink::Linear {
            let scale = (PI / 2.0).sqrt();
            let (sums, products) = samples.rows.weighted_sums(|i| (samples.differences[i].abs() * scale, 1.0));
            let squares = (products + self.precision()).cholesky().map(|factor| factor.solve(&sums));
            let follows = |weights: &DVector<f64>| (0..samples.len()).all(|i| self.sigma(i, weights.as_slice()).1);
            if let Some(squares) = squares.filter(follows) {
                return squares.as_slice().to_vec();
            }
        }
        weights
    }

    /// The ridge as a matrix. The constant has no prior.
    fn precision(&self) -> DMatrix<f64> {
        let mut diagonal = DVector::from_element(self.samples.rows.columns(), self.ridge);
        diagonal[0] = 0.0;
        DMatrix::from_diagonal(&diagonal)
    }

    /// Sigma, and whether the weights determine it. A linear sum that is too low gives the minimum
    /// instead: the likelihood would be unbounded where the sum of a sample with the difference 0
    /// approaches zero.
    fn sigma(&self, sample: usize, weights: &[f64]) -> (f64, bool) {
        let sigma = sigma_of(self.link, self.samples.rows.dot(sample, weights));
        let least = LEAST_SHARE * self.constant;
        if self.link == SigmaLink::Linear && sigma < least { (least, false) } else { (sigma, true) }
    }

    /// Sum of the log-likelihoods less the penalty of the ridge.
    fn objective(&self, weights: &[f64]) -> f64 {
        let likelihood = |i| log_likelihood(self.samples.differences[i], self.sigma(i, weights).0);
        let held = self.ridge * weights[1..].iter().map(|weight| weight * weight).sum::<f64>() / 2.0;
        self.samples.rows.sum(likelihood) - held
    }

    /// Gradient of the objective, and Fisher's information: minus the mean of its second
    /// derivatives.
    fn derivatives(&self, weights: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let (mut gradient, information) = self.samples.rows.weighted_sums(|i| {
            let (sigma, follows) = self.sigma(i, weights);
            if !follows {
                return (0.0, 0.0);
            }
            let square = (self.samples.differences[i] / sigma).powi(2);
            match self.link {
                SigmaLink::Linear => ((square - 1.0) / sigma, 2.0 / (sigma * sigma)),
                SigmaLink::Log => (square - 1.0, 2.0),
            }
        });
        gradient.iter_mut().zip(weights).skip(1).for_each(|(slope, weight)| *slope -= self.ridge * weight);
        (gradient, information + self.precision())
    }

    /// Weights after a step, halved until the objective does not fall, and the gain.
    fn advance(&self, weights: &[f64], step: &DVector<f64>, objective: f64) -> (Vec<f64>, f64) {
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let next: Vec<f64> = weights.iter().zip(step.iter()).map(|(weight, step)| weight + length * step).collect();
            let reached = self.objective(&next);
            if reached >= objective {
                return (next, reached - objective);
            }
            length /= 2.0;
        }
        (weights.to_vec(), 0.0)
    }

    fn finished(&self, weights: Vec<f64>) -> Result<SigmaFit> {
        let inverse = cholesky(&self.derivatives(&weights).1, column_name)?.inverse();
        let least = LEAST_SHARE * self.constant;
        let mut sigmas = self.samples.sigmas(&weights, self.link, least);
        let rank = (FLOOR_SHARE * sigmas.len() as f64) as usize;
        let (_, percentile, _) = sigmas.select_nth_unstable_by(rank, f64::total_cmp);
        Ok(SigmaFit {
            link: self.link,
            standard_errors: inverse.diagonal().iter().map(|variance| variance.sqrt()).collect(),
            mean_log_likelihood: self.samples.mean_log_likelihood(&weights, self.link, least)?,
            floor: percentile.max(LEAST_FLOOR),
            weights,
        })
    }
}

/// Samples of similar estimated sigma; in JSON `[estimated, observed, samples]`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(into = "(f64, f64, usize)")]
pub(crate) struct CalibrationGroup {
    /// Mean of the estimated sigmas.
    pub(crate) estimated: f64,
    /// Root mean square of the differences.
    pub(crate) observed: f64,
    pub(crate) samples: usize,
}

impl From<CalibrationGroup> for (f64, f64, usize) {
    fn from(group: CalibrationGroup) -> Self {
        (group.estimated, group.observed, group.samples)
    }
}

/// Samples sorted by estimated sigma and cut into groups of equal size.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SigmaCalibration {
    /// Groups in the order of their sigma.
    pub(crate) groups: Vec<CalibrationGroup>,
    /// Slope of the line through the origin, observed over estimated, by least squares: 1 if sigma
    /// is right.
    pub(crate) slope: f64,
}

impl SigmaCalibration {
    /// Compares estimated sigmas with the differences of the same samples.
    /// Refuses more groups than samples, and a sigma of 0 or less.
    pub(crate) fn new(sigmas: &[f64], differences: &[f64], groups: usize) -> Result<Self> {
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

/// Fourth central moment over the square of the second, less 3: 0 for a normal distribution, more
/// for heavier tails. Refuses numbers that are all equal.
pub(crate) fn excess_kurtosis(numbers: &[f64]) -> Result<f64> {
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
    use kiki_stats::normal;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    const TRUTH: [f64; 3] = [100.0, 250.0, 80.0];

    /// Samples of known weights and two features.
    fn synthetic(seed: u64, link: SigmaLink, truth: [f64; 3]) -> SigmaSamples {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut samples = SigmaSamples::new(3);
        for _ in 0..12_800 {
            let (x, y): (f32, f32) = (random.random(), random.random::<f32>().powi(2));
            let sigma = sigma_of(link, truth[0] + truth[1] * f64::from(x) + truth[2] * f64::from(y));
            let z = normal::quantile(random.random::<f64>().clamp(1e-12, 1.0 - 1e-12)).unwrap();
            samples.push(&[(1, x), (2, y)], sigma * z).unwrap();
        }
        samples
    }

    #[test]
    fn the_log_link_finds_its_own_weights() {
        let truth = [5.0, 1.0, -0.5];
        let found = fit(&synthetic(7, SigmaLink::Log, truth), SigmaLink::Log, 0.0).unwrap();
        for ((weight, known), error) in found.weights.iter().zip(truth).zip(&found.standard_errors) {
            assert!((weight - known).abs() < 4.0 * error && *error < 0.05, "{found:?}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences_under_both_links() {
        for (link, at) in [(SigmaLink::Linear, [150.0, 120.0, 90.0]), (SigmaLink::Log, [5.0, 0.7, 0.1])] {
            let samples = synthetic(3, link, at);
            let scoring = Scoring { samples: &samples, link, ridge: 0.01, constant: 200.0 };
            let (gradient, _) = scoring.derivatives(&at);
            for column in 0..3 {
                let moved = |by: f64| std::array::from_fn::<f64, 3, _>(|i| at[i] + if i == column { by } else { 0.0 });
                let slope = (scoring.objective(&moved(1e-4)) - scoring.objective(&moved(-1e-4))) / 2e-4;
                assert!((gradient[column] - slope).abs() < 1e-3 * (1.0 + slope.abs()), "{link:?} {column}: {slope}");
            }
        }
    }

    #[test]
    fn a_ridge_draws_weights_to_zero_and_makes_unseen_columns_harmless() {
        let mut samples = SigmaSamples::new(3);
        for (index, difference) in [100.0, -120.0, 90.0, -300.0, 280.0, 310.0].into_iter().enumerate() {
            let seen: &[(u16, f32)] = if index < 3 { &[] } else { &[(1, 1.0)] };
            samples.push(seen, difference).unwrap();
        }
        let open = fit(&samples, SigmaLink::Linear, 0.0).unwrap_err();
        assert_eq!(open, StatsError::Dependent { columns: vec!["feature 2".to_owned()] });
        let weak = fit(&samples, SigmaLink::Linear, 1e-8).unwrap();
        let strong = fit(&samples, SigmaLink::Linear, 1e-3).unwrap();
        assert_eq!(weak.weights[2], 0.0);
        assert!(weak.weights[1] > 180.0 && strong.weights[1] < weak.weights[1] && strong.weights[1] > 0.0);
        assert!(strong.mean_log_likelihood < weak.mean_log_likelihood);
    }

    #[test]
    fn the_floor_is_the_first_percentile_but_never_below_ten() {
        let wide = fit(&synthetic(2, SigmaLink::Linear, TRUTH), SigmaLink::Linear, 0.0).unwrap();
        assert!((100.0..110.0).contains(&wide.floor), "{wide:?}");
        let mut narrow = SigmaSamples::new(1);
        [1.0, -2.0, 3.0].iter().for_each(|&difference| narrow.push(&[], difference).unwrap());
        assert_eq!(fit(&narrow, SigmaLink::Linear, 0.0).unwrap().floor, 10.0);
    }

    #[test]
    fn fits_without_an_answer_fail() {
        let mut samples = SigmaSamples::new(2);
        assert!(matches!(fit(&samples, SigmaLink::Linear, 0.0), Err(StatsError::NoGames)));
        assert!(samples.push(&[(0, 1.0)], 1.0).is_err() && samples.push(&[(2, 1.0)], 1.0).is_err());
        assert!(samples.push(&[(1, 1.0)], f64::NAN).is_err());
        assert!(samples.is_empty());
        samples.push(&[(1, 1.0)], 0.0).unwrap();
        assert!(matches!(fit(&samples, SigmaLink::Linear, 0.0), Err(StatsError::OutOfDomain { .. })));
        assert!(fit(&samples, SigmaLink::Linear, -1.0).is_err());
    }

    #[test]
    fn a_difference_of_zero_does_not_draw_sigma_to_zero() {
        // With as many features as samples each sample could have its own sigma.
        let mut samples = SigmaSamples::new(5);
        for (index, difference) in [0.0, 100.0, -150.0, 120.0].into_iter().enumerate() {
            samples.push(&[(index as u16 + 1, 1.0)], difference).unwrap();
        }
        let found = fit(&samples, SigmaLink::Linear, 1e-6).unwrap();
        assert!(
            found.mean_log_likelihood.is_finite() && found.weights.iter().all(|weight| weight.abs() < 1000.0),
            "{found:?}"
        );
    }

    /// Many rare and mostly useless features: in each step other samples fall below the minimum
    /// sigma.
    fn sparse(seed: u64) -> SigmaSamples {
        let mut random = Pcg64::seed_from_u64(seed);
        let columns = 250;
        let mut samples = SigmaSamples::new(columns);
        for _ in 0..1_500 {
            let mut features: Vec<(u16, f32)> =
                (0..30).map(|_| (random.random_range(1..columns as u16), random.random_range(0.2..2.0))).collect();
            features.sort_by_key(|feature| feature.0);
            features.dedup_by_key(|feature| feature.0);
            let z = normal::quantile(random.random::<f64>().clamp(1e-12, 1.0 - 1e-12)).unwrap();
            samples.push(&features, (40.0 + 300.0 * random.random::<f64>().powi(6)) * z).unwrap();
        }
        samples
    }

    #[test]
    fn fits_of_many_rare_features_converge() {
        for seed in 1..=4 {
            let samples = sparse(seed);
            let found = fit(&samples, SigmaLink::Linear, 1e-4).unwrap();
            // The start has one sigma for all.
            let constant = (samples.differences.iter().map(|g| g * g).sum::<f64>() / samples.len() as f64).sqrt();
            let same: Vec<f64> = std::iter::once(constant).chain([0.0; 249]).collect();
            let gained =
                found.mean_log_likelihood - samples.mean_log_likelihood(&same, SigmaLink::Linear, 0.0).unwrap();
            assert!(gained > 0.05, "seed {seed}: {gained}");
        }
    }

    #[test]
    fn groups_follow_the_sigmas_and_hold_every_sample() {
        let calibration =
            SigmaCalibration::new(&[30.0, 10.0, 20.0, 40.0, 50.0], &[3.0, -1.0, 1.0, 4.0, -5.0], 2).unwrap();
        let [low, high] = calibration.groups[..] else { panic!("two groups") };
        assert_eq!((low.samples, low.estimated, low.observed), (2, 15.0, 1.0));
        assert_eq!((high.samples, high.estimated), (3, 40.0));
        assert!((high.observed - (50f64 / 3.0).sqrt()).abs() < 1e-12);
        let slope = (15.0 * 1.0 + 40.0 * high.observed) / (225.0 + 1600.0);
        assert!((calibration.slope - slope).abs() < 1e-12);
    }

    #[test]
    fn impossible_groups_are_refused() {
        assert!(SigmaCalibration::new(&[1.0], &[1.0], 2).is_err() && SigmaCalibration::new(&[1.0], &[1.0], 0).is_err());
        assert!(
            SigmaCalibration::new(&[1.0, 2.0], &[1.0], 1).is_err() && SigmaCalibration::new(&[0.0], &[1.0], 1).is_err()
        );
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
