//! The rules by name.

use serde::Deserialize;

/// How a council chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The move that most members name.
    Majority,
    /// The move with the greatest value.
    Optimistic,
    /// The move with the least value.
    Pessimistic,
    /// The weighted vote; the value of the best move is taken to be what the strongest member tells.
    Best,
    /// The weighted vote; the value of the best move is predicted from the mean of what all tell.
    Predicted,
    /// The same with a mean that is weighted by precision.
    #[default]
    Precision,
    /// The move with the greatest mean over the lines of all members.
    Mean,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 7] =
        [Self::Majority, Self::Optimistic, Self::Pessimistic, Self::Best, Self::Predicted, Self::Precision, Self::Mean];

    /// Its name in options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::Optimistic => "optimistic",
            Self::Pessimistic => "pessimistic",
            Self::Best => "best",
            Self::Predicted => "predicted",
            Self::Precision => "precision",
            Self::Mean => "mean",
        }
    }

    /// The rule of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_its_name() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_name(rule.name()), Some(rule));
        }
        assert_eq!(Rule::from_name("dictator"), None);
    }
}
