//! The model that fits a player's moves: the likeliest one, and the one by percentiles.

use kiki_stats::numeric::least;
use kiki_stats::{Result, StatsError};
use serde::Serialize;

use crate::choice::{Choice, ChoiceModel};

/// Where the search for the greatest likelihood begins: pairs of s and c.
const STARTS: [(f64, f64); 4] = [(0.1, 0.5), (0.03, 0.3), (0.3, 0.8), (1.0, 1.0)];

const MOST_STEPS: usize = 200;

/// The step of logarithms for second derivatives.
const STEP: f64 = 1e-4;

/// Logarithms of the parameters stay within these bounds: beyond them a player always, or never,
/// finds the best move.
const BOUNDS: [(f64, f64); 2] = [(-12.0, 6.0), (-4.0, 3.0)];

/// The likeliest model with its errors.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ChoiceFit {
    #[serde(flatten)]
    pub model: ChoiceModel,
    pub log_likelihood: f64,
    /// The standard error of `ln s`.
    pub error_ln_s: f64,
    /// The standard error of `ln c`.
    pub error_ln_c: f64,
    /// The correlation of these errors.
    pub correlation: f64,
}

pub fn log_likelihood(model: &ChoiceModel, choices: &[Choice]) -> f64 {
    choices.iter().map(|choice| model.ln_probability(choice).0).sum()
}

/// The model that makes the played moves likeliest, by Newton's method in `(ln s, ln c)` from
/// several starts. Errors come from the observed information. Refuses choices that leave a
/// parameter open, as when a player always found the best move.
pub fn fit(choices: &[Choice]) -> Result<ChoiceFit> {
    let refuse = |reason| Err(StatsError::NotEstimable { what: "the choice model", reason });
    if !choices.iter().any(|choice| choice.errors.len() > 1) {
        return refuse("there is no choice of moves");
    }
    let found = STARTS.iter().map(|&(s, c)| climb(choices, [s.ln(), c.ln()]));
    let best = found.max_by(|a, b| a.value.total_cmp(&b.value)).ok_or(StatsError::NoGames)?;
    let inside = |(&place, &(low, high)): (&f64, &(f64, f64))| place > low && place < high;
    let [[a, b], [_, d]] = best.information(choices);
    let determinant = a * d - b * b;
    if !best.place.iter().zip(&BOUNDS).all(inside) || a <= 0.0 || determinant <= 0.0 {
        return refuse("the moves leave a parameter open");
    }
    if !best.settled {
        return Err(StatsError::NotConverged { what: "the choice model", iterations: MOST_STEPS });
    }
    let (variance_s, variance_c, covariance) = (d / determinant, a / determinant, -b / determinant);
    Ok(ChoiceFit {
        model: model_at(best.place),
        log_likelihood: best.value,
        error_ln_s: variance_s.sqrt(),
        error_ln_c: variance_c.sqrt(),
        correlation: covariance / (variance_s * variance_c).sqrt(),
    })
}

fn model_at([ln_s, ln_c]: [f64; 2]) -> ChoiceModel {
    // `BOUNDS` keep both finite and above 0.
    ChoiceModel::new(ln_s.exp(), ln_c.exp()).unwrap_or_else(|error| unreachable!("{error}"))
}

fn likelihood(choices: &[Choice], place: [f64; 2]) -> (f64, [f64; 2]) {
    let model = model_at(place);
    choices.iter().fold((0.0, [0.0; 2]), |(sum, slopes), choice| {
        let (value, slope) = model.ln_probability(choice);
        (sum + value, [slopes[0] + slope[0], slopes[1] + slope[1]])
    })
}

/// A point of the search, with the value and the slope of the log-likelihood.
struct Summit {
    place: [f64; 2],
    value: f64,
    slope: [f64; 2],
    settled: bool,
}

impl Summit {
    /// The negative second derivatives, from differences of the slopes.
    fn information(&self, choices: &[Choice]) -> [[f64; 2]; 2] {
        let row = |parameter: usize| {
            let at = |sign: f64| {
                let mut place = self.place;
                place[parameter] += sign * STEP;
                likelihood(choices, place).1
            };
            let (above, below) = (at(1.0), at(-1.0));
            [0, 1].map(|other| (below[other] - above[other]) / (2.0 * STEP))
        };
        let (first, second) = (row(0), row(1));
        let mixed = 0.5 * (first[1] + second[0]);
        [[first[0], mixed], [mixed, second[1]]]
    }
}

/// Newton's method. Where the likelihood is not concave, it steps along the slope; a step that
/// leads down is halved.
fn climb(choices: &[Choice], start: [f64; 2]) -> Summit {
    let (value, slope) = likelihood(choices, start);
    let mut summit = Summit { place: start, value, slope, settled: false };
    for _ in 0..MOST_STEPS {
        let step = newton_step(&summit, choices);
        let next = step_up(&summit, choices, step);
        // No step leads up, or it is below the precision of the numbers.
        let settled = next.is_none() || step.iter().all(|part| part.abs() < 1e-10);
        summit = Summit { settled, ..next.unwrap_or(summit) };
        if settled {
            break;
        }
    }
    summit
}

