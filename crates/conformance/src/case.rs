//! What a case is.

use std::fmt;

use crate::context::Context;
use crate::problem::Outcome;

/// How much a rule matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The protocol asks for it: without it games are lost, or tools wait for ever.
    Required,
    /// GUIs and tools rely on it.
    Expected,
    /// It spares users trouble.
    Recommended,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Required => "required",
            Self::Expected => "expected",
            Self::Recommended => "recommended",
        })
    }
}

/// What an engine must be able to do for a case to make sense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Needs {
    /// It can be started.
    Start,
    /// It answers `usi`.
    Handshake,
    /// It answers `isready`.
    Ready,
}

/// One rule, with the conversation that shows whether an engine keeps it.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name, which stays as it is.
    pub name: &'static str,
    /// The command or the line that the rule is about.
    pub row: &'static str,
    /// What is checked.
    pub promise: &'static str,
    /// What goes wrong otherwise.
    pub why: &'static str,
    /// How much it matters.
    pub severity: Severity,
    pub(crate) needs: Needs,
    pub(crate) run: fn(&mut Context<'_>) -> Outcome,
}
