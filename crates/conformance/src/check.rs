//! Cases, and the check that runs them one after the other or several at once.

use std::time::{Duration, Instant};
use std::{fmt, thread};

use kiki_driver::CancellationToken;

use crate::context::Context;
use crate::pipes::shown;
use crate::settings::{CheckSettings, EngineUnderTest, Outcome, Problem, Verdict};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The protocol requires it: without it games are lost, or tools wait for ever.
    Required,
    /// GUIs and tools rely on it.
    Expected,
    /// It saves users trouble.
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

/// The abilities of an engine that a case requires.
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
    /// Never changes: users choose cases by it.
    pub name: &'static str,
    /// The command or the line that the rule is about.
    pub row: &'static str,
    pub promise: &'static str,
    /// The harm of breaking it.
    pub why: &'static str,
    /// How much the rule matters.
    pub severity: Severity,
    pub(crate) needs: Needs,
    pub(crate) run: fn(&mut Context<'_>) -> Outcome,
}

/// Number of characters of engine output shown in a report.
const LONGEST_QUOTE: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseResult {
    pub name: &'static str,
    pub severity: Severity,
    pub verdict: Verdict,
    pub time: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// The name that the engine gives itself; empty if it gave none.
    pub engine_name: String,
    /// In the order of the cases.
    pub results: Vec<CaseResult>,
    /// False after a cancellation.
    pub complete: bool,
    /// Whether a first conversation reached `readyok`. If not, most cases are skipped.
    pub answers: bool,
}

impl CheckReport {
    /// Whether the check was complete, the engine got ready, and no required case failed. A skipped
    /// case is no failure.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.complete && self.answers && !self.failed().any(|result| result.severity == Severity::Required)
    }

    pub fn failed(&self) -> impl Iterator<Item = &CaseResult> {
        self.results.iter().filter(|result| matches!(result.verdict, Verdict::Fail(_)))
    }
}

/// The results of a first conversation.
struct Introduction {
    engine_name: String,
    /// How far it came.
    reached: Needs,
}

/// Runs cases and hands each result to `each` at once. Ends early only if it is cancelled.
pub fn check(
    engine: &EngineUnderTest,
    cases: &[Case],
    settings: &CheckSettings,
    cancel: &CancellationToken,
    each: &mut dyn FnMut(&CaseResult),
) -> CheckReport {
    let mut context = Context::new(engine, *settings, cancel);
    let introduction = introduce(&mut context);
    let mut report = CheckReport {
        engine_name: introduction.engine_name,
        results: Vec::new(),
        complete: true,
        answers: introduction.reached == Needs::Ready,
    };
    for case in cases {
        // Facts missing from a cancelled first conversation must not count as missing abilities.
        if cancel.is_cancelled() {
            report.complete = false;
            break;
        }
        let start = Instant::now();
        let outcome = match missing(introduction.reached, case.needs) {
            Some(reason) => Err(Problem::skipped(reason)),
            None => (case.run)(&mut context),
        };
        let verdict = match outcome {
            Ok(remark) => Verdict::Pass(remark.map(|text| shown(&text, LONGEST_QUOTE))),
            Err(Problem::Failed(failure)) => Verdict::Fail(failure),
            Err(Problem::Skipped(reason)) => Verdict::Skipped(reason),
            Err(Problem::Cancelled) => {
                report.complete = false;
                break;
            }
        };
        let result = CaseResult { name: case.name, severity: case.severity, verdict, time: start.elapsed() };
        each(&result);
        report.results.push(result);
    }
    report
}

/// Runs cases on several processes at once, because cases mostly wait.
///
/// # Panics
/// If there are no engines, or a case panics.
#[must_use]
pub fn check_at_once(
    engine: &EngineUnderTest,
    cases: &[Case],
    settings: &CheckSettings,
    engines: usize,
) -> CheckReport {
    let share = |first: usize| -> Vec<Case> { cases.iter().skip(first).step_by(engines).copied().collect() };
    let run = |cases: Vec<Case>| check(engine, &cases, settings, &CancellationToken::never(), &mut |_| {});
    let reports: Vec<CheckReport> = thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..engines).map(share).map(|cases| scope.spawn(move || run(cases))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no case panics")).collect()
    });
    CheckReport {
        engine_name: reports[0].engine_name.clone(),
        results: (0..cases.len()).map(|index| reports[index % engines].results[index / engines].clone()).collect(),
        complete: reports.iter().all(|report| report.complete),
        answers: reports.iter().all(|report| report.answers),
    }
}

fn introduce(context: &mut Context<'_>) -> Introduction {
    let mut introduction = Introduction { engine_name: String::new(), reached: Needs::Start };
    let Ok(mut session) = context.process() else { return introduction };
    let Ok(lines) = session.handshake() else { return introduction };
    let name = lines.iter().find_map(|line| line.text.strip_prefix("id name "));
    introduction.engine_name = shown(name.unwrap_or_default().trim(), LONGEST_QUOTE);
    introduction.reached = Needs::Handshake;
    context.learn_options(&lines);
    context.set_options(&mut session);
    if session.ready().is_ok() {
        introduction.reached = Needs::Ready;
    }
    introduction
}

/// Why a case cannot be run.
fn missing(reached: Needs, needs: Needs) -> Option<&'static str> {
    (reached < needs).then_some(match reached {
        Needs::Start => "the engine does not answer `usi`",
        Needs::Handshake | Needs::Ready => "the engine does not answer `isready`",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_does_not_pass() {
        let report =
            |complete, answers| CheckReport { engine_name: String::new(), results: Vec::new(), complete, answers };
        assert!(report(true, true).passes());
        assert!(!report(false, true).passes() && !report(true, false).passes());
    }
}
