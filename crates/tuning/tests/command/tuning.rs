//! Tuning by self-play, with engines whose best numbers are known.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::laboratory::{Folder, MOCK, interrupted, lab, openings, printed, wait_until};

const GOOD: &str = "Wisdom = { start = 30, min = 0, max = 100, step = 10 }\n\
                    Threads = { start = 30, min = 1, max = 60, step = 5 }\n";

/// A folder with these parameters in a file.
fn tuning(parameters: &str) -> Folder {
    let folder = Folder::new();
    folder.write("parameters.toml", parameters);
    folder
}

fn begin(tuning: &Folder, output: &str, behaviour: &str, rest: &str) -> Command {
    let options = format!("spsa --json --max-plies 60 --parameters parameters.toml --output {output} {rest}");
    let mut command = tuning.lab(&options);
    command.arg("--engine").arg(format!("cmd='{MOCK} {behaviour}' nodes=1")).arg("--openings").arg(openings());
    command
}

fn found(result: &Value, name: &str) -> f64 {
    let parameters = result["parameters"].as_array().unwrap();
    parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["value"].as_f64().unwrap()
}

fn lines(folder: &Folder, run: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(run).join("updates.jsonl")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect()
}

#[test]
fn a_number_that_wins_is_found_and_one_that_means_nothing_stays() {
    let folder = tuning(GOOD);
    let settings = "--updates 500 --rate 0.05 --concurrency 2 --log log";
    let output = begin(&folder, "out", "resign=2", settings).output().unwrap();
    let result = printed(&output);
    assert_eq!((&result["ending"], &result["updates"]), (&"complete".into(), &500.into()));
    assert!(found(&result, "Wisdom") > 65.0, "{result}");
    assert!((found(&result, "Threads") - 30.0).abs() < 15.0, "{result}");
    let text = folder.text("out/parameters.toml");
    assert!(text.contains(&format!("Wisdom = {{ start = {:.0}, min = 0", found(&result, "Wisdom"))), "{text}");
    let log = folder.text("log/001000.log");
    assert!(log.contains(" plus > setoption name Wisdom value ") && log.contains(" minus < bestmove "), "{log}");
    assert!(folder.text("out/parameters.svg").contains("Wisdom"));
}

