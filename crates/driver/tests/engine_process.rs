//! Engines that fail in every way, as shell scripts.
#![cfg(unix)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kiki_driver::{
    AnswerOr, CancellationSource, CancellationToken, EngineError, LineDirection, LineLogger, Program, QuitOutcome,
    SetOptionError, Timeouts, UsiEngine,
};
use kiki_mock::processes::{runs, wait_until};
use kiki_usi::{BestMove, GoSpec, PositionSpec};

/// Prints the lines of an engine's handshake.
const HANDSHAKE: &str = "read line; echo 'id name script'; \
    echo 'option name Threads type spin default 1 min 1 max 8'; echo usiok;";

fn timeouts() -> Timeouts {
    let brief = Duration::from_millis(500);
    Timeouts { start: Duration::from_secs(10), ready: brief, quit: brief }
}

fn start(script: &str) -> Result<UsiEngine, EngineError> {
    start_with(script, &CancellationToken::never())
}

fn start_with(script: &str, cancel: &CancellationToken) -> Result<UsiEngine, EngineError> {
    UsiEngine::start(&Program::from_words(["sh", "-c", script]).unwrap(), timeouts(), cancel, None)
}

fn started(rest: &str) -> UsiEngine {
    start(&format!("{HANDSHAKE} {rest}")).unwrap()
}

fn go(engine: &mut UsiEngine, patience: Duration) -> Result<BestMove, EngineError> {
    engine.go(&PositionSpec::startpos(), &GoSpec { depth: Some(1), ..GoSpec::default() })?;
    let deadline = engine.search_started_at() + patience;
    engine.answer(Some(deadline)).map(|answer| answer.best)
}

#[test]
fn a_program_that_is_none_is_named() {
    let program = Program::from_words(["no-such-engine-anywhere"]).unwrap();
    let failure = UsiEngine::start(&program, timeouts(), &CancellationToken::never(), None).err().unwrap();
    assert!(failure.to_string().starts_with("cannot start `no-such-engine-anywhere`: "), "{failure}");
    let program = Program::from_words(["true"]).unwrap().in_directory(Some("no-such-folder".as_ref()));
    let failure = UsiEngine::start(&program, timeouts(), &CancellationToken::never(), None).err().unwrap();
    assert_eq!(failure.to_string(), "cannot start `true`: no-such-folder is no folder");
}

#[test]
fn an_engine_that_ends_is_quoted_with_its_status_and_its_last_words() {
    let failure = start("echo hello; echo sorry >&2; exit 3").err().unwrap();
    let EngineError::Ended { awaited, how, last_lines: mut said } = failure else { panic!("{failure}") };
    said.sort();
    assert_eq!((awaited.as_str(), how.as_str()), ("usiok", "exited with status 3"));
    assert_eq!(said, ["hello", "sorry"]);
    let mut engine = started("read position; read go; kill -SEGV $$");
    let failure = go(&mut engine, Duration::from_secs(10)).unwrap_err();
    assert!(failure.to_string().starts_with("was killed by signal 11 while `bestmove` was awaited"), "{failure}");
}

