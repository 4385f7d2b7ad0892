//! How far a value may be off, by option: `ProbCut`, `SigmaFile`, `ShowSigma`, `GambleMove`.

use std::fs;

use crate::conversation::Conversation;
use crate::thinking::field;

/// White is behind, and has checks and threats to choose from.
const BEHIND: &str = "position sfen ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 w RBS3N3Pl3p 126";
const MIDDLE_GAME: &str = "position sfen lr5nl/3g1kg2/2n1ppsp1/p1pps1p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL b Bb 61";

/// A session with options, at a position, that has searched to a depth: all that it said.
fn searched(options: &[(&str, &str)], position: &str, depth: u32) -> Vec<String> {
    let mut engine = Conversation::start(&[]);
    for (name, value) in [("Threads", "1"), ("USI_Hash", "16")].iter().chain(options) {
        engine.say(&format!("setoption name {name} value {value}"));
    }
    engine.say(position);
    engine.say(&format!("go depth {depth}"));
    let heard = engine.until("bestmove ");
    engine.leaves();
    heard
}

/// What stands behind a word in a line of `info string chance`.
fn number(line: &str, name: &str) -> f64 {
    field(line, name).expect(name).parse().expect("a number")
}

#[test]
fn sigma_is_said_once_at_the_end_if_it_is_asked_for() {
    let says_sigma = |heard: &[String]| heard.iter().filter(|line| line.starts_with("info string sigma ")).count();
    assert_eq!(says_sigma(&searched(&[], MIDDLE_GAME, 6)), 0);
    let heard = searched(&[("ShowSigma", "true")], MIDDLE_GAME, 6);
    assert_eq!(says_sigma(&heard), 1, "{heard:#?}");
    let sigma = number(&heard[heard.len() - 2], "sigma");
    assert!((50.0..2000.0).contains(&sigma), "{sigma}");
}

#[test]
fn chances_are_shown_and_the_best_move_is_played() {
    let heard = searched(&[("GambleMove", "show")], BEHIND, 7);
    let chances: Vec<&String> = heard.iter().filter(|line| line.starts_with("info string chance ")).collect();
    assert_eq!(chances.len(), 6, "{heard:#?}");
    let best = field(&heard[heard.len() - 1], "bestmove").expect("a move");
    assert_eq!(field(chances[0], "chance").as_ref(), Some(&best), "the best move comes first");
    for line in &chances {
        assert!((0.0..=1.0).contains(&number(line, "probability")), "{line}");
    }
    let normal = searched(&[("MultiPV", "6")], BEHIND, 7);
    assert_eq!(field(&normal[normal.len() - 1], "bestmove"), Some(best));
}

#[test]
fn the_likeliest_move_is_played_when_gambling_is_on() {
    for position in [BEHIND, MIDDLE_GAME] {
        let heard = searched(&[("GambleMove", "on")], position, 7);
        let chances: Vec<&String> = heard.iter().filter(|line| line.starts_with("info string chance ")).collect();
        let likeliest = chances.iter().map(|line| number(line, "probability")).fold(0.0, f64::max);
        let played = field(&heard[heard.len() - 1], "bestmove").expect("a move");
        let of_played =
            chances.iter().find(|line| field(line, "chance").as_ref() == Some(&played)).expect("its chance");
        assert_eq!(number(of_played, "probability"), likeliest, "{heard:#?}");
        // The last lines agree with the answer.
        let first = heard.iter().rfind(|line| line.contains(" multipv 1 ")).expect("a line");
        assert_eq!(field(first, "pv"), Some(played), "{heard:#?}");
    }
}

#[test]
fn every_way_of_probcut_searches() {
    let nodes = |mode: &str| {
        let heard = searched(&[("ProbCut", mode), ("ProbCutK", "60")], MIDDLE_GAME, 13);
        field(heard.iter().rfind(|line| line.contains(" nodes ")).expect("a line"), "nodes").expect("nodes")
    };
    let counts = ["off", "constant", "progress", "features", "sigma"].map(nodes);
    let mut different = counts.to_vec();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), counts.len(), "each takes another number of nodes: {counts:?}");
}

#[test]
fn a_file_that_is_no_model_is_reported_in_one_line_and_that_in_the_program_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let embedded = kiki_network::embedded_sigma(false).expect("a model").to_text();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("version.tsv", &embedded.replacen("model\t2", "model\t1", 1));
    write("cut.tsv", &embedded[..embedded.len() / 2]);
    write("nan.tsv", &embedded.replacen("\nslope, opening\t0", "\nslope, opening\tNaN0", 1));
    write("good.tsv", &embedded);
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name ShowSigma value true");
    engine.say("setoption name Threads value 1");
    engine.say(MIDDLE_GAME);
    let mut sigma_with = |name: &str, problem: Option<&str>| {
        engine.say(&format!("setoption name SigmaFile value {}", folder.path().join(name).display()));
        engine.say("isready");
        let said: Vec<String> =
            engine.until("readyok").into_iter().filter(|line| line.starts_with("info string SigmaFile")).collect();
        match problem {
            Some(problem) => {
                assert!(matches!(&said[..], [line] if line.contains(name) && line.contains(problem)), "{said:?}");
            }
            None => assert!(said.is_empty(), "{said:?}"),
        }
        engine.say("go depth 4");
        let heard = engine.until("bestmove ");
        heard.iter().find(|line| line.starts_with("info string sigma ")).cloned().expect("sigma")
    };
    let good = sigma_with("good.tsv", None);
    for (name, problem) in [
        ("version.tsv", "the first line is not"),
        ("cut.tsv", "line "),
        ("nan.tsv", "is not a finite number"),
        ("missing.tsv", "cannot be read"),
    ] {
        assert_eq!(sigma_with(name, Some(problem)), good, "{name}");
    }
    engine.leaves();
}
