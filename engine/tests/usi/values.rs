//! Values that once were wrong.

use crate::conversation::Conversation;
use crate::thinking::field;

/// The centipawns of the last line and the answer of a search with the formula, whose values of odd positions are known.
fn searched(position: &str, go: &str) -> (i32, String) {
    let mut engine = Conversation::ready();
    engine.say("setoption name Eval value formula");
    engine.say(position);
    engine.say(go);
    let heard = engine.until("bestmove");
    let score = field(&heard[heard.len() - 2], "cp").unwrap_or_else(|| panic!("{heard:#?}"));
    engine.leaves();
    (score.parse().expect("a number"), heard[heard.len() - 1].clone())
}

#[test]
fn a_mate_in_one_is_played_by_the_clock() {
    for threads in [1, 4] {
        let mut engine = Conversation::ready();
        engine.say(&format!("setoption name Threads value {threads}"));
        for go in ["go byoyomi 100", "go byoyomi 300", "go btime 1000 wtime 1000 binc 100 winc 100", "go depth 5"] {
            engine.say("isready");
            engine.until("readyok");
            engine.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
            engine.say(go);
            let heard = engine.until("bestmove");
            assert!(heard[heard.len() - 1].starts_with("bestmove G*5b"), "{go}: {heard:#?}");
            assert!(heard[heard.len() - 2].contains(" score mate 1 "), "{go}: {heard:#?}");
        }
        engine.leaves();
    }
}

#[test]
fn what_was_on_the_board_before_the_root_is_no_repetition_yet() {
    // Black plays without rook and bishop: going round once has made it no better.
    let start = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b - 1";
    let (before, _) = searched(start, "go depth 7");
    let (after, _) = searched(&format!("{start} moves 5i5h 5a5b 5h5i 5b5a"), "go depth 7");
    assert!(before < -1500, "{before}");
    assert!((before - after).abs() < 300, "{before} and {after}");
    // Three times make the next one a draw: Black goes round once more.
    let lap = " 5i5h 5a5b 5h5i 5b5a";
    let (third, _) = searched(&format!("{start} moves{lap}{lap} 5i5h 5a5b 5h5i"), "go depth 1 searchmoves 5b5a");
    assert!(third.abs() < 100, "{third}");
}

#[test]
fn moves_that_are_asked_for_are_searched_though_nobody_would_play_them() {
    let position = "position sfen 4k4/7r1/9/9/9/9/9/1B7/4K4 b - 1";
    let (one, first) = searched(position, "go depth 6 searchmoves 5i5h 8h2b");
    let (other, second) = searched(position, "go depth 6 searchmoves 8h2b 5i5h");
    assert!(first.starts_with("bestmove 8h2b ") && second.starts_with("bestmove 8h2b "), "{first}, {second}");
    assert!(one > 1000 && (one - other).abs() < 400, "{one} and {other}");
}