fn newton_step(summit: &Summit, choices: &[Choice]) -> [f64; 2] {
    let [[a, b], [_, d]] = summit.information(choices);
    let [x, y] = summit.slope;
    let determinant = a * d - b * b;
    let step = if a > 0.0 && determinant > 0.0 {
        [(d * x - b * y) / determinant, (a * y - b * x) / determinant]
    } else {
        let length = x.hypot(y).max(f64::MIN_POSITIVE);
        [0.5 * x / length, 0.5 * y / length]
    };
    // The second derivatives hold only nearby, so long steps are cut.
    let longest = step[0].abs().max(step[1].abs());
    if longest > 1.0 { step.map(|part| part / longest) } else { step }
}

/// The point after this step, or a shorter one; `None` if none leads up.
fn step_up(summit: &Summit, choices: &[Choice], step: [f64; 2]) -> Option<Summit> {
    let mut share = 1.0;
    for _ in 0..40 {
        let place = [0, 1].map(|index| {
            let (low, high) = BOUNDS[index];
            (summit.place[index] + share * step[index]).clamp(low, high)
        });
        let (value, slope) = likelihood(choices, place);
        if value > summit.value {
            return Some(Summit { place, value, slope, settled: false });
        }
        share *= 0.5;
    }
    None
}

/// The model whose percentiles fit best.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PercentileFit {
    #[serde(flatten)]
    pub model: ChoiceModel,
    /// The mean squared distance of the curve from the diagonal, over the percentiles 1 to 99.
    pub distance: f64,
}

/// For each q from 0.01 to 0.99, the share R(q) of positions whose played move is among the best
/// moves with the total probability q. Under a correct model R(q) = q. Moves count in the order of
/// the choice, which should be from best to worst.
pub fn percentile_curve(model: &ChoiceModel, choices: &[Choice]) -> Vec<(f64, f64)> {
    let ranges: Vec<(f64, f64)> = choices.iter().map(|choice| range(model, choice)).collect();
    let share = |percent: i32| {
        let q = f64::from(percent) / 100.0;
        let sum: f64 = ranges.iter().map(|&(low, high)| covered(q, low, high)).sum();
        (q, sum / choices.len() as f64)
    };
    (1..100).map(share).collect()
}

/// Total probability of the moves before the played one, without and with it.
fn range(model: &ChoiceModel, choice: &Choice) -> (f64, f64) {
    let probabilities = model.probabilities(&choice.errors);
    let low: f64 = probabilities[..choice.played].iter().sum();
    (low, low + probabilities[choice.played])
}

fn covered(q: f64, low: f64, high: f64) -> f64 {
    if high > low { ((q - low) / (high - low)).clamp(0.0, 1.0) } else { f64::from(u8::from(q >= low)) }
}

/// The model with the least mean squared distance between R(q) and q. The search begins with the
/// likeliest model.
pub fn fit_percentiles(choices: &[Choice]) -> Result<PercentileFit> {
    let start = fit(choices)?.model;
    let distance = |model: &ChoiceModel| {
        let curve = percentile_curve(model, choices);
        curve.iter().map(|(q, share)| (share - q).powi(2)).sum::<f64>() / curve.len() as f64
    };
    let at = |place: [f64; 2]| ChoiceModel::new(place[0].exp(), place[1].exp());
    let place = least([start.sensitivity().ln(), start.consistency().ln()], 0.1, |place| {
        at(place).map_or(f64::INFINITY, |model| distance(&model))
    });
    let model = at(place)?;
    Ok(PercentileFit { model, distance: distance(&model) })
}

#[cfg(test)]
mod tests {
    use kiki_stats::random::stream;
    use rand::RngExt as _;

    use super::*;

    /// Choices of a known player.
    fn choices(model: &ChoiceModel, count: u64) -> Vec<Choice> {
        let one = |number: u64| {
            let mut random = stream(3, number);
            let mut errors: Vec<f64> =
                (0..12).map(|move_number| f64::from(move_number) * 0.1 * random.random::<f64>()).collect();
            errors.sort_by(f64::total_cmp);
            errors[0] = 0.0;
            let mut left: f64 = random.random();
            let probabilities = model.probabilities(&errors);
            let played = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            Choice::new(errors, played.unwrap_or(0)).unwrap()
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn a_known_player_is_found_again() {
        let truth = ChoiceModel::new(0.08, 0.6).unwrap();
        let found = fit(&choices(&truth, 4000)).unwrap();
        let off = |found: f64, truth: f64, error: f64| (found / truth).ln().abs() / error;
        assert!(off(found.model.sensitivity(), 0.08, found.error_ln_s) < 3.5, "{found:?}");
        assert!(off(found.model.consistency(), 0.6, found.error_ln_c) < 3.5, "{found:?}");
    }

    #[test]
    fn what_leaves_the_parameters_open_is_refused() {
        assert!(fit(&[]).is_err());
        assert!(fit(&vec![Choice::new(vec![0.0], 0).unwrap(); 100]).is_err());
        // Always the best move: any small s would do.
        assert!(fit(&vec![Choice::new(vec![0.0, 0.5], 0).unwrap(); 100]).is_err());
    }
}
