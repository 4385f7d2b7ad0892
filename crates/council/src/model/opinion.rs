//! Opinions of members on candidates, and the rules that count votes or compare values and means.

use std::ops::RangeInclusive;

use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// Greatest value that a member may report, in any unit, so that nothing overflows.
pub(super) const MOST_VALUE: f64 = 1e12;
pub(super) const SPREADS: RangeInclusive<f64> = 1e-6..=MOST_VALUE;

const NO_OPINION: StatsError =
    StatsError::NotEstimable { what: "the move of a council", reason: "no member has an opinion" };

/// A member's move and the value it saw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opinion {
    /// The number of the candidate that it names.
    pub candidate: usize,
    /// The value of that candidate as the member sees it, on the scale that all members share.
    pub value: f64,
    /// The standard deviation of the member's errors, in the unit of values: the smaller, the
    /// stronger.
    pub noise: f64,
}

/// The candidate that most members name. Ties go to the candidate of the strongest member: the one
/// with the least noise, and the first of several with the same noise.
pub(crate) fn most_votes(opinions: &[Opinion]) -> Result<usize> {
    check_opinions(opinions)?;
    let votes = |of: usize| opinions.iter().filter(|opinion| opinion.candidate == of).count();
    let most = opinions.iter().map(|opinion| votes(opinion.candidate)).max().unwrap_or(0);
    let leading = opinions.iter().filter(|opinion| votes(opinion.candidate) == most);
    strongest(leading).map(|opinion| opinion.candidate).ok_or(NO_OPINION)
}

/// The candidate with the greatest or least value that a member reports. Ties go to the candidate
/// of the strongest member.
pub fn extreme_value(opinions: &[Opinion], greatest: bool) -> Result<usize> {
    check_opinions(opinions)?;
    let worth = |opinion: &Opinion| if greatest { opinion.value } else { -opinion.value };
    let extreme = opinions.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
    let leading = opinions.iter().filter(|opinion| worth(opinion) == extreme);
    strongest(leading).map(|opinion| opinion.candidate).ok_or(NO_OPINION)
}

/// The one with the least noise, and of several the first.
pub(crate) fn strongest<'a>(opinions: impl Iterator<Item = &'a Opinion>) -> Option<&'a Opinion> {
    opinions.min_by(|a, b| a.noise.total_cmp(&b.noise))
}

pub(super) fn check_opinions(opinions: &[Opinion]) -> Result<()> {
    if opinions.is_empty() {
        return Err(NO_OPINION);
    }
    for opinion in opinions {
        check("a member's value", opinion.value, |value| value.abs() <= MOST_VALUE, "from -1e12 to 1e12")?;
        check("a member's noise", opinion.noise, |noise| SPREADS.contains(&noise), "from 1e-6 to 1e12")?;
    }
    Ok(())
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MemberLines {
    /// The standard deviation of its errors, in the unit of values.
    pub(crate) noise: f64,
    /// Candidates with their values, best first.
    pub(crate) lines: Vec<(usize, f64)>,
}

/// The candidate with the greatest mean, weighted by the inverse squares of the noises. Ties go to
/// the candidate named first. For a candidate without a line, a member counts its worst line less
/// the loss of a wrong move.
pub(crate) fn greatest_mean(members: &[MemberLines], loss: f64) -> Result<usize> {
    check("the loss of a wrong move", loss, |loss| loss > 0.0, "above 0")?;
    let mut candidates: Vec<usize> = Vec::new();
    for member in members {
        check("a member's noise", member.noise, |noise| noise > 0.0, "above 0")?;
        for &(candidate, value) in &member.lines {
            check("a member's value", value, |_| true, "finite")?;
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
    let mean = |candidate: usize| mean_value(members, candidate, loss);
    // The first of equal ones: `max_by` would take the last.
    candidates
        .into_iter()
        .reduce(|best, candidate| if mean(candidate) > mean(best) { candidate } else { best })
        .ok_or(StatsError::NotEstimable { what: "the greatest mean", reason: "no member tells of a candidate" })
}

/// The mean that [`greatest_mean`] compares; `None` if no member has a line.
pub(crate) fn mean_value(members: &[MemberLines], candidate: usize, loss: f64) -> Option<f64> {
    let least = members.iter().map(|member| member.noise).fold(f64::INFINITY, f64::min);
    let weighted = |member: &MemberLines| Some(((least / member.noise).powi(2), member.value_of(candidate, loss)?));
    let (weights, sum) = members
        .iter()
        .filter_map(weighted)
        .fold((0.0, 0.0), |(weights, sum), (weight, value)| (weights + weight, sum + weight * value));
    (weights > 0.0).then(|| sum / weights)
}

impl MemberLines {
    /// Its value of a candidate; `None` if it has no lines.
    fn value_of(&self, candidate: usize, loss: f64) -> Option<f64> {
        let told = self.lines.iter().find(|line| line.0 == candidate).map(|line| line.1);
        let worst = self.lines.iter().map(|line| line.1).reduce(f64::min)?;
        Some(told.unwrap_or(worst - loss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(noise: f64, lines: &[(usize, f64)]) -> MemberLines {
        MemberLines { noise, lines: lines.to_vec() }
    }

    #[test]
    fn what_all_find_good_beats_what_one_finds_best() {
        let members = [member(1.0, &[(0, 50.0), (1, 45.0)]), member(1.0, &[(2, 50.0), (1, 45.0)])];
        assert_eq!(greatest_mean(&members, 100.0), Ok(1));
    }

    #[test]
    fn the_mean_is_weighted_and_takes_what_is_not_told_for_worse() {
        let members = [member(1.0, &[(0, 50.0), (1, 40.0)]), member(2.0, &[(1, 90.0)]), member(1.0, &[])];
        assert_eq!(mean_value(&members, 1, 100.0), Some((40.0 + 90.0 / 4.0) / 1.25));
        assert_eq!(mean_value(&members, 0, 100.0), Some((50.0 - 10.0 / 4.0) / 1.25));
        assert_eq!(mean_value(&members[2..], 0, 100.0), None);
    }

    #[test]
    fn members_with_one_line_vote() {
        let members = [member(1.0, &[(0, 50.0)]), member(1.0, &[(1, 20.0)]), member(1.0, &[(1, 10.0)])];
        assert_eq!(greatest_mean(&members, 100.0), Ok(1));
        assert!(greatest_mean(&[member(1.0, &[])], 100.0).is_err() && greatest_mean(&members, 0.0).is_err());
    }
}
