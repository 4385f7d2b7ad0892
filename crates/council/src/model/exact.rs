//! The exact rates of councils by the model, and when a majority of three beats its strongest
//! member.

use std::ops::RangeInclusive;

use kiki_stats::Result;
use kiki_stats::error::{check, probability};
use kiki_stats::normal::{cdf, density};
use kiki_stats::numeric::GaussLegendre;

/// Maximum number of members: the exact majority goes through all ways to vote.
const MOST_MEMBERS: f64 = 12.0;

/// The noises of members, in losses of a wrong move. Smaller ones are practically zero; larger ones
/// leave no information.
const NOISES: RangeInclusive<f64> = 1e-6..=1e6;

/// Members, candidates, and how often the third member copies the second.
#[derive(Clone, PartialEq, Debug)]
pub struct CouncilModel {
    pub(super) noises: Vec<f64>,
    pub(super) candidates: u32,
    pub(super) synchronisation: f64,
}

impl CouncilModel {
    /// Members are independent; noises are in losses of a wrong move. Refuses no members or more
    /// than 12, noises outside 1e-6 to 1e6, and fewer than 2 or more than 1,000 candidates.
    pub fn new(noises: Vec<f64>, candidates: u32) -> Result<Self> {
        check("the number of members", noises.len() as f64, |n| (1.0..=MOST_MEMBERS).contains(&n), "from 1 to 12")?;
        for &noise in &noises {
            check("a member's noise", noise, |noise| NOISES.contains(&noise), "from 0.000001 to 1,000,000")?;
        }
        check("the number of candidates", f64::from(candidates), |n| (2.0..=1000.0).contains(&n), "from 2 to 1,000")?;
        Ok(Self { noises, candidates, synchronisation: 0.0 })
    }

    /// With this probability, the third member gives the move and the value of the second. Refuses
    /// fewer than three members.
    pub fn synchronised(mut self, synchronisation: f64) -> Result<Self> {
        check("the number of members", self.noises.len() as f64, |n| n >= 3.0, "3 or more, for synchronisation")?;
        self.synchronisation = probability("the synchronisation", synchronisation)?;
        Ok(self)
    }

    #[must_use]
    pub fn members(&self) -> usize {
        self.noises.len()
    }

    /// The noises without that of the third member, who copies the second.
    fn without_copy(&self) -> Vec<f64> {
        self.noises.iter().enumerate().filter(|&(member, _)| member != 2).map(|(_, &noise)| noise).collect()
    }

    /// Mixes the rate of independent members with the rate if the third copies the second.
    fn mix(&self, independent: impl Fn() -> f64, copied: impl Fn() -> f64) -> f64 {
        let share = self.synchronisation;
        // A rate with a share of 0 is not computed.
        let part = |share: f64, rate: &dyn Fn() -> f64| if share > 0.0 { share * rate() } else { 0.0 };
        part(1.0 - share, &independent) + part(share, &copied)
    }
}

const POINTS: usize = 32;
/// Panel ends, in noises from the middle of a bell; less than 1e-22 lies beyond the last.
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

    /// How often the move with most votes is the best. Ties go to the strongest member's move.
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

    /// How often the move with the greatest reported value is the best.
    #[must_use]
    pub fn optimistic(&self) -> f64 {
        self.mix(|| self.extreme(&self.noises, true), || self.extreme(&self.without_copy(), true))
    }

    /// How often the move with the least reported value is the best.
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

    /// The density of naming the best move with this value, if the best move is worth 0 and the
    /// others -1.
    fn best_density(&self, noise: f64, value: f64) -> f64 {
        density(value / noise) / noise * cdf((value + 1.0) / noise).powi(self.others())
    }

    /// The distribution function of the value that a member reports.
    fn value_cdf(&self, noise: f64, value: f64) -> f64 {
        cdf(value / noise) * cdf((value + 1.0) / noise).powi(self.others())
    }

    fn others(&self) -> i32 {
        self.candidates as i32 - 1
    }

    /// Integrates a function that varies near 0 and -1 as fast as these noises. A panel ends where
    /// that speed may change.
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

/// The noise up to which a rule beats member 0 alone: a root between `low` and `high`. `None` if
/// the rule is still better at `high`, or not even at `low`.
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

