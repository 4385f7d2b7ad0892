//! Positions and moves in the form of replies.

use kiki_board::{Color, DeclarationRule, DeclarationVerdict, Move, Position};
use kiki_record::{EndReason, GameEnd, GameOutcome, kanji_moves, western_moves};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct NamedMove {
    /// In USI.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// As `▲７六歩`.
    pub(crate) japanese: String,
    /// As `P-7f`.
    pub(crate) western: String,
}

/// The moves of a line from a position, up to the first that is illegal.
pub(crate) fn named_line(position: &Position, moves: &[Move]) -> Vec<NamedMove> {
    let japanese = kanji_moves(position, moves);
    let western = western_moves(position, moves);
    let named = moves.iter().zip(japanese).zip(western);
    named.map(|((mv, japanese), western)| NamedMove { mv: mv.to_string(), japanese, western }).collect()
}

/// `mv` must be legal.
pub(crate) fn named_move(position: &Position, mv: Move) -> NamedMove {
    let [japanese, western] = [kanji_moves, western_moves].map(|names| names(position, &[mv]).concat());
    NamedMove { mv: mv.to_string(), japanese, western }
}

/// What the rules say about a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct PositionFacts {
    pub(crate) sfen: String,
    pub(crate) in_check: bool,
    pub(crate) legal: Vec<NamedMove>,
    /// Whether the side to move wins by declaring its entered king.
    pub(crate) may_declare: bool,
    pub(crate) end: Option<End>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct End {
    pub(crate) outcome: GameOutcome,
    pub(crate) reason: EndReason,
}

impl PositionFacts {
    pub(crate) fn new(position: &Position, rule: DeclarationRule) -> Self {
        let legal = position.legal_moves();
        Self {
            sfen: position.to_sfen(),
            in_check: position.in_check(),
            legal: legal.iter().map(|&mv| named_move(position, mv)).collect(),
            may_declare: position.declaration(rule) == DeclarationVerdict::Win,
            end: GameEnd::of_position(position).map(|end| End { outcome: end.outcome, reason: end.reason }),
        }
    }
}

pub(crate) fn is_black_to_move(position: &Position) -> bool {
    position.side_to_move() == Color::Black
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_name_every_legal_move() {
        let mut position = Position::startpos();
        for mv in ["7g7f", "3c3d"] {
            position.make(position.parse_move(mv).unwrap());
        }
        let facts = PositionFacts::new(&position, DeclarationRule::Points27);
        assert_eq!(facts.legal.len(), position.legal_moves().len());
        let exchange = facts.legal.iter().find(|found| found.mv == "8h2b+").unwrap();
        assert_eq!((exchange.japanese.as_str(), exchange.western.as_str()), ("▲２二角成", "Bx2b+"));
        assert_eq!((facts.end, facts.in_check, facts.may_declare), (None, false, false));
    }

    #[test]
    fn mate_repetition_and_declarations_are_told() {
        let facts = |sfen: &str| PositionFacts::new(&Position::from_sfen(sfen).unwrap(), DeclarationRule::Points27);
        let mated = facts("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
        assert_eq!(mated.end, Some(End { outcome: GameOutcome::BlackWins, reason: EndReason::Checkmate }));
        assert!(mated.in_check && mated.legal.is_empty());
        let entered = facts("1K7/1+R+R6/PPPPPPPPP/9/9/9/9/9/7k1 b 2B4G4S4N4L9P 1");
        assert!(entered.may_declare);
        let mut position = Position::startpos();
        for mv in ["5i5h", "5a5b", "5h5i", "5b5a"].iter().cycle().take(12) {
            position.make(position.parse_move(mv).unwrap());
        }
        let facts = PositionFacts::new(&position, DeclarationRule::Points27);
        assert_eq!(facts.end, Some(End { outcome: GameOutcome::Draw, reason: EndReason::Sennichite }));
    }
}
