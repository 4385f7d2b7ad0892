//! The order of commands and answers. A wrong line gets one clear complaint and changes nothing.

use kiki_conformance::{CheckSettings, EngineUnderTest, Verdict, cases, check_at_once};
use kiki_driver::Program;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::conversation::Conversation;

#[test]
fn what_is_known_at_once_is_told_before_stop() {
    for (rule, position, line, answer) in [
        ("CSARule27", "sfen 1+R+B1K4/GGGGSS+B2/SSNN5/9/9/9/9/9/4k4 b R4L2N18P 1", " pv win", "win"),
        ("TryRule", "sfen 9/4K4/9/9/9/9/9/4k4/9 b 2r2b4g4s4n4l18p 1", "score mate 1", "5b5a"),
        ("CSARule27", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "score mate -1", "resign"),
        ("CSARule27", "sfen k8/1G7/1P7/9/9/9/9/9/8K w - 1", "score mate -1", "resign"),
        ("CSARule27", "sfen k7R/9/1P7/9/9/9/9/9/8K w - 1", "pv 9a9b", "9a9b"),
    ] {
        let mut engine = Conversation::ready();
        engine.set("EnteringKingRule", rule);
        for (go, end) in [("go infinite", "stop"), ("go ponder", "ponderhit"), ("go ponder byoyomi 100", "stop")] {
            engine.say(&format!("position {position}"));
            engine.say(go);
            let mut heard = Vec::new();
            while !heard.iter().any(|heard: &String| heard.contains(line)) {
                heard.extend(engine.until("info"));
            }
            assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{go}: {heard:#?}");
            engine.has_not_answered();
            engine.say(end);
            let heard = engine.until("bestmove");
            assert_eq!(heard.last().and_then(|best| best.split(' ').nth(1)), Some(answer), "{go}: {heard:#?}");
        }
        let heard = engine.search("go byoyomi 50");
        assert!(heard.iter().any(|told| told.contains(line)), "{heard:#?}");
    }
}

#[test]
fn stochastic_ponder_goes_back_from_what_the_board_knows() {
    let mut engine = Conversation::ready();
    engine.set("Stochastic_Ponder", true);
    for (moves, side) in [("7g7f 3c3d 2g2f", "black"), ("7g7f 3c3d", "white"), ("2g2f", "black")] {
        // Its length and beginning differ from the next line's.
        engine.say("position startpos moves 9g9f 1c1d 9f9e 1d1e 9e9d");
        engine.say(&format!("position startpos moves {moves}"));
        engine.say("go ponder btime 0 wtime 0 byoyomi 100");
        let heard = engine.until("info depth 4");
        let line = heard.last().expect("found");
        let first = line.split(" pv ").nth(1).and_then(|pv| pv.split(' ').next()).expect("a move").to_owned();
        let answer = engine.play("ponderhit").split(' ').next().expect("a move").to_owned();
        engine.say("moves");
        assert!(engine.until("").join(" ").split(' ').any(|mv| mv == answer), "{answer} after {moves}");
        let made = moves.rsplit_once(' ').map_or("", |(made, _)| made);
        engine.say(&format!("position startpos moves {made}"));
        engine.say("side");
        assert_eq!(engine.until("").last().map(String::as_str), Some(side), "{moves}");
        engine.say("moves");
        assert!(engine.until("").join(" ").split(' ').any(|mv| mv == first), "{moves}: {line}");
    }
}

#[test]
fn developer_words_answer_in_ascii() {
    let mut engine = Conversation::ready();
    engine.say("matsuri");
    engine.say("moves");
    assert_eq!(engine.until("").join(" ").split(' ').count(), 207);
    engine.say("side");
    assert_eq!(engine.until(""), ["white"]);
    engine.set("Eval", "network");
    engine.say("position startpos");
    engine.say("perft 3");
    assert_eq!(engine.until("Nodes searched").last().map(String::as_str), Some("Nodes searched: 25470"));
    engine.say("go perft 2");
    assert!(engine.until("Nodes searched").contains(&"7g7f: 30".to_owned()));
    engine.say("eval");
    let value = engine.until("info string eval value ");
    let is_told = |line: &str| {
        line.contains(" stack ") && line.contains(" centipawns for black, who is to move, by the network ")
    };
    assert!(matches!(&value[..], [line] if is_told(line)), "{value:?}");
    engine.say("eval formula");
    assert_eq!(engine.until("info string eval value "), value, "that in force comes first");
    engine.until("total for Black: 0");
    engine.set("Eval", "formula");
    engine.say("eval");
    let value = engine.until("info string eval value ").pop();
    assert_eq!(
        value.as_deref(),
        Some("info string eval value 0 in centipawns for black, who is to move, by the formula")
    );
    engine.until("total for Black: 0");
    engine.say("getoption threads");
    assert_eq!(engine.until(""), ["threads = 1"]);
}

/// Every first word in the help is known: none gets a complaint about an unknown command.
#[test]
fn help_lists_the_commands_in_plain_lines() {
    let mut engine = Conversation::ready();
    engine.say("help");
    let heard = engine.meanwhile();
    assert!(heard.len() > 10 && heard.iter().all(|line| line.len() <= 100), "{heard:#?}");
    let answers = ["info", "bestmove", "option", "id ", "error", "readyok", "usiok"];
    assert!(heard.iter().all(|line| !answers.iter().any(|word| line.starts_with(word))), "{heard:#?}");
    let words = heard.iter().filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next());
    let listed: Vec<&str> = words.collect();
    let words = "usi position go stop quit d eval moves side perft bench genfens help";
    for word in words.split(' ') {
        assert!(listed.contains(&word), "{word}: {listed:?}");
    }
    for word in listed.into_iter().filter(|&word| word != "quit" && word != "bench") {
        engine.say(word);
        engine.say("stop");
        assert!(engine.meanwhile().iter().all(|line| !line.contains("unknown")), "{word}");
    }
}

const SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

fn sfen(engine: &mut Conversation) -> String {
    engine.say("d");
    let shown = engine.until(" key");
    shown.iter().find_map(|line| line.trim().strip_prefix("sfen ")).expect("an SFEN").to_owned()
}

/// The complaint about a wrong line.
fn complaint(engine: &mut Conversation, line: &[u8]) -> String {
    engine.bytes(line);
    engine.bytes(b"\n");
    let shown = String::from_utf8_lossy(&line[..line.len().min(60)]);
    let mut said = engine.meanwhile();
    assert_eq!(said.len(), 1, "{shown}: {said:#?}");
    let told = said.remove(0);
    assert!(told.starts_with("info string ") && told.len() < 400, "{shown}: {told}");
    told
}

#[test]
fn each_bad_line_gets_one_info_string_and_the_state_stays() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f");
    for (line, reason) in [
        (&b"\xff\xfe\x00nonsense"[..], "unknown command"),
        (b"setoption name Threads value 0", "option Threads takes a number from 1 to 1024, not `0`"),
        (b"setoption name EnteringKingRule value Sometimes", "takes one of NoEnteringKing, "),
        (b"go perft x", "`perft` needs a number, not `x`"),
        (b"go perft 101", "perft: the depth 101 is above the maximum of 100"),
        (b"perft 99999999999", "perft: the depth 4294967295 is above the maximum of 100"),
        (b"bench 1 1 101 default perft", "perft: the depth 101 is above the maximum of 100"),
        (b"bench many", "bench: the hash size `many` is not a number"),
        (b"bench 1 1,x", "bench: the thread count `1,x` is not a number, a list such as 1,2,4, or `all`"),
        (b"bench 1 1 1 no/such/file", "bench: no/such/file: "),
        (b"bench 1 1 1 Cargo.toml", "bench: line 1 of the positions: cannot set up the position: "),
        (b"genfens", "genfens: the number of openings is missing"),
        (b"genfens 4 seed", "genfens: `seed` needs a value"),
        (b"genfens 4 seed -1", "genfens: the seed `-1` is not a number, or too large"),
        (b"genfens 4 seed 1 book no/such/file", "genfens: no/such/file: "),
        (b"genfens 4 book Cargo.toml", "genfens: line 1 of the positions: cannot set up the position: "),
        (b"genfens 4 plies 101", "genfens: 101 plies are above the maximum of 100"),
        (b"genfens 4 depth 8", "genfens: `depth` is not one of seed, book, plies, limit"),
    ] {
        let told = complaint(&mut engine, line);
        assert!(told.contains(reason), "{told}");
        assert_eq!(sfen(&mut engine), SFEN, "{reason}");
    }
}

