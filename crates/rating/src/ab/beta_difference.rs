//! The difference of two independent beta variables: a closed sum for whole shapes, quadrature for
//! all others.

use kiki_stats::beta::{Beta, odds_share};
use kiki_stats::numeric::root_between;

/// Number of terms above which quadrature takes the place of the sum.
const MAX_TERMS: f64 = 1e6;
/// Width in standard deviations, both sides together, that holds all relevant terms.
const REACH: f64 = 80.0;
/// Smaller terms, the largest being about 1, are left out: they would add nothing but slow
/// arithmetic.
const NEGLIGIBLE_TERM: f64 = 1e-290;

/// `P(A > B)`: by the closed sum if all shapes are whole numbers (half wins and other priors have
/// no such sum), else by quadrature.
pub(super) fn a_better(a: &Beta, b: &Beta) -> f64 {
    closed_sum(a, b).unwrap_or_else(|| tails(a, b, 0.0).1)
}

/// `P(A > B)` for whole shapes below 2^52; `None` for others, and where the sum would be too long.
///
/// A with shapes (a, b) is distributed as the a-th smallest of a + b - 1 uniform numbers, and B
/// likewise; so A > B means that at least c of the m = c + d - 1 numbers behind B lie below A.
/// Their number J has
///
/// `P(J = j) = C(a-1+j, j) C(b-1+m-j, m-j) / C(a+b-1+m, m)`,
///
/// whose terms from j = c on are the well-known closed sum. Taking the terms below c as well makes
/// the normalising factorials unnecessary, since all terms add up to 1, and yields both tails
/// without cancellation.
fn closed_sum(a: &Beta, b: &Beta) -> Option<f64> {
    let ((a0, a1), (b0, b1)) = (a.shapes(), b.shapes());
    let whole = |shape: f64| shape.fract() == 0.0 && shape < (1u64 << 52) as f64;
    if ![a0, a1, b0, b1].into_iter().all(whole) {
        return None;
    }
    // The fewer numbers there are to count, the shorter the sum.
    if b0 + b1 <= a0 + a1 {
        sum_tails(a0, a1, b0, b1).map(|(_, from_c)| from_c)
    } else {
        sum_tails(b0, b1, a0, a1).map(|(below_c, _)| below_c)
    }
}

/// `P(J < c)` and `P(J >= c)`.
fn sum_tails(a: f64, b: f64, c: f64, d: f64) -> Option<(f64, f64)> {
    let m = c + d - 1.0;
    let sum = a + b;
    let deviation = (m * (a / sum) * (b / sum) * (sum + m) / (sum + 1.0)).sqrt();
    if m.min(REACH * deviation) > MAX_TERMS {
        return None;
    }
    let mode = if sum > 2.0 { (m * (a - 1.0) / (sum - 2.0)).floor() } else { 0.0 };
    let ratio_up = |j: f64| (a + j) / (j + 1.0) * ((m - j) / (b - 1.0 + m - j));
    let (mut below, mut from) = (0.0, 0.0);
    let mut add = |j: f64, term: f64| if j < c { below += term } else { from += term };

    add(mode, 1.0);
    let (mut j, mut term) = (mode, 1.0);
    while j < m && term > NEGLIGIBLE_TERM {
        term *= ratio_up(j);
        j += 1.0;
        add(j, term);
    }
    (j, term) = (mode, 1.0);
    while j > 0.0 && term > NEGLIGIBLE_TERM {
        j -= 1.0;
        term /= ratio_up(j);
        add(j, term);
    }
    let total = below + from;
    Some((below / total, from / total))
}

/// The density is integrated where its logarithm is at most this far below its maximum.
const NEGLIGIBLE_DENSITY: f64 = 60.0;
/// The step of the double-exponential rule (Takahasi and Mori 1974), and its number of nodes at
/// either side.
const STEP: f64 = 1.0 / 32.0;
const NODES: i32 = 104;

/// `P(A - B <= x)` and `P(A - B > x)`.
///
/// Integrates over the log-odds of one variable, where its density is log-concave and has no
/// singularities. It is the variable with the smaller variance, so the distribution function of the
/// other is the smoother factor. The range is cut where that function starts and ends: the
/// double-exponential rule tolerates singularities at ends.
pub(super) fn tails(a: &Beta, b: &Beta, x: f64) -> (f64, f64) {
    let over_a = a.variance() <= b.variance();
    let density = if over_a { a } else { b };
    let integrand = |t: f64| {
        let (p, q) = odds_share(t);
        let weight = density.ln_density_of_log_odds(p, q).exp();
        // A <= B + x if B >= A - x. A share and its complement are both shifted, so that neither
        // loses digits.
        let (lower, upper) = if over_a {
            let (below, above) = b.tails(p - x, q + x);
            (above, below)
        } else {
            a.tails(p + x, q - x)
        };
        [weight * lower, weight * upper]
    };
    let shift = if over_a { x } else { -x };
    let (low, mode, high) = support(density);
    let ends =
        [shift, 1.0 + shift].map(|share| if share > 0.0 && share < 1.0 { (share / (1.0 - share)).ln() } else { low });
    // Nodes crowd at the cuts. A cut at the mode keeps them where the mass is, despite a long thin
    // tail.
    let mut cuts = [low, mode, ends[0].clamp(low, high), ends[1].clamp(low, high), high];
    cuts.sort_by(f64::total_cmp);
    let mut sum = [0.0; 2];
    for ends in cuts.windows(2).filter(|ends| ends[0] < ends[1]) {
        let part = integrate(ends[0], ends[1], integrand);
        sum = [sum[0] + part[0], sum[1] + part[1]];
    }
    // The two add up to 1, except for rounding and what was cut off.
    let total = sum[0] + sum[1];
    (sum[0] / total, sum[1] / total)
}

