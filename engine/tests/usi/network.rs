//! Networks by option: `Eval`, `EvalDir`, `EvalFile`, `FV_SCALE`.

use std::fs;
use std::path::Path;

use kiki_tests::networks::{NetworkRow, network_file, network_rows};

use crate::conversation::Conversation;

/// The smallest networks of the fixtures.
const SHAPE: [usize; 3] = [32, 16, 16];

fn rows() -> Vec<NetworkRow> {
    network_rows().into_iter().filter(|row| row.shape == SHAPE).collect()
}

/// A session that uses the file `name` of a folder.
fn session(folder: &Path, name: &str) -> Conversation {
    let mut engine = Conversation::start(&[]);
    engine.say(&format!("setoption name EvalDir value {}", folder.display()));
    engine.say(&format!("setoption name EvalFile value {name}"));
    engine
}

/// Gets ready, and returns what is said about the evaluation.
fn ready(engine: &mut Conversation) -> Vec<String> {
    engine.say("isready");
    engine.until("readyok").into_iter().filter(|line| !line.is_empty() && line != "readyok").collect()
}

#[test]
fn a_network_file_is_used_and_its_values_are_those_of_other_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = rows();
    fs::write(folder.path().join("some.bin"), network_file(rows[0].seed, SHAPE)).expect("a file");
    let mut engine = session(folder.path(), "some.bin");
    let lines = ready(&mut engine);
    assert!(matches!(&lines[..], [line] if line.contains("evaluation network HalfKP 32x2-16-16 of ")), "{lines:?}");
    for row in &rows {
        engine.say(&format!("position sfen {}", row.sfen));
        engine.say("eval");
        let expected = format!("info string eval value {} output {}", row.value, row.output);
        engine.until(&expected);
    }
    engine.say("setoption name FV_SCALE value 32");
    engine.say(&format!("position sfen {}", rows[0].sfen));
    engine.say("eval");
    engine.until(&format!("info string eval value {} output {}", rows[0].output / 32, rows[0].output));
    engine.say("go depth 4");
    engine.until("bestmove ");
    engine.say("setoption name Eval value formula");
    let lines = ready(&mut engine);
    assert!(matches!(&lines[..], [line] if line.contains("evaluation formula")), "{lines:?}");
    engine.leaves();
}

#[test]
fn a_file_that_is_no_network_is_reported_in_one_line_and_the_evaluation_before_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = network_file(rows()[0].seed, SHAPE);
    fs::write(folder.path().join("good.bin"), &file).expect("a file");
    fs::write(folder.path().join("short.bin"), &file[..file.len() - 1]).expect("a file");
    fs::write(folder.path().join("long.bin"), [&file[..], &[0]].concat()).expect("a file");
    fs::write(folder.path().join("text.bin"), "no network, and longer than twelve bytes").expect("a file");
    let mut engine = session(folder.path(), "good.bin");
    ready(&mut engine);
    for (name, problem) in [
        ("short.bin", "bytes of the network HalfKP 32x2-16-16 that it says it is"),
        ("long.bin", "bytes of the network HalfKP 32x2-16-16 that it says it is"),
        ("text.bin", "is no network file"),
        ("missing.bin", "cannot be read"),
    ] {
        engine.say(&format!("setoption name EvalFile value {name}"));
        let lines = ready(&mut engine);
        let [error, in_force] = &lines[..] else { panic!("{name}: {lines:?}") };
        assert!(error.contains(name) && error.contains(problem), "{error}");
        assert!(
            in_force.contains("evaluation network HalfKP 32x2-16-16 of ") && in_force.contains("good.bin"),
            "{in_force}"
        );
        engine.say("go nodes 100");
        engine.until("bestmove ");
    }
    engine.leaves();
}

#[test]
fn without_the_conventional_file_the_network_in_the_program_is_used() {
    let mut engine = Conversation::start(&[]);
    let lines = ready(&mut engine);
    assert!(
        matches!(&lines[..], [line] if line.contains("evaluation network") && line.contains(" of Kiki")),
        "{lines:?}"
    );
    engine.say("setoption name Eval value formula");
    let lines = ready(&mut engine);
    assert!(matches!(&lines[..], [line] if line.contains("evaluation formula")), "{lines:?}");
    engine.leaves();
}

#[test]
fn the_network_in_the_program_takes_the_place_of_one_that_cannot_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("eval");
    fs::create_dir(&other).expect("a folder");
    // As in the folder of another engine: the conventional file is there, and is none of Kiki's kind.
    let bytes: Vec<u8> = (0..1000_u32).map(|index| (index * index % 251) as u8).collect();
    fs::write(other.join("nn.bin"), bytes).expect("a file");
    let eval_dir = &["setoption name EvalDir value nowhere"][..];
    let eval_file = &["setoption name FV_SCALE value 24", "setoption name EvalFile value x.nnue"][..];
    let formula_before = &["setoption name Eval value formula", "isready", "setoption name Eval value network"][..];
    for (commands, problem) in [
        (eval_dir, "nowhere"),
        (eval_file, "x.nnue"),
        (&[][..], "is no network file"),
        (formula_before, "is no network file"),
    ] {
        let mut engine = Conversation::start_in(folder.path());
        for command in commands {
            engine.say(command);
            if *command == "isready" {
                engine.until("readyok");
            }
        }
        let lines = ready(&mut engine);
        let [error, in_force] = &lines[..] else { panic!("{commands:?}: {lines:?}") };
        assert!(error.contains(problem) && error.ends_with("; the network in the program is used"), "{error}");
        assert!(in_force.contains("evaluation network") && in_force.contains(" of Kiki"), "{in_force}");
        // `FV_SCALE` belongs to the network that could not be read.
        assert_eq!(
            value_without_a_lance(&mut engine),
            value_without_a_lance(&mut Conversation::start(&[])),
            "{commands:?}"
        );
        engine.leaves();
    }
}

/// What the network in use says about a position that is not even.
fn value_without_a_lance(engine: &mut Conversation) -> String {
    engine.say("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN1 b - 1");
    engine.say("eval");
    engine.until("info string eval value ").pop().expect("found")
}

#[test]
fn every_isready_is_answered_when_the_evaluation_changes_meanwhile() {
    let mut engine = Conversation::start(&[]);
    // Large enough to be still in preparation when the next commands come.
    engine.say("setoption name USI_Hash value 1024");
    engine.say("isready");
    engine.say("setoption name Eval value formula");
    engine.say("isready");
    engine.until("readyok");
    engine.until("readyok");
    engine.leaves();
}
