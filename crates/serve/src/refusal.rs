//! Why a request is refused: an English sentence, and for common reasons a name under which the
//! page has its own words.

use kiki_board::SfenError;
use kiki_record::{ReadError, ReadProblem};
use kiki_usi::PositionError;
use serde::Serialize;

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Refusal {
    pub(crate) text: String,
    /// The name of the reason, if the page has words for it.
    reason: Option<&'static str>,
    /// What fills the page's words: moves, squares, files, kinds in USI, `Black` and `White`.
    parts: Vec<String>,
    /// The line of the record, from 1.
    line: Option<usize>,
}

impl Refusal {
    fn new(text: &dyn std::fmt::Display, reason: Option<&'static str>, parts: &[&dyn std::fmt::Display]) -> Self {
        let parts = parts.iter().map(ToString::to_string).collect();
        Self { text: text.to_string(), reason, parts, line: None }
    }

    /// A refusal that the page shows in English: its reason is rare.
    pub(crate) fn rare(reason: impl std::fmt::Display) -> Self {
        Self::new(&reason, None, &[])
    }

    pub(crate) fn no_king() -> Self {
        Self::new(&"there is no king on the board", Some("no-king"), &[])
    }

    pub(crate) fn no_game() -> Self {
        Self::new(&"no game in this record", Some("no-game"), &[])
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::rare(text)
    }
}

impl From<&SfenError> for Refusal {
    fn from(error: &SfenError) -> Self {
        let (reason, parts): (_, Vec<&dyn std::fmt::Display>) = match error {
            SfenError::Missing(_) | SfenError::Extra(_) | SfenError::Malformed { .. } => ("no-sfen", Vec::new()),
            SfenError::TooMany { kind, count, limit } => ("too-many", vec![kind, count, limit]),
            SfenError::TwoKings(color) => ("two-kings", vec![color]),
            SfenError::NoFurtherMove(square) => ("no-further-move", vec![square]),
            SfenError::TwoPawns { color, file } => ("two-pawns", vec![color, file]),
            SfenError::KingCanBeCaptured(color) => ("king-can-be-captured", vec![color]),
        };
        Self::new(error, Some(reason), &parts)
    }
}

impl From<PositionError> for Refusal {
    fn from(error: PositionError) -> Self {
        match &error {
            PositionError::Root(reason) => reason.into(),
            PositionError::IllegalMove { token, .. } => Self::new(&error, Some("illegal-move"), &[token]),
        }
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        let found = match &error.problem {
            ReadProblem::UnknownForm => return Self::new(&error.problem, Some("unknown-form"), &[]),
            ReadProblem::IllegalMove { token, .. } => Self::new(&error, Some("illegal-move"), &[token]),
            ReadProblem::WrongSide { token } => Self::new(&error, Some("wrong-side"), &[token]),
            ReadProblem::AmbiguousMove { token, .. } => Self::new(&error, Some("ambiguous-move"), &[token]),
            ReadProblem::Malformed { token, .. } => Self::new(&error, Some("malformed"), &[token]),
            ReadProblem::TooLate { token, .. } => Self::new(&error, Some("too-late"), &[token]),
            ReadProblem::Json(_) => Self::new(&error, Some("json"), &[]),
            ReadProblem::Position { reason, .. } => reason.into(),
            _ => Self::rare(&error),
        };
        Self { text: error.to_string(), line: Some(error.line), ..found }
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::{BrokenRule, Position};
    use kiki_record::read_records;

    use super::*;

    /// The words of the page under this name, in both languages.
    fn words(name: &str) -> [&'static str; 2] {
        let beginning = format!(" {name}: {{");
        let texts = include_str!("page/texts.js").split(beginning.as_str()).skip(1);
        let words: Vec<&str> = texts.map(|words| words.split_once(" }").unwrap().0).collect();
        words.try_into().unwrap()
    }

    #[test]
    fn the_page_has_words_for_every_rule_in_both_languages() {
        let words = words("rules");
        for rule in BrokenRule::ALL {
            assert!(words.iter().all(|words| words.contains(&format!("\"{}\": ", rule.name()))), "{rule:?}");
        }
    }

    #[test]
    fn the_page_has_words_for_every_reason_in_both_languages() {
        let words = words("refusals");
        let records = [
            ("Dear Sir", "unknown-form", None),
            ("startpos moves 7g7f\n7g7e", "illegal-move", Some("7g7e")),
            ("startpos moves 7g7f 9x9y", "malformed", Some("9x9y")),
            ("PI\n+\n-3334FU\n", "wrong-side", Some("-3334FU")),
            ("手合割：平手\n▲５八金\n", "ambiguous-move", Some("▲５八金")),
            ("7g7f resign 3c3d", "too-late", Some("3c3d")),
            ("{\"moves\": 1}", "json", None),
            ("4k4/9/9/9/9/9/9/9/9 b", "no-sfen", None),
            ("4k4/9/9/9/9/9/9/9/4K4 b 19P", "too-many", Some("P")),
            ("4k4/9/9/9/9/9/9/9/3KK4 b -", "two-kings", Some("Black")),
            ("4k4/4P4/4P4/9/9/9/9/9/4K4 b -", "two-pawns", Some("Black")),
            ("4k4/4G4/9/9/9/9/9/9/4K4 b -", "king-can-be-captured", Some("White")),
        ];
        let mut found: Vec<(Refusal, &str, Option<&str>)> = Vec::new();
        for (text, reason, part) in records {
            let error = read_records("pasted", text.as_bytes()).into_iter().find_map(Result::err).unwrap();
            found.push((error.into(), reason, part));
        }
        let dead = Position::from_sfen("P3k4/9/9/9/9/9/9/9/4K4 b -").err().unwrap();
        found.extend([((&dead).into(), "no-further-move", Some("9a")), (Refusal::no_king(), "no-king", None)]);
        found.push((Refusal::no_game(), "no-game", None));
        for (refusal, reason, part) in found {
            assert_eq!(
                (refusal.reason, refusal.parts.first().map(String::as_str)),
                (Some(reason), part),
                "{refusal:?}"
            );
            assert!(words.iter().all(|words| words.contains(&format!("\"{reason}\": "))), "{reason}");
        }
    }
}
