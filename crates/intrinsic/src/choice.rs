//! How moves are chosen: scaled errors, the model of choice, and its predictions beside the moves
//! played.

use kiki_stats::error::{check, number, positive};
use kiki_stats::numeric::decreasing_root;
use kiki_stats::{Result, StatsError};
use serde::Serialize;

/// Exponents are cut to this: beyond it the probability is below 1e-80 anyway.
const LARGEST_EXPONENT: f64 = 200.0;

/// How much worse a move is than the best one: the integral of `dz / (1 + |z|)` between their
/// values in units. Negative for a better move.
pub fn scaled_error(best: f64, other: f64, unit: f64) -> Result<f64> {
    positive("the unit of values", unit)?;
    let scaled = |value: f64| -> Result<f64> {
        let value = number("a value", value)? / unit;
        Ok(value.abs().ln_1p().copysign(value))
    };
    Ok(scaled(best)? - scaled(other)?)
}

/// Values are cut to this, in centipawns.
const GREATEST_VALUE: i32 = 3000;

/// Values of ranked moves in centipawns, cut to ±3000 and to the value before, since the search of
/// a move alone may rate it higher.
pub fn descending_values(values: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let cut = values.into_iter().map(|value| value.clamp(-GREATEST_VALUE, GREATEST_VALUE));
    cut.scan(GREATEST_VALUE, |least, value| {
        *least = value.min(*least);
        Some(*least)
    })
    .collect()
}

/// A position in which a player moved.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The scaled errors of all moves; that of the best move, which comes first, is 0.
    pub errors: Vec<f64>,
    /// Index of the move that was played.
    pub played: usize,
}

impl Choice {
    /// Refuses an empty list, a first error other than 0, negative errors, and a `played` out of
    /// range.
    pub fn new(errors: Vec<f64>, played: usize) -> Result<Self> {
        for &error in &errors {
            check("a scaled error", error, |error| error >= 0.0, "0 or more")?;
        }
        let refuse = |reason| Err(StatsError::NotEstimable { what: "a choice of moves", reason });
        match errors.first() {
            None => refuse("there is no move"),
            Some(&first) if first != 0.0 => refuse("the first move is not the best"),
            Some(_) if played >= errors.len() => refuse("the move that was played is not one of them"),
            Some(_) => Ok(Self { errors, played }),
        }
    }
}

/// The model: `ln p_0 / ln p_i = exp(-(d_i / s)^c)` for a move with the scaled error `d_i`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ChoiceModel {
    #[serde(rename = "s")]
    sensitivity: f64,
    #[serde(rename = "c")]
    consistency: f64,
}

impl ChoiceModel {
    /// A smaller s and a greater c make a stronger player; both are above 0.
    pub fn new(sensitivity: f64, consistency: f64) -> Result<Self> {
        check("the sensitivity", sensitivity, |s| s > 0.0, "above 0")?;
        check("the consistency", consistency, |c| c > 0.0, "above 0")?;
        Ok(Self { sensitivity, consistency })
    }

    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    pub fn consistency(&self) -> f64 {
        self.consistency
    }

    /// The probability of each move, by their scaled errors.
    pub fn probabilities(&self, errors: &[f64]) -> Vec<f64> {
        let powers = self.powers(errors);
        let t = surprise_of_best(&powers);
        powers.iter().map(|power| (-power * t).exp()).collect()
    }

    /// The logarithm of the probability of the played move, and its derivatives by `ln s` and
    /// `ln c`.
    pub(crate) fn ln_probability(&self, choice: &Choice) -> (f64, [f64; 2]) {
        let powers = self.powers(&choice.errors);
        let t = surprise_of_best(&powers);
        // How the power of each move changes with the logarithms of the parameters.
        let slopes: Vec<[f64; 2]> =
            choice.errors.iter().zip(&powers).map(|(&error, &power)| self.power_slopes(error, power)).collect();
        // The sum of all probabilities stays 1.
        let weighed = |of: &dyn Fn(usize) -> f64| -> f64 {
            powers.iter().enumerate().map(|(index, power)| (-power * t).exp() * of(index)).sum()
        };
        let change = weighed(&|index| powers[index]);
        let derivative = |parameter: usize| {
            let t_slope = -t * weighed(&|index| slopes[index][parameter]) / change;
            -slopes[choice.played][parameter] * t - powers[choice.played] * t_slope
        };
        (-powers[choice.played] * t, [derivative(0), derivative(1)])
    }

