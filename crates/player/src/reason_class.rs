//! Kinds of reasons for which moves are bad: what a player can study.

use strum::{IntoStaticStr, VariantArray};

use crate::words::Bilingual;

/// Patterns of reasons (docs/reasons.md) that ask for the same study.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ReasonClass {
    MissedMate,
    AllowedMate,
    IgnoredThreat,
    HungPiece,
    LostPieces,
    MissedPieces,
    MissedAttack,
    KingInDanger,
    Promotion,
}

impl ReasonClass {
    /// `None` if nothing is wrong, or no reason was found.
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        Some(match pattern {
            "misses-mate" | "misses-forced-mate" => Self::MissedMate,
            "allows-mate" | "ignores-mate" | "allows-forced-mate" => Self::AllowedMate,
            "ignores-threat" => Self::IgnoredThreat,
            "allows-capture" => Self::HungPiece,
            "allows-fork" | "allows-pin" | "allows-attack" | "allows-exchange" => Self::LostPieces,
            "misses-capture" | "misses-fork" | "misses-pin" | "misses-attack" | "misses-exchange" => Self::MissedPieces,
            "misses-threat-of-mate" | "misses-attack-on-king" => Self::MissedAttack,
            "allows-threat-of-mate" | "allows-attack-on-king" => Self::KingInDanger,
            "allows-promotion" | "misses-promotion" => Self::Promotion,
            _ => return None,
        })
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }

    pub fn words(self) -> Bilingual {
        let (ja, en) = match self {
            Self::MissedMate => ("詰みの見逃し", "Missed mates"),
            Self::AllowedMate => ("自玉の詰みの見落とし", "Mates overlooked"),
            Self::IgnoredThreat => ("相手の狙いの見落とし", "Threats overlooked"),
            Self::HungPiece => ("駒の取られ損", "Pieces left to be taken"),
            Self::LostPieces => ("数手先の駒損", "Pieces lost in a few moves"),
            Self::MissedPieces => ("駒得の見逃し", "Wins of pieces missed"),
            Self::MissedAttack => ("寄せの見逃し", "Attacks on the king missed"),
            Self::KingInDanger => ("自玉の危険", "Danger to the own king"),
            Self::Promotion => ("成りをめぐる損", "Promotions"),
        };
        Bilingual::new(ja, en)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_a_class() {
        let words = include_str!("../../../docs/reasons.md").split('`');
        let is_pattern = |word: &&str| {
            ["misses-", "allows-", "ignores-"]
                .iter()
                .any(|role| word.strip_prefix(role).is_some_and(|theme| !theme.is_empty()))
        };
        let patterns: Vec<&str> = words.filter(is_pattern).collect();
        assert!(patterns.len() > 15, "{patterns:?}");
        // "`misses-` with the same".
        let missed = ["capture", "fork", "pin", "attack", "exchange"].map(|theme| format!("misses-{theme}"));
        for pattern in patterns.into_iter().chain(missed.iter().map(String::as_str)) {
            assert!(ReasonClass::of_pattern(pattern).is_some(), "{pattern}");
        }
        assert_eq!(["sound", "unknown"].map(ReasonClass::of_pattern), [None; 2]);
    }
}
