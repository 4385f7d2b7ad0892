//! Tests of reading each command of a GUI. `properties` has what holds for every line.

mod properties;

use kiki_usi::{Clocks, Command, CommandError, GameResult, GoSpec, MateLimit};

fn parse(line: &str) -> Command {
    Command::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

/// Reads the text after the word `go`.
fn go(text: &str) -> GoSpec {
    match parse(&format!("go {text}")) {
        Command::Go(go) => go,
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn commands_of_single_words_are_understood_and_written() {
    for (line, command) in [
        ("usi\n", Command::Usi),
        ("isready", Command::IsReady),
        ("  isready  ", Command::IsReady),
        ("usinewgame", Command::UsiNewGame),
        ("stop", Command::Stop),
        ("ponderhit", Command::PonderHit(None)),
        ("gameover win", Command::GameOver(GameResult::Win)),
        ("gameover lose", Command::GameOver(GameResult::Lose)),
        ("gameover draw", Command::GameOver(GameResult::Draw)),
        ("gameover", Command::GameOver(GameResult::Unknown)),
        ("quit", Command::Quit),
        ("quit\r\n", Command::Quit),
        ("\0quit\0", Command::Quit),
        ("\u{feff}quit", Command::Quit),
        ("quit now", Command::Quit),
        ("", Command::Blank),
        (" \t\0 \r\n", Command::Blank),
        ("d", Command::Display),
        ("display", Command::Display),
        ("eval", Command::Eval { formula: false }),
        ("eval formula", Command::Eval { formula: true }),
        ("moves", Command::Moves),
        ("side", Command::Side),
        ("perft 5", Command::Perft { depth: 5, divide: false }),
        ("perft 5.0 divide", Command::Perft { depth: 5, divide: true }),
        ("matsuri", Command::Matsuri),
        ("getoption MultiPV", Command::GetOption("MultiPV".to_owned())),
        ("bench", Command::Bench(vec![])),
        ("bench 64 1", Command::Bench(vec!["64".to_owned(), "1".to_owned()])),
        ("genfens 4", Command::Genfens(vec!["4".to_owned()])),
        ("usi_tunables", Command::UsiTunables),
        ("help", Command::Help),
    ] {
        assert_eq!(parse(line), command, "{line:?}");
        assert_eq!(parse(&command.to_string()), command, "as it was written");
    }
}

#[test]
fn what_is_no_command_is_named_in_short() {
    let error = |line: &[u8]| Command::parse(line).unwrap_err().to_string();
    assert_eq!(error(b"hello world\r\n"), "unknown command `hello`");
    assert_eq!(error(b"perft"), "`perft` needs a number");
    assert_eq!(error(b"perft x"), "`perft` needs a number, not `x`");
    assert_eq!(error(b"getoption"), "`getoption` needs the name of an option");
    let long = error(&[b"\xe6\xad\xa9".repeat(700_000), b"\r\n".to_vec()].concat());
    assert!(long.is_ascii() && long.len() < 80, "{long}");
}

#[test]
fn setoption_takes_any_value_and_names_in_any_case() {
    let read = |line: &[u8]| Command::parse(line).unwrap();
    for (line, name, value) in [
        (&b"setoption name EvalDir value C:\\my  eval"[..], "EvalDir", Some("C:\\my  eval")),
        ("setoption name EvalDir value 評価".as_bytes(), "EvalDir", Some("評価")),
        // The same in Shift_JIS, where the second byte of a character may be a backslash.
        (b"setoption name EvalDir value C:\\\x95\x5d\x89\xbf\\\x95\x5c\r\n", "EvalDir", Some("C:\\評価\\表")),
        (b"setoption name EvalDir value /a/b c//d\r\n", "EvalDir", Some("/a/b c//d")),
        (b"setoption name EvalDir value ", "EvalDir", Some("")),
        (b"setoption name EvalDir value <empty>\r\n", "EvalDir", Some("")),
        (b"setoption name Eval Dir value value x", "Eval Dir", Some("value x")),
        (b"setoption name Clear_Hash", "Clear_Hash", None),
    ] {
        let expected = Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) };
        assert_eq!(read(line), expected, "{}", String::from_utf8_lossy(line));
    }
    for line in ["setoption", "setoption name", "setoption name value 3", "setoption MultiPV 3"] {
        assert!(matches!(Command::parse(line.as_bytes()), Err(CommandError::Missing { .. })), "{line}");
    }
    let error = Command::parse(b"setoption name EvalDir value \x95\xff").unwrap_err();
    assert!(matches!(error, CommandError::NotText { .. }) && error.to_string().is_ascii(), "no text, and not changed");
}

#[test]
fn go_names_its_limits_in_any_order() {
    let none = GoSpec::default;
    let clocks = |btime, wtime, byoyomi, binc, winc| Clocks { btime, wtime, byoyomi, binc, winc };
    let with_clocks = |clocks| GoSpec { clocks, ..none() };
    for (line, spec) in [
        ("go infinite", GoSpec { infinite: true, ..none() }),
        ("go ponder", GoSpec { ponder: true, ..none() }),
        ("go perft 3", GoSpec { perft: Some(3), ..none() }),
        ("go mate 5000", GoSpec { mate: Some(MateLimit::Ms(5000)), ..none() }),
        ("go mate infinite", GoSpec { mate: Some(MateLimit::Infinite), ..none() }),
        ("go btime 0 wtime 5000 byoyomi 0", with_clocks(clocks(Some(0), Some(5000), Some(0), None, None))),
        (
            "go btime 33000 wtime 30000 binc 5000 winc 4000",
            with_clocks(clocks(Some(33_000), Some(30_000), None, Some(5000), Some(4000))),
        ),
        // Some GUIs send the time less the increment.
        ("go btime -2000 wtime -1500.5", with_clocks(clocks(Some(-2000), Some(-1501), None, None, None))),
        // Numbers with a fraction are rounded down.
        ("go nodes 5e4 depth 7.9", GoSpec { nodes: Some(50_000), depth: Some(7), ..none() }),
        ("go movetime 1000.0", GoSpec { movetime: Some(1000), ..none() }),
        ("go mate 5000.0", GoSpec { mate: Some(MateLimit::Ms(5000)), ..none() }),
        ("go perft 2.0", GoSpec { perft: Some(2), ..none() }),
        ("go byoyomi 999.5 binc 0.5 winc 2000.", with_clocks(clocks(None, None, Some(999), Some(0), Some(2000)))),
    ] {
        assert_eq!(parse(line), Command::Go(spec), "{line}");
    }
    let limits = go("nodes 1000 searchmoves 7g7f 2g2f depth 12 movetime 500");
    assert_eq!(limits, go("searchmoves 7g7f 2g2f movetime 500 nodes 1000 depth 12"));
    assert_eq!((limits.depth, limits.nodes, limits.movetime), (Some(12), Some(1000), Some(500)));
    assert_eq!(limits.searchmoves, ["7g7f", "2g2f"]);
}

#[test]
fn ponderhit_may_bring_times_and_is_never_lost() {
    assert_eq!(parse("ponderhit byoyomi 100.5"), parse("ponderhit byoyomi 100"));
    let clocks = Clocks { btime: Some(36000), wtime: Some(34000), binc: Some(5000), winc: Some(5000), byoyomi: None };
    assert_eq!(parse("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000"), Command::PonderHit(Some(clocks)));
    let partly = Clocks { btime: Some(0), wtime: Some(3), binc: Some(0), winc: Some(0), ..Clocks::default() };
    assert_eq!(parse("ponderhit btime wtime 3 binc x winc"), Command::PonderHit(Some(partly)));
}

#[test]
fn a_limit_that_cannot_be_read_is_named_and_left_out() {
    for (text, warnings) in [
        ("depth", &["depth"] as &[_]),
        ("nodes x", &["nodes x"]),
        ("movetime 1,5", &["movetime 1,5"]),
        ("fast", &["fast"]),
        ("nodes depth x", &["nodes", "depth x"]),
    ] {
        let read = go(text);
        assert_eq!(read.warnings, warnings, "{text}");
        let left = GoSpec { movetime: Some(100), warnings: read.warnings.clone(), ..GoSpec::default() };
        assert_eq!(read, left, "{text}: nobody stops a search that should have had a limit");
    }
    let read = go("depth x nodes 5");
    assert_eq!((read.depth, read.nodes, read.movetime), (None, Some(5), None));
    assert_eq!(go("nodes 7 nodes x").nodes, Some(7));
    for endless in ["infinite depth x", "ponder nodes x", ""] {
        assert_eq!(go(endless).movetime, None, "{endless}");
    }
    assert!(Command::parse(b"go perft x").is_err(), "it has no move for an answer");
}

#[test]
fn a_clock_that_cannot_be_read_is_empty() {
    let read = go("btime abc wtime 1000 byoyomi");
    assert_eq!(read.warnings, ["btime abc", "byoyomi"]);
    let clocks = Clocks { btime: Some(0), wtime: Some(1000), byoyomi: Some(0), ..Clocks::default() };
    assert_eq!((read.clocks, read.movetime), (clocks, None));
    assert_eq!(go("btime wtime 5").clocks.btime, Some(0));
}

#[test]
fn a_time_for_a_mate_that_cannot_be_read_is_over_at_once() {
    for (text, limit) in [
        ("mate soon", MateLimit::Ms(0)),
        ("mate 5 nodes 7", MateLimit::Ms(5)),
        ("mate", MateLimit::Ms(100)),
        ("mate searchmoves 7g7f", MateLimit::Ms(100)),
        ("infinite mate", MateLimit::Infinite),
        ("mate infinite", MateLimit::Infinite),
        ("mate nodes 7", MateLimit::Infinite),
    ] {
        assert_eq!(go(text).mate, Some(limit), "{text}");
    }
    assert_eq!(go("mate soon").warnings, ["mate soon"]);
}
