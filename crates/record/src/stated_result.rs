//! The result that a record states, and how it becomes that of the game: the same for every form.

use kiki_board::Position;

use crate::ending::{EndReason, Ending, GameOutcome, perpetual_check};
use crate::text::one_line;

/// Written for a reason that is not known.
const UNKNOWN: &str = "unknown";

/// Ends that decide nothing, as KIF and CSA name them. CSA has no statement for a sealed move.
const UNDECIDED: [(&str, Option<&str>); 4] =
    [("封じ手", None), ("待った", Some("%MATTA")), ("不詰", Some("%FUZUMI")), ("エラー", Some("%ERROR"))];

/// The words of KIF and of CSA for an end that decides nothing, which stands in the remark in either.
pub(crate) fn undecided(ending: &Ending) -> Option<(&'static str, Option<&'static str>)> {
    let is_undecided = ending.outcome == GameOutcome::Unknown && ending.reason.is_none();
    let is_named = |&&(word, statement): &&(&str, Option<&str>)| {
        ending.remark == word || statement.is_some_and(|statement| ending.remark == statement)
    };
    UNDECIDED.iter().filter(|_| is_undecided).find(is_named).copied()
}

/// The result that one line of a record states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct StatedResult {
    /// `None` if it follows from the reason.
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
        let (outcome, reason) = (GameOutcome::from_name(outcome)?, EndReason::from_name(name));
        let is_own = words.next().is_none() && (reason.is_some() || name == UNKNOWN);
        is_own.then(|| Self { outcome: Some(outcome), reason, remark: remark.trim().to_owned() })
    }

    pub(crate) fn outcome(&self, position: &Position) -> GameOutcome {
        let by_rule = || self.reason.map_or(GameOutcome::Unknown, |reason| reason.outcome(position));
        self.outcome.unwrap_or_else(by_rule)
    }

    /// The end of a line that stops in `position`. `illegal` is a last move that was illegal; an exact result is taken as it is.
    pub(crate) fn conclude(stated: Option<Self>, is_exact: bool, position: &Position, illegal: Option<&str>) -> Ending {
        let result = stated.unwrap_or_default();
        let mut ending = Ending { outcome: result.outcome(position), reason: result.reason, remark: result.remark };
        if is_exact || ending.reason != Some(EndReason::IllegalMove) || !ending.remark.is_empty() {
            return ending;
        }
        match illegal {
            Some(token) => token.clone_into(&mut ending.remark),
            // Perpetual check is counted among the illegal acts; the board shows which it was.
            None if ending.outcome != GameOutcome::Unknown && perpetual_check(position) == ending.outcome => {
                ending.reason = Some(EndReason::PerpetualCheck);
            }
            None => {}
        }
        ending
    }
}

/// The result in words that [`StatedResult::of_own_text`] reads back; `None` if nothing is known.
pub(crate) fn own_text(ending: &Ending) -> Option<String> {
    if !ending.is_known() {
        return None;
    }
    let reason = ending.reason.map_or(UNKNOWN, EndReason::name);
    let remark = one_line(&ending.remark);
    let colon = if remark.is_empty() { "" } else { ": " };
    Some(format!("{} {reason}{colon}{remark}", ending.outcome))
}
