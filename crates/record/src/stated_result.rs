//! The result stated by a record, and how it becomes the result of the game, for every form alike.

use kiki_board::Position;

use crate::comments::{INFO, RESULT, read_info_of_end};
use crate::ending::{EndReason, Ending, GameOutcome, perpetual_check};
use crate::error::{ReadError, ReadProblem};
use crate::text::one_line;

const UNKNOWN: &str = "unknown";

/// Ends without a result, in the words of KIF and CSA. CSA has no statement for a sealed move.
const UNDECIDED: [(&str, Option<&str>); 4] =
    [("封じ手", None), ("待った", Some("%MATTA")), ("不詰", Some("%FUZUMI")), ("エラー", Some("%ERROR"))];

/// The words of KIF and CSA for an end without a result whose remark is one of them.
pub(crate) fn undecided(ending: &Ending) -> Option<(&'static str, Option<&'static str>)> {
    let is_undecided = ending.outcome == GameOutcome::Unknown && ending.reason.is_none();
    let is_named = |&&(word, statement): &&(&str, Option<&str>)| {
        ending.remark == word || statement.is_some_and(|statement| ending.remark == statement)
    };
    UNDECIDED.iter().filter(|_| is_undecided).find(is_named).copied()
}

/// The result stated by one line of a record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct StatedResult {
    /// `None` if the reason decides.
    pub(crate) outcome: Option<GameOutcome>,
    pub(crate) reason: Option<EndReason>,
    pub(crate) remark: String,
}

impl StatedResult {
    pub(crate) fn by(reason: EndReason) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }

    /// Reads Kiki's own words, `black-wins forfeit: a remark`; `None` for others.
    pub(crate) fn of_own_text(text: &str) -> Option<Self> {
        let (words, remark) = text.split_once(": ").unwrap_or((text, ""));
        let mut words = words.split_ascii_whitespace();
        let (outcome, name) = (words.next()?, words.next()?);
        let (outcome, reason) = (outcome.parse().ok()?, name.parse().ok());
        let is_own = words.next().is_none() && (reason.is_some() || name == UNKNOWN);
        is_own.then(|| Self { outcome: Some(outcome), reason, remark: remark.trim().to_owned() })
    }

    pub(crate) fn outcome(&self, position: &Position) -> GameOutcome {
        let by_rule = || self.reason.map_or(GameOutcome::Unknown, |reason| reason.outcome(position));
        self.outcome.unwrap_or_else(by_rule)
    }

    /// The end of a line that stops in `position`. `illegal` is the text of an illegal last move.
    /// An exact result is not changed.
    pub(crate) fn conclude(stated: Option<Self>, is_exact: bool, position: &Position, illegal: Option<&str>) -> Ending {
        let result = stated.unwrap_or_default();
        let outcome = result.outcome(position);
        let mut ending = Ending { outcome, reason: result.reason, remark: result.remark, time_ms: None };
        if is_exact || ending.reason != Some(EndReason::IllegalMove) || !ending.remark.is_empty() {
            return ending;
        }
        match illegal {
            Some(token) => token.clone_into(&mut ending.remark),
            // Records count perpetual check as an illegal act. The board shows which one it was.
            None if ending.outcome != GameOutcome::Unknown && perpetual_check(position) == ending.outcome => {
                ending.reason = Some(EndReason::PerpetualCheck);
            }
            None => {}
        }
        ending
    }

    /// Whether a stated result says everything about an end in `position` except its time.
    pub(crate) fn tells(stated: Option<Self>, ending: &Ending, position: &Position) -> bool {
        Self::conclude(stated, false, position, None).result() == ending.result()
    }
}

