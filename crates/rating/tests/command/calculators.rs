//! The output of the calculators, and their clean exit when the reader closes it early.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::documentation::{assert_named_in, keys_of};
use crate::laboratory::{self, Folder, as_on_linux};

fn lab(line: &str) -> Command {
    let mut command = laboratory::lab();
    command.args(line.split_whitespace());
    command
}

fn text(line: &str) -> String {
    Folder::new().succeed(line)
}

fn error_of(line: &str) -> String {
    Folder::new().fail(line)
}

fn json(line: &str) -> Value {
    Folder::new().json(line)
}

/// A file of plain lines in a folder of its own.
fn results(lines: &str) -> (Folder, String) {
    let folder = Folder::new();
    let path = folder.join("results.txt");
    fs::write(&path, lines).unwrap();
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn one_drawn_game_is_rated_without_monte_carlo_errors() {
    let (_folder, path) = results("A B 0 0 1\n");
    let shown = text(&format!("rate {path}"));
    assert!(shown.contains("in 1000 of 1000 replicates the players could not be rated together"), "{shown}");
    let b = shown.lines().find(|line| line.trim_start().starts_with('B')).unwrap();
    assert!(b.contains("347.4") && b.contains("rated"), "{shown}");
    let value = json(&format!("rate {path}"));
    assert_eq!(value["simulation"]["dropped"], 1000);
    assert_eq!(
        (&value["simulation"]["relative_error"], &value["players"][1]["simulated_anchored"]),
        (&Value::Null, &Value::Null)
    );
    let shown = error_of(&format!("rate {path} --histogram B {path}.svg"));
    assert!(shown.contains("--histogram: in 1000 of 1000 replicates"), "{shown}");
}

#[test]
fn results_that_cannot_be_read_are_left_out_and_the_exit_status_tells_it() {
    let (folder, path) = results("A B 3 2 1\n");
    let nameless = folder.join("nameless.csa").display().to_string();
    fs::write(&nameless, "V2.2\nPI\n+\n+7776FU\n%TORYO\n").unwrap();
    let output = lab(&format!("rate {nameless} {path}x {path} --json --replicates 0")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((value["games"].as_f64(), value["players"].as_array().unwrap().len()), (Some(6.0), 2));
    let told = as_on_linux(&output.stderr);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("results.txtx: No such file"), "{told}");
    assert!(lines[1].ends_with("nameless.csa: it does not tell who played, and is left out"), "{told}");
    let told = error_of(&format!("series {nameless}"));
    assert!(told.contains("nameless.csa: ") && told.contains("there are no results"), "{told}");
}

/// A third of the replicates have a single winner.
#[test]
fn dropped_replicates_are_told() {
    let (_folder, path) = results("A B 3 1\n");
    let shown = text(&format!("rate {path} --replicates 200"));
    assert!(shown.contains("warning: in ") && shown.contains("are those of the others, and too small"), "{shown}");
}

#[test]
fn short_matches_promise_no_more_than_they_hold() {
    let shown = text("llr 0,0,1,0,2");
    assert!(shown.contains("Gaffke's bounds, not the normal"), "{shown}");
    let estimates = &json("llr 0,0,1,0,2")["counts"]["estimates"];
    assert_eq!(estimates["method"], "gaffke");
    assert!(estimates["elo_interval"][0].as_f64().unwrap() < 0.0);
    assert!(estimates["elo_interval_normal"][0].as_f64().unwrap() > 0.0);
    assert!(estimates["normalized_elo_half_width"]["undefined"].is_string());
    let shown = text("llr 60,10,260,12,78");
    assert!(shown.contains("interval [-3.6, +35.2] (normal)"), "{shown}");
}

#[test]
fn elo_counts_draws_as_what_they_are() {
    let value = json("elo 300 400 300");
    assert_eq!(value["counted"], "trinomial");
    let (elo, llr) = (&value["estimates"], &json("llr 300,400,300")["counts"]["estimates"]);
    assert_eq!(elo, llr);
    // Without draws counted as halves: 0.5 sqrt(0.6 / 1000) instead of 0.5 / sqrt(1000).
    let error = |of: &Value| of["standard_error"].as_f64().unwrap();
    assert!((error(elo) - 0.5 * (0.6f64 / 1000.0).sqrt()).abs() < 1e-12);
    assert!((error(&value) - 0.5 / 1000f64.sqrt()).abs() < 1e-12);
    let shown = text("elo 300 400 300");
    for part in [
        "(trinomial)",
        "Elo +0.0 (standard error 8.5)",
        "95.0 % interval [-16.7, +16.7]",
        "Elo +0.0 (standard error 11.0)",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(json("elo 300 400 300 --draw-policy drop")["counted"], "bernoulli");
}

/// A match table of 904 games, and the level of 5 percent.
#[test]
fn elo_tells_how_often_equal_players_score_as_well() {
    let value = json("elo 478 0 426");
    let near = |found: &Value, expected: f64| (found.as_f64().unwrap() - expected).abs() < 1e-9;
    let levels = &value["significant_win_rates"];
    assert!(near(&levels[0], 478.0 / 904.0) && near(&levels[1], 482.0 / 904.0), "{value}");
    let shown = text("elo 478 0 426");
    assert!(shown.contains("p = 0.0449 for a score as good or better, 0.0898 for one as far from even"), "{shown}");
    let level = "the 5.0 % level is reached by a score of 478 (52.9 %) one-sided, by a score of 482 (53.3 %) two-sided";
    assert!(shown.contains(level), "{shown}");
    // The level agrees with the exact probability: 0.0569 of 60 wins in 100 games.
    let shown = text("elo 60 0 40");
    assert!(shown.contains("0.0569 for one as far from even") && shown.contains("61 (61.0 %) two-sided"), "{shown}");
    let shown = text("elo 5 0 0");
    assert!(shown.contains("a score of 5 (100.0 %) one-sided, by no score two-sided"), "{shown}");
    assert_eq!(json("elo 2 0 2")["significant_win_rates"], serde_json::json!([null, null]));
    assert_eq!(json("elo 2 1 1")["p_one_sided"], Value::Null);
}

/// One drawn game says nothing about either player.
#[test]
fn the_exact_interval_of_half_a_point_is_rounded_outwards() {
    let interval = &json("elo 0 1 0")["intervals"]["clopper_pearson"];
    assert_eq!((&interval["win_rate"], &interval["rounded_down"]), (&serde_json::json!([0.0, 1.0]), &false.into()));
    assert!(text("elo 0 1 0").contains("half a point rounded outwards"));
}

#[test]
fn single_numbers_have_words_of_their_own() {
    assert!(text("elo 1 0 0").contains("+1 =0 -0: 1 point of 1 game, "));
    assert!(text("elo 1 1 0").contains("1.5 points of 2 games, "));
    assert!(text("elo --pairs 0,0,0,1,0").starts_with("1 pair of games: "));
}

#[test]
fn what_cannot_be_estimated_is_told_before_anything_is_printed() {
    for (line, expected) in [("llr 0,0,0", "there are no games"), ("ab 2 1 1 2 --level 1.5", "a level is 1.5")] {
        let (status, said, errors) = Folder::new().run(line);
        assert!(status == Some(1) && said.is_empty() && errors.contains(expected), "{line}: {said} {errors}");
    }
}

/// The only rated player is the anchor, and no game counts.
#[test]
fn a_player_alone_is_no_rating() {
    let (_folder, path) = results("A B 10 0 0\n");
    let shown = text(&format!("rate {path}"));
    assert!(shown.contains("0 of 10 games; nobody can be rated beside A: a rating needs points"), "{shown}");
    assert!(!shown.contains("replicates") && !shown.contains("standard errors"), "{shown}");
}

/// A negative number is the value of the option before it, so that the error is about the number.
#[test]
fn negative_numbers_are_values() {
    for (line, expected) in [
        ("sigma cut 5 --alpha 0 --beta 10 --sigma -10", "sigma is -10"),
        ("coverage -r -1", "-1"),
        ("coverage -n -1", "invalid value '-1'"),
        ("lengths --moments -5,1", "-5"),
        ("ab -5 1 1 1", "is -5"),
        ("ab 1 1 1 1 --level -0.5", "is -0.5"),
        ("rate nowhere --hold-out -0.5", "nowhere"),
    ] {
        let said = error_of(line);
        assert!(said.contains(expected) && !said.contains("unexpected argument"), "{line}: {said}");
    }
    assert_eq!(json("llr --elo1 20 --operating -10,0")["operating"].as_array().unwrap().len(), 2);
}

#[test]
fn elo_takes_pairs_of_games() {
    let value = json("elo --pairs 60,10,260,12,78");
    assert_eq!(
        (&value["counted"], &value["wins"], &value["points"]),
        (&"pentanomial".into(), &Value::Null, &439.0.into())
    );
    assert_eq!(value["estimates"], json("llr 60,10,260,12,78")["counts"]["estimates"]);
    assert_eq!(value, json("elo --pairs 60 10 260 12 78"));
    assert!(error_of("elo --pairs 1,2").contains("--pairs: 2 counts"));
    assert!(error_of("elo 1 2 3 --pairs 1,2,3,4,5").contains("cannot be used with"));
    assert!(error_of("elo 1 2").contains("<LOSSES>"));
    // A quarter of the half width takes sixteen times the games.
    let needed = |elo: &str| value["games_needed_as_counted"][elo].as_f64().unwrap();
    assert!((needed("5") / needed("20") - 16.0).abs() < 0.1, "{value}");
}

#[test]
fn lists_are_taken_as_they_are_printed() {
    let help = text("coverage --help");
    for default in ["[default: 0.5,0.1,0.01]", "[default: 10,20,50,100,200,625,1000]", "[default: 10,1000]"] {
        assert!(help.contains(default), "{help}");
    }
    let commas = text("coverage -p 0.5,0.2 -n 10,20 --curve 10,50");
    assert_eq!(commas, text("coverage -p 0.5 0.2 -n 10 20 --curve 10 50"));
    assert!(error_of("coverage --curve 10").contains("--curve takes two numbers"));
    assert_eq!(text("ab 5 3 4 4 --prior 2,1"), text("ab 5 3 4 4 --prior 2 1"));
}

/// Standard error on a full disk, or without a reader.
#[test]
fn nobody_needs_to_listen_to_errors() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    let (_folder, path) = results("A B 3 2 1\n");
    let ends = |line: &str, code: i32| {
        let output: Output = lab(line).stderr(full()).stdout(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}");
    };
    for line in ["elo 0 0 0", "llr", "rate none", "ab 0 0 0 0 --prior 1", "series none", "coverage --curve 1"] {
        ends(line, 1);
    }
    for line in ["match", "sprt", "spsa"] {
        ends(line, 2);
    }
    for line in ["elo 5 3 2", "llr 3,2,1 --operating=0 --elo1 50", "ab 5 3 2 2", "coverage -n 10 --curve 10 20"] {
        ends(line, 0);
    }
    ends(&format!("rate {path}"), 0);
    ends(&format!("series {path}"), 1);
}

#[test]
fn the_picture_of_a_test_has_its_points_and_its_legend_below() {
    let folder = Folder::new();
    let path = folder.join("operating.svg");
    text(&format!("llr --elo1 20 --operating=-10,0,10,20,30 --plot {}", path.display()));
    let picture = fs::read_to_string(&path).unwrap();
    assert_eq!(picture.matches("<circle").count(), 6, "five points and one in the legend");
    // A curve, not four straight lines.
    let longest = picture.split("points=\"").map(|part| part.split('"').next().unwrap().split(' ').count()).max();
    assert!(longest > Some(100), "{longest:?}");
    let height = |text: &str| -> i32 {
        let place = picture.find(text).unwrap();
        let tag = &picture[picture[..place].rfind("<text").unwrap()..place];
        tag.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!(height("interpolated") > height("true difference in Elo"), "the legend lies over the chart");
}

#[test]
fn a_line_of_no_games_adds_players_to_a_series() {
    let (_folder, alone) = results("A B 1 0\nB A 1 0\nA B 0 0 1\n");
    let (_other, path) = results("A C 0 0\nA B 1 0\nB A 1 0\nA B 0 0 1\n");
    let (alone, value) = (json(&format!("series {alone}")), json(&format!("series {path}")));
    assert_eq!(value["games"], 3.0);
    let find = |value: &Value, name: &str| {
        value["players"].as_array().unwrap().iter().find(|player| player["name"] == name).unwrap().clone()
    };
    for name in ["A", "B"] {
        let [alone, with] = [&alone, &value].map(|value| find(value, name));
        for key in ["sequential", "steps", "static"] {
            assert_eq!(with[key], alone[key], "{name}");
        }
    }
    assert_eq!(find(&value, "C")["steps"], serde_json::json!([]));
}

#[test]
fn rate_knows_several_anchors_and_draws() {
    let (_folder, path) = results("A B 30 15 25\nB C 20 18 30\nC A 12 28 20\nC D 22 8 10\nD A 9 27 14\n");
    let rating = |value: &Value, name: &str| {
        let players = value["players"].as_array().unwrap().clone();
        let player = players.into_iter().find(|player| player["name"] == name).unwrap();
        (player["rating"].as_f64().unwrap(), player["error_anchored"].as_f64().unwrap())
    };
    let value = json(&format!("rate {path} --anchor C=0 --anchor A=80 --replicates 50"));
    assert_eq!(rating(&value, "A"), (80.0, 0.0));
    // The fit has no draws.
    let shown = text(&format!("rate {path} --draw-policy drop --replicates 0"));
    assert!(shown.contains("189 of 288 games; errors"), "{shown}");
    let value = json(&format!("rate {path} --anchor C --draw-policy davidson --replicates 50"));
    assert!((value["draw_share"].as_f64().unwrap() - 0.361_674).abs() < 1e-5);
    let shown = text(&format!("rate {path} --anchor C=0 --anchor A=80 --draw-policy davidson --replicates 50"));
    assert!(shown.contains("in relation to the 2 anchors") && shown.contains("equal players draw 35.9 %"), "{shown}");
    for (options, expected) in [
        ("--anchor A=1 --anchor A=2", "--anchor: `A` is named twice"),
        ("--anchor A=1 --anchor B", "--anchor B: each of several anchors needs its rating, as B=1500"),
        ("--anchor A=1 --anchor X=2", "no player is named `X`"),
        ("--anchor A=1 --anchor B=x", "--anchor: rating `x`"),
        ("--anchor A=1 --mean 0", "cannot be used with"),
        ("--min-games 200", "--min-games 200: no player has that many games"),
    ] {
        let shown = error_of(&format!("rate {path} {options}"));
        assert!(shown.contains(expected), "{shown}");
    }
    let shown = text(&format!("rate {path} --min-games 100 --replicates 0"));
    assert!(shown.contains("left out for too few games, 1 in all: D (90)"), "{shown}");
}

#[test]
fn every_key_is_documented() {
    let (_folder, path) = results("A B 30 20 10\nB C 20 10 5\nC A 15 15 5\nD E 3 2\n");
    let calls = [
        format!("rate {path} --hold-out 0.3 --replicates 20 --residuals --min-games 2"),
        "elo 5 3 2".to_owned(),
        "elo --pairs 1,2,3,4,5".to_owned(),
        "llr 5,3,20 --elo1 60 --operating=0,10 --simulate 2".to_owned(),
        "coverage -n 10 --curve 10,20".to_owned(),
        "ab 5 3 4 4 --peek 2,10 --replicates 10".to_owned(),
    ];
    for call in calls {
        let mut keys = keys_of(&[json(&call)]);
        // `undefined` stands for a value that is documented under its own key.
        keys.retain(|key| key.parse::<f64>().is_err() && key != "undefined");
        assert!(keys.len() > 5, "{call}: {keys:?}");
        assert_named_in(&["docs/rate.md", "docs/match.md"], &keys);
    }
}