/// The x with `P(A - B <= x) = tail`, for a tail below one half.
pub(super) fn quantile(a: &Beta, b: &Beta, tail: f64) -> f64 {
    let target = tail.ln();
    let excess = |x: f64| tails(a, b, x).0.max(f64::MIN_POSITIVE).ln() - target;
    let mean = a.mean() - b.mean();
    let deviation = (a.variance() + b.variance()).sqrt();
    let (mut low, mut high) = (-1.0, (mean + 2.0 * deviation).min(1.0));
    let mut at_low = f64::MIN_POSITIVE.ln() - target;
    let mut at_high = excess(high);
    while at_high < 0.0 && high < 1.0 {
        (low, at_low) = (high, at_high);
        high = (high + 2.0 * deviation).min(1.0);
        at_high = excess(high);
    }
    // A tighter lower end, if the guess lies below the root.
    let guess = mean - 8.0 * deviation;
    if guess > low {
        let at_guess = excess(guess);
        if at_guess < 0.0 {
            (low, at_low) = (guess, at_guess);
        }
    }
    root_between((low, at_low), (high, at_high), 1e-12, excess)
}

/// Lower end, mode and upper end of the log-odds at which a density is not negligible.
fn support(beta: &Beta) -> (f64, f64, f64) {
    let (a, b) = beta.shapes();
    let mode = (a / b).ln();
    let ln_density = |t: f64| {
        let (x, y) = odds_share(t);
        beta.ln_density_of_log_odds(x, y)
    };
    let floor = ln_density(mode) - NEGLIGIBLE_DENSITY;
    let width = (1.0 / a + 1.0 / b).sqrt();
    let end = |direction: f64| {
        let mut inside = 0.0;
        let mut outside = 8.0 * width;
        // The log-odds of a share stop at about 745, where the share itself underflows.
        while ln_density(mode + direction * outside) > floor && outside < 700.0 {
            inside = outside;
            outside *= 2.0;
        }
        for _ in 0..12 {
            let middle = 0.5 * (inside + outside);
            if ln_density(mode + direction * middle) > floor { inside = middle } else { outside = middle }
        }
        mode + direction * outside
    };
    (end(-1.0), mode, end(1.0))
}

fn integrate(low: f64, high: f64, function: impl Fn(f64) -> [f64; 2]) -> [f64; 2] {
    use std::f64::consts::FRAC_PI_2;
    let half = 0.5 * (high - low);
    let mut sum = [0.0; 2];
    for node in -NODES..=NODES {
        let s = f64::from(node) * STEP;
        let inner = FRAC_PI_2 * s.sinh();
        // The distance to the nearer end keeps its digits where the node is close to it.
        let distance = (high - low) / (1.0 + (2.0 * inner.abs()).exp());
        let t = if node < 0 { low + distance } else { high - distance };
        let weight = half * STEP * FRAC_PI_2 * s.cosh() / inner.cosh().powi(2);
        let value = function(t);
        sum = [sum[0] + weight * value[0], sum[1] + weight * value[1]];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beta(a: f64, b: f64) -> Beta {
        Beta::new(a, b)
    }

    #[test]
    fn quadrature_and_closed_sum_agree() {
        let shapes =
            [(1.0, 1.0), (11.0, 1.0), (9.0, 3.0), (501.0, 521.0), (2.0, 3000.0), (60_001.0, 59_001.0), (1.0, 1e6)];
        for (a0, a1) in shapes {
            for (b0, b1) in shapes {
                let (a, b) = (beta(a0, a1), beta(b0, b1));
                let sum = closed_sum(&a, &b).unwrap();
                let integral = tails(&a, &b, 0.0).1;
                let close = (sum - integral).abs() < 1e-11 && (sum - integral).abs() < 1e-8 * sum + 1e-25;
                assert!(close, "{a:?} {b:?}: {sum} {integral}");
            }
        }
    }

    #[test]
    fn uniform_differences_are_triangular() {
        let uniform = beta(1.0, 1.0);
        for x in [-0.9, -0.25, 0.0, 0.4] {
            let expected = if x < 0.0 { (1.0 + x) * (1.0 + x) / 2.0 } else { 1.0 - (1.0 - x) * (1.0 - x) / 2.0 };
            assert!((tails(&uniform, &uniform, x).0 - expected).abs() < 1e-12, "{x}");
        }
        assert!((quantile(&uniform, &uniform, 0.02) - (0.2 - 1.0)).abs() < 1e-9);
    }

    #[test]
    fn quantiles_invert_the_tails() {
        for (a, b) in [((0.5, 0.5), (0.5, 7.5)), ((530.5, 471.5), (20.0, 20.0)), ((1.0, 400.0), (1.0, 1.0))] {
            let (a, b) = (beta(a.0, a.1), beta(b.0, b.1));
            for tail in [1e-6, 0.025, 0.4] {
                let x = quantile(&a, &b, tail);
                assert!((tails(&a, &b, x).0 / tail - 1.0).abs() < 1e-6, "{a:?} {b:?} {tail}: {x}");
            }
        }
    }
}
