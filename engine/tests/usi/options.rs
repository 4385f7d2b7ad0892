//! Options: the page that lists them, the file next to the program, and the files that they name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use kiki_tests::networks::{NetworkRow, network_file, network_rows, sfnn_file};

use crate::conversation::{Conversation, field};

/// The page's text where the default differs between machines.
const THREADS: &str = "logical processors";

/// The declared options with types and defaults, without the numbers that only an optimizer sees.
fn declared() -> BTreeMap<String, String> {
    let mut engine = Conversation::start(&[]);
    engine.say("usi");
    let mut options = BTreeMap::new();
    for line in engine.until("usiok").iter().filter(|line| line.starts_with("option name ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let mut numbers = ["default", "min", "max"].iter().filter_map(|name| field(line, name)?.parse::<i128>().ok());
        assert!(numbers.all(|number| number.abs() < 1 << 53), "no program loses digits of {line}");
        let default = field(line, "default").unwrap_or_default();
        options.insert(words[2].to_owned(), if words[2] == "Threads" { THREADS.to_owned() } else { default });
        // Tunable numbers, in a build with that feature, follow the button.
        if words[4] == "button" {
            break;
        }
    }
    options
}

/// The rows of the table: `| `Name` | default | meaning |`.
fn on_the_page() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/playing.md");
    let page = fs::read_to_string(path).expect("docs/playing.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(cells.len() == 5 && cells[3].len() > 10, "{row}");
        (cells[1].trim_matches('`').to_owned(), cells[2].trim_matches('`').to_owned())
    })
    .collect()
}

#[test]
fn the_page_lists_every_option_with_its_default_and_no_other() {
    assert_eq!(on_the_page(), declared());
}

const SETTINGS: &str = "SkillLevel 7\nenteringkingrule csarule24\nEvalDir C:\\nets\nBookDir my books\nUSI_Hash many\n";

/// The engine next to such a file. It is a link: a copy may still be open for writing when another
/// test starts a process.
fn beside(settings: &str) -> (Conversation, tempfile::TempDir) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let program = folder.path().join(format!("kiki{}", std::env::consts::EXE_SUFFIX));
    fs::hard_link(env!("CARGO_BIN_EXE_kiki"), &program).expect("a link");
    fs::write(folder.path().join("engine_options.txt"), settings).expect("a file");
    (Conversation::run(&mut Command::new(program)), folder)
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
        // GUIs split at blanks: such a value holds as long as none sends another.
        "option name BookDir type string default book",
    ] {
        assert!(heard.iter().any(|heard| heard == line), "{line}: {heard:#?}");
    }
    assert!(heard.iter().any(|line| line.contains(" EnteringKingRule type combo default CSARule24 var ")));
    assert_eq!(value(&mut engine, "BookDir"), "BookDir = my books");
}

#[test]
fn a_file_of_options_in_the_working_directory_is_not_read() {
    let (mut engine, folder) = beside("SkillLevel 7\n");
    assert_eq!(value(&mut engine, "SkillLevel"), "SkillLevel = 7");
    let mut engine = Conversation::start_in(folder.path());
    assert_eq!(value(&mut engine, "SkillLevel"), "SkillLevel = 20");
}

#[test]
fn empty_texts_stand_for_the_default_and_long_ones_are_refused_in_a_short_line() {
    let mut engine = Conversation::ready();
    engine.set("Eval", "network");
    for name in ["EvalDir", "EvalFile", "EvalArchitecture", "SigmaFile"] {
        for empty in ["", "<empty>"] {
            engine.set(name, empty);
            assert_eq!(engine.meanwhile(), [""; 0], "{name} `{empty}`");
        }
        engine.set(name, "net/".repeat(75_000));
        let heard = engine.meanwhile();
        assert!(matches!(&heard[..], [line] if line.contains(name) && line.len() < 200), "{name}: {heard:?}");
    }
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
    engine.set("SkillLevel", 20);
    assert_eq!(value(&mut engine, "SkillLevel"), "SkillLevel = 20", "what a GUI sends comes later and wins");
    for name in ["MultiPV", "SkillLevel"] {
        engine.set(&format!("USI_{name}"), 4);
        assert_eq!(value(&mut engine, name), format!("{name} = 4"));
    }
}

#[cfg(not(feature = "tune"))]
#[test]
fn a_usual_build_announces_no_number_and_takes_none() {
    let mut engine = Conversation::ready();
    engine.say("usi_tunables");
    assert_eq!(engine.until("usi_tunablesok").len(), 1);
    engine.set("material_pawn", 200);
    let heard = engine.meanwhile();
    assert!(heard.len() == 1 && heard[0].contains("material_pawn"), "{heard:?}");
}

