//! `go mate`.

use std::time::{Duration, Instant};

use crate::conversation::Conversation;

/// A mate in three whose other checks all fail.
const MATE_IN_THREE: &str = "ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 b RBS3N3Pl3p 125";
/// A position with so many checks that the mate search takes very long.
const HARD: &str = "+L2gk4/4l4/2pp+SG2p/pps4b1/1s2K2pP/3P2P2/PP2P1NP1/5G3/+r4L1g+b w 2NL2Prsn3p 145";

const NO_PROOF: &str = "this mate is not proved to be the shortest";

/// More than a stop needs, even on a busy machine and with assertions at every move.
const AT_ONCE: Duration = Duration::from_millis(1500);

/// The answer to `go mate`, without the word `checkmate`. Only progress comes before it.
fn answer(engine: &mut Conversation) -> String {
    let heard = engine.until("checkmate ");
    let (last, before) = heard.split_last().expect("found");
    assert!(before.iter().all(|line| line.starts_with("info ")), "{heard:#?}");
    last["checkmate ".len()..].to_owned()
}

fn ready_for(sfen: &str) -> Conversation {
    let mut engine = Conversation::ready();
    engine.say(&format!("position sfen {sfen}"));
    engine
}

/// An engine at work on a problem that it will not solve soon.
fn at_work() -> Conversation {
    let mut engine = ready_for(HARD);
    engine.say("go mate infinite");
    engine.is_silent_for(Duration::from_millis(200));
    engine
}

#[test]
fn a_mate_is_told_with_all_its_moves() {
    for limit in ["10000", "infinite", ""] {
        let mut engine = ready_for(MATE_IN_THREE);
        engine.say(&format!("go mate {limit}"));
        let heard = engine.until("checkmate ");
        let answer = heard.last().expect("found");
        assert!(["checkmate B*2a 1b2b N*3d", "checkmate S*2a 1b2b N*3d"].contains(&answer.as_str()), "{answer}");
        assert!(heard[heard.len() - 2].contains("score mate 3 "), "{heard:#?}");
        assert_eq!(engine.meanwhile(), [""; 0], "one answer, and no best move");
    }
}

#[test]
fn without_a_mate_the_answer_is_nomate() {
    let mut engine = Conversation::ready();
    for position in ["startpos", "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"] {
        engine.say(&format!("position {position}"));
        let start = Instant::now();
        engine.say("go mate infinite");
        assert_eq!(answer(&mut engine), "nomate", "{position}");
        assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    }
}

#[test]
fn the_time_for_a_mate_is_kept() {
    let mut engine = ready_for(HARD);
    for limit in [0, 100] {
        let start = Instant::now();
        engine.say(&format!("go mate {limit}"));
        assert_eq!(answer(&mut engine), "timeout");
        let (time, limit) = (start.elapsed(), Duration::from_millis(limit));
        assert!(time < limit + AT_ONCE && time >= limit * 9 / 10, "{time:?} of {limit:?}");
    }
}

#[test]
fn a_limit_of_nodes_ends_the_search_for_a_mate() {
    let count = || {
        let mut engine = ready_for(HARD);
        engine.say("go mate infinite nodes 3000");
        let heard = engine.until("checkmate ");
        assert_eq!(heard.last().expect("found"), "checkmate timeout");
        heard[heard.len() - 2].split(' ').skip_while(|&word| word != "nodes").nth(1).map(str::to_owned)
    };
    assert!(count().is_some());
    assert_eq!(count(), count());
}

#[test]
fn a_search_for_a_mate_goes_on_when_asked_whether_the_engine_is_ready() {
    let mut engine = at_work();
    let start = Instant::now();
    assert!(engine.meanwhile().iter().all(|line| line.starts_with("info ")));
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    engine.say("setoption name Clear_Hash");
    engine.is_silent_for(Duration::from_millis(100));
    let start = Instant::now();
    engine.say("stop");
    assert_eq!(answer(&mut engine), "timeout");
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    engine.say("stop");
    assert_eq!(engine.meanwhile(), [""; 0], "told once");
}

#[test]
fn the_end_of_the_game_or_of_the_input_ends_the_search_for_a_mate_in_silence() {
    let mut engine = at_work();
    engine.say("gameover draw");
    assert_eq!(engine.meanwhile(), [""; 0]);
    let mut engine = at_work();
    engine.say("quit");
    assert!(engine.leaves() < AT_ONCE);
    assert!(at_work().leaves() < AT_ONCE);
}

#[test]
fn searches_for_mates_and_for_moves_follow_each_other() {
    let mut engine = at_work();
    engine.say("go nodes 1000");
    assert_eq!(answer(&mut engine), "timeout");
    engine.answer();
    engine.say("go infinite");
    engine.say("go mate 100");
    let heard = engine.until("checkmate ");
    assert_eq!(heard.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{heard:#?}");
    engine.say("go mate infinite");
    engine.say(&format!("position sfen {MATE_IN_THREE}"));
    engine.say("go mate infinite");
    assert_eq!(answer(&mut engine), "timeout");
    assert_eq!(answer(&mut engine).split(' ').count(), 3);
}

#[test]
fn the_shortest_mate_is_searched_to_the_end_if_that_is_wanted() {
    let mut engine = Conversation::ready();
    engine.set("MateShortest", true);
    engine.say("position sfen 2g1b4/l1p1ss3/kN1r1B3/3p+R4/p3P+p3/+lL1s5/9/9/1P7 b 3Gs3nl12p 1");
    engine.say("go mate infinite");
    let heard = engine.until("checkmate ");
    assert_eq!(heard.last().map(|line| line.split(' ').count()), Some(1 + 25));
    assert!(heard.iter().all(|line| !line.contains(NO_PROOF)), "{heard:#?}");
}

#[test]
fn a_mate_that_is_not_proved_to_be_the_shortest_says_so() {
    let mut engine = ready_for("9/9/9/1+P1+B5/1p2S4/+pn7/1k2G4/s8/+l1L+p1+B3 b 3G2r2s3n2l14p 1");
    for (limits, is_proved) in [("nodes 1000", false), ("", true)] {
        engine.say("isready");
        engine.say(&format!("go mate infinite {limits}"));
        let heard = engine.until("checkmate ");
        assert_eq!(heard.last().map(|line| line.split(' ').count()), Some(1 + 11), "{heard:#?}");
        assert_eq!(heard.iter().all(|line| !line.contains(NO_PROOF)), is_proved, "{heard:#?}");
    }
}
