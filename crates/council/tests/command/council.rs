//! Councils on the command line.

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::Folder;
use serde_json::Value;

#[test]
fn the_model_is_told_drawn_and_written() {
    let folder = Folder::new();
    let quick = "council simulate -n 2 --noises 2,3 --members 3 --runs 2000 --output out";
    let text = folder.succeed(quick);
    assert!(text.contains("majority up to a noise of 3.983071, optimistic up to a noise of 2.975882"), "{text}");
    let answer = folder.json(quick);
    let rates = &answer["sweeps"][0]["points"][1]["rates"];
    assert!((rates["majority"].as_f64().unwrap() - 0.659851).abs() < 1e-6);
    assert!(rates["best"]["rate"].as_f64().unwrap() > 0.6);
    assert_eq!(answer["equal_members"][0]["councils"].as_array().unwrap().len(), 3);
    assert_documented(&keys_of(&[answer]));
    let rows = folder.text("out/rates.csv");
    // Two sweeps of two councils, three equal ones and the header; all lines have equally many
    // fields.
    assert_eq!(rows.lines().count(), 8);
    assert!(rows.lines().all(|line| line.split(',').count() == rows.split('\n').next().unwrap().split(',').count()));
    for (picture, line) in [
        ("three-members-n2-sync0.svg", "optimistic"),
        ("three-members-n2-sync0.5.svg", "optimistic"),
        ("agreement-n2-sync0.5.svg", "the two weaker ones"),
        ("equal-members-n2.svg", "optimistic"),
    ] {
        assert!(folder.text(format!("out/{picture}")).contains(line), "{picture}");
    }
}

#[test]
fn a_decision_is_explained() {
    let folder = Folder::new();
    let opinions = "council weigh --loss 80 7g7f=120/100 2g2f=60/250 2g2f=55/250";
    let known = folder.json(&format!("{opinions} --best-value 100"));
    assert_eq!((known["best"].as_str(), known["majority"].as_str()), (Some("7g7f"), Some("2g2f")));
    assert!((known["moves"][0]["posterior"].as_f64().unwrap() - 0.5852404924552075).abs() < 1e-9);
    assert_documented(&keys_of(std::slice::from_ref(&known)));
    let predicted = folder.json(opinions);
    // Two candidates: half a loss and the mean of 120, 60 and 55.
    assert!((predicted["best_value"].as_f64().unwrap() - (40.0 + 235.0 / 3.0)).abs() < 1e-9);
    let precise = folder.json(&format!("{opinions} --by-precision"));
    assert!(precise["best_value"].as_f64() > predicted["best_value"].as_f64());
}

fn calibrate<'a>(engines: [&'a str; 2], reference: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let [a, b] = engines;
    [&["council", "calibrate", "--engine", a, "--engine", b, "--reference", reference][..], more].concat()
}

