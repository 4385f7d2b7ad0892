//! Rates as integrals.

use super::noise::CouncilModel;
use super::votes::{Voter, majority_rate};
use kiki_stats::Result;
use kiki_stats::normal::{cdf, density};
use kiki_stats::quadrature::GaussLegendre;

/// Points of the rule in each panel.
const POINTS: usize = 32;
/// Where panels end, in noises from the middle of a bell; beyond the last there is less than 1e-22.
const PANEL_ENDS: [f64; 5] = [-10.0, -3.0, 0.0, 3.0, 10.0];

impl CouncilModel {
    /// How often this member alone names the best move. Members count from 0.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn single(&self, member: usize) -> f64 {
        self.integral(&[self.noises[member]], |value| self.best_density(self.noises[member], value))
    }

    /// How often two members name the same move.
    ///
    /// # Panics
    /// If there are no such members.
    #[must_use]
    pub fn agreement(&self, first: usize, second: usize) -> f64 {
        let [p, q] = [first, second].map(|member| self.single(member));
        let by_chance = p * q + (1.0 - p) * (1.0 - q) / f64::from(self.candidates - 1);
        let copies = matches!((first.min(second), first.max(second)), (1, 2));
        if copies { self.synchronisation + (1.0 - self.synchronisation) * by_chance } else { by_chance }
    }

    /// How often the move with most votes is the best; of moves with as many votes that of the strongest member counts.
    #[must_use]
    pub fn majority(&self) -> f64 {
        let voters: Vec<Voter> = (0..self.members())
            .map(|member| Voter { noise: self.noises[member], accuracy: self.single(member), votes: 1 })
            .collect();
        let copied = || {
            let mut voters = voters.clone();
            voters.remove(2);
            voters[1].votes = 2;
            majority_rate(voters, self.candidates)
        };
        self.mix(|| majority_rate(voters.clone(), self.candidates), copied)
    }

    /// How often the move with the greatest value told is the best.
    #[must_use]
    pub fn optimistic(&self) -> f64 {
        self.mix(|| self.extreme(&self.noises, true), || self.extreme(&self.without_copy(), true))
    }

    /// How often the move with the least value told is the best.
    #[must_use]
    pub fn pessimistic(&self) -> f64 {
        self.mix(|| self.extreme(&self.noises, false), || self.extreme(&self.without_copy(), false))
    }

    fn extreme(&self, noises: &[f64], greatest: bool) -> f64 {
        let others = |member: usize, value: f64| -> f64 {
            let one = |noise: f64| {
                let below = self.value_cdf(noise, value);
                if greatest { below } else { 1.0 - below }
            };
            noises.iter().enumerate().filter(|&(other, _)| other != member).map(|(_, &noise)| one(noise)).product()
        };
        let member = |(member, &noise): (usize, &f64)| {
            self.integral(noises, |value| self.best_density(noise, value) * others(member, value))
        };
        noises.iter().enumerate().map(member).sum()
    }

    /// The density of naming the best move with this value, if the best move is worth 0 and the others -1.
    fn best_density(&self, noise: f64, value: f64) -> f64 {
        density(value / noise) / noise * cdf((value + 1.0) / noise).powi(self.others())
    }

    /// The distribution of the value that a member tells.
    fn value_cdf(&self, noise: f64, value: f64) -> f64 {
        cdf(value / noise) * cdf((value + 1.0) / noise).powi(self.others())
    }

    fn others(&self) -> i32 {
        self.candidates as i32 - 1
    }

    /// The integral of a function that changes near 0 and -1 as fast as these noises let it. The panels end where it may change its pace.
    fn integral(&self, noises: &[f64], function: impl Fn(f64) -> f64) -> f64 {
        let bell = |&noise: &f64| PANEL_ENDS.iter().flat_map(move |end| [end * noise, end * noise - 1.0]);
        let mut ends: Vec<f64> = noises.iter().flat_map(bell).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let panel = |ends: &[f64]| {
            let rule = GaussLegendre::new(POINTS, ends[0], ends[1]);
            rule.points.iter().zip(&rule.weights).map(|(&value, &weight)| weight * function(value)).sum::<f64>()
        };
        ends.windows(2).map(panel).sum()
    }
}

