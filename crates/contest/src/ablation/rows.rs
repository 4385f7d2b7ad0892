//! What each step is worth: the rows of the table.

use kiki_stats::Interval;
use kiki_stats::sprt::Estimates;
use kiki_stats::tally::Tally;

use super::list::Ablation;
use crate::standings::{LEVEL, Standings};

/// The standard normal distribution has 95 percent of its mass within so many standard deviations.
const NORMAL_95: f64 = 1.959_964;

/// A row.
#[derive(Clone, Debug)]
pub struct AblationRow<'a> {
    /// The step that is off.
    pub ablation: &'a Ablation,
    /// None before the first game.
    pub games: Option<MatchResult>,
    /// None if nodes were not counted.
    pub nodes: Option<NodeRatio>,
}

/// The whole engine against the one without a step, from the view of the whole one.
#[derive(Clone, Debug)]
pub struct MatchResult {
    /// The games without the step against those with it.
    pub tally: Tally,
    /// What the games say of the difference in strength.
    pub estimates: kiki_stats::Result<Estimates>,
}

impl MatchResult {
    /// None before the first game.
    pub(super) fn of(standings: &Standings) -> Option<Self> {
        let (_, score) = standings.pairings().next().filter(|(_, score)| score.tally.games() > 0)?;
        Some(Self { tally: score.tally, estimates: score.counts().estimates(LEVEL) })
    }

    /// By how many Elo the whole engine is stronger, if it can be told, with its interval.
    pub fn elo(&self) -> Option<(f64, Interval)> {
        self.estimates.as_ref().ok().map(|estimates| (estimates.elo, estimates.elo_interval))
    }
}

/// How many times the nodes of the whole engine the one without a step needs for the same depth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodeRatio {
    /// Of the engine without the step, over all positions.
    pub nodes: u64,
    /// The geometric mean of the ratios of the positions.
    pub ratio: f64,
    /// Its interval of 95 percent: the logarithms are taken for normal.
    pub interval: Interval,
}

impl NodeRatio {
    /// Of nodes by position, of which there is at least one.
    pub(super) fn of(whole: &[u64], without: &[u64]) -> Self {
        let logarithms: Vec<f64> =
            whole.iter().zip(without).map(|(&whole, &without)| (without as f64 / whole as f64).ln()).collect();
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares: f64 = logarithms.iter().map(|logarithm| (logarithm - mean).powi(2)).sum();
        // One position says nothing about the spread.
        let half = if count > 1.0 { NORMAL_95 * (squares / (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        let interval = Interval { low: (mean - half).exp(), high: (mean + half).exp() };
        Self { nodes: without.iter().sum(), ratio: mean.exp(), interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_geometric_mean_of_the_positions() {
        let same = NodeRatio::of(&[10, 1000], &[20, 2000]);
        assert!((same.ratio - 2.0).abs() < 1e-12 && (same.interval.high - 2.0).abs() < 1e-12, "{same:?}");
        // Logarithms 0 and ln 4: mean ln 2, standard deviation ln 4 / sqrt 2, standard error ln 2.
        let spread = NodeRatio::of(&[10, 10], &[10, 40]);
        assert_eq!(spread.nodes, 50);
        assert!((spread.ratio - 2.0).abs() < 1e-12, "{spread:?}");
        let high = 2.0_f64.powf(1.0 + 1.959_964);
        assert!((spread.interval.high - high).abs() < 1e-6, "{spread:?}");
        let one = NodeRatio::of(&[10], &[5]);
        assert_eq!((one.ratio, one.interval.low, one.interval.high), (0.5, 0.0, f64::INFINITY));
    }
}