#[test]
fn after_a_position_that_is_refused_nothing_is_told_about_the_one_before() {
    let mut engine = Conversation::ready();
    let long = format!("position sfen {}", "9/".repeat(1_000_000));
    let cases: [(&str, &str); 4] = [
        ("position startpos moves 7g7f 7g7f 3c3d", "move 2 of the position command is illegal: 7g7f"),
        ("position moves 7g7f", "`position` needs startpos or sfen"),
        ("position sfen kk7/9/9/9/9/9/9/9/4K4 b - 1", "cannot set up"),
        (&long, "cannot set up"),
    ];
    for (refused, reason) in cases {
        engine.say("position startpos moves 7g7f");
        let told = complaint(&mut engine, refused.as_bytes());
        assert!(told.contains(reason), "{told}");
        for command in ["d", "eval", "moves", "side", "perft 1", "go perft 1", "bench 1 1 1 current"] {
            let told = complaint(&mut engine, command.as_bytes());
            assert!(
                told.starts_with("info string no position is set up: ") && told.contains(reason),
                "{command}: {told}"
            );
        }
        for (go, answer) in [
            ("go", "bestmove resign"),
            ("go byoyomi 50", "bestmove resign"),
            ("go nodes 100 searchmoves 3c3d", "bestmove resign"),
            ("go mate 100", "checkmate timeout"),
            ("go mate infinite", "checkmate timeout"),
        ] {
            engine.say(go);
            let heard = engine.meanwhile();
            assert!(heard.len() == 2 && heard[0].contains(reason) && heard[1] == answer, "{go}: {heard:#?}");
        }
        for (go, end) in [
            ("go infinite", "stop"),
            ("go ponder", "stop"),
            ("go ponder", "ponderhit"),
            ("go ponder byoyomi 100", "ponderhit byoyomi 100"),
            ("go ponder infinite", "stop"),
        ] {
            assert!(complaint(&mut engine, go.as_bytes()).contains(reason), "{go}");
            engine.say(end);
            assert_eq!(engine.meanwhile(), ["bestmove resign"], "{go}, {end}");
            engine.say("stop");
            engine.say("ponderhit");
            assert_eq!(engine.meanwhile(), [""; 0], "one answer");
        }
        // A new `go` ends the previous one, and the end of a game is silent.
        engine.say("go ponder");
        engine.say("go infinite");
        engine.until("bestmove resign");
        engine.say("gameover lose");
        engine.say("stop");
        engine.has_not_answered();
        engine.say("go infinite");
        // The next good one repairs it, and a search in progress gets its answer.
        engine.say("position startpos moves 7g7f");
        assert_eq!(sfen(&mut engine), SFEN);
        assert_eq!(engine.play("go nodes 100"), "resign");
        assert_ne!(engine.answer(), "resign");
    }
}

#[test]
fn a_search_goes_on_while_a_position_is_refused() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.say("position startpos moves 5e5e");
    assert_ne!(engine.play("stop"), "resign");
}

