//! Getting ready may take long, and nothing has to wait for it but what needs it.

#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::conversation::Conversation;

/// More than leaving takes on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(3);

/// An engine whose network never comes to its end: a pipe into which nobody writes.
fn loading_without_end() -> (Conversation, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("mkfifo").arg(folder.path().join("endless.bin")).status().expect("mkfifo starts");
    assert!(made.success());
    let mut engine = Conversation::start(&[]);
    engine.say(&format!("setoption name EvalDir value {}", folder.path().display()));
    engine.say("setoption name EvalFile value endless.bin");
    (engine, folder)
}

#[test]
fn quit_and_the_end_of_the_input_do_not_wait_for_a_network() {
    for commands in [
        &["isready", "quit"] as &[&str],
        &["isready"],
        &["isready", "usinewgame", "position startpos", "go btime 1000 wtime 1000", "quit"],
        &["go nodes 100", "stop", "quit"],
        &["isready", "isready", "gameover lose"],
    ] {
        let (mut engine, _folder) = loading_without_end();
        commands.iter().for_each(|command| engine.say(command));
        let time = engine.leaves();
        assert!(time < AT_ONCE, "{commands:?}: {time:?}");
    }
}

#[test]
fn quit_does_not_wait_for_a_table_that_is_emptied() {
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name USI_Hash value 1000");
    engine.say("isready");
    engine.until("readyok");
    engine.say("go nodes 100");
    engine.answer();
    let start = Instant::now();
    for command in ["setoption name Clear_Hash", "setoption name Clear_Hash", "isready", "position startpos", "quit"] {
        engine.say(command);
    }
    engine.leaves();
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
}

#[test]
fn commands_that_come_in_the_meantime_are_executed_in_their_order() {
    let mut engine = Conversation::start(&[]);
    for command in ["setoption name USI_Hash value 64", "isready", "position startpos moves 7g7f", "side", "isready"] {
        engine.say(command);
    }
    for command in ["go nodes 100", "position startpos", "side", "go mate 10"] {
        engine.say(command);
    }
    let heard = engine.until("checkmate ");
    let said = |words: &[&str]| -> Vec<String> {
        let first_words = heard.iter().filter_map(|line| line.split(' ').next());
        first_words.filter(|word| words.contains(word)).map(str::to_owned).collect()
    };
    assert_eq!(said(&["readyok", "bestmove", "checkmate"]), ["readyok", "readyok", "bestmove", "checkmate"]);
    assert_eq!(said(&["white", "black"]), ["white", "black"]);
    engine.leaves();
}
