//! Sigma from a sample to a table, by the program itself.

use std::fs;

use kiki_eval::sigma::SigmaModel;
use serde_json::Value;

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::Folder;

/// A folder with some thousand positions of games of the formula against itself.
fn games() -> Folder {
    let folder = Folder::new();
    folder.succeed("selfplay --out data.games --positions 1500 --nodes 60 --threads 2");
    folder
}

const SAMPLE: &str = "sigma sample sample --positions data.games --table 1 --depth";

const DUELS: &str = "gamble --positions data.games --ply 40 --depth 5 --rest-depth 2 --model sigma.tsv";

#[test]
fn a_sample_becomes_a_model_a_report_and_a_table() {
    let folder = games();
    let said = folder.succeed(&format!("{SAMPLE} 6 --count 250 --threads 2"));
    assert!(said.starts_with("250 of 250 positions searched"), "{said}");

    let fit = ["sigma", "fit", "sample", "--pairs", "1-5,2-6", "--output", "sigma.tsv", "--note", "a test"];
    let fitted = folder.json(&fit);
    let model = SigmaModel::from_text(&folder.text("sigma.tsv")).unwrap();
    let depths: Vec<_> = model.pairs.iter().map(|pair| (pair.shallow, pair.deep)).collect();
    assert_eq!((depths, model.note.as_str()), (vec![(1, 5), (2, 6)], "a test"));
    assert!(model.pairs.iter().all(|pair| pair.floor >= 10.0 && pair.fits.iter().all(|fit| fit.slope > 0.3)));

    let report = folder.json("sigma report sample --pair 2-6 --plots plots");
    let rows = report["rows"].as_array().unwrap();
    let training = |row: &Value| row["training"]["mean_log_likelihood"].as_f64().unwrap();
    assert_eq!(rows.len(), 6);
    // More features never lower the likelihood of their training samples.
    assert!(training(&rows[0]) <= training(&rows[1]) && training(&rows[1]) <= training(&rows[5]), "{report}");
    assert!(folder.join("plots/differences-endgame.svg").exists());
    assert!(folder.succeed("sigma report sample --pair 2-6").contains("all_features"));

    let duels = folder.json(&format!("{DUELS} --count 12 --threads 1 --plot plots/gamble.svg"));
    assert!(folder.text("plots/gamble.svg").contains("gambling move"));
    assert_eq!(duels, folder.json(&format!("{DUELS} --count 12 --threads 3")), "whatever the threads");
    let keys = keys_of(&[report, duels.clone()]);
    assert!(keys.contains("calibration") && keys.contains("result"), "{keys:?}");
    assert_documented(&keys);
    let positions = duels["positions"].as_array().unwrap();
    let mut games = 0;
    for duel in positions.iter().filter(|position| position["outcome"] == "played") {
        assert!(duel["sfen"].as_str().unwrap().ends_with(" 41"), "after 40 plies: {duel}");
        let lines = duel["lines"].as_array().unwrap();
        let probability = |line: &Value| line["probability"].as_f64().unwrap();
        let likelier = |line: &&Value| probability(line) > probability(&lines[0]);
        // The rules include GambleMove on: the move that it chooses is played, and then the best
        // one too.
        assert_eq!(lines[0]["result"].is_null(), lines[1..].iter().all(|line| line["result"].is_null()), "{duel}");
        // The first of equal ones.
        let likeliest = |a: &&Value, b: &&Value| probability(a).total_cmp(&probability(b));
        if let Some(best) = lines.iter().rev().filter(likelier).max_by(likeliest) {
            assert!(!best["result"].is_null() && best["value"].as_i64() <= lines[0]["value"].as_i64(), "{duel}");
            games += 1;
        }
    }
    assert!(games > 0, "{duels}");
    let text = folder.succeed(&format!("{DUELS} --count 3 --rest 0,500"));
    assert!(text.contains("rest of the game 0:") && text.contains("rest of the game 500:"), "{text}");
    let near = folder.json(&format!("{DUELS} --count 12 --lopsided 100"));
    for (all, near) in positions.iter().zip(near["positions"].as_array().unwrap()) {
        let is_lopsided = all["lines"][0]["value"].as_i64().is_some_and(|value| value.abs() > 100);
        assert_eq!(near["outcome"], if is_lopsided { "lopsided" } else { all["outcome"].as_str().unwrap() }, "{near}");
    }

    let table = "sigma probcut --positions data.games --depth 7 --model sigma.tsv --table 1";
    let settings = "--settings off,constant,sigma:0.5";
    let compared = folder.json(&format!("{table} {settings} --count 30 --verify 5"));
    let sampled = folder.json("resume sample");
    assert_eq!((&sampled["searched"], &fitted["pairs"]), (&Value::from(250), &serde_json::json!([[1, 5], [2, 6]])));
    let [off, _, sigma] = [0, 1, 2].map(|row| &compared["rows"][row]);
    assert_eq!((&off["positions"], &off["nodes_saved"], &sigma["verified"]), (&30.into(), &0.0.into(), &5.into()));
    assert_documented(&keys_of(&[compared, sampled, fitted]));
    let table = folder.succeed(&format!("{table} {settings} --count 2"));
    assert!(table.contains("sigma:0.5") && table.contains("nodes saved"), "{table}");
}

