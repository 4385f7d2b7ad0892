//! How a case ends.

/// Why a case failed, and what was said before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// One line for people.
    pub reason: String,
    /// The last lines of the conversation, each with its time since the start of the process.
    pub conversation: Vec<String>,
}

/// The verdict of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The engine keeps the rule; what was measured, if anything.
    Pass(Option<String>),
    /// It breaks the rule.
    Fail(Failure),
    /// It cannot be told, because the engine lacks something: what that is.
    Skipped(String),
}

/// What ends a case before its end.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The rule is broken.
    Failed(Failure),
    /// The engine lacks what the case needs.
    Skipped(String),
    /// The caller wants no more.
    Cancelled,
}

impl Problem {
    /// The engine lacks what the case needs.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped(reason.into())
    }
}

/// What a case says when the rule is kept: what was measured, if anything.
pub(crate) type Outcome = Result<Option<String>, Problem>;
