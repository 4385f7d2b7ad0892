//! How well ratings predict games that they were not fitted to.

use rand::distr::Distribution;
use rand_distr::Binomial;

use kiki_stats::error::{check, open_probability};
use kiki_stats::logistic::softplus;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

use super::fit::{Fit, FitOptions, fit};
use super::table::{PairOrder, ResultTable};

/// How well games were predicted.
#[derive(Clone, PartialEq, Debug)]
pub struct HoldOut {
    /// Games that were kept aside and predicted.
    pub games: f64,
    /// Games that were kept aside, but had a player that the rest of the games cannot rate.
    pub unrated_games: f64,
    /// The mean logarithmic loss of a game, in natural units; ln 2 for a prediction of one half.
    pub log_loss: f64,
    /// Games by the probability of the favourite, in ascending order; bins without games are left out.
    pub calibration: Vec<CalibrationBin>,
}

/// Games in which the favourite's probability was much the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CalibrationBin {
    /// The games.
    pub games: f64,
    /// The favourite's mean probability.
    pub predicted: f64,
    /// The favourite's share of the points.
    pub observed: f64,
}

/// Keeps a share of the games aside, drawn by a seed, rates the players by the rest, and compares. `bins` divide the favourite's
/// probability from 1/2 to 1 evenly. Draws that are known as such are drawn for as a whole; other half points stay with the games that
/// are fitted.
///
/// # Errors
/// If the share is not strictly between 0 and 1, there are no bins, no game could be predicted, or the rest cannot be fitted.
pub fn hold_out(table: &ResultTable, options: &FitOptions, share: f64, bins: usize, seed: u64) -> Result<HoldOut> {
    open_probability("the share kept aside", share)?;
    check("the number of bins", bins as f64, |bins| bins >= 1.0, "1 or more")?;
    let (kept, aside) = split(table, share, seed)?;
    let fit = fit(&kept, options)?;
    let mut report = HoldOut { games: 0.0, unrated_games: 0.0, log_loss: 0.0, calibration: Vec::new() };
    let mut sums = vec![[0.0; 3]; bins];
    for (pairing, points) in aside {
        let games = points[0] + points[1];
        let Ok(p) = probability(&fit, pairing) else {
            report.unrated_games += games;
            continue;
        };
        let t = (p / (1.0 - p)).ln();
        report.games += games;
        report.log_loss += points[0] * softplus(-t) + points[1] * softplus(t);
        let (favourite, won) = if p >= 0.5 { (p, points[0]) } else { (1.0 - p, points[1]) };
        let bin = ((favourite - 0.5) * 2.0 * bins as f64) as usize;
        let sum = &mut sums[bin.min(bins - 1)];
        *sum = [sum[0] + games, sum[1] + games * favourite, sum[2] + won];
    }
    if report.games == 0.0 {
        return Err(StatsError::NotEstimable {
            what: "the log loss",
            reason: "no game kept aside has two rated players",
        });
    }
    report.log_loss /= report.games;
    report.calibration = sums
        .into_iter()
        .filter(|sum| sum[0] > 0.0)
        .map(|[games, predicted, won]| CalibrationBin { games, predicted: predicted / games, observed: won / games })
        .collect();
    Ok(report)
}

/// The probability of a win of the first player of a pairing.
fn probability(fit: &Fit, pairing: PairOrder) -> Result<f64> {
    if pairing.a_first {
        fit.expected_score_moving_first(pairing.a, pairing.b)
    } else {
        fit.expected_score(pairing.a, pairing.b)
    }
}

/// Results that are not in a table: a pairing and the points of its two players.
type Aside = Vec<(PairOrder, [f64; 2])>;

/// Draws for every won game whether it is kept aside.
fn split(table: &ResultTable, share: f64, seed: u64) -> Result<(ResultTable, Aside)> {
    let mut random = stream(seed, 0);
    let mut kept = ResultTable::new(table.players());
    let mut aside = Aside::new();
    for (pairing, points) in table.results() {
        let mut choose = |games: f64| -> Result<f64> {
            let whole = Binomial::new(games as u64, share).map_err(|_| StatsError::OutOfDomain {
                what: "the points of a pair",
                value: games,
                domain: "fewer",
            })?;
            Ok(whole.sample(&mut random) as f64)
        };
        let draws = table.draws_of(pairing);
        let decided = points.map(|points| points - 0.5 * draws);
        let chosen = [choose(decided[0])?, choose(decided[1])?];
        let chosen_draws = if draws > 0.0 { choose(draws)? } else { 0.0 };
        let (rest, rest_draws) = ([decided[0] - chosen[0], decided[1] - chosen[1]], draws - chosen_draws);
        if pairing.a_first {
            kept.add_ordered(pairing.a, pairing.b, rest[0], rest[1])?;
            kept.add_drawn_ordered(pairing.a, pairing.b, rest_draws)?;
        } else {
            kept.add(pairing.a, pairing.b, rest[0], rest[1])?;
            kept.add_drawn(pairing.a, pairing.b, rest_draws)?;
        }
        if chosen[0] + chosen[1] + chosen_draws > 0.0 {
            aside.push((pairing, chosen.map(|points| points + 0.5 * chosen_draws)));
        }
    }
    Ok((kept, aside))
}
