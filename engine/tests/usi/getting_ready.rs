//! Getting ready may take long, and nothing has to wait for it but what needs it.

use std::path::Path;
use std::time::{Duration, Instant};

use kiki_eval::{FeatureSet, LayerParameters, NetworkParameters, Shape};

use crate::conversation::Conversation;

/// More than leaving takes on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(3);

/// How long the engine has to load networks, if it is left to it.
const LOADING: Duration = Duration::from_secs(30);

/// The file of a network as wide as the usual ones, all of whose numbers are 0.
fn wide_network() -> Vec<u8> {
    let (features, [l1, h1, h2]) = (FeatureSet::HalfKp, [256, 32, 32]);
    let layer =
        |inputs: usize, outputs| LayerParameters { biases: vec![0; outputs], weights: vec![0; inputs * outputs] };
    let parameters = NetworkParameters {
        shape: Shape { features, l1, h1, h2 },
        transformer_biases: vec![0; l1],
        transformer_weights: vec![0; l1 * features.count()],
        layers: [layer(2 * l1, h1), layer(h1, h2), layer(h2, 1)],
    };
    parameters.to_bytes()
}

/// Loads a network of the folder for the scale `scale`: with another one it is loaded again.
fn load(engine: &mut Conversation, folder: &Path, scale: u32) {
    engine.say(&format!("setoption name EvalDir value {}", folder.display()));
    engine.say(&format!("setoption name FV_SCALE value {scale}"));
    engine.say("isready");
}

#[test]
fn quit_and_the_end_of_the_input_do_not_wait_for_networks() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("nn.bin"), wide_network()).expect("a file");
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name USI_Hash value 1");
    engine.say("isready");
    engine.until("readyok");
    let start = Instant::now();
    load(&mut engine, folder.path(), 1);
    engine.until("readyok");
    // As many as would take long, and as may be waiting.
    let count = (LOADING.as_secs_f64() / start.elapsed().as_secs_f64()).clamp(2.0, 120.0) as u32;
    engine.leaves();
    for commands in [
        &["isready", "quit"] as &[&str],
        &["isready"],
        &["isready", "usinewgame", "position startpos", "go btime 1000 wtime 1000", "quit"],
        &["go nodes 100", "stop", "quit"],
        &["isready", "isready", "gameover lose"],
    ] {
        let mut engine = Conversation::start(&[]);
        (1..=count).for_each(|scale| load(&mut engine, folder.path(), scale));
        commands.iter().for_each(|command| engine.say(command));
        let time = engine.leaves();
        assert!(time < AT_ONCE, "{commands:?} after {count} networks: {time:?}");
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