#[cfg(feature = "tune")]
mod with_the_feature {
    use super::*;

    /// Two kings far from each other, and pawns in Black's hand.
    const PAWNS_IN_HAND: &str = "position sfen 8k/9/9/9/9/9/9/9/K8 b 4P 1";

    /// Centipawns of a search of one ply.
    fn searched(engine: &mut Conversation) -> i32 {
        engine.say(PAWNS_IN_HAND);
        let heard = engine.search("go depth 1");
        let score = heard.iter().rev().find_map(|line| field(line, "cp")).unwrap_or_else(|| panic!("{heard:#?}"));
        score.parse().expect("a number")
    }

    #[test]
    fn the_numbers_of_search_and_formula_are_announced_and_are_options() {
        let mut engine = Conversation::start(&[]);
        engine.say("usi");
        let options = engine.until("usiok");
        engine.say("usi_tunables");
        let heard = engine.until("usi_tunablesok");
        for (name, default, min, max) in [("razor_base", 502, 50, 1200), ("enemy_distance_3", 200, 0, 1300)] {
            let option = format!("option name {name} type spin default {default} min {min} max {max}");
            assert!(options.contains(&option), "{option}: {options:#?}");
            let entry = format!(r#""option":"{name}","value_type":"int","encoding":"integer","default":{default},"#);
            assert!(heard[0].contains(&entry), "{entry}: {heard:?}");
        }
    }

    #[test]
    fn a_number_of_the_formula_reaches_the_search_and_eval_with_and_without_isready() {
        let mut engine = Conversation::ready();
        // Only the pawns count.
        for name in ["own_effect", "enemy_effect", "board_discount", "home_pawn", "camp_pawn"] {
            engine.say(&format!("setoption name {name} value 0"));
        }
        assert_eq!(searched(&mut engine), 4 * 113);
        engine.set("material_pawn", 200);
        assert_eq!(searched(&mut engine), 4 * 200);
        engine.set("material_pawn", 50);
        engine.meanwhile();
        assert_eq!(searched(&mut engine), 4 * 50);
        engine.say("eval");
        let heard = engine.until("total for Black");
        assert_eq!(heard.last().map(String::as_str), Some("total for Black: 200 centipawns"));
    }

    #[test]
    fn a_number_of_the_search_counts_until_it_is_set_again() {
        let nodes = |numbers: &[(&str, &str)]| {
            let mut engine = Conversation::start(&[]);
            for (name, value) in [("Threads", "1"), ("USI_Hash", "16")].iter().chain(numbers) {
                engine.set(name, value);
            }
            let heard = engine.search_in("startpos", "go depth 8");
            heard.iter().rev().find_map(|line| field(line, "nodes")).expect("nodes")
        };
        let usual = nodes(&[]);
        assert_eq!(usual, nodes(&[]));
        let (without, with) = (("use_late_move_reductions", "0"), ("use_late_move_reductions", "1"));
        assert_ne!(nodes(&[without]), usual);
        assert_eq!(nodes(&[without, with]), usual);
    }
}

/// The smallest networks of the fixtures.
const SHAPE: [usize; 3] = [32, 16, 16];

fn rows() -> Vec<NetworkRow> {
    network_rows().into_iter().filter(|row| row.shape == SHAPE).collect()
}

/// A session that uses the file `name` of a folder.
fn session(folder: &Path, name: &str) -> Conversation {
    let mut engine = Conversation::start(&[]);
    engine.set("EvalDir", folder.display());
    engine.set("EvalFile", name);
    engine
}

/// Checks that this evaluation is in force when the engine is ready, and returns the complaints.
fn complaints(engine: &mut Conversation, in_force: &str) -> Vec<String> {
    let mut lines = engine.get_ready();
    lines.retain(|line| !line.is_empty() && line != "readyok");
    let last = lines.pop().expect("the evaluation");
    assert!(last.contains("evaluation ") && last.contains(in_force), "{last}");
    lines
}

/// The only complaint.
fn complaint(engine: &mut Conversation, in_force: &str) -> String {
    let mut complaints = complaints(engine, in_force);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    complaints.remove(0)
}

#[test]
fn a_network_file_is_used_and_its_values_are_those_of_other_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = rows();
    fs::write(folder.path().join("some.bin"), network_file(rows[0].seed, SHAPE)).expect("a file");
    let mut engine = session(folder.path(), "some.bin");
    assert_eq!(complaints(&mut engine, "evaluation network HalfKP 32x2-16-16 of "), [""; 0]);
    for row in &rows {
        engine.say(&format!("position sfen {}", row.sfen));
        engine.say("eval");
        let expected = format!("info string eval value {} output {}", row.value, row.output);
        engine.until(&expected);
    }
    engine.set("FV_SCALE", 32);
    engine.say(&format!("position sfen {}", rows[0].sfen));
    engine.say("eval");
    engine.until(&format!("info string eval value {} output {}", rows[0].output / 32, rows[0].output));
    engine.search("go depth 4");
    engine.set("Eval", "formula");
    assert_eq!(complaints(&mut engine, "evaluation formula"), [""; 0]);
}

