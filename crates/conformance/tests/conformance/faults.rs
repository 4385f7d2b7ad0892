//! The proof that the cases can fail: the mock that keeps to the protocol passes them all, and each of its faults fails exactly its case.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kiki_conformance::mock::{FAULTS, Fault};
use kiki_conformance::{
    Case, CaseResult, CheckReport, CheckSettings, EngineUnderTest, Verdict, cases, check, check_at_once,
};
use kiki_driver::{CancellationToken, Program};

/// Nearly all of a check is waiting, so many may go on at once.
const AT_ONCE: usize = 12;

/// The mock answers at once: short silences are enough. The tolerance is less than what its late answers take too long.
const SETTINGS: CheckSettings = CheckSettings {
    timeout: Duration::from_secs(5),
    ready_timeout: Duration::from_secs(5),
    tolerance: Duration::from_secs(1),
    silence: Duration::from_millis(50),
    races: 28,
    positions: 12,
};

fn engine(fault: &str) -> EngineUnderTest {
    let program = Program::from_words([env!("CARGO_BIN_EXE_kiki-conformance-mock"), fault]).expect("the mock is built");
    EngineUnderTest { program, options: Vec::new() }
}

fn mock(fault: &str, cases: &[Case]) -> CheckReport {
    check(&engine(fault), cases, &SETTINGS, &CancellationToken::never(), &mut |_| {})
}

/// Fails with the conversations of all cases whose verdict is not the expected one.
fn verdicts(report: &CheckReport) -> String {
    let lines = report.results.iter().map(|result| match &result.verdict {
        Verdict::Pass(_) => format!("{} passes", result.name),
        Verdict::Skipped(reason) => format!("{} skipped: {reason}", result.name),
        Verdict::Fail(failure) => {
            format!("{} fails: {}\n    {}", result.name, failure.reason, failure.conversation.join("\n    "))
        }
    });
    lines.filter(|line| !line.ends_with(" passes")).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_engine_that_keeps_to_the_protocol_passes_every_case() {
    let report = mock("", &cases());
    assert!(report.passes() && report.results.len() == cases().len());
    assert!(report.results.iter().all(|result| matches!(result.verdict, Verdict::Pass(_))), "{}", verdicts(&report));
    assert_eq!(report.engine_name, "mock");
}

#[test]
fn several_engines_at_once_come_to_the_same() {
    let names = ["handshake", "ready", "infinite", "quit", FAULTS[0].case()];
    let chosen: Vec<Case> = cases().into_iter().filter(|case| names.contains(&case.name)).collect();
    let verdicts = |report: CheckReport| -> Vec<_> {
        let failed = |result: &CaseResult| matches!(result.verdict, Verdict::Fail(_));
        report.results.iter().map(|result| (result.name, failed(result))).collect()
    };
    let expected = verdicts(mock(FAULTS[0].word, &chosen));
    assert!(expected.contains(&(FAULTS[0].case(), true)), "{expected:?}");
    assert_eq!(verdicts(check_at_once(&engine(FAULTS[0].word), &chosen, &SETTINGS, 3)), expected);
}

#[test]
fn every_case_has_a_fault() {
    let broken: BTreeSet<&str> = FAULTS.iter().map(Fault::case).collect();
    let known: BTreeSet<&str> = cases().iter().map(|case| case.name).collect();
    assert_eq!(broken, known);
}

#[test]
fn each_fault_fails_its_case_and_no_other() {
    let next = AtomicUsize::new(0);
    let mut wrong: Vec<String> = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(|| {
                    let mut wrong = Vec::new();
                    while let Some(fault) = FAULTS.get(next.fetch_add(1, Ordering::Relaxed)) {
                        wrong.extend(problem_with(fault));
                    }
                    wrong
                })
            })
            .collect();
        wrong.extend(workers.into_iter().flat_map(|worker| worker.join().expect("no panic")));
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

/// What a fault shows that it should not, if anything.
fn problem_with(fault: &Fault) -> Option<String> {
    let mut expected: BTreeSet<&str> = fault.also.iter().copied().collect();
    expected.insert(fault.case());
    let few = ["handshake", "handshake-time", "handshake-quit", "ready", "infinite", "quit"];
    let chosen: Vec<Case> = cases()
        .into_iter()
        .filter(|case| !fault.slow || few.contains(&case.name) || expected.contains(case.name))
        .collect();
    let report = mock(fault.word, &chosen);
    let failed: BTreeSet<&str> = report.failed().map(|result| result.name).collect();
    (failed != expected).then(|| format!("{} fails {failed:?}\n{}", fault.word, verdicts(&report)))
}
