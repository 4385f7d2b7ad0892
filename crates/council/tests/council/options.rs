//! Options, and the required answers to `usi` and `isready`.

use std::time::Duration;

use crate::conversation::{Conversation, acts, answers};

#[test]
fn usi_and_isready_at_once_are_both_answered_in_order() {
    let slow = answers("9g9f", "cp 1").with_start("sleep 0.3").with_ready("sleep 0.2; echo readyok");
    let mut council = Conversation::with("majority", &[slow]);
    council.say("usi\nisready\nisready");
    let lines = council.until("usiok");
    assert!(lines.iter().all(|line| line != "readyok"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("option name m1.Threads")), "{lines:#?}");
    for _ in 0..2 {
        assert_eq!(council.until("readyok"), ["readyok"]);
    }
    assert!(council.is_silent("readyok", Duration::from_millis(300)));
}

#[test]
fn members_that_take_long_to_get_ready_leave_no_silence() {
    let slow = answers("9g9f", "cp 1").with_ready("sleep 6; echo readyok");
    let mut council = Conversation::with("majority", &[slow]);
    council.say("isready");
    let lines = council.until("readyok");
    assert!(lines.iter().any(String::is_empty), "{lines:#?}");
}

#[test]
fn isready_during_a_search_is_answered() {
    let mut council = Conversation::ready_with("majority", &[acts("on_stop='echo bestmove 9g9f'")]);
    council.say("go infinite");
    council.ready();
    council.say("stop");
    assert_eq!(council.answer(), "bestmove 9g9f");
}

/// The options that a member received, in the order of their names.
fn shared(council: &Conversation, number: usize) -> Vec<String> {
    let heard = council.heard(number, "setoption name ");
    let mut heard: Vec<_> = heard.iter().map(|line| line["setoption name ".len()..].to_owned()).collect();
    heard.sort();
    heard
}

#[test]
fn members_that_are_named_by_options_get_what_all_share() {
    let mut council = Conversation::with("majority", &[]);
    for (name, value) in [("USI_Hash", "256"), ("USI_Ponder", "true"), ("MultiPV", "3")] {
        council.say(&format!("setoption name {name} value {value}"));
    }
    for number in [1, 2] {
        council.name_member(number, &answers("9g9f", "cp 1"));
    }
    council.ready();
    let expected = ["MultiPV value 3", "USI_Hash value 128", "USI_Ponder value true"];
    for number in [1, 2] {
        assert_eq!(shared(&council, number), expected);
    }
    // Only options that change for all are sent again.
    council.name_member(3, &answers("9g9f", "cp 1"));
    council.ready();
    let hash = |number| council.heard(number, "setoption name USI_Hash").pop().unwrap();
    assert_eq!([1, 2, 3].map(hash), [86, 85, 85].map(|part| format!("setoption name USI_Hash value {part}")));
    assert_eq!(
        shared(&council, 2),
        ["MultiPV value 3", "USI_Hash value 128", "USI_Hash value 85", "USI_Ponder value true"]
    );
}

#[test]
fn what_is_set_for_one_member_is_its_own() {
    let mut council = Conversation::with("majority", &[answers("9g9f", "cp 1"), answers("9g9f", "cp 1")]);
    council.say("usi");
    council.until("usiok");
    council.say("setoption name USI_Hash value 64");
    council.say("setoption name m1.USI_Hash value 40");
    council.say("setoption name m1.MultiPV value 5");
    // A GUI sends back the default that was declared.
    council.say("setoption name m2.MultiPV value 1");
    council.say("setoption name m2.USI_Hash value 256");
    council.say("setoption name MultiPV value 2");
    council.ready();
    let last = |number, name: &str| council.heard(number, &format!("setoption name {name} ")).pop().unwrap();
    assert_eq!(last(1, "USI_Hash"), "setoption name USI_Hash value 40");
    assert_eq!(last(1, "MultiPV"), "setoption name MultiPV value 5");
    assert_eq!(last(2, "USI_Hash"), "setoption name USI_Hash value 24");
    assert_eq!(last(2, "MultiPV"), "setoption name MultiPV value 2");
    let all = "setoption name USI_Hash value 256".to_owned();
    assert!(!council.heard(2, "setoption name USI_Hash").contains(&all), "not even for a moment");
}

#[test]
fn what_is_set_for_one_member_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let command = answers("9g9f", "cp 1").write(folder.path(), 1);
    let file = format!("options = {{ USI_Hash = 64 }}\ndirectory = '{}'", folder.path().display());
    let mut council = Conversation::with_settings(&format!("[[member]]\ncommand = '{command}'\n{file}"), folder, &[]);
    council.name_member(2, &answers("9g9f", "cp 1"));
    council.ready();
    let memory = |council: &Conversation| memory(council, 2);
    assert_eq!(memory(&council), [64, 192]);
    // It is refused, so that the share stays in force.
    council.say("setoption name m2.USI_Hash value 0");
    council.ready();
    assert_eq!(memory(&council), [64, 192]);
    // The default of its program, which its file has changed.
    council.say("setoption name m1.USI_Hash value 256");
    council.say("setoption name m2.USI_Ponder value true");
    council.say("setoption name m2.USI_Ponder value false");
    council.ready();
    assert_eq!(memory(&council), [256, 1]);
    assert_eq!(council.heard(2, "setoption name USI_Ponder").pop().unwrap(), "setoption name USI_Ponder value false");
}

/// The last `USI_Hash` of each member.
fn memory(council: &Conversation, members: usize) -> Vec<u64> {
    let last = |number| council.heard(number, "setoption name USI_Hash value ").pop().expect("a part");
    (1..=members).map(|number| last(number).rsplit(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_parts_of_the_memory_are_what_is_there_together() {
    let mut council = Conversation::with("majority", &[1, 2, 3].map(|_| answers("9g9f", "cp 1")));
    // A GUI that sets nothing gets the declared values.
    council.ready();
    assert_eq!(memory(&council, 3), [86, 85, 85]);
    // More than any machine has, and no more than each member's program takes.
    council.say("setoption name USI_Hash value 33554432");
    council.ready();
    let parts = memory(&council, 3);
    let there = kiki_platform::SystemMemory::now().unwrap().available as u64;
    assert!(parts.iter().sum::<u64>() < 2 * there && parts[0] <= parts[2] + 1, "{parts:?} of {there}");
}
