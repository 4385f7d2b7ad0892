//! The appendix of LFICS, 3五角: when does a majority of three beat its strongest member?

use kiki_stats::Result;
use kiki_stats::error::{check, probability};

/// Three members before some candidates: one names the best move with a probability, the other two with a smaller one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimpleCouncil {
    candidates: u32,
    strongest: f64,
}

impl SimpleCouncil {
    /// A council before so many candidates, whose strongest member names the best with this probability.
    ///
    /// # Errors
    /// If there are fewer than two candidates, it is no probability, or no better than chance.
    pub fn new(candidates: u32, strongest: f64) -> Result<Self> {
        check("the number of candidates", f64::from(candidates), |n| n >= 2.0, "2 or more")?;
        let chance = 1.0 / f64::from(candidates);
        probability("the strongest member's rate", strongest)?;
        check("the strongest member's rate", strongest, |rate| rate > chance, "better than chance")?;
        Ok(Self { candidates, strongest })
    }

    /// By how much the strongest is better than chance.
    #[must_use]
    pub fn advantage(&self) -> f64 {
        self.strongest - 1.0 / f64::from(self.candidates)
    }

    /// How often the majority is right when the others are worse by this much.
    #[must_use]
    pub fn majority(&self, behind: f64) -> f64 {
        let (p, q) = (self.strongest, self.strongest - behind);
        let agree = 2.0 * p * q * (1.0 - q) + q * q;
        agree + p * (1.0 - q) * (1.0 - q) * (1.0 - 1.0 / f64::from(self.candidates - 1))
    }

    /// To first order in the advantage the majority is better as long as the others are behind by less than this: half of the advantage.
    #[must_use]
    pub fn first_order_threshold(&self) -> f64 {
        self.advantage() / 2.0
    }

    /// The majority is better as long as the others are behind by less than this. From `majority = strongest`, which is a square equation in the
    /// rate of the others.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        // q^2 (1 - 2p + p k) + q (2p - 2 p k) + p k - p = 0 with k = 1 - 1 / (candidates - 1).
        let (p, k) = (self.strongest, 1.0 - 1.0 / f64::from(self.candidates - 1));
        let (a, b, c) = (1.0 - 2.0 * p + p * k, 2.0 * p * (1.0 - k), p * (k - 1.0));
        let root = (b * b - 4.0 * a * c).sqrt();
        // The root above 0, in the form that loses no digits where a is near 0.
        p - 2.0 * c / (-b - root)
    }
}