    /// `(d / s)^c` for a scaled error.
    fn exponent(&self, error: f64) -> f64 {
        (error / self.sensitivity).powf(self.consistency).min(LARGEST_EXPONENT)
    }

    /// `p_i = p_0 ^ power`.
    fn powers(&self, errors: &[f64]) -> Vec<f64> {
        errors.iter().map(|&error| self.exponent(error).exp()).collect()
    }

    fn power_slopes(&self, error: f64, power: f64) -> [f64; 2] {
        let exponent = self.exponent(error);
        if exponent == 0.0 || exponent >= LARGEST_EXPONENT {
            return [0.0; 2];
        }
        let by_power = power * self.consistency * exponent;
        [-by_power, by_power * (error / self.sensitivity).ln()]
    }
}

/// `-ln p_0`: the t with `sum exp(-power t) = 1`. The first power is 1, so its term less 1 is
/// `exp_m1(-t)`, which keeps t exact if all other moves are hopeless.
fn surprise_of_best(powers: &[f64]) -> f64 {
    if powers.len() < 2 {
        return 0.0;
    }
    decreasing_root((powers.len() as f64).ln(), |t| {
        powers.iter().skip(1).fold(((-t).exp_m1(), -(-t).exp()), |(value, slope), power| {
            let probability = (-power * t).exp();
            (value + probability, slope - power * probability)
        })
    })
}

/// Match rate and mean scaled error, observed and expected by a model.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Projection {
    pub match_rate: f64,
    /// The share expected by the model; `None` without one.
    pub expected_match_rate: Option<f64>,
    pub mean_error: f64,
    /// The mean expected by the model, which varies less with few positions; `None` without one.
    pub expected_mean_error: Option<f64>,
}

impl Projection {
    /// Summarizes choices, and what a model expects of them. Fails without choices.
    pub fn new(model: Option<&ChoiceModel>, choices: &[Choice]) -> Result<Self> {
        let count = choices.len() as f64;
        let played = Sums::played(choices)?;
        let expected = model.map(|model| Sums::expected(model, choices));
        Ok(Self {
            match_rate: played.matches / count,
            expected_match_rate: expected.map(|expected| expected.matches / count),
            mean_error: played.error / count,
            expected_mean_error: expected.map(|expected| expected.error / count),
        })
    }
}

/// How far a player's moves are from those of a model, in standard deviations. Moves of one game
/// are not independent, so these values are not normal.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ChoiceTest {
    pub matches: f64,
    pub expected_matches: f64,
    /// The difference in standard deviations: above 0 for more matches than expected. `None` if the
    /// model leaves no choice.
    pub z_match: Option<f64>,
    /// The same for errors: above 0 for smaller errors than expected.
    pub z_error: Option<f64>,
}

impl ChoiceTest {
    pub fn new(model: &ChoiceModel, choices: &[Choice]) -> Result<Self> {
        let played = Sums::played(choices)?;
        let expected = Sums::expected(model, choices);
        let z = |difference: f64, variance: f64| (variance > 0.0).then(|| difference / variance.sqrt());
        Ok(Self {
            matches: played.matches,
            expected_matches: expected.matches,
            z_match: z(played.matches - expected.matches, expected.match_variance),
            z_error: z(expected.error - played.error, expected.error_variance),
        })
    }
}

/// Sums over positions.
#[derive(Clone, Copy, Default)]
struct Sums {
    matches: f64,
    match_variance: f64,
    error: f64,
    error_variance: f64,
}

impl Sums {
    /// As the moves were played, without variances.
    fn played(choices: &[Choice]) -> Result<Self> {
        if choices.is_empty() {
            return Err(StatsError::NotEstimable { what: "a mean error", reason: "there are no positions" });
        }
        let matches = choices.iter().filter(|choice| choice.played == 0).count() as f64;
        let error = choices.iter().map(|choice| choice.errors[choice.played]).sum();
        Ok(Self { matches, error, ..Self::default() })
    }