#[test]
fn waiting_has_an_end() {
    let mut engine = started("read line; echo info string busy; sleep 100");
    let began = Instant::now();
    let failure = engine.ready().unwrap_err();
    assert!(
        matches!(&failure, EngineError::TimedOut { last_lines, .. } if last_lines.last().unwrap() == "info string busy"),
        "{failure}"
    );
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Starts an engine with a limit of a second for `usiok`.
fn start_within_a_second(script: &str) -> EngineError {
    let second = Timeouts { start: Duration::from_secs(1), ..timeouts() };
    let program = Program::from_words(["sh", "-c", script]).unwrap();
    UsiEngine::start(&program, second, &CancellationToken::never(), None).err().unwrap()
}

#[test]
fn a_flood_of_options_ends_the_handshake() {
    for option in ["option name A type check default true", "option name A type string default $LONG"] {
        let long = "LONG=$(head -c 100000 /dev/zero | tr '\\0' x)";
        let failure = start_within_a_second(&format!("{long}; exec yes \"{option}\""));
        assert_eq!(failure.to_string(), "it declares more than 2000 options, or 2 MiB of them");
    }
    let mut engine = started("read line; echo readyok; sleep 100");
    engine.ready().unwrap();
    let many = "i=0; while [ $i -lt 1900 ]; do echo option name A$i type button; i=$((i+1)); done";
    assert_eq!(start(&format!("{many}; echo usiok; sleep 100")).unwrap().identity().options.len(), 1900);
}

#[test]
fn a_flood_of_other_answers_does_not_make_a_wait_longer() {
    for line in ["id name A", "readyok", "bestmove 7g7f", "checkmate nomate", "info string A", "nonsense", ""] {
        let began = Instant::now();
        let failure = start_within_a_second(&format!("exec yes '{line}'"));
        let EngineError::TimedOut { waited, .. } = &failure else { panic!("{line}: {failure}") };
        assert!(*waited >= Duration::from_secs(1) && *waited <= began.elapsed(), "{line}: {failure}");
        assert!(began.elapsed() < Duration::from_secs(8), "{line}: {failure}");
        assert!(failure.to_string().starts_with("no `usiok` within "), "{failure}");
    }
    let mut engine = started("exec yes 'id name A'");
    assert!(matches!(engine.ready().unwrap_err(), EngineError::TimedOut { waited, .. } if waited >= timeouts().ready));
    let failure = go(&mut engine, Duration::from_millis(300)).unwrap_err();
    assert!(matches!(failure, EngineError::TimedOut { .. }), "{failure}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_reads_nothing_blocks_nobody() {
    let script = "echo option name A type string; echo usiok; sleep 100";
    let mut engine = start(script).unwrap();
    let long = "x".repeat(50_000);
    engine.set_option("A", &long).unwrap();
    let began = Instant::now();
    let failure = engine.set_option("A", &long).unwrap_err();
    assert!(matches!(failure, SetOptionError::Failed(EngineError::TimedOut { .. })), "{failure}");
    assert!(began.elapsed() < Duration::from_secs(20));
    // The same if the result is no longer wanted.
    let source = CancellationSource::new();
    let mut engine = start_with(script, source.token()).unwrap();
    engine.set_option("A", &long).unwrap();
    source.cancel();
    assert_eq!(engine.set_option("A", &long), Err(SetOptionError::Failed(EngineError::Cancelled)));
}

#[test]
fn a_flood_holds_no_message_up() {
    let mut engine = started("read position; read go; exec yes 'id name A'");
    engine.go(&PositionSpec::startpos(), &GoSpec::default()).unwrap();
    wait_until("it says nothing", || engine.last_lines().last().is_some_and(|line| line == "id name A"));
    let (messages, received) = crossbeam::channel::bounded(1);
    messages.send("stop").unwrap();
    let deadline = Some(Instant::now() + Duration::from_secs(10));
    assert_eq!(engine.answer_or(deadline, &received), Ok(AnswerOr::Message("stop")));
}

#[test]
fn an_error_holds_nothing_that_a_terminal_obeys() {
    let failure = start("printf '\\033]0;title\\007\\302\\233' >&2; exit 1").err().unwrap();
    assert!(failure.to_string().ends_with("its last line: \\u{1b}]0;title\\u{7}\\u{9b}"), "{failure}");
}

#[test]
fn an_answer_given_twice_is_not_taken_for_the_next_one() {
    let twice = "read position; read go; echo bestmove 7g7f; echo bestmove 7g7f; echo done;";
    let mut engine = started(&format!("{twice} read position; read go; echo bestmove 2g2f; sleep 100"));
    assert_eq!(go(&mut engine, Duration::from_secs(10)).unwrap(), BestMove::new("7g7f"));
    // The second line has been read by now.
    while engine.last_lines().last().unwrap() != "done" {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(go(&mut engine, Duration::from_secs(10)).unwrap(), BestMove::new("2g2f"));
}

#[test]
fn options_are_checked_before_they_are_sent() {
    let mut engine = started("while read line; do echo info string $line; done");
    engine.set_option("threads", "2").unwrap();
    engine.set_option("USI_Hash", "64").unwrap();
    let refused = |engine: &mut UsiEngine, name, value| engine.set_option(name, value).unwrap_err().to_string();
    assert_eq!(refused(&mut engine, "Threads", "9"), "option Threads takes a number from 1 to 8, not `9`");
    assert_eq!(refused(&mut engine, "Depth", "9"), "no such option: Depth (it has Threads)");
    assert!(matches!(engine.set_option("Depth", "9"), Err(SetOptionError::Invalid { .. })));
    for (name, value, sent) in [
        ("Threads", "2", Some(false)),
        ("Threads", "3", Some(true)),
        ("Depth", "9", Some(false)),
        ("Threads", "9", None),
    ] {
        let offers = [(); 2].map(|()| engine.offer_option(name, value).ok());
        assert_eq!(offers, [sent, sent.map(|_| false)], "{name} {value}");
    }
}

#[test]
fn cancelling_ends_a_wait_at_once() {
    let source = CancellationSource::new();
    let (sent, go_was_sent) = crossbeam::channel::unbounded();
    let log: LineLogger = Arc::new(move |_, line: &[u8]| {
        if line.starts_with(b"go") {
            sent.send(()).unwrap();
        }
    });
    let program = Program::from_words(["sh", "-c", &format!("{HANDSHAKE} sleep 100")]).unwrap();
    let mut engine = UsiEngine::start(&program, timeouts(), source.token(), Some(log)).unwrap();
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            go_was_sent.recv().unwrap();
            source.cancel();
        });
        assert_eq!(go(&mut engine, Duration::from_secs(100)), Err(EngineError::Cancelled));
    });
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(source.token().is_cancelled());
}

