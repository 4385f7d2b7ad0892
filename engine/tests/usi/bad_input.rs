//! Bad input gets one clear line and changes nothing.

use crate::conversation::Conversation;

const SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

fn sfen(engine: &mut Conversation) -> String {
    engine.say("d");
    let shown = engine.until(" key");
    shown.iter().find_map(|line| line.trim().strip_prefix("sfen ")).expect("an SFEN").to_owned()
}

#[test]
fn each_bad_line_gets_one_info_string_and_the_state_stays() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f");
    let long = format!("position sfen {}", "9/".repeat(1_000_000));
    let cases: [&[u8]; 14] = [
        b"hello",
        b"\xff\xfe\x00nonsense",
        b"position",
        b"position sfen",
        b"position sfen 9/9/9 b - 1",
        b"position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1",
        b"position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b Q 1",
        b"position sfen kk7/9/9/9/9/9/9/9/4K4 b - 1",
        b"setoption name Threads value 0",
        b"setoption name Threads value many",
        b"setoption name EnteringKingRule value Sometimes",
        b"setoption name Nonsense value 3",
        b"go perft x",
        long.as_bytes(),
    ];
    for case in cases {
        engine.bytes(case);
        engine.bytes(b"\n");
        let shown = String::from_utf8_lossy(&case[..case.len().min(60)]);
        let said = engine.meanwhile();
        assert_eq!(said.len(), 1, "{shown}: {said:#?}");
        assert!(said[0].starts_with("info string ") && said[0].len() < 400, "{shown}: {said:#?}");
        assert_eq!(sfen(&mut engine), SFEN, "{shown}");
    }
    engine.leaves();
}

#[test]
fn an_illegal_move_is_named_and_the_moves_before_it_stand() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f 7g7f 3c3d");
    let said = engine.meanwhile();
    assert!(said.len() == 1 && said[0].contains("7g7f"), "{said:?}");
    assert_eq!(sfen(&mut engine), SFEN);
    engine.say("go byoyomi 50");
    engine.answer();
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
