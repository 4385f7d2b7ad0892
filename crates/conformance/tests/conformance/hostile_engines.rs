//! A check of any program ends in bounded time and memory, and leaves no process.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use kiki_conformance::{Case, CheckReport, CheckSettings, EngineUnderTest, Verdict, cases, check};
use kiki_driver::{CancellationSource, CancellationToken, Program};
use kiki_mock::processes::{runs, wait_until};

/// An engine that answers `usi` and `isready`, and does this at `go`.
macro_rules! until_go {
    ($go:literal) => {
        concat!(
            "while read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;; quit) exit;; go*) ",
            $go,
            ";; esac; done"
        )
    };
}

const IMPATIENT: CheckSettings = CheckSettings {
    timeout: Duration::from_millis(300),
    ready_timeout: Duration::from_millis(600),
    tolerance: Duration::from_millis(100),
    silence: Duration::from_millis(40),
    races: 5,
    positions: 2,
};

fn script(script: &str) -> EngineUnderTest {
    let program = Program::from_words(["sh", "-c", script]).expect("there is a shell");
    EngineUnderTest { program, options: Vec::new() }
}

fn report(engine: &EngineUnderTest, cases: &[Case]) -> CheckReport {
    check(engine, cases, &IMPATIENT, &CancellationToken::never(), &mut |_| {})
}

fn chosen(names: &[&str]) -> Vec<Case> {
    cases().into_iter().filter(|case| names.contains(&case.name)).collect()
}

/// Every case runs, and no case waits too long.
fn ends_soon(what: &str, engine: &EngineUnderTest, cases: &[Case]) -> CheckReport {
    let start = Instant::now();
    let report = report(engine, cases);
    assert!(report.complete && !report.passes() && report.results.len() == cases.len(), "{what}: {report:#?}");
    // Each has a process and a few waits; a machine may be busy.
    let limit = Duration::from_secs(10) + 3 * cases.len() as u32 * (IMPATIENT.ready_timeout + IMPATIENT.timeout);
    assert!(start.elapsed() < limit, "{what} took {:?}", start.elapsed());
    for result in &report.results {
        if let Verdict::Fail(failure) = &result.verdict {
            let lines = failure.conversation.iter().chain([&failure.reason]);
            assert!(lines.clone().all(|line| line.len() < 3000), "{what}: what is shown is short");
            assert!(lines.flat_map(|line| line.chars()).all(|letter| matches!(letter, ' '..='~')), "{what}: and plain");
        }
    }
    report
}

#[test]
fn programs_that_are_no_engines_fail_the_handshake_and_nothing_more_is_tried() {
    let text = tempfile::NamedTempFile::new().expect("a file");
    let program = Program::from_words([text.path().display().to_string()]).expect("a path");
    for (what, engine) in [
        ("a file that is no program", EngineUnderTest { program, options: Vec::new() }),
        ("an exit at once", script("exit 3")),
        ("a crash", script("kill -SEGV $$")),
        ("silence", script("cat > /dev/null")),
        ("binary junk", script("head -c 3000000 /dev/urandom; cat > /dev/null")),
        ("100 MB in lines", script("yes info string something | head -c 100000000; cat > /dev/null")),
        ("100 MB in one line", script("head -c 100000000 /dev/zero; cat > /dev/null")),
        ("lines without end", script("yes info string something")),
        ("long lines without end", script("yes $(head -c 100000 /dev/zero | tr '\\0' x)")),
        ("a child that holds its pipes", script("sleep 1000 & exit 0")),
        ("a child that writes for ever", script("yes info string something & exit 0")),
    ] {
        let report = ends_soon(what, &engine, &cases());
        let tried = |name: &str| name == "handshake";
        let is_right = |name: &str, verdict: &Verdict| match verdict {
            Verdict::Fail(_) => tried(name),
            Verdict::Skipped(_) => !tried(name),
            Verdict::Pass(_) => false,
        };
        assert!(report.results.iter().all(|result| is_right(result.name, &result.verdict)), "{what}: {report:#?}");
        assert!(!report.answers && report.engine_name.is_empty(), "{what}");
        let Verdict::Fail(failure) = &report.results[0].verdict else { panic!("{what}") };
        assert_eq!(failure.reason.contains("cannot be started"), what == "a file that is no program", "{failure:?}");
    }
}

