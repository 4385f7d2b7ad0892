//! Players rated by their moves, by the program itself.

use std::fs;

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::Folder;
use kiki_tests::golden::{by_number, check_all, close, numbers, relative};
use serde_json::Value;

/// A match of three players whose moves are drawn by lot, in the folder `games`.
fn games() -> Folder {
    let folder = Folder::new();
    let engine =
        |number: u32| format!("name=p{number} cmd='{} name=p{number} seed={number}'", env!("CARGO_BIN_EXE_kiki-mock"));
    let (a, b, c) = (engine(1), engine(2), engine(3));
    let players = ["match", "--engine", &a, "--engine", &b, "--engine", &c];
    folder.succeed(
        &[&players[..], &["--each", "nodes=1", "--games", "4", "--max-plies", "60", "--output", "games"]].concat(),
    );
    folder
}

const JUDGE: &str = "intrinsic judge judged --games games --depth 2 --lines 4 --table 1 --per-player 60 --threads";

const QUICK: &str = "intrinsic judge judged --games games --depth 1 --per-player 5 --table 1";

/// The report on games of which positions up to this value count.
fn report(lopsided: u32, rest: &str, folder: &Folder) -> Value {
    folder.json(&format!("intrinsic report judged --lopsided {lopsided} {rest}"))
}

