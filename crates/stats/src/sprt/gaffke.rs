//! The mean score of few observations, with bounds that hold for every distribution of results.
//!
//! The normal interval needs many observations: it takes the sample variance for the true one, and
//! shrinks to a point for equal results. The bounds of Gaffke ("Three test statistics for a
//! nonparametric one-sided hypothesis on the mean of a nonnegative variable", Mathematical Methods
//! of Statistics 14, 2005) assume only that observations are independent and lie between 0 and 1.
//! For the lower bound, add one observation of the worst possible score, and weight all at random,
//! uniformly over all weights of sum 1 (a Dirichlet distribution). The bound is the quantile of the
//! weighted mean. For the upper bound, add the best score. With two outcomes these are the bounds
//! of Clopper and Pearson (1934).
//!
//! For two outcomes it is proved that neither bound fails more often than stated. For more it is a
//! conjecture without a known counterexample. The tests of this crate sum the exact coverage for
//! many distributions.

use std::f64::consts::PI;

use nalgebra::Complex;

use crate::error::open_probability;
use crate::numeric::decreasing_root;
use crate::{Interval, Result};

use super::counts::Counts;

/// With more pairs of stages, summing over all of them takes longer than the integral.
const MOST_STAGES: f64 = 20_000.0;

/// The interval of the mean score of an observation, 0 to 1, at a level such as 0.95. Each of the
/// two bounds fails with a probability of at most `(1 - level) / 2`.
///
/// ```
/// use kiki_stats::sprt::{Counts, gaffke_interval};
///
/// // Two games won of two: the lower bound is the root of 0.025.
/// let ends = gaffke_interval(&Counts::Bernoulli([0, 2]), 0.95)?;
/// assert!((ends.low - 0.025f64.sqrt()).abs() < 1e-12 && ends.high == 1.0);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// Fails without observations.
pub fn gaffke_interval(counts: &Counts, level: f64) -> Result<Interval> {
    open_probability("a level", level)?;
    counts.some_observations()?;
    let tail = 0.5 * (1.0 - level);
    Ok(Interval { low: lower_bound(counts, tail), high: 1.0 - lower_bound(&counts.reversed(), tail) })
}

/// The probability that the mean score is above one half, with one lost and one won observation as
/// prior: the weighted mean of the module docs, with both the worst and the best score added. For
/// games without draws it is the posterior probability for a uniform prior, Beta(wins + 1, losses +
/// 1). The probabilities of both players add up to 1.
pub(super) fn superiority(counts: &Counts) -> f64 {
    let mut outcomes = outcomes(counts);
    let best = outcomes.len() - 1;
    outcomes[0].1 += 1.0;
    outcomes[best].1 += 1.0;
    tails(&outcomes, 0.5).1
}

/// The lower bound, by bisection down to the spacing of numbers.
fn lower_bound(counts: &Counts, tail: f64) -> f64 {
    let mut outcomes = outcomes(counts);
    if outcomes[1..].iter().all(|outcome| outcome.1 == 0.0) {
        return 0.0;
    }
    outcomes[0].1 += 1.0;
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return low;
        }
        if tails(&outcomes, middle).0 < tail { low = middle } else { high = middle }
    }
}

/// The score of each outcome, and its weight: the joint weights have a Dirichlet distribution.
fn outcomes(counts: &Counts) -> Vec<(f64, f64)> {
    counts.scores().map(|(score, count)| (score, count as f64)).collect()
}

/// The probabilities that the mean of randomly weighted scores is below `t`, and above it.
///
/// Weights of a Dirichlet distribution are independent gamma variables over their sum. So the mean
/// is above t where the sum of `weight (score - t)` is positive.
fn tails(outcomes: &[(f64, f64)], t: f64) -> (f64, f64) {
    let terms = outcomes.iter().map(|&(score, weight)| (score - t, weight));
    let terms: Vec<GammaTerm> = terms.filter(|&(length, weight)| length != 0.0 && weight > 0.0).collect();
    let number = |side: f64| terms.iter().filter(|term| side * term.0 > 0.0).map(|term| term.1).sum::<f64>();
    let (below, above) = (number(-1.0), number(1.0));
    if below == 0.0 || above == 0.0 {
        (f64::from(above == 0.0), f64::from(below == 0.0))
    } else if below * above <= MOST_STAGES {
        stage_tails(&terms)
    } else {
        gamma_tails(&terms)
    }
}

