//! Bad input gets one clear line and changes nothing.

use crate::conversation::Conversation;

const SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

fn sfen(engine: &mut Conversation) -> String {
    engine.say("d");
    let shown = engine.until(" key");
    shown.iter().find_map(|line| line.trim().strip_prefix("sfen ")).expect("an SFEN").to_owned()
}

/// The complaint about a line that is wrong.
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
    let cases: [&[u8]; 7] = [
        b"hello",
        b"\xff\xfe\x00nonsense",
        b"setoption name Threads value 0",
        b"setoption name Threads value many",
        b"setoption name EnteringKingRule value Sometimes",
        b"setoption name Nonsense value 3",
        b"go perft x",
    ];
    for case in cases {
        complaint(&mut engine, case);
        assert_eq!(sfen(&mut engine), SFEN, "{}", String::from_utf8_lossy(case));
    }
    engine.leaves();
}

#[test]
fn after_a_position_that_is_refused_nothing_is_told_about_the_one_before() {
    let mut engine = Conversation::ready();
    let long = format!("position sfen {}", "9/".repeat(1_000_000));
    let cases: [(&str, &str); 10] = [
        ("position startpos moves 7g7f 7g7f 3c3d", "move 2 of the position command is illegal: 7g7f"),
        ("position startpos moves xyz", "move 1 of the position command is illegal: xyz"),
        ("position", "`position` needs startpos or sfen"),
        ("position moves 7g7f", "`position` needs startpos or sfen"),
        ("position sfen", "`sfen` needs a board"),
        ("position sfen 9/9/9 b - 1", "cannot set up"),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1", "cannot set up"),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b Q 1", "cannot set up"),
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
        // A new `go` ends the one before, and the end of a game is silent.
        engine.say("go ponder");
        engine.say("go infinite");
        engine.until("bestmove resign");
        engine.say("gameover lose");
        engine.say("stop");
        assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")));
        engine.say("go infinite");
        // The next good one mends it, and a search in progress has its answer.
        engine.say("position startpos moves 7g7f");
        assert_eq!(sfen(&mut engine), SFEN);
        engine.say("go nodes 100");
        assert_eq!(engine.answer(), "resign");
        assert_ne!(engine.answer(), "resign");
    }
    engine.leaves();
}

#[test]
fn a_search_goes_on_while_a_position_is_refused() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.say("position startpos moves 5e5e");
    engine.say("stop");
    assert_ne!(engine.answer(), "resign");
    engine.leaves();
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
    engine.say("go infinite depth x");
    assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")), "an endless search is endless");
    engine.say("stop");
    engine.answer();
    engine.say("go ponder");
    engine.say("ponderhit btime ? wtime ?");
    engine.answer();
    engine.leaves();
}

#[test]
fn lenient_spellings_are_understood() {
    let mut engine = Conversation::ready();
    for line in [
        "position lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - moves 7g7f",
        "position startpos 7g7f\r",
        "  position   startpos\tmoves  7g7f  ",
    ] {
        engine.say("position startpos");
        engine.say(line);
        assert_eq!(sfen(&mut engine), SFEN, "{line}");
    }
    engine.say("");
    assert!(engine.meanwhile().is_empty(), "a blank line needs no answer");
    engine.leaves();
}
