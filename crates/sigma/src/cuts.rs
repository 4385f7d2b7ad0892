//! ProbCut (Buro 1995): a shallow value far enough outside the window predicts that the deep value
//! lies outside too. Which shallow value allows a cut, and how often such a cut is wrong.

use std::f64::consts::PI;

use kiki_stats::Result;
use kiki_stats::error::{check, number, positive};
use kiki_stats::line::LineFit;
use kiki_stats::normal::cdf;
use kiki_stats::numeric::GaussLegendre;

/// Decision after a shallow search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CutDecision {
    /// The deep value counts as beta or more.
    FailHigh,
    /// The deep value counts as alpha or less.
    FailLow,
    /// The position needs a full search.
    Search,
}

/// Cuts if the shallow value lies `k` sigma or more outside the window from `alpha` to `beta`, all
/// in the same unit. Refuses an empty window, and a negative `sigma` or `k`.
pub(crate) fn decide(value: f64, (alpha, beta): (f64, f64), sigma: f64, k: f64) -> Result<CutDecision> {
    for (what, value) in [("a value", value), ("alpha", alpha), ("beta", beta), ("sigma", sigma), ("k", k)] {
        number(what, value)?;
    }
    check("alpha", alpha, |alpha| alpha < beta, "below beta")?;
    let margin = check("sigma", sigma, |sigma| sigma >= 0.0, "0 or more")? * check("k", k, |k| k >= 0.0, "0 or more")?;
    Ok(if value >= beta + margin {
        CutDecision::FailHigh
    } else if value <= alpha - margin {
        CutDecision::FailLow
    } else {
        CutDecision::Search
    })
}

/// Probability that a cut is wrong if its shallow value lies exactly `k` sigma outside the window.
pub(crate) fn false_cut(k: f64) -> f64 {
    cdf(-k)
}

/// Probability that at least one of two shallow values allows a wrong cut, with the correlation
/// `rho` of their errors: `1 - P(X <= k1, Y <= k2)` of a bivariate normal distribution.
pub(crate) fn joint_false_cut(k1: f64, k2: f64, rho: f64) -> Result<f64> {
    number("k", k1)?;
    number("k", k2)?;
    check("a correlation", rho, |rho| (-1.0..=1.0).contains(&rho), "between -1 and 1")?;
    // Plackett (1954): the derivative of the probability by the correlation is the density,
    // integrated here along rho = sin(angle).
    let density = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        (-(k1 * k1 + k2 * k2 - 2.0 * k1 * k2 * sine) / (2.0 * cosine * cosine)).exp() / (2.0 * PI)
    };
    let rule = GaussLegendre::new(256, 0.0, rho.asin());
    let integral: f64 = rule.points.iter().zip(&rule.weights).map(|(&angle, weight)| weight * density(angle)).sum();
    // 1 - P(X <= k1) P(Y <= k2), without the loss of digits where both are nearly certain.
    let independent = cdf(-k1) + cdf(-k2) - cdf(-k1) * cdf(-k2);
    Ok((independent - integral).max(0.0))
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CombinedValue {
    /// Weight of each value; the sum is 1.
    pub(crate) weights: [f64; 2],
    pub(crate) value: f64,
    /// Sigma of the combination, at most that of either value.
    pub(crate) sigma: f64,
}

/// Combination of least sigma, with the correlation `rho` of the two errors.
/// Refuses a sigma of 0 or less, and a `rho` of -1, 1 or beyond.
pub(crate) fn combine(values: [f64; 2], sigmas: [f64; 2], rho: f64) -> Result<CombinedValue> {
    for index in 0..2 {
        number("a value", values[index])?;
        positive("sigma", sigmas[index])?;
    }
    check("a correlation", rho, |rho| rho.abs() < 1.0, "between -1 and 1, both excluded")?;
    let covariance = rho * sigmas[0] * sigmas[1];
    let (first, second) = (sigmas[1].powi(2) - covariance, sigmas[0].powi(2) - covariance);
    let weights = [first / (first + second), second / (first + second)];
    let variance = (sigmas[0] * sigmas[1]).powi(2) * (1.0 - rho * rho) / (first + second);
    Ok(CombinedValue { weights, value: weights[0] * values[0] + weights[1] * values[1], sigma: variance.sqrt() })
}

/// Least shallow value that allows a cut above `beta`: the expected deep value lies `k` sigma above
/// it. Refuses a slope of 0 or less: then shallow values do not predict deep ones.
pub(crate) fn fail_high_threshold(line: &LineFit, beta: f64, k: f64) -> Result<f64> {
    check("a slope", line.slope, |slope| slope > 0.0, "above 0")?;
    number("beta", beta)?;
    number("k", k)?;
    Ok((beta - line.intercept + k * line.residual_deviation) / line.slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_cuts_on_both_sides() {
        assert_eq!(decide(460.0, (150.0, 300.0), 160.0, 1.0), Ok(CutDecision::FailHigh));
        assert_eq!(decide(-10.0, (150.0, 300.0), 160.0, 1.0), Ok(CutDecision::FailLow));
        assert_eq!(decide(-9.0, (150.0, 300.0), 160.0, 1.0), Ok(CutDecision::Search));
    }

    #[test]
    fn joint_probabilities_have_their_limits() {
        // Errors that are always the same, always opposite, and independent.
        let close =
            |actual: Result<f64>, expected: f64| assert!((actual.unwrap() - expected).abs() < 1e-9, "{expected}");
        close(joint_false_cut(1.3, 1.3, 1.0), false_cut(1.3));
        close(joint_false_cut(1.3, 0.7, 1.0), false_cut(0.7));
        close(joint_false_cut(1.3, 0.7, -1.0), false_cut(1.3) + false_cut(0.7));
        close(joint_false_cut(1.3, 0.7, 0.0), 1.0 - (1.0 - false_cut(1.3)) * (1.0 - false_cut(0.7)));
        // Both above their means: 1/4 + asin(rho) / (2 pi).
        close(joint_false_cut(0.0, 0.0, 0.5), 0.75 - 0.5f64.asin() / (2.0 * PI));
        // Far outside the window both are nearly certain; the sum of two small tails is exact.
        let (small, exact) = (joint_false_cut(9.0, 9.0, 0.0).unwrap(), 2.0 * false_cut(9.0));
        assert!((small / exact - 1.0).abs() < 1e-12, "{small} {exact}");
        assert!(joint_false_cut(9.0, 9.0, 0.5).unwrap() >= false_cut(9.0));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert!(decide(0.0, (300.0, 300.0), 1.0, 1.0).is_err() && decide(0.0, (0.0, 1.0), -1.0, 1.0).is_err());
        assert!(joint_false_cut(1.0, 1.0, 1.1).is_err());
        assert!(combine([0.0, 1.0], [1.0, 0.0], 0.0).is_err() && combine([0.0, 1.0], [1.0, 1.0], 1.0).is_err());
        let falling = LineFit::new("values", &[(1.0, 2.0), (2.0, 1.0), (3.0, 1.0)]).unwrap();
        assert!(fail_high_threshold(&falling, 0.0, 1.0).is_err());
    }
}
