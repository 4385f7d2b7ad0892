//! Levels of strength, over the protocol.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_tests::fixtures;

use crate::conversation::Conversation;
use crate::thinking::field;

fn set(engine: &mut Conversation, options: &[(&str, u64)]) {
    for (name, value) in options {
        engine.say(&format!("setoption name {name} value {value}"));
    }
    engine.say("isready");
    engine.until("readyok");
}

/// An engine at a level.
fn at_level(level: u64, seed: u64) -> Conversation {
    let mut engine = Conversation::ready();
    set(&mut engine, &[("SkillLevel", level), ("SkillSeed", seed)]);
    engine
}

/// Everything that tells what was searched: the last line without its times, and the answer.
fn searched(engine: &mut Conversation, go: &str) -> (String, String, String) {
    engine.say(go);
    let heard = engine.until("bestmove ");
    let last = &heard[heard.len() - 2];
    let pv = last.split(" pv ").nth(1).expect("a line").to_owned();
    (field(last, "nodes").expect("nodes"), pv, heard.last().expect("an answer").clone())
}

#[test]
fn the_highest_level_is_the_full_strength() {
    let play = |options: &[(&str, u64)]| {
        let mut engine = Conversation::ready();
        set(&mut engine, options);
        let mut play = Vec::new();
        for moves in ["", " moves 7g7f 3c3d", " moves 7g7f 3c3d 2g2f 8c8d"] {
            engine.say(&format!("position startpos{moves}"));
            play.push(searched(&mut engine, "go nodes 20000"));
        }
        engine.leaves();
        play
    };
    assert_eq!(play(&[("SkillLevel", 20), ("SkillSeed", 5)]), play(&[]));
    assert_ne!(play(&[("SkillLevel", 19)]), play(&[]));
}

#[test]
fn the_last_line_is_that_of_the_move_and_of_no_more_nodes_than_the_level_has() {
    for (level, most) in [(0, 500), (4, 500), (7, 500), (10, 500), (15, 2100), (19, 10_500)] {
        let mut engine = at_level(level, 3);
        engine.say("setoption name MultiPV value 3");
        engine.say("setoption name GambleMove value on");
        engine.say("position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b");
        let (nodes, pv, best) = searched(&mut engine, "go btime 0 wtime 0 byoyomi 10000");
        assert!(nodes.parse::<u64>().expect("a number") <= most, "level {level}: {nodes}");
        assert_eq!(pv.split(' ').next(), best.split(' ').nth(1), "level {level}");
        engine.leaves();
    }
}

#[test]
fn threads_clocks_and_pondering_change_nothing() {
    let answers = |threads: u64, go: &str, after: &str| {
        let mut engine = at_level(15, 9);
        set(&mut engine, &[("Threads", threads)]);
        engine.say("position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b");
        engine.say(go);
        if !after.is_empty() {
            std::thread::sleep(Duration::from_millis(300));
            engine.say(after);
        }
        let heard = engine.until("bestmove ");
        engine.leaves();
        let last = &heard[heard.len() - 2];
        (field(last, "nodes"), field(last, "cp"), heard.last().cloned())
    };
    let alone = answers(1, "go btime 0 wtime 0 byoyomi 20000", "");
    assert_eq!(answers(3, "go btime 0 wtime 0 byoyomi 20000", ""), alone);
    assert_eq!(answers(1, "go btime 600000 wtime 600000 binc 10000 winc 10000", ""), alone);
    assert_eq!(answers(2, "go movetime 15000", ""), alone);
    assert_eq!(answers(1, "go ponder btime 0 wtime 0 byoyomi 20000", "ponderhit"), alone);
    assert_eq!(answers(1, "go ponder btime 0 wtime 0 byoyomi 20000", "stop"), alone);
}

#[test]
fn moves_are_legal_quick_and_different_from_game_to_game() {
    let mut games = BTreeSet::new();
    for _ in 0..3 {
        let mut engine = at_level(2, 0);
        let mut position = Position::startpos();
        let mut moves = Vec::new();
        for _ in 0..16 {
            engine.say(&format!("position startpos moves {}", moves.join(" ")));
            let start = Instant::now();
            engine.say("go btime 60000 wtime 60000 byoyomi 10000");
            let mv = engine.answer().split(' ').next().expect("a move").to_owned();
            assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
            position.make(position.parse_move(&mv).expect("a legal move"));
            moves.push(mv);
        }
        games.insert(moves);
        engine.leaves();
    }
    assert_eq!(games.len(), 3, "{games:#?}");
}

#[test]
fn a_clock_too_short_for_the_level_is_kept() {
    let mut engine = at_level(19, 1);
    for byoyomi in [1, 20] {
        engine.say("position startpos");
        let start = Instant::now();
        engine.say(&format!("go btime 0 wtime 0 byoyomi {byoyomi}"));
        engine.answer();
        assert!(start.elapsed() < Duration::from_millis(300), "{byoyomi}: {:?}", start.elapsed());
    }
    engine.leaves();
}

#[test]
fn mates_in_one_are_played() {
    let mut engine = Conversation::ready();
    let rows: Vec<_> = fixtures::mates().into_iter().filter(|row| row.length == Some(1)).collect();
    assert!(rows.len() >= 10);
    for (level, seed) in [(8, 1), (8, 2), (12, 1), (12, 2), (19, 1)] {
        set(&mut engine, &[("SkillLevel", level), ("SkillSeed", seed)]);
        for row in &rows {
            engine.say(&format!("position sfen {}", row.sfen));
            engine.say("go btime 0 wtime 0 byoyomi 5000");
            let mv = engine.answer();
            assert!(row.first_moves.split(' ').any(|first| first == mv), "level {level}: {mv} in {}", row.sfen);
        }
    }
    engine.leaves();
}

#[test]
fn analysis_is_as_strong_as_ever() {
    let mut engine = at_level(0, 1);
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 7 ");
    engine.say("stop");
    engine.answer();
    set(&mut engine, &[]);
    engine.say("setoption name ConsiderationMode value true");
    let (nodes, ..) = searched(&mut engine, "go nodes 5000");
    assert!(nodes.parse::<u64>().expect("a number") >= 5000, "{nodes}");
    engine.say("setoption name ConsiderationMode value false");
    let (nodes, ..) = searched(&mut engine, "go nodes 5000");
    assert!(nodes.parse::<u64>().expect("a number") <= 500, "{nodes}");
    engine.leaves();
}

#[test]
fn a_limit_of_strength_by_rating_is_the_nearest_level() {
    let play = |options: &[&str]| {
        let mut engine = at_level(20, 7);
        for option in options {
            engine.say(&format!("setoption name {option}"));
        }
        engine.say("position startpos moves 7g7f 3c3d 2g2f 8c8d");
        let played = searched(&mut engine, "go nodes 20000");
        engine.leaves();
        played
    };
    let full = play(&[]);
    // The ratings that a client of a server sends, and the levels of about that strength.
    for (rating, level) in [(800, 0), (1400, 5), (2000, 10), (2700, 16), (3063, 19)] {
        let limited = play(&["USI_LimitStrength value true", &format!("USI_Elo value {rating}")]);
        assert_eq!(limited, play(&[&format!("SkillLevel value {level}")]), "{rating}");
        assert_ne!(limited, full, "{rating}");
    }
    assert_eq!(play(&["USI_Elo value 800"]), full, "without the limit the rating says nothing");
    assert_eq!(play(&["USI_LimitStrength value true", "USI_Elo value 800", "USI_AnalyseMode value true"]), full);
    assert_eq!(play(&["SkillLevel value 3", "USI_AnalyseMode value true"]), full);
}