#[test]
fn a_go_that_cannot_be_read_is_told_in_one_line_and_answered() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f");
    for (go, told) in [
        ("go btime 1000 wtime abc", "wtime abc"),
        ("go btime 1000 wtime 1000 byoyomi 1_000", "byoyomi 1_000"),
        ("go depth x", "depth x"),
        ("go nodes", "nodes"),
        ("go quickly please", "quickly, please"),
        ("go mate soon", "mate soon"),
    ] {
        engine.say(go);
        let heard = engine.until(if go.contains("mate") { "checkmate " } else { "bestmove " });
        let complaints: Vec<&String> = heard.iter().filter(|line| line.contains("not understood")).collect();
        assert_eq!(complaints, [&format!("info string go: not understood and left out: {told}")], "{go}");
        assert!(!heard.contains(&"bestmove resign".to_owned()), "{go}");
    }
}

/// Number of engines checked at a time. Most of a check is waiting.
const AT_ONCE: usize = 6;

#[test]
fn every_case_of_the_conformance_check_passes() {
    let options = [("Threads", "1"), ("USI_Hash", "8")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let program = Program::from_words([env!("CARGO_BIN_EXE_kiki")]).expect("the engine is built");
    let engine = EngineUnderTest { program, options: options.to_vec() };
    let report = check_at_once(&engine, &cases(), &CheckSettings::for_tests(), AT_ONCE);
    let wrong: Vec<_> = report.results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass(_))).collect();
    assert!(wrong.is_empty() && report.passes(), "{wrong:#?}");
    assert!(report.engine_name.starts_with("Kiki "), "{}", report.engine_name);
}

/// Lines that GUIs send, in any order, and some words that they do not.
const ANY_LINES: [&str; 49] = [
    "usi",
    "isready",
    "usinewgame",
    "position startpos",
    "position startpos moves 7g7f 3c3d 2g2f",
    "position startpos moves 7g7f 7g7f",
    "position sfen 4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    "position sfen 8k/8P/7+R1/9/9/9/9/9/K8 w - 1",
    "go",
    "go nodes 200",
    "go byoyomi 30",
    "go btime 100 wtime 100 binc 10 winc 10",
    "go infinite",
    "go btime abc wtime 100",
    "go movetime 5000 btime 40 wtime 40",
    "go ponder byoyomi 30",
    "go ponder btime 1000 wtime 1000 byoyomi 50",
    "go mate 30",
    "go mate infinite",
    "go perft 2",
    "perft 20",
    "bench 1 1 60",
    "genfens 100000 seed 1",
    "stop",
    "stop",
    "stop",
    "ponderhit",
    "ponderhit btime 100 wtime 100 byoyomi 10",
    "gameover win",
    "setoption name Threads value 1",
    "setoption name Threads value 3",
    "setoption name USI_Hash value 1",
    "setoption name MultiPV value 3",
    "setoption name Eval value formula",
    "setoption name Eval value network",
    "setoption name EvalFile value no/such/file",
    "setoption name GambleMove value on",
    "setoption name ProbCut value sigma",
    "setoption name Stochastic_Ponder value true",
    "setoption name Clear_Hash",
    "setoption name BookFile value no such.db",
    "setoption name USI_OwnBook value false",
    "setoption name BookOnTheFly value true",
    "d",
    "eval",
    "moves",
    "matsuri",
    "\u{6b69} nonsense",
];

/// Number of conversations, unless `PROPTEST_CASES` is set.
const CASES: u32 = 8;

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { CASES };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 64, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_order_of_commands_is_too_much(lines in vec(select(ANY_LINES.to_vec()), 1..40)) {
        let mut engine = Conversation::ready();
        for line in &lines {
            engine.say(line);
        }
        engine.say("stop");
        let mut heard = engine.meanwhile();
        // The stopped work prints its last lines.
        heard.extend(engine.search("go nodes 10"));
        heard.extend(engine.meanwhile());
        let asked = 1 + lines.iter().filter(|line| line.starts_with("go") && !line.contains("perft") && !line.contains("gameover")).count();
        let answers = heard.iter().filter(|line| line.starts_with("bestmove ") || line.starts_with("checkmate ")).count();
        prop_assert!(answers <= asked, "{answers} answers: {heard:#?}");
        let failed = heard.iter().find(|line| line.contains("panicked") || line.contains("failed"));
        prop_assert!(failed.is_none(), "{failed:?}");
    }
}