/// The number of a process that a script prints as `info string child N`.
fn told_child(engine: &UsiEngine) -> Option<String> {
    engine.last_lines().iter().find_map(|line| line.strip_prefix("info string child ")).map(str::to_owned)
}

/// A child may leave the process group, ignore hangups and lose its parent.
#[test]
fn a_program_goes_with_all_that_it_started() {
    let stays = "trap '' TERM HUP INT; while true; do sleep 1; done";
    let outside = "(setsid sh -c 'trap \"\" HUP TERM; echo info string child $$; while true; do sleep 1; done' &)";
    let inside = "sleep 1000 & echo info string child $!";
    let children = if cfg!(target_os = "linux") { vec![inside, outside] } else { vec![inside] };
    for child in children {
        for (last, outcome) in [("read line; exit 0", QuitOutcome::Clean), (stays, QuitOutcome::Killed)] {
            let mut engine = started(&format!("{child}; read line; echo readyok; {last}"));
            engine.ready().unwrap();
            // While it changes from a shell into `sleep`, it has no command line.
            wait_until("the child does not run", || told_child(&engine).is_some_and(|child| runs(&child)));
            let child = told_child(&engine).unwrap();
            assert_eq!(engine.quit(), outcome);
            wait_until("the child is left behind", || !runs(&child));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_an_engine_is_seen_while_its_child_holds_its_pipes() {
    // A signal to the engine's group does not reach a child in its own group.
    for leave in ["", "setsid", "setsid setsid"] {
        let child = format!("{leave} sh -c 'echo info string child $$; exec sleep 1000' &");
        let mut engine = started(&format!("{child} read position; read go; kill -SEGV $$"));
        wait_until("the child does not run", || told_child(&engine).is_some_and(|child| runs(&child)));
        let child = told_child(&engine).unwrap();
        let failure = go(&mut engine, Duration::from_secs(30)).unwrap_err();
        assert!(failure.to_string().starts_with("was killed by signal 11 while `bestmove` was awaited"), "{failure}");
        drop(engine);
        assert!(!runs(&child), "{child} is left behind");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_said_before_it_ended_still_counts() {
    let last = "sleep 1000 & echo bestmove 7g7f; exit 0";
    let mut engine = started(&format!("read position; read go; {last}"));
    assert_eq!(go(&mut engine, Duration::from_secs(30)).unwrap(), BestMove::new("7g7f"));
    let failure = go(&mut engine, Duration::from_secs(30)).unwrap_err();
    assert!(failure.to_string().starts_with("exited with status 0"), "{failure}");
}

#[test]
fn every_line_is_logged_in_both_directions() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let output = Arc::clone(&lines);
    let log: LineLogger = Arc::new(move |direction, line: &[u8]| {
        output.lock().unwrap().push((direction, String::from_utf8_lossy(line).into_owned()));
    });
    let script =
        format!("{HANDSHAKE} read a; echo sorry >&2; echo readyok; read b; read c; echo bestmove 7g7f; read d");
    let program = Program::from_words(["sh", "-c", &script]).unwrap();
    let mut engine = UsiEngine::start(&program, timeouts(), &CancellationToken::never(), Some(log)).unwrap();
    engine.ready().unwrap();
    go(&mut engine, Duration::from_secs(10)).unwrap();
    engine.quit();
    let of = |wanted: LineDirection| -> Vec<String> {
        lines.lock().unwrap().iter().filter(|(way, _)| *way == wanted).map(|(_, line)| line.clone()).collect()
    };
    assert_eq!(of(LineDirection::ToEngine), ["usi", "isready", "position startpos", "go depth 1", "quit"]);
    let option = "option name Threads type spin default 1 min 1 max 8";
    assert_eq!(of(LineDirection::FromEngine), ["id name script", option, "usiok", "readyok", "bestmove 7g7f"]);
    wait_until("it is not logged", || of(LineDirection::StandardError) == ["sorry"]);
}