/// Up to which noise a rule beats the strongest member alone: the root, between `low` and `high`, of the rule's rate less the rate of member 0 in
/// the council that has this noise. None if the rule is better up to `high`, or not even near `low`.
///
/// # Errors
/// If there is no council with such a noise.
pub fn crossing(
    council: impl Fn(f64) -> Result<CouncilModel>,
    rule: impl Fn(&CouncilModel) -> f64,
    low: f64,
    high: f64,
) -> Result<Option<f64>> {
    let gain = |noise: f64| council(noise).map(|model| rule(&model) - model.single(0));
    let (mut low, mut high) = (low, high);
    if gain(low)? <= 0.0 || gain(high)? > 0.0 {
        return Ok(None);
    }
    while high - low > 1e-10 * high {
        let middle = 0.5 * (low + high);
        if gain(middle)? > 0.0 { low = middle } else { high = middle }
    }
    Ok(Some(0.5 * (low + high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_members_have_the_formula_of_the_majority() {
        for candidates in [2, 3, 5] {
            let model = CouncilModel::new(vec![1.0, 2.5, 4.0], candidates).unwrap();
            let [a, b, c] = [0, 1, 2].map(|member| model.single(member));
            let two = a * b + a * (1.0 - b) * c + (1.0 - a) * b * c;
            // The strongest is right, and the other two do not agree on the same wrong move.
            let alone = a * (1.0 - b) * (1.0 - c) * (1.0 - 1.0 / f64::from(candidates - 1));
            assert!((model.majority() - two - alone).abs() < 1e-14, "{candidates}");
        }
    }

    #[test]
    fn very_different_noises_are_integrated_as_well() {
        let model = CouncilModel::new(vec![0.01, 50.0], 2).unwrap();
        assert!((model.single(0) - 1.0).abs() < 1e-12);
        // The difference of two errors is normal: P(N(0, 2 s^2) < 1).
        assert!((model.single(1) - cdf(1.0 / (50.0 * 2_f64.sqrt()))).abs() < 1e-12);
        // The strong one is right and tells 0; the weak one is right, or tells less.
        let below = model.value_cdf(50.0, 0.0);
        let weak = model.extreme(&[50.0], true);
        let right_above =
            model.integral(&[50.0], |value| if value > 0.0 { model.best_density(50.0, value) } else { 0.0 });
        assert!((model.optimistic() - below - right_above).abs() < 1e-4, "{weak}");
    }

    #[test]
    fn the_synchronised_council_lies_between_the_two_it_is_mixed_of() {
        let model = |share| CouncilModel::new(vec![2.0, 3.0, 3.0], 3).unwrap().synchronised(share).unwrap();
        assert!((model(1.0).majority() - model(1.0).single(1)).abs() < 1e-14);
        assert!((model(1.0).agreement(1, 2) - 1.0).abs() < 1e-15 && model(1.0).agreement(0, 1) < 0.5);
        let middle = 0.5 * (model(0.0).optimistic() + model(1.0).optimistic());
        assert!((model(0.5).optimistic() - middle).abs() < 1e-14);
    }

    #[test]
    fn bad_councils_are_refused() {
        assert!(CouncilModel::new(vec![], 2).is_err());
        assert!(CouncilModel::new(vec![1.0; 13], 2).is_err());
        assert!(CouncilModel::new(vec![0.0], 2).is_err());
        assert!(CouncilModel::new(vec![1.0], 1).is_err());
        assert!(CouncilModel::new(vec![1.0, 1.0], 2).unwrap().synchronised(0.5).is_err());
        assert!(CouncilModel::new(vec![1.0; 3], 2).unwrap().synchronised(1.5).is_err());
    }
}