    /// As a model expects them.
    fn expected(model: &ChoiceModel, choices: &[Choice]) -> Self {
        let mut sums = Self::default();
        for choice in choices {
            let probabilities = model.probabilities(&choice.errors);
            let best = probabilities[0];
            let pairs = || choice.errors.iter().zip(&probabilities);
            let mean: f64 = pairs().map(|(error, probability)| error * probability).sum();
            let square: f64 = pairs().map(|(error, probability)| error * error * probability).sum();
            sums.matches += best;
            sums.match_variance += best * (1.0 - best);
            sums.error += mean;
            sums.error_variance += (square - mean * mean).max(0.0);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn probabilities_sum_to_one_and_fall_with_the_error(
            errors in prop::collection::vec(0.0..3.0, 0..20),
            s in 0.01..1.0,
            c in 0.1..1.5,
        ) {
            let mut errors: Vec<f64> = [0.0].into_iter().chain(errors).collect();
            errors.sort_by(f64::total_cmp);
            let probabilities = ChoiceModel::new(s, c).unwrap().probabilities(&errors);
            prop_assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(probabilities.windows(2).all(|pair| pair[0] >= pair[1]));
        }

        #[test]
        fn derivatives_are_those_of_the_function(
            errors in prop::collection::vec(0.01..2.0, 1..8),
            s in 0.03..0.5,
            c in 0.2..1.0,
            played in 0..8_usize,
        ) {
            let errors: Vec<f64> = [0.0].into_iter().chain(errors).collect();
            let choice = Choice::new(errors.clone(), played % errors.len()).unwrap();
            let at = |s: f64, c: f64| ChoiceModel::new(s, c).unwrap().ln_probability(&choice);
            let step = 1e-6_f64;
            let by_s = (at(s * step.exp(), c).0 - at(s * (-step).exp(), c).0) / (2.0 * step);
            let by_c = (at(s, c * step.exp()).0 - at(s, c * (-step).exp()).0) / (2.0 * step);
            let (value, [slope_s, slope_c]) = at(s, c);
            let tolerance = 1e-5 * (1.0 + value.abs());
            prop_assert!((by_s - slope_s).abs() < tolerance, "{} {}", by_s, slope_s);
            prop_assert!((by_c - slope_c).abs() < tolerance, "{} {}", by_c, slope_c);
        }
    }

    #[test]
    fn without_a_model_nothing_is_expected() {
        let choices = [Choice::new(vec![0.0, 0.3], 1).unwrap(), Choice::new(vec![0.0, 0.1], 0).unwrap()];
        let observed = Projection::new(None, &choices).unwrap();
        assert_eq!((observed.match_rate, observed.mean_error), (0.5, 0.15));
        assert_eq!((observed.expected_match_rate, observed.expected_mean_error), (None, None));
    }

    #[test]
    fn hopeless_moves_are_not_chosen_and_do_no_harm() {
        let probabilities = ChoiceModel::new(0.001, 1.0).unwrap().probabilities(&[0.0, 2.0, 9.0]);
        assert!((probabilities[0] - 1.0).abs() < 1e-15 && probabilities[1] < 1e-80);
    }

    #[test]
    fn the_probability_of_a_hopeless_move_is_exact() {
        // t = -ln p_0 solves exp(-t) + exp(-power t) = 1: for a great power, power t = -ln t
        // nearly.
        for error in [0.05, 0.3, 1.0, 1.9] {
            let model = ChoiceModel::new(0.01, 1.0).unwrap();
            let (ln_p, _) = model.ln_probability(&Choice::new(vec![0.0, error], 1).unwrap());
            let t = -ln_p / (error / 0.01).exp();
            let ln_rest = (-(-t).exp_m1()).ln();
            assert!((ln_p / ln_rest - 1.0).abs() < 1e-12, "{error}: {ln_p} {ln_rest}");
        }
    }

    #[test]
    fn values_descend_within_bounds() {
        assert_eq!(descending_values([9000, 20, 30, -5000]), [3000, 20, 20, -3000]);
    }

    #[test]
    fn bad_choices_are_refused() {
        assert!(Choice::new(vec![], 0).is_err() && Choice::new(vec![0.1, 0.0], 0).is_err());
        assert!(Choice::new(vec![0.0, -0.1], 0).is_err() && Choice::new(vec![0.0], 1).is_err());
        assert!(ChoiceModel::new(0.0, 0.5).is_err() && ChoiceModel::new(0.1, f64::NAN).is_err());
        assert!(scaled_error(1.0, 0.0, 0.0).is_err() && scaled_error(f64::INFINITY, 0.0, 1.0).is_err());
    }
}
