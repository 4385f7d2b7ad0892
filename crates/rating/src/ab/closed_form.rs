//! The probability that one beta variable exceeds another, as a sum.

use kiki_stats::beta::Beta;

/// Longer sums are left to quadrature.
const MAX_TERMS: f64 = 1e6;
/// Within so many standard deviations, both sides together, all terms are.
const REACH: f64 = 80.0;
/// Smaller terms, the largest being about 1, are left out: they would add nothing but slow arithmetic.
const NEGLIGIBLE: f64 = 1e-290;

/// `P(A > B)` for whole shapes below 2^52; `None` for others, and where the sum would be too long.
///
/// A with shapes (a, b) is distributed as the a-th smallest of a + b - 1 uniform numbers, and B likewise; so A > B means that at least c
/// of the m = c + d - 1 numbers behind B lie below A. Their number J has
///
/// `P(J = j) = C(a-1+j, j) C(b-1+m-j, m-j) / C(a+b-1+m, m)`,
///
/// whose terms from j = c on are the well-known closed sum. Taking the terms below c as well makes the normalising factorials
/// unnecessary, since all terms add up to 1, and yields both tails without cancellation.
pub(super) fn a_better(a: &Beta, b: &Beta) -> Option<f64> {
    let ((a0, a1), (b0, b1)) = (a.shapes(), b.shapes());
    let whole = |shape: f64| shape.fract() == 0.0 && shape < (1u64 << 52) as f64;
    if ![a0, a1, b0, b1].into_iter().all(whole) {
        return None;
    }
    // The fewer numbers there are to count, the shorter the sum.
    if b0 + b1 <= a0 + a1 {
        tails(a0, a1, b0, b1).map(|(_, from_c)| from_c)
    } else {
        tails(b0, b1, a0, a1).map(|(below_c, _)| below_c)
    }
}

/// `P(J < c)` and `P(J >= c)`.
fn tails(a: f64, b: f64, c: f64, d: f64) -> Option<(f64, f64)> {
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
    while j < m && term > NEGLIGIBLE {
        term *= ratio_up(j);
        j += 1.0;
        add(j, term);
    }
    (j, term) = (mode, 1.0);
    while j > 0.0 && term > NEGLIGIBLE {
        j -= 1.0;
        term /= ratio_up(j);
        add(j, term);
    }
    let total = below + from;
    Some((below / total, from / total))
}