/// A record's statements about the end of a line of moves.
#[derive(Default)]
pub(crate) struct LineEnd {
    /// The word after the last move. The first one counts.
    pub(crate) word: Option<StatedResult>,
    pub(crate) sentence: Option<StatedResult>,
    /// Kiki's own words in a comment.
    pub(crate) own: Option<StatedResult>,
    /// The text and the error of an illegal last move. It ends a line with other moves, unless the
    /// record says otherwise.
    pub(crate) illegal: Option<(String, ReadError)>,
    /// The time of the first word, or of the illegal last move.
    pub(crate) time_ms: Option<u64>,
}

impl LineEnd {
    /// Reads a comment with the result in Kiki's own words or, after an end, with its exact time.
    /// Returns `false` for any other comment. The first result counts.
    pub(crate) fn read_own(&mut self, comment: &str) -> bool {
        let time_ms = comment.strip_prefix(INFO).filter(|_| self.word.is_some() || self.own.is_some());
        if let Some(time_ms) = time_ms.and_then(read_info_of_end) {
            self.time_ms = Some(time_ms);
            return true;
        }
        let own = comment.strip_prefix(RESULT).and_then(StatedResult::of_own_text);
        own.map(|own| self.own.get_or_insert(own)).is_some()
    }

    /// Keeps an illegal move with its text until the record says whether it ended the line. Passes
    /// on other errors.
    pub(crate) fn keep_illegal(&mut self, text: &str, error: ReadError) -> Result<(), ReadError> {
        if !matches!(error.problem, ReadProblem::IllegalMove { .. }) {
            return Err(error);
        }
        self.illegal = Some((text.to_owned(), error));
        Ok(())
    }

    /// Refuses a move after an illegal one. The error is that of the illegal move.
    pub(crate) fn check_legal_so_far(&self) -> Result<(), ReadError> {
        self.illegal.as_ref().map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    /// Whether the end is stated, so that no move may follow.
    pub(crate) fn is_stated(&self) -> bool {
        self.word.is_some() || self.sentence.is_some()
    }

    pub(crate) fn is_known(&self) -> bool {
        self.is_stated() || self.own.is_some() || self.illegal.is_some()
    }

    /// The end of the line, which stops in `position`.
    ///
    /// # Errors
    /// The error of the illegal move, unless the record states it as the end or the line has other
    /// moves.
    pub(crate) fn conclude(self, has_moves: bool, position: &Position) -> Result<Ending, ReadError> {
        let is_exact = self.own.is_some();
        let by_illegal_move =
            self.illegal.as_ref().filter(|_| has_moves).map(|_| StatedResult::by(EndReason::IllegalMove));
        let stated = self.own.or_else(|| joined(self.word, self.sentence)).or(by_illegal_move);
        let token = self.illegal.as_ref().map(|(token, _)| token.as_str());
        let ending = StatedResult::conclude(stated, is_exact, position, token);
        let ending = Ending { time_ms: self.time_ms, ..ending };
        match self.illegal {
            Some((_, error)) if ending.reason != Some(EndReason::IllegalMove) => Err(error),
            _ => Ok(ending),
        }
    }
}

/// A word and a sentence combined. The word is better on the reason, the sentence on who won.
pub(crate) fn joined(word: Option<StatedResult>, sentence: Option<StatedResult>) -> Option<StatedResult> {
    match (word, sentence) {
        (Some(word), Some(sentence)) => {
            let outcome = sentence.outcome.or(word.outcome);
            Some(StatedResult { outcome, reason: word.reason.or(sentence.reason), remark: word.remark })
        }
        (word, sentence) => word.or(sentence),
    }
}

/// The result in words that [`StatedResult::of_own_text`] reads back. `None` if nothing is known.
pub(crate) fn own_text(ending: &Ending) -> Option<String> {
    ending.is_known().then(|| exact_text(ending))
}

/// Like [`own_text`], also for an unknown result.
pub(crate) fn exact_text(ending: &Ending) -> String {
    let reason = ending.reason.map_or(UNKNOWN, EndReason::name);
    let remark = one_line(&ending.remark);
    let colon = if remark.is_empty() { "" } else { ": " };
    format!("{} {reason}{colon}{remark}", ending.outcome)
}