#[test]
fn a_file_that_is_no_network_is_reported_in_one_line_and_the_evaluation_before_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = network_file(rows()[0].seed, SHAPE);
    fs::write(folder.path().join("good.bin"), &file).expect("a file");
    fs::write(folder.path().join("short.bin"), &file[..file.len() - 1]).expect("a file");
    let mut engine = session(folder.path(), "good.bin");
    engine.get_ready();
    for (name, problem) in
        [("short.bin", "bytes of the network HalfKP 32x2-16-16 that it says it is"), ("missing.bin", "cannot be read")]
    {
        engine.set("EvalFile", name);
        let error = complaint(&mut engine, "good.bin");
        assert!(error.contains(name) && error.contains(problem), "{error}");
        engine.search("go nodes 100");
    }
}

#[test]
fn the_architecture_that_is_named_is_taken_or_refused_and_the_evaluation_before_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("stacks.bin"), sfnn_file(1, "kp_64_7_8_k9k9")).expect("a file");
    let mut engine = session(folder.path(), "stacks.bin");
    for (name, expected) in [
        ("auto", "evaluation network SFNN_kp_64_7_8_k9k9 of "),
        ("SFNN_KP_64_7_8_K9K9Z", "evaluation network SFNN_kp_64_7_8_k9k9z of "),
    ] {
        engine.set("EvalArchitecture", name);
        assert_eq!(complaints(&mut engine, expected), [""; 0]);
    }
    for (name, problem) in [
        ("halfkp_256x2-32-32", "it is an SFNN network, not the HalfKP 256x2-32-32 that was asked for"),
        ("SFNN_kp_64_7_8_k3k3", "not the 7848 of the network SFNN_kp_64_7_8_k3k3 that was asked for"),
        ("k9k9z", "EvalArchitecture \"k9k9z\" names no network: expected one like"),
    ] {
        engine.set("EvalArchitecture", name);
        let error = complaint(&mut engine, "SFNN_kp_64_7_8_k9k9z of ");
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn the_network_in_the_program_takes_the_place_of_one_that_cannot_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("eval");
    fs::create_dir(&other).expect("a folder");
    // As in another engine's folder: the conventional file is there, but of another kind than
    // Kiki's.
    let bytes: Vec<u8> = (0..1000_u32).map(|index| (index * index % 251) as u8).collect();
    fs::write(other.join("nn.bin"), bytes).expect("a file");
    let mut usual = Conversation::start(&[]);
    assert_eq!(complaints(&mut usual, " of Kiki"), [""; 0]);
    let expected = value_without_a_lance(&mut usual);
    let eval_dir = &["setoption name EvalDir value nowhere"][..];
    let eval_file = &["setoption name FV_SCALE value 24", "setoption name EvalFile value x.nnue"][..];
    let formula_before = &["setoption name Eval value formula", "isready", "setoption name Eval value network"][..];
    for (commands, problem) in [(eval_dir, "nowhere"), (eval_file, "x.nnue"), (formula_before, "is no network file")] {
        let mut engine = Conversation::start_in(folder.path());
        for command in commands {
            engine.say(command);
            if *command == "isready" {
                engine.until("readyok");
            }
        }
        let error = complaint(&mut engine, " of Kiki");
        assert!(error.contains(problem) && error.ends_with("; the built-in network is used"), "{error}");
        // `FV_SCALE` belongs to the unreadable network.
        assert_eq!(value_without_a_lance(&mut engine), expected, "{commands:?}");
    }
}

/// The value of an uneven position by the network in use.
fn value_without_a_lance(engine: &mut Conversation) -> String {
    engine.say("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN1 b - 1");
    engine.say("eval");
    engine.until("info string eval value ").pop().expect("found")
}

#[test]
fn every_isready_is_answered_when_the_evaluation_changes_meanwhile() {
    let mut engine = Conversation::start(&[]);
    // Large enough to be still in preparation when the next commands come.
    engine.set("USI_Hash", 1024);
    engine.say("isready");
    engine.set("Eval", "formula");
    engine.get_ready();
    engine.until("readyok");
}

/// White is behind, and has checks and threats to choose from.
const BEHIND: &str = "position sfen ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 w RBS3N3Pl3p 126";
const MIDDLE_GAME: &str = "position sfen lr5nl/3g1kg2/2n1ppsp1/p1pps1p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL b Bb 61";

