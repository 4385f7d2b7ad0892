//! The proof that the cases can fail: an engine that keeps to the protocol passes them all, and
//! each fault fails exactly its case.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kiki_conformance::{
    Case, CaseResult, CheckReport, CheckSettings, EngineUnderTest, Verdict, cases, check, check_at_once,
};
use kiki_driver::{CancellationToken, Program};
use kiki_mock::faults::{Fault, faults};

/// Checks at the same time. Most of a check is waiting.
const AT_ONCE: usize = 24;

/// The engine answers at once, so short silences are enough. Its late answers exceed the tolerance.
const SETTINGS: CheckSettings = CheckSettings {
    timeout: Duration::from_secs(5),
    ready_timeout: Duration::from_secs(5),
    tolerance: Duration::from_secs(1),
    silence: Duration::from_millis(50),
    races: 28,
    positions: 12,
};

fn engine(faults: &[Fault]) -> EngineUnderTest {
    let words = [env!("CARGO_BIN_EXE_kiki-conformance-mock")].into_iter().chain(faults.iter().map(|fault| fault.word));
    EngineUnderTest { program: Program::from_words(words).expect("the mock is built"), options: Vec::new() }
}

fn mock(faults: &[Fault], cases: &[Case]) -> CheckReport {
    check(&engine(faults), cases, &SETTINGS, &CancellationToken::never(), &mut |_| {})
}

fn chosen(is_chosen: impl Fn(&str) -> bool) -> Vec<Case> {
    cases().into_iter().filter(|case| is_chosen(case.name)).collect()
}

/// All verdicts other than a pass, with the conversations that led to them.
fn problems(report: &CheckReport) -> String {
    let lines = report.results.iter().filter_map(|result| match &result.verdict {
        Verdict::Pass(_) => None,
        Verdict::Skipped(reason) => Some(format!("{} skipped: {reason}", result.name)),
        Verdict::Fail(failure) => {
            Some(format!("{} fails: {}\n    {}", result.name, failure.reason, failure.conversation.join("\n    ")))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_engine_that_keeps_to_the_protocol_passes_every_case() {
    let report = mock(&[], &cases());
    assert!(report.passes() && report.results.len() == cases().len());
    assert_eq!(problems(&report), "");
    assert_eq!(report.engine_name, "mock");
}

#[test]
fn several_engines_at_once_come_to_the_same() {
    let fault = &faults()[..1];
    let names = ["handshake", "ready", "infinite", "quit"];
    let chosen = chosen(|name| names.contains(&name));
    let verdicts = |report: CheckReport| -> Vec<_> {
        let failed = |result: &CaseResult| matches!(result.verdict, Verdict::Fail(_));
        report.results.iter().map(|result| (result.name, failed(result))).collect()
    };
    let expected = verdicts(mock(fault, &chosen));
    assert!(expected.contains(&(fault[0].case(), true)), "{expected:?}");
    assert_eq!(verdicts(check_at_once(&engine(fault), &chosen, &SETTINGS, 3)), expected);
}

#[test]
fn every_case_has_a_fault() {
    let broken: BTreeSet<&str> = faults().into_iter().map(Fault::case).collect();
    let known: BTreeSet<&str> = cases().iter().map(|case| case.name).collect();
    assert_eq!(broken, known);
}

/// Each fault alone fails its cases. That it fails no other is shown for many faults at once: they
/// stand in a square, and an engine with the faults of a row or a column passes all cases but
/// theirs. Two faults share at most one row or column, so no fault can hide behind another one.
#[test]
fn each_fault_fails_its_case_and_no_other() {
    let (slow, quick): (Vec<Fault>, Vec<Fault>) = faults().into_iter().partition(|fault| fault.is_slow());
    let side = quick.len().isqrt() + 1;
    let line = |is_in_line: &dyn Fn(usize) -> bool| -> Vec<Fault> {
        (0..quick.len()).filter(|&index| is_in_line(index)).map(|index| quick[index]).collect()
    };
    let rows = (0..side).map(|row| line(&|index| index / side == row));
    let columns = (0..side).map(|column| line(&|index| index % side == column));
    let lines = rows.chain(columns).filter(|line| !line.is_empty());
    let others = |line: Vec<Fault>| (chosen(|name| !broken_by(&line).contains(name)), line);
    let own = |fault: &Fault| (chosen(|name| fault.failing_cases().contains(&name)), vec![*fault]);
    // Each process takes seconds here, so there is one case a check, and few cases.
    let few = ["handshake", "handshake-time", "handshake-quit", "ready", "infinite", "quit"];
    let single = |fault: &Fault| {
        let fault = *fault;
        chosen(|name| few.contains(&name)).into_iter().map(move |case| (vec![case], vec![fault]))
    };
    let checks: Vec<(Vec<Case>, Vec<Fault>)> =
        slow.iter().flat_map(single).chain(lines.map(others)).chain(quick.iter().map(own)).collect();
    let next = AtomicUsize::new(0);
    let check_next =
        || checks.get(next.fetch_add(1, Ordering::Relaxed)).map(|(cases, faults)| problem_with(faults, cases));
    let problems: Vec<String> = thread::scope(|scope| {
        let work = || scope.spawn(|| std::iter::from_fn(check_next).flatten().collect::<Vec<_>>());
        let workers: Vec<_> = (0..AT_ONCE).map(|_| work()).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n\n"));
}

fn broken_by(faults: &[Fault]) -> BTreeSet<&'static str> {
    faults.iter().flat_map(|fault| fault.failing_cases()).collect()
}

/// The cases whose results contradict the faults: each fault fails its own case, and no case fails
/// that no fault breaks.
fn problem_with(faults: &[Fault], cases: &[Case]) -> Option<String> {
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
    let own: BTreeSet<&str> = faults.iter().map(|fault| fault.case()).filter(|case| names.contains(case)).collect();
    let report = mock(faults, cases);
    let failed: BTreeSet<&str> = report.failed().map(|result| result.name).collect();
    let is_expected = own.is_subset(&failed) && failed.is_subset(&broken_by(faults));
    let words: Vec<&str> = faults.iter().map(|fault| fault.word).collect();
    (!is_expected).then(|| format!("{} fails {failed:?}\n{}", words.join(" "), problems(&report)))
}
