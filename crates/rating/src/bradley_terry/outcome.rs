//! The probabilities of win, draw and loss in one game.

/// The probabilities of a game by Davidson's model ("On extending the Bradley-Terry model to accommodate ties in paired comparison
/// experiments", 1970): those of a win, a draw and a loss are as 1, `nu exp(-t/2)` and `exp(-t)`, where t is the difference of the two
/// strengths. Without draws, nu = 0, it is the model of Zermelo, Bradley and Terry.
///
/// It has the same sufficient statistic, the points with a draw as half of one, so that the ratings answer to the same sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutcomeModel {
    pub(super) win: f64,
    pub(super) draw: f64,
    pub(super) loss: f64,
    /// The derivative of the expected score by t, which is the variance of the score, too.
    pub(super) weight: f64,
    /// The logarithm of the sum of the three terms, the greater of win and loss being 1.
    pub(super) ln_sum: f64,
}

impl OutcomeModel {
    /// For a difference t in log-odds; `nu` is 0 or more.
    pub(super) fn new(t: f64, nu: f64) -> Self {
        // The terms of a draw and of the less probable win.
        let root = (-0.5 * t.abs()).exp();
        let (tie, less) = (nu * root, root * root);
        let sum = 1.0 + tie + less;
        let (favourite, other) = (1.0 / sum, less / sum);
        let (win, loss) = if t >= 0.0 { (favourite, other) } else { (other, favourite) };
        let weight = (less + 0.25 * tie * (1.0 + less)) / (sum * sum);
        Self { win, draw: tie / sum, loss, weight, ln_sum: (tie + less).ln_1p() }
    }

    /// The expected score.
    pub(super) fn expected(&self) -> f64 {
        self.win + 0.5 * self.draw
    }

    /// The expected score of the opponent, without the rounding of a subtraction.
    pub(super) fn conceded(&self) -> f64 {
        self.loss + 0.5 * self.draw
    }
}

/// What is known of draws.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrawShare {
    /// The share of their games that equal players draw, `nu / (nu + 2)`.
    pub share: f64,
    /// Its standard error by the Fisher information.
    pub error: f64,
}

impl DrawShare {
    /// From ln nu and its variance.
    pub(super) fn new(ln_nu: f64, variance: f64) -> Self {
        let nu = ln_nu.exp();
        let share = nu / (nu + 2.0);
        Self { share, error: share * (1.0 - share) * variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_stats::logistic::logistic;

    #[test]
    fn without_draws_it_is_the_logistic_curve() {
        for t in [-40.0, -1.5, 0.0, 0.3, 700.0] {
            let outcome = OutcomeModel::new(t, 0.0);
            assert!((outcome.expected() - logistic(t)).abs() < 1e-15 && outcome.draw == 0.0);
            let weight = logistic(t) * logistic(-t);
            assert!((outcome.weight - weight).abs() <= 1e-14 * weight, "{t}");
        }
    }

    #[test]
    fn the_weight_is_derivative_and_variance() {
        for (t, nu) in [(0.0, 1.0), (1.2, 0.4), (-3.0, 7.0)] {
            let outcome = OutcomeModel::new(t, nu);
            assert!((outcome.win + outcome.draw + outcome.loss - 1.0).abs() < 1e-15);
            assert!((outcome.win / outcome.loss / f64::exp(t) - 1.0).abs() < 1e-12);
            let step = 1e-5;
            let slope = (OutcomeModel::new(t + step, nu).expected() - OutcomeModel::new(t - step, nu).expected())
                / (2.0 * step);
            assert!((slope - outcome.weight).abs() < 1e-9);
            let variance = outcome.win + 0.25 * outcome.draw - outcome.expected().powi(2);
            assert!((variance - outcome.weight).abs() < 1e-14);
        }
    }
}