#[test]
fn judged_games_become_ratings_whatever_the_threads() {
    let folder = games();
    let said = folder.succeed(&format!("{JUDGE} 2"));
    assert!(said.starts_with("180 of 180 positions judged"), "{said}");
    // The first judgements come from all games.
    let journal = folder.text("judged/values.jsonl");
    let turn = |line: &str| serde_json::from_str::<Value>(line).unwrap()["turn"].as_u64().unwrap();
    let turns: Vec<u64> = journal.lines().map(turn).collect();
    let last = turns.iter().max().unwrap();
    assert!(turns[..20].iter().min().unwrap() < &(last / 4) && turns[..20].iter().max().unwrap() > &(last * 3 / 4));
    let resumed = folder.json("resume judged");
    assert_eq!((&resumed["judged"], &resumed["ending"]), (&180.into(), &"complete".into()));
    let two = report(4000, "", &folder);
    fs::rename(folder.join("judged"), folder.join("before")).unwrap();
    folder.succeed(&format!("{JUDGE} 1"));
    assert_eq!(two, report(4000, "", &folder));

    let players = two["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|player| player["name"].as_str().unwrap()).collect();
    assert_eq!((names, &two["line"]["scale"]), (vec!["p1", "p2", "p3"], &Value::from("chess")));
    for player in players {
        let left_out: u64 =
            player["left_out"].as_array().unwrap().iter().map(|found| found["count"].as_u64().unwrap()).sum();
        assert!(player["positions"].as_u64().unwrap() + left_out > 60, "{player}");
        // Random moves make errors.
        assert!(player["projection"]["mean_error"].as_f64().unwrap() > 0.1, "{player}");
    }

    let ratings = r#"{"players": [{"name": "p1", "rating": 20.0}, {"name": "p2", "rating": 0.0}, {"name": "p3", "rating": -20.0}]}"#;
    folder.write("ratings.json", ratings);
    let fitted = report(4000, "--ratings ratings.json --plots plots", &folder);
    assert_eq!(fitted["line"]["scale"], "fitted");
    assert!(fitted["rank_correlation"].as_f64().unwrap().abs() <= 1.0 + 1e-12);
    let shares: Vec<f64> = players.iter().map(|player| player["projection"]["match_rate"].as_f64().unwrap()).collect();
    let rank = |share: &f64| shares.iter().filter(|other| *other < share).count() as f64;
    // Spearman's formula for three without ties; ratings fall from p1 to p3.
    let squares: f64 = shares.iter().zip([2.0, 1.0, 0.0]).map(|(share, rated)| (rank(share) - rated).powi(2)).sum();
    let told = fitted["rank_correlation_of_best_moves"].as_f64().unwrap();
    assert!((told - (1.0 - squares / 4.0)).abs() < 1e-12, "{shares:?} {told}");
    // With negated ratings: one of the two lines rises with the errors, which gives a warning.
    let turned = ratings.replace("20.0", "X").replace("-X", "20.0").replace("X", "-20.0");
    folder.write("turned.json", turned);
    for (file, turn) in [("ratings.json", 1.0), ("turned.json", -1.0)] {
        let rises = turn * fitted["line"]["slope"].as_f64().unwrap() >= 0.0;
        for more in ["", "--json"] {
            let call = format!("intrinsic report judged --lopsided 4000 --ratings {file} {more}");
            let (_, _, errors) = folder.run(&call);
            assert_eq!(errors.contains("warning: the fitted line rises by "), rises, "{file}: {errors}");
        }
    }
    folder.write("one.json", r#"{"players": [{"name": "p1", "rating": 20.0}, {"name": "p9", "rating": 0.0}]}"#);
    let (status, said, errors) = folder.run("intrinsic report judged --lopsided 4000 --ratings one.json");
    assert!(errors.contains("only 1 of 3 players have a rating in one.json; a line needs three"), "{errors}");
    assert!(status == Some(0) && said.contains("p3") && said.contains("on the scale of chess"), "{said}");
    let picture = folder.text("plots/ratings.svg");
    assert!(folder.join("plots/percentiles.svg").exists() && names_in(&picture) == ["p1", "p2", "p3"], "{picture}");
    assert!(folder.succeed("intrinsic report judged").contains("on the scale of chess"));

    let test = "intrinsic test judged --player p1 --model 0.1,0.5 --lopsided 4000";
    let tested = folder.json(test);
    // Far fewer best moves than a strong player's.
    assert!(tested["z_match"].as_f64().unwrap() < -3.0 && tested["z_error"].as_f64().unwrap() < -3.0, "{tested}");
    assert!(folder.succeed(test).contains("are not independent"));
    let show = "intrinsic show judged --game 0 --lopsided 4000";
    let shown = folder.json(&format!("{show} --plot strip.svg"));
    assert_eq!((&shown["moves"][0]["left_out"], &shown["moves"][0]["ply"]), (&Value::from("opening"), &Value::from(1)));
    assert!(folder.succeed(show).contains("opening") && folder.join("strip.svg").exists());
    assert_documented(&keys_of(&[two, fitted, tested, shown, resumed]));
}

/// The names of players beside the dots of a picture.
fn names_in(picture: &str) -> Vec<&str> {
    picture.lines().map(str::trim).filter(|line| line.len() == 2 && line.starts_with('p')).collect()
}

#[test]
fn lopsided_positions_are_left_out_by_a_quick_search() {
    let folder = games();
    let judge = "intrinsic judge judged --games games --depth 1 --lines 4 --table 1 --per-player 40";
    folder.succeed(judge);
    let without = report(300, "", &folder);
    fs::rename(folder.join("judged"), folder.join("before")).unwrap();
    folder.succeed(&format!("{judge} --lopsided 300"));
    let with = report(300, "", &folder);
    let lopsided = |report: &Value| {
        let counts =
            report["players"].as_array().unwrap().iter().flat_map(|player| player["left_out"].as_array().unwrap());
        counts.filter(|found| found["reason"] == "lopsided").map(|found| found["count"].as_u64().unwrap()).sum::<u64>()
    };
    // Random moves lose pieces, so most positions are lopsided. The quick search finds most of
    // these, the report the others.
    assert!(lopsided(&without) > 30 && lopsided(&with) >= lopsided(&without), "{with}");
    let positions = |report: &Value| report["players"][0]["positions"].as_u64().unwrap();
    assert!(positions(&with) > 0 && positions(&with) <= positions(&without));
    let journal = folder.text("judged/values.jsonl");
    assert!(journal.lines().filter(|line| line.contains("lopsided")).count() > 30, "{journal}");
}

#[test]
fn games_that_cannot_be_read_are_left_out() {
    let folder = games();
    folder.write("broken.csa", "PI\n+\n+7775FU\n");
    let said = folder.fail(&format!("{QUICK} --games missing --games broken.csa"));
    for part in ["missing: there is no such file", "broken.csa: line 3: the move `+7775FU`"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(folder.text("judged/values.jsonl").lines().count(), 15);
    let said = folder.fail("resume judged");
    assert!(said.contains("broken.csa: line 3") && said.lines().count() == 2, "{said}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let folder = games();
    folder.write("words.txt", "words");
    for (line, reason) in [
        ("judge x --games missing", "there is no such file or folder"),
        ("judge x --games words.txt", "neither a folder nor a game record"),
        ("judge x --games games --opening-plies 500", "there are no positions to judge"),
        ("judge x --games games --per-player 0", "--per-player 0"),
        ("judge x --games games --lopsided 0", "--lopsided"),
        ("judge x --games games --network words.txt", "words.txt"),
        ("report games", "judging.json"),
    ] {
        let error = folder.fail(&format!("intrinsic {line}"));
        assert!(error.contains(reason), "{line}: {error}");
    }
    folder.succeed(QUICK);
    folder.write("empty.json", "{\"players\": []}");
    for (line, reason) in [
        ("report judged --ratings empty.json", "no player has a `rating`"),
        ("report judged --ratings words.txt", "words.txt"),
        ("report judged --unit 0", "unit of values is 0"),
        ("show judged --game 99", "there is no game 99"),
        ("test judged --player p9 --model 0.1,0.5", "`p9` is not one of the players p1, p2, p3"),
        ("test judged --player p1 --model 0,0.5", "sensitivity is 0"),
        ("judge judged --games games", "holds a judging already"),
    ] {
        let error = folder.fail(&format!("intrinsic {line}"));
        assert!(error.contains(reason), "{line}: {error}");
    }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// Records of an independent program, checked on the command line.
#[test]
fn choices_and_lines_are_told() {
    let folder = Folder::new();
    let ask = |line: &str| folder.json(&format!("intrinsic {line}"));
    let found = |value: &Value| value.as_f64().unwrap();
    check_all("intrinsic-rating", |record| {
        let output = &record.output;
        match record.id.as_str() {
            "IR-err" | "IR-err-u" => {
                for (case, expected) in output.as_object().unwrap() {
                    let (values, unit) = case.split_once(" u=").unwrap_or((case, "1"));
                    let values = values.replace(" -> ", ",");
                    let answer = ask(&format!("choice --values {values} --unit {unit} --model 0.1,0.5"));
                    close(case, found(&answer["scaled_errors"][1]), expected, 1e-12);
                }
            }
            "IR-p" => {
                for case in output.as_array().unwrap() {
                    let (errors, model) = (list(&numbers(&case["d"])), format!("{},{}", case["s"], case["c"]));
                    let answer = ask(&format!("choice --errors {errors} --model {model}"));
                    for (p, expected) in
                        numbers(&answer["probabilities"]).into_iter().zip(case["p"].as_array().unwrap())
                    {
                        close("probability", p, expected, 1e-10);
                    }
                    close("expected error", found(&answer["expected_error"]), &case["expected_error"], 1e-10);
                    assert_documented(&keys_of(&[answer]));
                }
            }
            "IR-line" => {
                for (error, expected) in by_number(&output["IR"]) {
                    let answer = ask(&format!("line --errors {error}"));
                    close("rating", found(&answer["points"][0]["rating"]), expected, 1e-9);
                }
                for (rating, expected) in by_number(&output["A"]) {
                    let answer = ask(&format!("line --ratings {rating}"));
                    close("error", found(&answer["points"][0]["mean_error"]), expected, 1e-9);
                    assert_documented(&keys_of(&[answer]));
                }
            }
            "IR-ols" => {
                let players = numbers(&record.input["A"]).into_iter().zip(numbers(&record.input["rating"]));
                let players: Vec<String> = players.map(|(error, rating)| format!("{error}={rating}")).collect();
                let line = &ask(&format!("line {}", players.join(" ")))["line"];
                relative("intercept", found(&line["intercept"]), &output["intercept"], 1e-8);
                relative("slope", found(&line["slope"]), &output["slope"], 1e-8);
                relative("error", found(&line["errors"]["error_slope"]), &output["se_slope"], 1e-8);
            }
            _ => {}
        }
        true
    });
    for (line, reason) in [
        ("choice --values 1,2 --model 0.1,0.5", "--values: the best value comes first, but 2 is better than 1"),
        ("choice --values 2,nan --model 0.1,0.5", "--values <VALUE,..>: NaN is not a finite number"),
        ("line 0.1=1 0.1=2 0.1=3", "all points have the same first number"),
        ("line 0.1=1 0.2=inf 0.3=3", "`0.2=inf` is not of the form ERROR=RATING"),
        ("line --errors 1e308", "a mean error is 1e308"),
        ("choice --values 2,1 --model 0.1", "--model takes two numbers, S,C"),
        ("choice --model 0.1,0.5", "--values"),
        ("line 0.1", "`0.1` is not of the form ERROR=RATING"),
        ("line 0.1=1", "fewer than three points"),
    ] {
        let said = folder.fail(&format!("intrinsic {line}"));
        assert!(said.contains(reason), "{line}: {said}");
    }
}
