//! Predictions of ratings compared with results: residuals of the fitted games, and the loss of
//! held-out games.

use std::collections::BTreeMap;

use rand::distr::Distribution;
use rand_distr::Binomial;
use serde::Serialize;

use kiki_stats::error::{check, open_probability};
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

use super::fit::{Fit, fit};
use super::likelihood::OutcomeModel;
use super::options::FitOptions;
use super::table::{PairOrder, ResultTable};

/// The points of two players against each other, beside the points that their ratings predict.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Residual {
    /// The two players, the lower number first.
    pub players: [usize; 2],
    pub games: f64,
    pub observed: f64,
    /// The points that the ratings predict for it.
    pub expected: f64,
    /// The difference in standard deviations of independent games, which an estimated share of
    /// draws makes smaller. Slightly too small for a pair with much weight in its players' ratings,
    /// because the fit follows such a pair.
    pub z: f64,
}

/// The score of every pair of rated players beside the expected one.
pub fn residuals(fit: &Fit) -> Vec<Residual> {
    let mut pairs: BTreeMap<[usize; 2], [f64; 4]> = BTreeMap::new();
    for (encounter, &points) in fit.games.encounters.iter().zip(&fit.games.observed.points) {
        let outcome = OutcomeModel::new(fit.games.log_odds(encounter, &fit.point), fit.games.nu_at(&fit.point));
        let (n, players) = (encounter.games, encounter.players);
        let variance = n * outcome.weight;
        let (players, sums) = if players[0] < players[1] {
            (players, [n, points, n * outcome.expected(), variance])
        } else {
            ([players[1], players[0]], [n, n - points, n * outcome.conceded(), variance])
        };
        let pair = pairs.entry(players).or_default();
        for (sum, value) in pair.iter_mut().zip(sums) {
            *sum += value;
        }
    }
    let residual = |(players, [games, observed, expected, variance]): ([usize; 2], [f64; 4])| {
        let z = (observed - expected) / variance.max(f64::MIN_POSITIVE).sqrt();
        Residual { players, games, observed, expected, z }
    };
    pairs.into_iter().map(residual).collect()
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HoldOut {
    /// Games that were kept aside and predicted.
    pub games: f64,
    /// Games that were kept aside, but had a player that the rest of the games cannot rate.
    pub unrated_games: f64,
    /// The mean logarithmic loss of a game, in natural units; ln 2 for a prediction of one half.
    pub log_loss: f64,
    /// Games by the probability of the favourite, in ascending order; bins without games are left
    /// out.
    pub calibration: Vec<CalibrationBin>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct CalibrationBin {
    pub games: f64,
    pub predicted: f64,
    /// The favourite's share of the points.
    pub observed: f64,
}

/// Keeps a random share of the games aside, rates the players by the rest, and compares. `bins`
/// divide the favourite's probability from 1/2 to 1 evenly. Known draws are kept aside as whole
/// games; other half points stay with the fitted games. The share is strictly between 0 and 1.
/// Fails if no game can be predicted.
pub fn hold_out(table: &ResultTable, options: &FitOptions, share: f64, bins: usize, seed: u64) -> Result<HoldOut> {
    open_probability("the share kept aside", share)?;
    check("the number of bins", bins as f64, |bins| bins >= 1.0, "1 or more")?;
    let (kept, aside) = split(table, share, seed)?;
    let fit = fit(&kept, options)?;
    let mut report = HoldOut { games: 0.0, unrated_games: 0.0, log_loss: 0.0, calibration: Vec::new() };
    let mut sums = vec![[0.0; 3]; bins];
    for (pairing, points) in aside {
        let games = points[0] + points[1];
        let Ok(ln_scores) = fit.ln_expected_scores(pairing.a, pairing.b, pairing.a_first) else {
            report.unrated_games += games;
            continue;
        };
        report.games += games;
        report.log_loss -= points[0] * ln_scores[0] + points[1] * ln_scores[1];
        let favourite = usize::from(ln_scores[1] > ln_scores[0]);
        let (favourite, won) = (ln_scores[favourite].exp(), points[favourite]);
        let bin = ((favourite - 0.5) * 2.0 * bins as f64) as usize;
        let sum = &mut sums[bin.min(bins - 1)];
        *sum = [sum[0] + games, sum[1] + games * favourite, sum[2] + won];
    }
    if report.games == 0.0 {
        let reason = "no game kept aside has two rated players";
        return Err(StatsError::NotEstimable { what: "the log loss", reason });
    }
    report.log_loss /= report.games;
    report.calibration = sums
        .into_iter()
        .filter(|sum| sum[0] > 0.0)
        .map(|[games, predicted, won]| CalibrationBin { games, predicted: predicted / games, observed: won / games })
        .collect();
    Ok(report)
}

/// Results that are not in a table: a pairing and the points of its two players.
type Aside = Vec<(PairOrder, [f64; 2])>;

/// Draws lots which games are kept aside.
fn split(table: &ResultTable, share: f64, seed: u64) -> Result<(ResultTable, Aside)> {
    let mut random = stream(seed, 0);
    let mut kept = ResultTable::new(table.players());
    let mut aside = Aside::new();
    for (pairing, points) in table.results() {
        let mut choose = |games: f64| -> Result<f64> {
            let too_many = |_| StatsError::OutOfDomain { what: "the points of a pair", value: games, domain: "fewer" };
            Ok(Binomial::new(games as u64, share).map_err(too_many)?.sample(&mut random) as f64)
        };
        let draws = table.draws_of(pairing);
        let decided = points.map(|points| points - 0.5 * draws);
        let chosen = [choose(decided[0])?, choose(decided[1])?];
        let chosen_draws = if draws > 0.0 { choose(draws)? } else { 0.0 };
        let rest = [decided[0] - chosen[0], decided[1] - chosen[1]];
        kept.add_games([pairing.a, pairing.b], pairing.a_first, rest, draws - chosen_draws)?;
        if chosen[0] + chosen[1] + chosen_draws > 0.0 {
            aside.push((pairing, chosen.map(|points| points + 0.5 * chosen_draws)));
        }
    }
    Ok((kept, aside))
}