#[derive(Clone, Copy, PartialEq, Debug)]
struct Voter {
    noise: f64,
    /// The probability that it names the best move; else it names one of the others, each as
    /// likely.
    accuracy: f64,
    votes: u32,
}

#[derive(Clone, Copy)]
struct Votes {
    best: bool,
    count: u32,
}

/// How often the best of `candidates` moves has most votes, or ties for most with the strongest
/// voter's vote. Wrong moves are interchangeable, so only the ways in which voters agree are
/// counted.
fn majority_rate(mut voters: Vec<Voter>, candidates: u32) -> f64 {
    voters.sort_by(|a, b| a.noise.total_cmp(&b.noise));
    rate(&voters, f64::from(candidates - 1), &mut Vec::new())
}

fn rate(voters: &[Voter], wrong_moves: f64, moves: &mut Vec<Votes>) -> f64 {
    let Some((voter, others)) = voters.split_first() else { return f64::from(u8::from(best_wins(moves))) };
    let wrong = (1.0 - voter.accuracy) / wrong_moves;
    let mut sum = 0.0;
    for index in 0..moves.len() {
        let probability = if moves[index].best { voter.accuracy } else { wrong };
        moves[index].count += voter.votes;
        sum += probability * rate(others, wrong_moves, moves);
        moves[index].count -= voter.votes;
    }
    let named = moves.iter().filter(|votes| !votes.best).count() as f64;
    let best_named = moves.iter().any(|votes| votes.best);
    let new_wrong = wrong * (wrong_moves - named);
    for (best, probability) in [(true, if best_named { 0.0 } else { voter.accuracy }), (false, new_wrong)] {
        if probability > 0.0 {
            moves.push(Votes { best, count: voter.votes });
            sum += probability * rate(others, wrong_moves, moves);
            moves.pop();
        }
    }
    sum
}

fn best_wins(moves: &[Votes]) -> bool {
    let most = moves.iter().map(|votes| votes.count).max();
    moves.iter().find(|votes| Some(votes.count) == most).is_some_and(|votes| votes.best)
}

/// Three members: the strongest names the best move with a probability, the others with a smaller
/// one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimpleCouncil {
    candidates: u32,
    strongest: f64,
}

impl SimpleCouncil {
    /// `strongest` is the probability of that member. Refuses fewer than two candidates, and a
    /// probability no better than chance.
    pub fn new(candidates: u32, strongest: f64) -> Result<Self> {
        check("the number of candidates", f64::from(candidates), |n| n >= 2.0, "2 or more")?;
        let chance = 1.0 / f64::from(candidates);
        probability("the strongest member's rate", strongest)?;
        check("the strongest member's rate", strongest, |rate| rate > chance, "better than chance")?;
        Ok(Self { candidates, strongest })
    }

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

    /// [`Self::threshold`] to first order in the advantage: half of it.
    #[must_use]
    pub fn first_order_threshold(&self) -> f64 {
        self.advantage() / 2.0
    }

    /// The majority is better while the others are behind by less than this. It solves
    /// `majority = strongest`, a quadratic equation in the others' rate.
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
        // The strong one is right and reports 0; the weak one is right, or reports less.
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

    #[test]
    fn equal_voters_before_two_moves_are_binomial() {
        let voter = Voter { noise: 1.0, accuracy: 0.7, votes: 1 };
        let (p, q) = (0.7_f64, 0.3_f64);
        let five = p.powi(5) + 5.0 * p.powi(4) * q + 10.0 * p.powi(3) * q * q;
        assert!((majority_rate(vec![voter; 5], 2) - five).abs() < 1e-15);
        // Four voters whose ties go to the first are as good as three.
        let three = p.powi(3) + 3.0 * p * p * q;
        assert!((majority_rate(vec![voter; 4], 2) - three).abs() < 1e-15);
    }

    #[test]
    fn two_who_differ_leave_it_to_the_stronger() {
        let voter = |noise, accuracy| Voter { noise, accuracy, votes: 1 };
        for voters in [vec![voter(1.0, 0.8), voter(2.0, 0.6)], vec![voter(2.0, 0.6), voter(1.0, 0.8)]] {
            assert!((majority_rate(voters, 4) - 0.8).abs() < 1e-15);
        }
    }
}
