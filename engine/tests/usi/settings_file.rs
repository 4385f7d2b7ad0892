//! The file `engine_options.txt` beside the program.

use std::fs;

use crate::conversation::Conversation;

const SETTINGS: &str = "SkillLevel 7\nenteringkingrule csarule24\nEvalDir C:\\nets\nBookDir my books\nUSI_Hash many\n";

/// The engine beside such a file. A link of the program, as a copy may still be open for writing where another test starts a process at that moment.
fn beside(settings: &str) -> (Conversation, tempfile::TempDir) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let program = folder.path().join(format!("kiki{}", std::env::consts::EXE_SUFFIX));
    fs::hard_link(env!("CARGO_BIN_EXE_kiki"), &program).expect("a link");
    fs::write(folder.path().join("engine_options.txt"), settings).expect("a file");
    (Conversation::start_copy(&program), folder)
}

fn value(engine: &mut Conversation, name: &str) -> String {
    engine.say(&format!("getoption {name}"));
    engine.until(&format!("{name} = ")).pop().expect("found")
}

#[test]
fn its_values_are_declared_as_defaults() {
    let (mut engine, _folder) = beside(SETTINGS);
    engine.say("usi");
    let heard = engine.until("usiok");
    assert!(heard[0].contains("USI_Hash takes a number"), "{heard:#?}");
    for line in [
        "option name SkillLevel type spin default 7 min 0 max 20",
        "option name EvalDir type string default C:\\nets",
        "option name USI_Hash type spin default 256 min 1 max 33554432",
        // GUIs cut at blanks: such a value holds as long as none sends another.
        "option name BookDir type string default book",
    ] {
        assert!(heard.iter().any(|heard| heard == line), "{line}: {heard:#?}");
    }
    assert!(heard.iter().any(|line| line.contains(" EnteringKingRule type combo default CSARule24 var ")));
    assert_eq!(value(&mut engine, "BookDir"), "BookDir = my books");
    engine.leaves();
}

#[test]
fn a_gui_that_sends_every_option_back_leaves_it_in_force() {
    let (mut engine, _folder) = beside("SkillLevel 7\nMultiPV 3\n");
    engine.say("usi");
    for line in engine.until("usiok") {
        let words: Vec<&str> = line.split(' ').collect();
        if let Some(at) = words.iter().position(|&word| word == "default") {
            engine.say(&format!("setoption name {} value {}", words[2], words[at + 1]));
        }
    }
    assert_eq!(value(&mut engine, "SkillLevel"), "SkillLevel = 7");
    assert_eq!(value(&mut engine, "MultiPV"), "MultiPV = 3");
    engine.say("setoption name SkillLevel value 20");
    assert_eq!(value(&mut engine, "SkillLevel"), "SkillLevel = 20", "what a GUI sends comes later and wins");
    engine.leaves();
}
