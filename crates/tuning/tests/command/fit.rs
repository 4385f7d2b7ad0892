//! The numbers of the formula, fitted to results that are made from known numbers.

use std::fs;

use kiki_eval::{Evaluator as _, Formula, Weights};
use kiki_stats::logistic::logistic;
use kiki_train::psv::TrainingRecord;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::laboratory::Folder;

/// Centipawns to one unit of log-odds in the results that are made.
const SCALE: f64 = 400.0;

/// Self-play games in `games.psv`; each position's result is drawn by its value under `weights`.
fn games(folder: &Folder, weights: Weights) {
    folder.succeed("selfplay --out made.games --positions 16000 --nodes 20 --threads 2 --seed 5");
    folder.succeed("data convert made.games --out games.psv");
    let path = folder.join("games.psv");
    let (weights, mut random) = (weights.into(), StdRng::seed_from_u64(3));
    let mut relabelled = Vec::new();
    for bytes in fs::read(&path).unwrap().as_chunks().0 {
        let mut record = TrainingRecord::from_bytes(bytes);
        let position = record.position().unwrap();
        let value = Formula::new(&weights, &position).evaluate(&position);
        record.result = if random.random::<f64>() < logistic(f64::from(value) / SCALE) { 1 } else { -1 };
        relabelled.extend(record.to_bytes());
    }
    fs::write(path, relabelled).unwrap();
}

#[test]
fn known_numbers_are_found_in_the_results_that_they_make() {
    let folder = Folder::new();
    let mut weights = Weights::published();
    let truth = [("material_pawn", 160.0), ("material_gold", 400.0), ("material_rook", 1300.0), ("camp_rook", 800.0)];
    truth.iter().for_each(|&(name, value)| assert!(weights.set(name, value as i32)));
    weights.set("board_discount", 307);
    games(&folder, weights);
    let found = folder.json("fit games.psv --per-game 1000 --output found.toml --samples draws");
    fs::copy(folder.join("games.psv"), folder.join("copy.psv")).unwrap();
    let twice = folder.json("fit games.psv copy.psv --per-game 1000");
    assert_eq!((&twice["games"], &twice["numbers"]), (&found["games"], &found["numbers"]), "games count once");
    for ignored in ["--screen --output other.toml", "--with own_king --hold material_pawn"] {
        let said = folder.fail(&format!("fit games.psv {ignored}"));
        assert!(said.contains("cannot be used with"), "{said}");
    }
    let scale = found["scale"].as_f64().unwrap();
    let number = |name: &str| {
        let number = &found["numbers"][name];
        (number["value"].as_f64().unwrap(), number["error"].as_f64().unwrap())
    };
    for (name, known) in truth {
        let (value, error) = number(name);
        let (value, error) = (value * SCALE / scale, error * SCALE / scale);
        assert!((value - known).abs() < 4.0 * error, "{name}: {value} ± {error}, not {known}");
        assert!(error < known.abs() / 2.0, "{name}: {error} tells nothing");
    }
    let (discount, error) = number("board_discount");
    assert!((discount - 0.3).abs() < 4.0 * error && error < 0.1, "{discount} ± {error}");
    assert!(found["held_out_loss"].as_f64() < found["held_out_loss_of_numbers_in_use"].as_f64(), "{found}");

    // The commands that use the files read them.
    let curves = folder.json("distances found.toml draws/sample-001.toml draws/sample-200.toml");
    assert_eq!(curves["samples"], 3);
    assert!(folder.succeed("spsa --as-options found.toml").contains("option.camp_rook="));

    // Terms that did not make the results gain nothing; without zones and directions the loss
    // grows.
    let with = folder.json("fit games.psv --per-game 1000 --with tempo");
    let tempo = with["terms"].as_array().unwrap().iter().find(|term| term["name"] == "tempo 0").unwrap();
    assert!(tempo["value"].as_f64().unwrap().abs() < 4.0 * tempo["error"].as_f64().unwrap(), "{tempo}");
    let published = folder.json("fit games.psv --per-game 1000 --published-terms");
    assert!(published["loss"].as_f64() > found["loss"].as_f64());

    for (line, expected) in [
        ("fit nowhere.psv", "nowhere.psv"),
        ("fit games.psv --lambda 2", "--lambda is a share"),
        ("fit games.psv --score-scale 0", "--score-scale"),
        ("fit games.psv --with luck", "no terms `luck`"),
        ("fit games.psv --hold camp_queen", "no number `camp_queen`"),
        ("fit games.psv --start draws/none.toml", "none.toml"),
    ] {
        let (status, said, errors) = folder.run(line);
        assert!(status != Some(0) && said.is_empty() && errors.contains(expected), "{line}: {errors}");
    }
}
