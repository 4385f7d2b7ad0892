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

    // Numbers that are held keep their values exactly, though the scale of the fit is another.
    assert!((scale - 600.0).abs() > 10.0, "{scale}");
    let held =
        folder.json("fit games.psv --per-game 1000 --hold home_knight,camp_rook --output held.toml --samples held");
    let file = fs::read_to_string(folder.join("held.toml")).unwrap();
    let sample = fs::read_to_string(folder.join("held/sample-002.toml")).unwrap();
    for name in ["home_knight", "camp_rook"] {
        let value = Weights::default().get(name).unwrap();
        assert_eq!(held["numbers"][name], serde_json::json!({ "value": f64::from(value), "error": null }));
        for file in [&file, &sample] {
            let number: toml::Table = toml::from_str(file).unwrap();
            assert_eq!(number[name]["start"].as_integer(), Some(value.into()), "{name}");
        }
    }
    let printed = folder.succeed("fit games.psv --per-game 1000 --hold camp_rook");
    assert!(printed.lines().any(|line| line.contains("camp_rook") && line.trim_end().ends_with("held")), "{printed}");
    // And they have their strength in the fit: the others do not move if some keep what was found.
    let again = folder.json("fit games.psv --per-game 1000 --start found.toml --hold material_rook,camp_rook");
    for name in ["material_pawn", "material_gold", "material_bishop"] {
        let moved = (again["numbers"][name]["value"].as_f64().unwrap() - number(name).0).abs();
        assert!(moved < 0.1 * number(name).1, "{name}: {moved}");
    }
    let names: Vec<&str> = found["numbers"].as_object().unwrap().keys().map(String::as_str).collect();
    let material: Vec<&str> = names.into_iter().filter(|name| !name.contains("effect")).collect();
    let all = folder.fail(&format!("fit games.psv --keep material --start found.toml --hold {}", material.join(",")));
    assert!(all.contains("too many numbers are held"), "{all}");

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
