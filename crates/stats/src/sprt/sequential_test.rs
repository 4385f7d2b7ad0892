//! The sequential test: hypotheses, and the ratio that is held against their bounds.

use crate::Result;

use super::counts::Counts;
use super::hypotheses::{Decision, EloModel, Hypotheses};
use super::llr;

/// A sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// What is tested.
    pub hypotheses: Hypotheses,
    /// In which Elo.
    pub model: EloModel,
}

impl Sprt {
    /// The generalised log-likelihood ratio of H1 to H0. Zero without observations; zero counts weigh 1e-3 of an observation, as
    /// fishtest has it, unless only wins and losses are counted, where the plain ratio is defined.
    ///
    /// # Errors
    /// If the constrained maximum is not found, which takes hypotheses of many hundred Elo.
    pub fn llr(&self, counts: &Counts) -> Result<f64> {
        llr::llr(&self.hypotheses, self.model, counts)
    }

    /// The normal approximation of the logistic ratio, `N (s1 - s0) (2 mean - s0 - s1) / (2 v)`. For display only, never for a
    /// decision: it explodes where the sample variance is small.
    ///
    /// # Errors
    /// Without observations, or if all of them are equal.
    pub fn llr_normal_approximation(&self, counts: &Counts) -> Result<f64> {
        llr::normal_approximation(&self.hypotheses, counts)
    }

    /// What the counts say about the end of the test.
    ///
    /// # Errors
    /// As [`Sprt::llr`].
    pub fn decide(&self, counts: &Counts) -> Result<Decision> {
        Ok(self.hypotheses.bounds().decide(self.llr(counts)?))
    }
}