#[test]
fn a_killed_tuning_goes_on_and_comes_to_the_same_end() {
    let folder = tuning(GOOD);
    let settings = "--updates 120 --rate 0.05 --seed 3";
    let whole = printed(&begin(&folder, "whole", "resign=2", settings).output().unwrap());
    let mut child = begin(&folder, "killed", "resign=2", settings).spawn().unwrap();
    wait_until("no progress", || lines(&folder, "killed").len() >= 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines(&folder, "killed");
    assert!(before.len() < 120);
    let resumed = folder.json("resume killed");
    assert_eq!(resumed["parameters"], whole["parameters"]);
    let after = lines(&folder, "killed");
    assert_eq!(after[..before.len()], before);
    assert_eq!(after, lines(&folder, "whole"));
}

#[test]
fn the_numbers_that_an_engine_announces_are_a_file_of_parameters() {
    let text = Folder::new().succeed(&["spsa", "--list", "--ready-timeout", "10", "--engine", MOCK]);
    let example = include_str!("../../../../examples/tuning.toml").lines();
    assert!(text.lines().take(2).eq(example.take(2)), "{text}");
    assert!(text.ends_with("\nWisdom = { start = 30, min = 0, max = 100, step = 2.5 }\n"), "{text}");
    let folder = tuning(&text);
    let played = printed(&begin(&folder, "out", "resign=2", "--updates 2").output().unwrap());
    assert_eq!((&played["updates"], &played["parameters"][0]["start"]), (&2.into(), &30.into()));
}

#[test]
fn what_was_found_is_given_to_an_engine_as_its_options() {
    let folder = tuning(GOOD);
    let as_options = |name: &str| folder.run(&["spsa", "--as-options", name]);
    let words = "option.Threads=30 option.Wisdom=30\n";
    assert_eq!(as_options("parameters.toml"), (Some(0), words.to_owned(), String::new()));
    let (status, said, errors) = as_options("missing.toml");
    assert!(status == Some(1) && said.is_empty() && errors.contains("missing.toml"), "{errors}");
}

/// Engines of others have blanks and dots in the names of their options.
#[cfg(unix)]
#[test]
fn numbers_whose_names_need_quotes_are_found_written_and_read() {
    let folder = tuning(
        "\"Search.LMR\" = { start = 5, min = 0, max = 10, step = 2 }\n\"Late Move\" = { start = 5, min = 0, max = 10, step = 2 }\n",
    );
    let script = folder.join("engine.sh");
    let declare = |name: &str| format!("echo option name {name} type spin default 5 min 0 max 10\n");
    let answers = format!(
        "while read -r line; do case \"$line\" in\nusi) {}{}echo usiok;;\nisready) echo readyok;;\ngo*) echo bestmove resign;;\nquit) exit;;\nesac; done\n",
        declare("Search.LMR"),
        declare("Late Move")
    );
    fs::write(&script, answers).unwrap();
    let engine = format!("cmd='sh {}' nodes=1", script.display());
    let lab = |arguments: &[&str]| folder.succeed(arguments);
    let play =
        ["spsa", "--json", "--updates", "1", "--engine", &engine, "--parameters", "parameters.toml", "--output", "out"];
    assert!(lab(&play).contains("\"updates\": 1"));
    let found = folder.text("out/parameters.toml");
    assert!(found.contains("\"Late Move\" = { ") && found.contains("\"Search.LMR\" = { "), "{found}");
    let words = lab(&["spsa", "--as-options", "out/parameters.toml"]);
    assert!(words.starts_with("'option.Late Move="), "{words}");
    let [first, second] = ["x", "y"].map(|name| format!("name={name} {engine} {}", words.trim_end()));
    lab(&["match", "--games", "2", "--engine", &first, "--engine", &second, "--output", "match"]);
    let settings = folder.text("match/match.json");
    assert!(settings.contains("\"Late Move\": \""), "{settings}");
}

/// A tuning of other numbers lacks those of the formula; `--base` supplies them.
#[test]
fn the_curves_of_the_formula_are_read_from_files_and_from_folders() {
    let formula = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tuning-formula.toml");
    let distances = |source: &Path, rest: &[&std::ffi::OsStr]| {
        lab().args(["distances", "--json"]).arg(source).args(rest).output().unwrap()
    };
    let folder = tuning("own_effect = { start = 1024, min = 0, max = 2000, step = 6 }");
    let based = ["--base".as_ref(), formula.as_os_str(), "--plot".as_ref()];
    let picture = folder.join("distances.svg");
    let read = printed(&distances(&folder.join("parameters.toml"), &[&based[..], &[picture.as_os_str()]].concat()));
    assert_eq!(read["samples"], 1);
    let numbers = fs::read_to_string(&formula).unwrap();
    let start = |name: &str| -> f64 {
        let line = numbers.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
        line.split(['=', ',']).nth(2).unwrap().trim().parse().unwrap()
    };
    for distance in 0..9 {
        let [own, enemy] = ["own", "enemy"].map(|side| &read["sides"][side]["values"][distance]);
        assert_eq!(own["median"], start(&format!("own_distance_{distance}")));
        assert_eq!(enemy["high"], start("enemy_effect") * start(&format!("enemy_distance_{distance}")) / 1024.0);
    }
    assert!(read["sides"]["own"]["fits"]["exponential"]["rate"].as_f64().unwrap() > 0.0, "{read}");
    assert!(fs::read_to_string(picture).unwrap().contains("enemy, a exp(-b d)"));

    let missing = distances(&folder.join("parameters.toml"), &[]);
    assert!(!missing.status.success() && missing.stdout.is_empty());
    assert!(String::from_utf8_lossy(&missing.stderr).contains("`own_distance_0` is missing"));

    let folder = tuning(GOOD);
    printed(&begin(&folder, "out", "resign=2", "--updates 200").output().unwrap());
    let read = printed(&distances(&folder.join("out"), &based[..2]));
    assert_eq!(read["samples"], 50, "the second half of a hundred checkpoints");
}

#[cfg(unix)]
#[test]
fn an_engine_that_announces_no_numbers_is_named() {
    // The last one ends when it meets a command that it does not know.
    for (words, expected) in [
        ("read b; echo usi_tunablesok; read c; echo readyok", "announces no numbers to tune"),
        ("read b; read c; echo readyok", "announces no numbers to tune"),
        ("read b; exit 3", "exited with status 3"),
    ] {
        let script = format!("name=cat cmd='sh -c \"read a; echo usiok; {words}\"'");
        let begun = Instant::now();
        let errors = Folder::new().fail(&["spsa", "--list", "--engine", &script]);
        assert!(errors.contains("engine `cat`") && errors.contains(expected), "{words}: {errors}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{words}: it waited");
    }
}

#[test]
fn what_cannot_work_is_told_at_once() {
    for (parameters, behaviour, rest, expected) in [
        ("Wit = { start = 1, min = 0, max = 9, step = 1 }", "", "", "Wit"),
        ("Wisdom = { start = 1, min = 0, max = 900, step = 1 }", "", "", "900"),
        ("Wisdom = { start = 1, min = 5, max = 9, step = 1 }", "", "", "parameter `Wisdom`"),
        ("Wisdom = { start = 1, min = 0, max = 9 }", "", "", "step"),
        ("Wisdom = 3", "", "", "parameters.toml"),
        ("", "", "", "number of parameters"),
        (GOOD, "crash=2", "", "crash"),
        (GOOD, "illegal=2", "", "illegal"),
        (GOOD, "", "--updates 0", "number of updates"),
        (GOOD, "", "--rate 0", "rate"),
        (GOOD, "", "--concurrency 0", "--concurrency"),
    ] {
        let output = begin(&tuning(parameters), "out", behaviour, rest).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{expected}: {error}");
        assert!(output.stdout.is_empty());
    }
    let folder = tuning(GOOD);
    let error = folder.fail("resume nowhere --json");
    assert!(error.contains("holds no run that can go on"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_tuning_of_more_updates_than_memory_holds_is_interrupted_with_a_status_of_its_own() {
    let folder = tuning(GOOD);
    let mut command = begin(&folder, "out", "resign=2", "--updates 9000000000000000000");
    let output = interrupted(&mut command, "no progress", || lines(&folder, "out").len() >= 2);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["ending"], &result["scheduled"]),
        (&"interrupted".into(), &9_000_000_000_000_000_000_u64.into())
    );
    assert_eq!(result["updates"], lines(&folder, "out").len());
    let output = begin(&folder, "other", "", "--updates 18446744073709551615").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("more games than can be counted"));
}