/// The probabilities that a sum of gamma variables is below 0, and above it, from their weights and
/// integer shapes.
///
/// Each gamma variable is a sum of exponential ones. Two runners, one for the positive and one for
/// the negative weights, run stages of exponential length; the sum is positive if the first takes
/// longer. Which stage ends first is independent of the past. So the probabilities of all pairs of
/// stages follow from one another, by additions of positive numbers only.
fn stage_tails(terms: &[GammaTerm]) -> (f64, f64) {
    let stages = |side: f64| {
        let one_side = terms.iter().filter(move |term| side * term.0 > 0.0);
        one_side.flat_map(move |&(length, number)| (0..number as usize).map(move |_| side * length))
    };
    let below: Vec<f64> = stages(-1.0).collect();
    // By stages that the runner below has finished; the last entry is the finish.
    let mut running = vec![0.0; below.len() + 1];
    running[0] = 1.0;
    for above in stages(1.0) {
        for (stage, length) in below.iter().enumerate() {
            let here = running[stage];
            running[stage + 1] += here * above / (above + length);
            running[stage] = here * length / (above + length);
        }
    }
    let above = running.pop().unwrap_or_default();
    (running.iter().sum(), above)
}

// The sign of a sum of gamma variables with weights of both signs, for many observations. The
// probability that `sum a_i G_i` is positive, where `G_i` has shape `n_i`, is an integral of
// `exp(f(z)) / (2 pi i)`, with `f(z) = -sum n_i ln(1 - a_i z) - ln z`. Its line runs from below to
// above, right of 0 and left of the least positive `1 / a_i`. The path of steepest descent passes
// through the one saddle point there; on it `f` falls by `s^2` and stays real. What is left is a
// normal density times a smooth function of s, for which the trapezoidal rule is accurate to
// rounding (Trefethen and Weideman 2014). `f'` is a sum of `-m_j / (z - p_j)` with positive `m_j`
// and real poles, so that all its zeros are real (Gauss and Lucas) and the path meets no other
// saddle point.

/// The step of the trapezoidal rule, and its number of points on each side; the normal density
/// vanishes at the last.
const STEP: f64 = 0.1;
const POINTS: i32 = 62;
/// Newton steps to a point of the path, from an estimate by the previous point.
const MOST_CORRECTIONS: usize = 8;
/// Probabilities with a lower logarithm count as 0.
const LEAST_LOGARITHM: f64 = -740.0;

/// A weight and the shape of its gamma variable.
type GammaTerm = (f64, f64);

/// The probabilities that `sum a_i G_i` is negative, and that it is positive. Terms are `(a_i,
/// n_i)`. The weights have both signs, and the shapes are positive.
fn gamma_tails(terms: &[GammaTerm]) -> (f64, f64) {
    let mean: f64 = terms.iter().map(|(weight, shape)| weight * shape).sum();
    // Compute the smaller of the two, so that neither loses digits.
    if mean <= 0.0 {
        let above = positive(terms);
        (1.0 - above, above)
    } else {
        let mirrored: Vec<GammaTerm> = terms.iter().map(|&(weight, shape)| (-weight, shape)).collect();
        let below = positive(&mirrored);
        (below, 1.0 - below)
    }
}

/// The probability that the sum is positive.
fn positive(terms: &[GammaTerm]) -> f64 {
    let (saddle, curvature) = saddle_point(terms);
    let path = Path { terms, saddle: Complex::from(saddle) };
    let logarithm = path.value(path.saddle).re;
    if logarithm < LEAST_LOGARITHM {
        return 0.0;
    }
    let mut place = path.saddle;
    // The path goes upwards; its lower half is the mirror image.
    let mut direction = Complex::new(0.0, (2.0 / curvature).sqrt());
    let mut sum = 0.5 * direction.im;
    for point in 1..=POINTS {
        let s = f64::from(point) * STEP;
        place = path.point(s, place + direction * STEP);
        direction = -2.0 * s / path.slope(place);
        sum += (-s * s).exp() * direction.im;
    }
    (logarithm.exp() * STEP * sum / PI).clamp(0.0, 1.0)
}