#[test]
fn members_are_measured_against_a_reference_and_the_study_goes_on() {
    let folder = Folder::new();
    let mock = env!("CARGO_BIN_EXE_kiki-mock");
    let engine = |name: &str, words: &str| format!("name={name} cmd='{mock} name={name} {words}' nodes=1");
    let (a, b, c) = (engine("a", "seed=1 score=40"), engine("b", "seed=2 score=80"), engine("deep", "seed=1 score=60"));
    let said = folder.fail(&calibrate([&a, &b], &c, &["--count", "5", "--output", "few"]));
    assert!(said.contains("5 positions are too few") && !folder.join("few").exists(), "{said}");
    // The mock does not know searchmoves, which is an error where members differ from the
    // reference.
    let ask = calibrate([&a, &b], &c, &["--count", "12", "--output", "out"]);
    assert!(folder.fail(&ask).contains("does not know `searchmoves`"));
    let alike = engine("b", "seed=1 score=80");
    let ask = calibrate([&a, &alike], &c, &["--count", "12", "--output", "whole"]);
    let found = folder.json(&ask);
    let member = |index: usize, key: &str| found["members"][index][key].as_f64().unwrap();
    assert!((member(0, "scale") - 1.5).abs() < 1e-12 && (member(1, "scale") - 0.75).abs() < 1e-12, "{found}");
    assert_eq!((&found["positions"], &found["pairs"][0]["agreement"]), (&Value::from(12), &Value::from(1.0)));
    assert_documented(&keys_of(std::slice::from_ref(&found)));
    // Recorded questions are not asked again.
    let journal = folder.text("whole/answers.jsonl");
    let half: Vec<&str> = journal.lines().take(6).collect();
    folder.write("whole/answers.jsonl", half.join("\n") + "\n");
    assert_eq!(folder.json("resume whole"), found);
    assert!(folder.succeed("resume whole").contains("12 positions; 0 left out"));
    // Where an engine resigns there is nothing to compare; the rest counts.
    let gives_up = engine("c", "seed=1 score=40 resign=1");
    let ask = calibrate([&a, &gives_up], &c, &["--count", "60", "--output", "resigned"]);
    let found = folder.json(&ask);
    let [counted, left_out] = ["positions", "left_out"].map(|key| found[key].as_u64().unwrap());
    assert!(counted + left_out == 60 && (15..=45).contains(&left_out), "{found}");
    // Positions that cannot be read are missing, also in a resumed run.
    let middle_games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/midgame.tsv");
    let positions = ["--count", "12", "--positions", "none", "--positions", middle_games, "--output", "some"];
    let ask = calibrate([&a, &alike], &c, &positions);
    for arguments in [&ask[..], &["resume", "some"]] {
        let (status, said, errors) = folder.run(arguments);
        assert!(status == Some(1) && said.contains("12 positions; 0 left out"), "{said}{errors}");
        assert!(errors.contains("none: No such file") && errors.lines().count() == 1, "{errors}");
    }
}

#[test]
fn a_calibration_knows_no_rules_of_games() {
    let folder = Folder::new();
    let help = folder.succeed("council calibrate --help");
    for rule in ["--max-plies", "--declaration", "--tolerance", "--resign", "--draw"] {
        assert!(!help.contains(rule), "{rule}: {help}");
    }
    assert!(help.contains("--patience") && help.contains("--ready-timeout"), "{help}");
}

#[test]
fn bad_input_is_refused_with_a_reason_and_no_file() {
    let folder = Folder::new();
    for (line, reason) in [
        ("weigh --loss 80 7g7f:120:100", "is not MOVE=VALUE/NOISE"),
        ("weigh --loss 80 7g7f=120/0", "noise is 0, but must be from 1e-6"),
        ("weigh --loss 0 7g7f=120/9", "loss of a wrong move is 0"),
        ("weigh --loss 80 7g7f=NaN/9", "`7g7f=NaN/9` is not MOVE=VALUE/NOISE"),
        ("simulate -n 1 --output out", "number of candidates is 1"),
        ("simulate --noises 0 --output out", "noise is 0, but must be from"),
        ("simulate --synchronisation 2 --output out", "synchronisation is 2"),
    ] {
        let error = folder.fail(&format!("council {line}"));
        assert!(error.contains(reason), "{line}: {error}");
    }
    assert!(!folder.join("out").exists());
}

/// The records of an independent program: the limit of delta, exactly and to first order.
#[test]
fn the_majority_of_the_appendix_is_told() {
    let folder = Folder::new();
    let records = kiki_tests::golden::records("council");
    let record = records.iter().find(|record| record.id == "CO-simple").unwrap();
    for (case, expected) in record.output.as_object().unwrap() {
        let (candidates, strongest) = case.strip_prefix("B=").unwrap().split_once(" p1=").unwrap();
        let behind = expected["a"].as_f64().unwrap() / 4.0;
        let call = format!("council majority --candidates {candidates} --strongest {strongest} --behind {behind}");
        let answer = folder.json(&call);
        for (found, key) in [
            (&answer["advantage"], "a"),
            (&answer["threshold"], "exact_threshold"),
            (&answer["first_order_threshold"], "first_order_threshold"),
            (&answer["majorities"][0][1], "P_at_d_quarter_a"),
        ] {
            kiki_tests::golden::close(key, found.as_f64().unwrap(), &expected[key], 1e-9);
        }
        assert_documented(&keys_of(&[answer]));
    }
    for (option, reason) in
        [("--strongest 0.2", "better than chance"), ("--behind 0.6", "--behind 0.6: expected 0 to 0.5")]
    {
        let said = folder.fail(&format!("council majority {option}"));
        assert!(said.contains(reason), "{said}");
    }
}
