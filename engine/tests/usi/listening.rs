//! Nothing keeps the engine from listening: neither long work nor preparation.

use std::ops::RangeInclusive;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kiki_eval::{Architecture, FeatureSet, LayerParameters, NetworkFile, Shape};
use tempfile::TempDir;

use crate::conversation::Conversation;

/// More than a stop needs, even on a busy machine and with assertions at every move. The goal is
/// 100 ms.
const AT_ONCE: Duration = Duration::from_millis(1500);

/// Work that would take hours, and the line that reports its early end.
const ENDLESS: [(&str, &str); 8] = [
    ("go perft 20", "info string perft 20 stopped after "),
    ("perft 20", "info string perft 20 stopped after "),
    ("perft 20 divide", "info string perft 20 stopped after "),
    ("bench 1 1 60", "info string bench stopped after 0 of "),
    ("bench 1 2 1000000000000 default nodes", "info string bench stopped after 0 of "),
    ("bench 1 1,2 60 default depth", "info string bench stopped after 0 of "),
    ("bench 1 1 20 current perft", "info string bench stopped after 0 of 1 positions "),
    ("bench 1 1 1000000000000 current eval", "info string bench stopped after 0 of 1 positions "),
];

#[test]
fn long_work_is_ended_by_stop_and_says_how_far_it_came() {
    let mut engine = Conversation::ready();
    for (command, end) in ENDLESS {
        engine.say(command);
        assert_eq!(engine.meanwhile(), [""; 0], "{command}: isready is answered");
        sleep(Duration::from_millis(50));
        let start = Instant::now();
        engine.say("stop");
        let heard = engine.until("info string");
        assert!(start.elapsed() < AT_ONCE, "{command}: {:?}", start.elapsed());
        let done = heard.last().and_then(|line| line.strip_prefix(end));
        assert!(done.is_some_and(|done| !done.starts_with("0 ")), "{command}: {heard:?}");
        engine.say("stop");
        assert_eq!(engine.meanwhile(), [""; 0], "{command}: told once");
    }
}

#[test]
fn openings_end_at_stop() {
    let mut engine = Conversation::ready();
    engine.say("genfens 1000000 seed 1");
    engine.until("info string genfens ");
    let start = Instant::now();
    engine.say("stop");
    engine.until("info string genfens: stopped after ");
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    assert_eq!(engine.meanwhile(), [""; 0]);
}

#[test]
fn long_work_ends_in_silence_with_the_program() {
    for (command, end) in [("perft 20", ""), ("bench 1 2 60", ""), ("go perft 20", "quit")] {
        let mut engine = Conversation::ready();
        engine.say(command);
        engine.meanwhile();
        engine.say(end);
        assert!(engine.leaves() < AT_ONCE, "{command}");
    }
}

/// Testing frameworks write `bench` and `quit` at once, and wait for the end of the program.
#[test]
fn quit_waits_for_what_a_framework_asks_for() {
    for (work, last) in [("bench 1 1 5", "Nodes/second "), ("genfens 40 seed 1", "info string genfens ")] {
        let mut engine = Conversation::ready();
        engine.say(&format!("{work}\nquit"));
        let heard = engine.leaves_saying();
        assert!(heard.iter().any(|line| line.starts_with(last)), "{work}: {heard:#?}");
        assert!(work.starts_with("bench") || heard.len() == 40, "{heard:#?}");
    }
    let mut engine = Conversation::ready();
    engine.say("bench 1 1 60\nquit\nquit");
    assert!(engine.leaves() < AT_ONCE, "a second quit does not wait");
}

#[test]
fn new_work_ends_the_work_before_it() {
    let mut engine = Conversation::ready();
    engine.say("go perft 20");
    engine.say("go nodes 300");
    engine.until("info string perft 20 stopped");
    engine.answer();
    engine.say("go infinite");
    engine.say("bench 1 1 60");
    engine.answer();
    engine.say("go perft 2");
    engine.until("info string bench stopped");
    assert_eq!(engine.until("Nodes searched").last().map(String::as_str), Some("Nodes searched: 900"));
    engine.say("go perft 20");
    engine.say("go mate 1000");
    engine.until("info string perft 20 stopped");
    engine.until("checkmate nomate");
}

#[test]
fn work_asked_for_in_the_arguments_is_done_to_the_end() {
    for (work, end) in [
        ("go perft 3", "Nodes searched: 25470"),
        ("perft 3", "Nodes searched: 25470"),
        ("bench 1 1 2 current perft", "900 nodes "),
        ("genfens 2 seed 1", "info string genfens "),
        ("go nodes 1000", "bestmove "),
        ("go ponder byoyomi 300 , ponderhit", "bestmove "),
        ("go mate 10000", "checkmate nomate"),
        ("isready", "readyok"),
    ] {
        let line = format!("position startpos , {work} , side , quit");
        let mut engine = Conversation::start(&line.split(' ').collect::<Vec<_>>());
        engine.until(end);
        engine.until("black");
    }
}

/// More than leaving takes on a busy machine.
const LEAVING: Duration = Duration::from_secs(3);

/// How long the engine may load networks that no one waits for.
const LOADING: Duration = Duration::from_secs(30);

