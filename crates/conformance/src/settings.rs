//! What is checked, how patiently, and how a case can end.

use std::time::Duration;

use kiki_driver::Program;

#[derive(Clone, Debug)]
pub struct EngineUnderTest {
    pub program: Program,
    /// Values of USI options by name, set before `isready`.
    pub options: Vec<(String, String)>,
}

/// How patient and how thorough a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckSettings {
    /// The longest wait for an answer that has no time limit of its own.
    pub timeout: Duration,
    /// The longest wait for `readyok`: engines load their tables then.
    pub ready_timeout: Duration,
    /// How much later than the protocol allows an answer may come, as the machine may be busy. A
    /// fifth of it where the best or the median of several times counts.
    pub tolerance: Duration,
    /// How long an engine that must be silent is watched.
    pub silence: Duration,
    /// Number of tries to send `stop` at an unlucky moment; a fifth of it for other races.
    pub races: usize,
    pub positions: usize,
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            ready_timeout: Duration::from_secs(60),
            tolerance: Duration::from_secs(1),
            silence: Duration::from_millis(1000),
            races: 1000,
            positions: 100,
        }
    }
}

impl CheckSettings {
    /// The same checks with fewer repetitions and shorter silences.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { silence: Duration::from_millis(200), races: 100, positions: 12, ..self }
    }

    /// Settings for tests that run beside others: short, and patient with late answers.
    #[must_use]
    pub fn for_tests() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            tolerance: Duration::from_secs(10),
            silence: Duration::from_millis(100),
            races: 60,
            positions: 8,
            ..Self::default()
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub reason: String,
    /// The last lines of the conversation, each with its time since the start of the process.
    pub conversation: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The engine keeps the rule; contains the measurement, if any.
    Pass(Option<String>),
    Fail(Failure),
    /// Undecided, because the engine lacks this ability.
    Skipped(String),
}

#[derive(Debug)]
pub(crate) enum Problem {
    Failed(Failure),
    /// The engine lacks the ability that the case requires.
    Skipped(String),
    Cancelled,
}

impl Problem {
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped(reason.into())
    }
}

/// The outcome of a case: the measurement, if any, or the reason for an early end.
pub(crate) type Outcome = Result<Option<String>, Problem>;
