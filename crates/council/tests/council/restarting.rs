//! Members that are started again.

use std::fs;

use kiki_mock::processes::{runs, wait_until};

use crate::conversation::{Conversation, acts, answers};

#[test]
fn a_sole_member_that_loads_longer_than_a_move_lasts_is_started_again_once() {
    let slow = acts("if [ -e hung ]; then echo bestmove 9g9f; else touch hung; exec sleep 1000; fi")
        .with_start("echo >> starts; if [ -e hung ]; then sleep 1.5; fi");
    let mut council = Conversation::ready_with("majority", &[slow]);
    let (_, lines) = council.go("go byoyomi 300");
    assert!(lines.iter().any(|line| line == "info string m1: left out, it does not answer"), "{lines:#?}");
    for _ in 0..3 {
        let (_, lines) = council.go("go byoyomi 200");
        assert!(lines.iter().any(|line| line == "info string m1: left out, it is not ready yet"), "{lines:#?}");
    }
    council.ready();
    assert_eq!(council.go("go byoyomi 1000").0, "bestmove 9g9f");
    // Searches that it was too late for are not begun.
    assert_eq!((council.count("starts"), council.heard(1, "go").len()), (2, 2));
}

#[test]
fn a_search_that_waits_while_a_member_fails_is_not_lost() {
    let crashes_once =
        acts("if [ -e crashed ]; then echo bestmove 9g9f; else on_stop='touch crashed; sleep 0.2; exit 3'; fi");
    let mut council = Conversation::ready_with("majority", &[crashes_once]);
    council.say("go infinite");
    wait_until("it does not search", || council.heard(1, "go").len() == 1);
    council.say("gameover lose");
    assert_eq!(council.go("go nodes 100").0, "bestmove 9g9f");
}

#[test]
fn a_process_that_is_new_gets_ready_and_hears_of_the_game_before_it_searches() {
    let crashes_once = acts("if [ -e crashed ]; then echo bestmove 9g9f; else touch crashed; exit 3; fi");
    let mut council = Conversation::with("majority", &[crashes_once, answers("7g7f", "cp 1")]);
    // No `isready` has come.
    council.go("go nodes 1");
    council.ready();
    council.go("go nodes 1");
    let options = ["USI_Ponder value false", "MultiPV value 1", "USI_Hash value 128"];
    let shared = options.map(|option| format!("setoption name {option}"));
    let [ponder, multi_pv, hash] = shared.each_ref().map(String::as_str);
    let begin = ["usi", ponder, multi_pv, hash, "isready", "usinewgame", "position startpos", "go nodes 1"];
    let first = [&begin[..], &begin[..5], &["isready"], &begin[5..]].concat();
    assert_eq!(council.heard(1, ""), first);
    assert_eq!(council.heard(2, ""), [&begin[..], &["isready"], &begin[6..]].concat());
    // In the next game they get it once.
    council.say("usinewgame");
    council.go("go nodes 1");
    assert_eq!(council.heard(1, "usinewgame").len(), 3);
}

#[test]
fn a_member_that_died_between_games_is_back_at_isready() {
    let dies_once =
        acts("echo bestmove 9g9f").with_start("on_gameover='if ! [ -e died ]; then touch died; exit 3; fi'");
    let mut council = Conversation::ready_with("majority", &[dies_once.with_noise(1.0), answers("7g7f", "cp 1")]);
    council.say("gameover win");
    wait_until("it does not die", || council.folder.path().join("died").exists());
    council.say("isready");
    let said = council.until("readyok");
    assert!(said[0].starts_with("info string m1 script 1: started again, exited with status 3"), "{said:#?}");
    assert_eq!(council.go("go nodes 1").0, "bestmove 9g9f");
}

#[test]
fn a_member_that_could_not_be_started_is_tried_again_for_the_next_move() {
    let blocked = acts("if [ -e tried ]; then echo bestmove 9g9f; else touch tried; exit 3; fi")
        .with_start("if [ -e tried ] && ! [ -e free ]; then exit 4; fi");
    let mut council = Conversation::ready_with("majority", &[blocked.with_noise(1.0), answers("7g7f", "cp 1")]);
    council.say("go nodes 1");
    let said = council.until("info string m1 script 1: exited with status 4");
    if !said.iter().any(|line| line.starts_with("bestmove")) {
        council.until("bestmove");
    }
    fs::write(council.folder.path().join("free"), "").unwrap();
    // Without any isready of the GUI.
    wait_until("it is not tried again", || council.go("go nodes 1").0 == "bestmove 9g9f");
}

#[test]
fn readyok_waits_for_members_that_were_being_started_again() {
    let slow = acts("if [ -e crashed ]; then echo bestmove 9g9f; else touch crashed; exit 3; fi")
        .with_ready("sleep 0.4; echo >> replies; echo readyok");
    let mut council = Conversation::ready_with("majority", &[slow]);
    council.go("go nodes 1");
    council.ready();
    // At the start, after the crash, and now.
    assert_eq!(council.count("replies"), 3);
}

#[test]
fn options_survive_a_restart_but_for_those_that_were_refused() {
    let crashes_once = acts("if [ -e crashed ]; then echo bestmove 9g9f; else touch crashed; exit 3; fi");
    let mut council = Conversation::ready_with("majority", &[crashes_once]);
    council.say("setoption name m1.Threads value 4");
    council.say("setoption name m1.Threads value 99");
    council.go("go nodes 1");
    council.ready();
    assert_eq!(council.heard(1, "setoption name Threads"), ["setoption name Threads value 4"; 2]);
    // Before the first process it is unknown which options will be refused.
    let mut council = Conversation::with("majority", &[answers("7g7f", "cp 1")]);
    council.say("setoption name m1.Threads value 5");
    council.say("setoption name m1.Threads value 99");
    council.say("isready");
    let said = council.until("readyok");
    assert_eq!(said.iter().filter(|line| line.contains("not `99`")).count(), 1, "{said:#?}");
    assert_eq!(council.heard(1, "setoption name Threads"), ["setoption name Threads value 5"]);
}

#[test]
fn an_option_that_is_set_after_a_process_has_died_is_set_in_the_next() {
    let dies_once = answers("9g9f", "cp 1")
        .with_start("echo $$ >> numbers; on_gameover='if ! [ -e died ]; then touch died; exit 3; fi'");
    let mut council = Conversation::ready_with("majority", &[dies_once]);
    council.say("gameover win");
    wait_until("it does not die", || {
        let numbers = fs::read_to_string(council.folder.path().join("numbers")).unwrap();
        council.folder.path().join("died").exists() && !runs(numbers.lines().next().unwrap())
    });
    council.say("setoption name m1.Threads value 4");
    council.ready();
    assert_eq!(council.heard(1, "setoption name Threads"), ["setoption name Threads value 4"]);
    assert_eq!(council.go("go nodes 1").0, "bestmove 9g9f");
}

#[test]
fn the_last_line_of_a_member_that_has_crashed_counts_before_any_legal_move() {
    let mut council = Conversation::ready_with("majority", &[acts("echo 'info score cp 7 pv 9g9f'; exit 3")]);
    assert_eq!(council.go("go nodes 1").0, "bestmove 9g9f");
}

#[test]
fn a_member_that_resigns_is_heard_where_the_others_say_nothing() {
    let mut council = Conversation::ready_with("majority", &[acts("echo bestmove resign"), acts("exec sleep 1000")]);
    assert_eq!(council.go("go byoyomi 500").0, "bestmove resign");
}
