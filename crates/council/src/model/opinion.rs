//! What a member says, and the rules that need no model of errors.

use std::ops::RangeInclusive;

use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// Why nothing is chosen.
/// The greatest value that a member tells, in whatever unit, and what noises and losses there are: nothing overflows.
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
    /// The standard deviation of the member's errors, in the unit of values: the smaller, the stronger.
    pub noise: f64,
}

/// The candidate that most members name. Of candidates with as many votes it is that of the strongest member: the one with the least noise, and of
/// several with the same noise the first.
///
/// # Errors
/// If there are no opinions, or one has a value or a noise that is none.
pub fn most_votes(opinions: &[Opinion]) -> Result<usize> {
    check_opinions(opinions)?;
    let votes = |of: usize| opinions.iter().filter(|opinion| opinion.candidate == of).count();
    let most = opinions.iter().map(|opinion| votes(opinion.candidate)).max().unwrap_or(0);
    let leading = opinions.iter().filter(|opinion| votes(opinion.candidate) == most);
    strongest(leading).map(|opinion| opinion.candidate).ok_or(NO_OPINION)
}

/// The candidate with the greatest value that a member tells, or with the least; of equal ones that of the strongest member.
///
/// # Errors
/// If there are no opinions, or one has a value or a noise that is none.
pub fn extreme_value(opinions: &[Opinion], greatest: bool) -> Result<usize> {
    check_opinions(opinions)?;
    let worth = |opinion: &Opinion| if greatest { opinion.value } else { -opinion.value };
    let extreme = opinions.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
    let leading = opinions.iter().filter(|opinion| worth(opinion) == extreme);
    strongest(leading).map(|opinion| opinion.candidate).ok_or(NO_OPINION)
}

/// The one with the least noise, and of several the first.
pub(super) fn strongest<'a>(opinions: impl Iterator<Item = &'a Opinion>) -> Option<&'a Opinion> {
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