/// The saddle point between 0 and the least positive pole, and the second derivative there.
///
/// The unknown is the ratio w of the distances to 0 and to the pole, as f' changes by orders of
/// magnitude near either. In w, f' goes smoothly from `-1 / w` to `w`.
fn saddle_point(terms: &[GammaTerm]) -> (f64, f64) {
    let greatest = terms.iter().map(|term| term.0).fold(0.0, f64::max);
    let place = |w: f64| w / (1.0 + w) / greatest;
    let derivatives = |w: f64| {
        let z = place(w);
        let rate = |weight: f64| if weight == greatest { weight * (1.0 + w) } else { weight / (1.0 - weight * z) };
        let rates = terms.iter().map(|&(weight, shape)| (rate(weight), shape));
        rates.fold((-z.recip(), (z * z).recip()), |sum, (rate, shape)| {
            (sum.0 + shape * rate, sum.1 + shape * rate * rate)
        })
    };
    // Here the greatest weight's term outweighs all negative terms.
    let sum = |is_of: &dyn Fn(f64) -> bool| {
        terms.iter().filter(|term| is_of(term.0)).map(|(weight, shape)| weight.abs() * shape).sum::<f64>()
    };
    let high = 2.0 + 2.0 * sum(&|weight| weight < 0.0) / sum(&|weight| weight == greatest).max(f64::MIN_POSITIVE);
    let w = decreasing_root(high, |w| {
        let (first, second) = derivatives(w);
        (-first, -second / greatest / (1.0 + w).powi(2))
    });
    (place(w), derivatives(w).1)
}

/// The path of steepest descent from a saddle point.
struct Path<'a> {
    terms: &'a [GammaTerm],
    saddle: Complex<f64>,
}

impl Path<'_> {
    /// f.
    fn value(&self, z: Complex<f64>) -> Complex<f64> {
        let parts = self.terms.iter().map(|&(weight, shape)| ln_of_complement(z * weight) * shape);
        -parts.sum::<Complex<f64>>() - z.ln()
    }

    /// f'.
    fn slope(&self, z: Complex<f64>) -> Complex<f64> {
        let parts = self.terms.iter().map(|&(weight, shape)| (1.0 - z * weight).inv() * (weight * shape));
        parts.sum::<Complex<f64>>() - z.inv()
    }

    /// The point where f is `s^2` below the saddle point, near an estimate. Sums differences term
    /// by term, as f itself may be large.
    fn point(&self, s: f64, estimate: Complex<f64>) -> Complex<f64> {
        let mut z = estimate;
        for _ in 0..MOST_CORRECTIONS {
            let fallen = self.terms.iter().map(|&(weight, shape)| {
                // ln((1 - a z) / (1 - a c)) = ln(1 - a (z - c) / (1 - a c)).
                let rate = weight / (1.0 - weight * self.saddle.re);
                ln_of_complement((z - self.saddle) * rate) * shape
            });
            let fallen = fallen.sum::<Complex<f64>>() + ln_of_complement((self.saddle - z) / self.saddle.re);
            let correction = (fallen - s * s) / self.slope(z);
            z += correction;
            if correction.norm_sqr() < 1e-28 * (z - self.saddle).norm_sqr() {
                break;
            }
        }
        z
    }
}