#[test]
fn a_sample_that_was_cut_off_goes_on_and_is_the_same() {
    let folder = games();
    folder.succeed(&format!("{SAMPLE} 4 --count 60 --threads 1"));
    let journal = folder.join("sample/values.jsonl");
    let whole = fs::read_to_string(&journal).unwrap();
    // A kill in the middle of a line.
    fs::write(&journal, &whole[..whole.len() / 2]).unwrap();
    folder.succeed("resume sample --threads 1");
    assert_eq!(fs::read_to_string(&journal).unwrap(), whole);
    let again = folder.fail(&format!("{SAMPLE} 4"));
    assert!(again.contains("holds a sample already"), "{again}");
}

#[test]
fn sources_that_cannot_be_read_are_left_out() {
    let folder = Folder::new();
    folder.write("two.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n");
    folder.write("cut.psv", [0; 50]);
    let told = ["none: No such file", "cut.psv: ", "two.csa: line 3: the move `+7775FU`"];
    let sources = "--positions none --positions cut.psv --positions two.csa";
    for line in [format!("sigma sample sample --depth 2 --table 1 {sources}"), "resume sample".to_owned()] {
        let (status, said, errors) = folder.run(&line);
        assert!(told.iter().all(|part| errors.contains(part)) && errors.lines().count() == 3, "{errors}");
        assert!(status == Some(1) && said.starts_with("2 of 2 positions searched"), "{said}");
    }
    let (status, said, errors) = folder.run("quality --depth 1 --positions two.csa");
    assert!(status == Some(1) && said.contains("formula") && errors.contains(told[2]), "{said}{errors}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let folder = Folder::new();
    assert!(folder.fail("sigma fit nothing --output x").contains("holds no sample"));
    assert!(folder.fail("sigma report nothing --pair 8-4").contains("`8-4`"));
    assert!(folder.fail("sigma fit nothing --output x --spread 0").contains("expected a number above 0"));
    assert!(folder.fail("sigma sample s --positions missing.psv").contains("missing.psv"));
    folder.write("bad.tsv", "kiki sigma model\t1\n");
    let table = "sigma probcut --positions missing --model bad.tsv";
    assert!(folder.fail(table).contains("bad.tsv: the first line is not `kiki sigma model 2`"));
    let unknown = folder.fail(&format!("{table} --settings sigma"));
    assert!(unknown.contains("`sigma` is not one of off, constant, progress:K, features:K, sigma:K"), "{unknown}");
    for (line, reason) in [
        ("sigma cut 0 --alpha 3 --beta 3 --sigma 1", "alpha is 3, but must be below beta"),
        ("sigma wrong 1 1 --correlation 2", "between -1 and 1"),
        ("sigma wrong nan", "<K>...: NaN is not a finite number"),
        ("sigma wrong 1 1e999", "<K>...: inf is not a finite number"),
        ("sigma cut 0 --alpha 0 --beta 1 --sigma 1e300 --k 1e300", "sigma is 1e300, but must be from -1e50 to 1e50"),
        ("sigma constant -1e308", "a mean log-likelihood is -1e308"),
        ("sigma line equal.txt", "all points have the same first number"),
        ("sigma line nan.txt", "nan.txt:2: `nan` is not a number"),
        ("sigma weights constant.txt", "constant, feature 1 depend on each other"),
        ("sigma combine --value nan,2 --value 2,3", "expected a value and its sigma"),
        ("sigma combine --value 1,2", "--value: expected two values"),
        ("sigma combine --value 1 --value 2,3", "expected a value and its sigma"),
        ("sigma weights bad.tsv", "bad.tsv:1: `kiki` is not a number"),
        ("sigma line ragged.txt", "ragged.txt:3: expected 2 numbers, found 1"),
        ("gamble chance --move 1,2/x", "expected a value and its sigma"),
        ("gamble sign 0 0", "nothing changed"),
        ("gamble", "--positions"),
        ("gamble --positions x", "--model"),
    ] {
        for (file, text) in [
            ("ragged.txt", "1 2 # a comment\n\n3\n"),
            ("equal.txt", "0.1 1\n0.1 2\n0.1 3\n"),
            ("nan.txt", "1 2\n2 nan\n"),
            ("constant.txt", "100 0.1 1\n-120 0.1 2\n90 0.1 5\n-300 0.1 3\n"),
        ] {
            folder.write(file, text);
        }
        let errors = folder.fail(line);
        assert!(errors.contains(reason), "{line}: {errors}");
    }
    let gamble = |rest: &str| folder.fail(&format!("{DUELS} {rest}"));
    assert!(gamble("--rest -1").contains("it must be 0 or greater"));
    assert!(gamble("--rest 0,much").contains("it is not a number"));
    assert!(gamble("--lines 1").contains("--lines 1"));
}