/// The file of a network as wide as usual, with all numbers 0.
fn wide_network() -> Vec<u8> {
    let (features, [l1, h1, h2]) = (FeatureSet::HalfKp, [256, 32, 32]);
    let layer =
        |inputs: usize, outputs| LayerParameters { biases: vec![0; outputs], weights: vec![0; inputs * outputs] };
    let stacks = vec![[layer(2 * l1, h1), layer(h1, h2), layer(h2, 1)]];
    let architecture = Architecture::Classic(Shape { features, l1, h1, h2 });
    NetworkFile::new(architecture, &vec![0; l1], &vec![0; l1 * features.count()], None, stacks).to_bytes()
}

fn folder_of_network() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("nn.bin"), wide_network()).expect("a file");
    folder
}

/// Loads the network of a folder for each of these scales: a new scale loads it again. `command`
/// triggers the loading.
fn load(engine: &mut Conversation, folder: &TempDir, scales: RangeInclusive<u32>, command: &str) {
    engine.set("USI_Hash", 1);
    engine.set("EvalDir", folder.path().display());
    for scale in scales {
        engine.set("FV_SCALE", scale);
        engine.say(command);
    }
}

/// How many networks the engine loads in this time, as far as lines may wait.
fn networks_in(folder: &TempDir, time: Duration) -> u32 {
    let mut engine = Conversation::start(&[]);
    engine.get_ready();
    let start = Instant::now();
    load(&mut engine, folder, 1..=1, "isready");
    engine.until("readyok");
    (time.as_secs_f64() / start.elapsed().as_secs_f64()).clamp(2.0, 120.0) as u32
}

#[test]
fn what_needs_no_search_is_answered_before_the_engine_leaves() {
    let folder = folder_of_network();
    let count = networks_in(&folder, Duration::from_secs(1));
    for end in ["quit", ""] {
        let mut engine = Conversation::start(&[]);
        load(&mut engine, &folder, 1..=count, "isready");
        for command in ["position startpos moves 7g7f", "go nodes 100", "eval", "go infinite", "side", end] {
            engine.say(command);
        }
        let mut heard = engine.leaves_saying();
        heard.retain(|line| !line.starts_with("info string ready with ") && !line.starts_with("info depth "));
        let ready = heard.extract_if(.., |line| line == "readyok").count();
        assert_eq!(ready, count as usize, "{end}");
        let [eval, side] = &heard[..] else { panic!("{end}: {heard:?}") };
        assert!(eval.starts_with("info string eval value 0 "), "{end}: {eval}");
        assert_eq!(side, "white", "{end}");
    }
}

#[test]
fn what_nobody_waits_for_does_not_keep_the_engine_from_leaving() {
    let folder = folder_of_network();
    let count = networks_in(&folder, LOADING);
    for (command, end) in [
        ("isready", &["quit", "quit"] as &[&str]),
        (
            "isready",
            &["isready", "usinewgame", "position startpos", "go btime 1000 wtime 1000", "quit", "side", "quit"],
        ),
        ("go nodes 100", &["stop", "gameover lose"]),
    ] {
        let mut engine = Conversation::start(&[]);
        load(&mut engine, &folder, 1..=count, command);
        end.iter().for_each(|command| engine.say(command));
        let time = engine.leaves();
        assert!(time < LEAVING, "{command}, {end:?} after {count} networks: {time:?}");
    }
}

#[test]
fn quit_does_not_wait_for_a_table_that_is_emptied() {
    let mut engine = Conversation::start(&[]);
    engine.set("USI_Hash", 1000);
    engine.get_ready();
    engine.play("go nodes 100");
    let start = Instant::now();
    for command in ["setoption name Clear_Hash", "setoption name Clear_Hash", "isready", "position startpos", "quit"] {
        engine.say(command);
    }
    drop(engine);
    assert!(start.elapsed() < LEAVING, "{:?}", start.elapsed());
}

#[test]
fn a_table_cleared_during_a_search_is_empty_in_the_next_one() {
    let searched = |clears: bool| {
        let mut engine = Conversation::ready();
        engine.say("position startpos");
        engine.say("go infinite");
        engine.until("info depth 8");
        if clears {
            engine.say("setoption name Clear_Hash");
        }
        engine.say("stop");
        engine.until("bestmove");
        let info = engine.search("go depth 3").into_iter().rfind(|line| line.contains(" nodes ")).expect("an info");
        info.split(' ').skip_while(|&word| word != "nodes").nth(1).map(str::to_owned)
    };
    let mut new = Conversation::ready();
    let of_new = new.search_in("startpos", "go depth 3").into_iter().rfind(|line| line.contains(" nodes "));
    assert!(of_new.expect("an info").contains(&format!(" nodes {} ", searched(true).expect("nodes"))));
    assert_ne!(searched(true), searched(false));
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
    assert_eq!(said(&["readyok", "white"]), ["readyok", "white", "readyok"]);
    assert_eq!(said(&["readyok", "bestmove", "checkmate"]), ["readyok", "readyok", "bestmove", "checkmate"]);
    assert_eq!(said(&["white", "black"]), ["white", "black"]);
}