/// `ln(1 - z)`, accurate near 0.
fn ln_of_complement(z: Complex<f64>) -> Complex<f64> {
    let complement = 1.0 - z;
    let size = if z.norm_sqr() < 0.25 { 0.5 * (z.norm_sqr() - 2.0 * z.re).ln_1p() } else { complement.norm().ln() };
    Complex::new(size, complement.arg())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beta::Beta;
    use crate::tally::MOST_GAMES;

    #[test]
    fn the_integral_says_what_the_stages_say() {
        for weights in [
            [1.0, 1.0, 1.0, 1.0, 1.0],
            [30.0, 2.0, 0.0, 7.0, 40.0],
            [200.0, 0.0, 1.0, 0.0, 3.0],
            [3.0, 5.0, 90.0, 2.0, 1.0],
        ] {
            let mean = |t: f64| [0.0, 0.25, 0.5, 0.75, 1.0].map(|score| score - t);
            for t in [0.003, 0.02, 0.1, 0.3, 0.5, 0.6, 0.9, 0.99] {
                let terms: Vec<(f64, f64)> =
                    mean(t).into_iter().zip(weights).filter(|term| term.0 != 0.0 && term.1 > 0.0).collect();
                let (stages, integral) = (stage_tails(&terms), gamma_tails(&terms));
                let close = |a: f64, b: f64| (a - b).abs() < 1e-11 * a.max(b) || a.max(b) < 1e-300;
                // The greater one is computed as a difference from 1.
                let least = |tails: (f64, f64)| tails.0.min(tails.1);
                assert!(close(least(stages), least(integral)), "{weights:?} {t}: {stages:?} {integral:?}");
                assert!(close(stages.0, integral.0) || stages.0 < 1e-9, "{weights:?} {t}: {stages:?} {integral:?}");
            }
        }
    }

    #[test]
    fn bounds_of_two_outcomes_are_those_of_clopper_and_pearson_and_come_at_once() {
        let start = std::time::Instant::now();
        let few = [(0, 1), (1, 1), (3, 9), (0, 20), (17, 12), (1, 200), (5, 70_000), (1, 10_000_000)];
        let many = [(MOST_GAMES - 1, 1), (0, MOST_GAMES), (MOST_GAMES / 2, MOST_GAMES / 2)];
        for (losses, wins) in few.into_iter().chain(many) {
            let (l, w) = (losses as f64, wins as f64);
            for level in [0.9, 0.95] {
                let tail = 0.5 * (1.0 - level);
                let low = Beta::new(w, l + 1.0).lower_quantile(tail);
                let high = if losses == 0 { 1.0 } else { Beta::new(w + 1.0, l).upper_quantile(tail) };
                // The tolerance includes the spacing of numbers below 1, where the upper bound is
                // computed.
                let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * expected + 3e-16;
                let ends = gaffke_interval(&Counts::Bernoulli([losses, wins]), level).unwrap();
                assert!(close(ends.low, low) && close(ends.high, high), "{losses} {wins}: {ends:?} {low} {high}");
                // Pairs that are lost and won as a whole are the same as single games.
                if losses + wins < 1000 {
                    let of_pairs = gaffke_interval(&Counts::Pentanomial([losses, 0, 0, 0, wins]), level).unwrap();
                    assert!((of_pairs.low - low).abs() < 1e-12 && (of_pairs.high - high).abs() < 1e-12, "{of_pairs:?}");
                }
            }
        }
        for counts in [[MOST_GAMES - 5, 2, 3], [0, MOST_GAMES, 0], [1, MOST_GAMES - 2, 1]] {
            let counts = Counts::Trinomial(counts);
            let (mean, _) = counts.moments().unwrap();
            let ends = gaffke_interval(&counts, 0.95).unwrap();
            assert!(ends.low < mean && mean < ends.high && ends.high - ends.low < 1e-10, "{counts:?}: {ends:?}");
        }
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    #[test]
    fn what_has_no_bounds_is_refused() {
        for counts in
            [Counts::Bernoulli([u64::MAX, 0]), Counts::Trinomial([u64::MAX; 3]), Counts::Pentanomial([MOST_GAMES; 5])]
        {
            assert!(counts.estimates(0.95).is_err() && counts.moments().is_err(), "{counts:?}");
            assert!(gaffke_interval(&counts, 0.95).is_err(), "{counts:?}");
        }
        assert!(gaffke_interval(&Counts::Bernoulli([0, 0]), 0.9).is_err());
        assert!(gaffke_interval(&Counts::Bernoulli([1, 2]), 1.0).is_err());
    }

    #[test]
    fn what_cannot_happen_has_no_probability() {
        assert_eq!(gamma_tails(&[(0.5, 1.0), (-0.5, 1e7)]), (1.0, 0.0));
        assert_eq!(gamma_tails(&[(0.5, 1e7), (-0.5, 1.0)]), (0.0, 1.0));
    }
}