/// The output of a session with options that has searched a position to a depth.
fn searched(options: &[(&str, &str)], position: &str, depth: u32) -> Vec<String> {
    let mut engine = Conversation::start(&[]);
    for (name, value) in [("Threads", "1"), ("USI_Hash", "16")].iter().chain(options) {
        engine.set(name, value);
    }
    engine.say(position);
    engine.search(&format!("go depth {depth}"))
}

/// The number after a word in a line of `info string chance`.
fn number_behind(line: &str, name: &str) -> f64 {
    field(line, name).expect(name).parse().expect("a number")
}

/// The moves of a search with their chances, and the answer.
fn chances(mode: &str, position: &str) -> (Vec<(String, f64)>, String) {
    let heard = searched(&[("GambleMove", mode)], position, 7);
    let lines = heard.iter().filter(|line| line.starts_with("info string chance "));
    let chances: Vec<_> =
        lines.map(|line| (field(line, "chance").expect("a move"), number_behind(line, "probability"))).collect();
    assert!(chances.iter().all(|(_, chance)| (0.0..=1.0).contains(chance)), "{heard:#?}");
    let played = field(&heard[heard.len() - 1], "bestmove").expect("a move");
    // The last lines agree with the answer.
    let first = heard.iter().rfind(|line| line.contains(" multipv 1 ")).expect("a line");
    assert_eq!(field(first, "pv").as_ref(), Some(&played), "{heard:#?}");
    (chances, played)
}

#[test]
fn chances_are_shown_and_the_best_move_is_played_or_the_likeliest() {
    let (shown, best) = chances("show", BEHIND);
    assert_eq!((shown.len(), &shown[0].0), (6, &best), "the best move comes first");
    let normal = searched(&[("MultiPV", "6")], BEHIND, 7);
    assert_eq!(field(&normal[normal.len() - 1], "bestmove"), Some(best));
    for position in [BEHIND, MIDDLE_GAME] {
        let (chances, played) = chances("on", position);
        let likeliest = chances.iter().map(|(_, chance)| *chance).fold(0.0, f64::max);
        assert!(chances.contains(&(played, likeliest)), "{chances:?}");
    }
}

#[test]
fn a_file_that_is_no_model_is_reported_in_one_line_and_that_in_the_program_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let embedded = kiki_network::embedded_sigma(false).expect("a model").to_text();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("nan.tsv", &embedded.replacen("\nslope, opening\t0", "\nslope, opening\tNaN0", 1));
    write("good.tsv", &embedded);
    let mut engine = Conversation::start(&[]);
    engine.set("ShowSigma", true);
    engine.set("Threads", 1);
    engine.say(MIDDLE_GAME);
    let mut sigma_with = |name: &str, problem: Option<&str>| {
        engine.set("SigmaFile", folder.path().join(name).display());
        engine.say("isready");
        let said: Vec<String> =
            engine.until("readyok").into_iter().filter(|line| line.starts_with("info string SigmaFile")).collect();
        match problem {
            Some(problem) => {
                assert!(matches!(&said[..], [line] if line.contains(name) && line.contains(problem)), "{said:?}");
            }
            None => assert!(said.is_empty(), "{said:?}"),
        }
        let heard = engine.search("go depth 4");
        let sigma = heard[heard.len() - 2].strip_prefix("info string sigma ").expect("sigma").to_owned();
        assert!(sigma.parse::<f64>().is_ok_and(|sigma| (50.0..2000.0).contains(&sigma)), "{sigma}");
        sigma
    };
    let good = sigma_with("good.tsv", None);
    for (name, problem) in [("nan.tsv", "is not a finite number"), ("missing.tsv", "cannot be read")] {
        assert_eq!(sigma_with(name, Some(problem)), good, "{name}");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_told_in_one_line_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo starts").success());
    let place = folder.path().display().to_string();
    for (options, named) in [
        (&[("Eval", "network"), ("EvalDir", &*place), ("EvalFile", "pipe")][..], &*path),
        (&[("SigmaFile", &*path)], &path),
        (&[("BookDir", &*place), ("BookFile", "pipe")], &path),
        (&[("DebugLogFile", &*path)], "DebugLogFile"),
    ] {
        let mut engine = Conversation::ready();
        options.iter().for_each(|(name, value)| engine.set(name, value));
        let said = engine.meanwhile();
        let is_told = |line: &String| line.contains(named) && line.contains("it is a pipe, not a file");
        assert!(said.len() == 1 && is_told(&said[0]), "{options:?}: {said:#?}");
        engine.search_in("startpos", "go nodes 100");
    }
}