#[test]
fn searches_that_crash_hang_or_flood_end_their_case_and_nothing_else() {
    let names = [
        "handshake",
        "go-byoyomi",
        "infinite",
        "mate-none",
        "stop-time",
        "quit-in-search",
        "info-form",
        "output-closed",
    ];
    for (what, engine) in [
        ("a crash", script(until_go!("kill -SEGV $$"))),
        ("silence", script(until_go!(":"))),
        ("lines without end", script(until_go!("yes info string something"))),
        ("binary junk without end", script(until_go!("cat /dev/urandom"))),
        ("an answer that is none", script(until_go!("echo bestmove"))),
        ("a child that writes for ever", script(until_go!("(yes info depth 1 &); exit 0"))),
    ] {
        let report = ends_soon(what, &engine, &chosen(&names));
        assert!(report.answers, "{what}: it answers until it is to search");
        assert!(report.failed().any(|result| result.name == "go-byoyomi"), "{what}: {report:#?}");
    }
}

/// The peak is that of the whole program, so the limit leaves room for the other tests.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    // A case in mid-search reads nothing for a second: a fifth of the silence.
    let (timeout, silence) = (Duration::from_secs(2), Duration::from_secs(5));
    let settings = CheckSettings { timeout, ready_timeout: timeout, silence, ..IMPATIENT };
    for (lines, case) in [
        ("yes $(head -c 100000 /dev/zero | tr '\\0' x)", "handshake"),
        (until_go!("yes $(head -c 100000 /dev/zero | tr '\\0' x)"), "quit-in-search"),
    ] {
        check(&script(lines), &chosen(&[case]), &settings, &CancellationToken::never(), &mut |_| {});
    }
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    let peak: u64 = peak.expect("a peak of memory");
    assert!(peak < 400_000, "{peak} kB at the peak");
}

/// Waits until a script has written its number, and returns it.
fn number_in(path: &Path) -> String {
    let number = || fs::read_to_string(path).unwrap_or_default();
    wait_until("the engine was not started", || number().ends_with('\n'));
    number()
}

#[test]
fn a_check_that_is_cancelled_ends_at_once_and_leaves_no_process() {
    let patient = CheckSettings {
        timeout: Duration::from_secs(3600),
        ready_timeout: Duration::from_secs(3600),
        silence: Duration::from_secs(10),
        ..IMPATIENT
    };
    for (what, body, names) in [
        ("in the first conversation", "cat > /dev/null", &["stop-idle"][..]),
        ("in a search", until_go!("sleep 1000"), &["go-byoyomi"]),
        ("in a silence", until_go!(":"), &["infinite"]),
        ("in the wait for the end of a flood", "echo usiok; echo readyok; yes info string x", &["handshake-quit"]),
        ("in the wait for an end", "echo usiok; echo readyok; sleep 1000", &["handshake-quit", "quit-while-loading"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("number");
        let engine = script(&format!("sleep 1001 & echo $! > '{}'; {body}", path.display()));
        let source = CancellationSource::new();
        let report = thread::scope(|scope| {
            let chosen = chosen(names);
            let (engine, token) = (&engine, source.token().clone());
            let checking = scope.spawn(move || check(engine, &chosen, &patient, &token, &mut |_| {}));
            number_in(&path);
            thread::sleep(Duration::from_millis(300));
            let cancelled = Instant::now();
            source.cancel();
            let report = checking.join().expect("no panic");
            assert!(cancelled.elapsed() < Duration::from_secs(5), "{what}: it took {:?}", cancelled.elapsed());
            report
        });
        assert!(!report.complete && !report.passes() && report.results.is_empty(), "{what}: {report:#?}");
        assert!(!runs(&number_in(&path)), "{what}: a process is left");
    }
}
