//! The sequential test (SPRT) of a contest of two engines.

use anyhow::Result;
use clap::ValueEnum;
use kiki_stats::sprt::{Bounds, CountKind, Counts, Decision, EloModel, Hypotheses, Sprt};
use serde::{Deserialize, Serialize};

use super::standings::Standings;

/// A sequential test, as it is written in the folder of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SprtSettings {
    /// H0: the first engine is stronger by no more than this.
    pub elo0: f64,
    /// H1: it is stronger by at least this.
    pub elo1: f64,
    /// How often H1 may be accepted although H0 is true.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 is true.
    pub beta: f64,
    /// The unit of the bounds.
    pub model: EloUnits,
    /// What is counted.
    pub counts: CountedResults,
}

/// The unit in which the bounds of a test are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum EloUnits {
    /// Elo points.
    Logistic,
    /// Elo points normalized by the spread of the results.
    Normalized,
}

/// What a test counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CountedResults {
    /// Pairs of games with one opening and exchanged colours, which are not independent of each other.
    Pentanomial,
    /// Single games.
    Trinomial,
}

impl Default for SprtSettings {
    fn default() -> Self {
        let (model, counts) = (EloUnits::Logistic, CountedResults::Pentanomial);
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model, counts }
    }
}

impl SprtSettings {
    /// The test itself.
    ///
    /// # Errors
    /// Hypotheses or error rates that make no test.
    pub fn sprt(&self) -> Result<Sprt> {
        let model = match self.model {
            EloUnits::Logistic => EloModel::Logistic,
            EloUnits::Normalized => EloModel::Normalized,
        };
        Ok(Sprt { hypotheses: Hypotheses::new(self.elo0, self.elo1, self.alpha, self.beta)?, model })
    }

    /// What is counted: single games or pairs.
    pub fn kind(&self) -> CountKind {
        match self.counts {
            CountedResults::Trinomial => CountKind::Trinomial,
            CountedResults::Pentanomial => CountKind::Pentanomial,
        }
    }
}

/// A running test. It looks at pairs of games in the order of the schedule and stops at the first one that decides, so that neither the
/// number of games at a time nor an interruption can change its decision.
#[derive(Clone, Debug)]
pub struct SprtRun {
    /// The settings of the test.
    pub settings: SprtSettings,
    /// The test.
    pub sprt: Sprt,
    /// The results so far.
    pub counts: Counts,
    /// The log-likelihood ratio so far.
    pub llr: f64,
    /// The log-likelihood ratio after every pair of games.
    pub llrs: Vec<f64>,
}

impl SprtRun {
    /// A test with no result yet.
    ///
    /// # Errors
    /// If the hypotheses or the error rates are impossible.
    pub fn new(settings: &SprtSettings) -> Result<Self> {
        let (sprt, counts) = (settings.sprt()?, Counts::empty(settings.kind()));
        Ok(Self { settings: settings.clone(), sprt, counts, llr: 0.0, llrs: Vec::new() })
    }

    /// Counts the pairs of games that have become complete.
    pub fn advance(&mut self, standings: &Standings) -> Result<()> {
        while self.decision() == Decision::Continue
            && let Some(points) = standings.pair(self.llrs.len())
        {
            match self.counts.kind() {
                CountKind::Pentanomial => self.counts.record(points[0] + points[1]),
                _ => points.into_iter().for_each(|points| self.counts.record(points)),
            }
            self.llr = self.sprt.llr(&self.counts)?;
            self.llrs.push(self.llr);
        }
        Ok(())
    }

    /// The bounds of the log-likelihood ratio.
    pub fn bounds(&self) -> Bounds {
        self.sprt.hypotheses.bounds()
    }

    /// What the test says now.
    pub fn decision(&self) -> Decision {
        self.bounds().decide(self.llr)
    }
}
