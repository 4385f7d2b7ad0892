//! Cases, and the check that runs them one after the other or several at once.

use std::thread;
use std::time::{Duration, Instant};

use kiki_driver::CancellationToken;
use kiki_usi::ascii_excerpt;
use strum::{Display, EnumString};

use crate::context::CaseContext;
use crate::session::{EngineSession, Errors};
use crate::settings::{CheckSettings, EngineUnderTest, Outcome, Problem, Verdict};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// The protocol requires it: without it games are lost, or tools wait for ever.
    Required,
    /// GUIs and tools rely on it.
    Expected,
    /// It saves users trouble.
    Recommended,
}

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
    pub severity: Severity,
    pub(crate) run: Run,
}

pub(crate) type NamedRun = (&'static str, Run);

#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// In a ready session that it shares with other cases. A case that passes leaves it in order.
    Ready(fn(&mut EngineSession) -> Outcome),
    /// The same with an engine that ponders.
    Pondering(fn(&mut EngineSession) -> Outcome),
    /// With a new process that has answered `isready`, for cases after which an engine may be in any
    /// state, or gone.
    New(fn(EngineSession) -> Outcome),
    /// With an engine of these abilities, which it starts as it likes.
    Free(Needs, fn(&mut CaseContext<'_>) -> Outcome),
}

impl Run {
    fn needs(self) -> Needs {
        match self {
            Self::Ready(_) | Self::Pondering(_) | Self::New(_) => Needs::Ready,
            Self::Free(needs, _) => needs,
        }
    }

    fn outcome(self, context: &mut CaseContext<'_>) -> Outcome {
        match self {
            Self::Ready(run) => context.with_shared(false, run),
            Self::Pondering(run) => context.with_shared(true, run),
            Self::New(run) => run(context.fresh()?),
            Self::Free(_, run) => run(context),
        }
    }
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

/// Runs cases and hands each result to `each` at once. Ends early only if it is cancelled.
pub fn check(
    engine: &EngineUnderTest,
    cases: &[Case],
    settings: &CheckSettings,
    cancel: &CancellationToken,
    each: &mut dyn FnMut(&CaseResult),
) -> CheckReport {
    let mut context = CaseContext::new(engine, *settings, cancel);
    let (engine_name, reached) = introduce(&mut context);
    let mut report = CheckReport { engine_name, results: Vec::new(), complete: true, answers: reached == Needs::Ready };
    for case in cases {
        // Facts missing from a cancelled first conversation must not count as missing abilities.
        if cancel.is_cancelled() {
            report.complete = false;
            break;
        }
        let start = Instant::now();
        let outcome = match missing(reached, case.run.needs()) {
            Some(reason) => Err(Problem::skipped(reason)),
            None => case.run.outcome(&mut context),
        };
        let verdict = match outcome {
            Ok(remark) => Verdict::Pass(remark.map(|text| ascii_excerpt(&text, LONGEST_QUOTE))),
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

/// Has a first conversation. Returns the engine's name, and how far it came.
fn introduce(context: &mut CaseContext<'_>) -> (String, Needs) {
    let nothing = (String::new(), Needs::Start);
    let Ok(mut session) = context.process(Errors::Read) else { return nothing };
    let Ok(lines) = session.handshake() else { return nothing };
    let name = lines.iter().find_map(|line| line.text.strip_prefix("id name "));
    context.learn_options(&lines);
    context.set_options(&mut session);
    let reached = if session.ready().is_ok() { Needs::Ready } else { Needs::Handshake };
    (ascii_excerpt(name.unwrap_or_default().trim(), LONGEST_QUOTE), reached)
}

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
        let passes = |complete, answers| {
            CheckReport { engine_name: String::new(), results: Vec::new(), complete, answers }.passes()
        };
        assert_eq!([passes(true, true), passes(false, true), passes(true, false)], [true, false, false]);
    }
}
