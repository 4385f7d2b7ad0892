//! Tuning by self-play, with engines whose best numbers are known.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::laboratory::{MOCK, interrupt, lab, openings, printed, run, succeed, wait_until};

const GOOD: &str = "Wisdom = { start = 30, min = 0, max = 100, step = 10 }\n\
                    Threads = { start = 30, min = 1, max = 60, step = 5 }\n";

struct TestTuning {
    folder: tempfile::TempDir,
}

impl TestTuning {
    /// A folder with these parameters in a file.
    fn new(parameters: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("parameters.toml"), parameters).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn begin(&self, output: &str, behaviour: &str, rest: &str) -> Command {
        let mut command = lab();
        command.args(["spsa", "--json", "--max-plies", "60", "--parameters"]).arg(self.path("parameters.toml"));
        command.arg("--engine").arg(format!("cmd='{MOCK} {behaviour}' nodes=1"));
        command.arg("--openings").arg(openings()).arg("--output").arg(self.path(output)).args(rest.split_whitespace());
        command
    }

    fn resume(&self, output: &str) -> Command {
        let mut command = lab();
        command.arg("resume").arg(self.path(output)).arg("--json");
        command
    }
}

fn found(result: &Value, name: &str) -> f64 {
    let parameters = result["parameters"].as_array().unwrap();
    parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["value"].as_f64().unwrap()
}

fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("updates.jsonl")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect()
}

#[test]
fn a_number_that_wins_is_found_and_one_that_means_nothing_stays() {
    let tuning = TestTuning::new(GOOD);
    let settings = format!("--updates 500 --rate 0.05 --concurrency 2 --log {}", tuning.path("log").display());
    let output = tuning.begin("out", "resign=2", &settings).output().unwrap();
    let result = printed(&output);
    assert_eq!((&result["ending"], &result["updates"]), (&"complete".into(), &500.into()));
    assert!(found(&result, "Wisdom") > 65.0, "{result}");
    assert!((found(&result, "Threads") - 30.0).abs() < 15.0, "{result}");
    let text = fs::read_to_string(tuning.path("out/parameters.toml")).unwrap();
    assert!(text.contains(&format!("Wisdom = {{ start = {:.0}, min = 0", found(&result, "Wisdom"))), "{text}");
    let log = fs::read_to_string(tuning.path("log/001000.log")).unwrap();
    assert!(log.contains(" plus > setoption name Wisdom value ") && log.contains(" minus < bestmove "), "{log}");
    assert!(fs::read_to_string(tuning.path("out/parameters.svg")).unwrap().contains("Wisdom"));
}

#[test]
fn a_killed_tuning_goes_on_and_comes_to_the_same_end() {
    let tuning = TestTuning::new(GOOD);
    let settings = "--updates 120 --rate 0.05 --seed 3";
    let whole = printed(&tuning.begin("whole", "resign=2", settings).output().unwrap());
    let mut child = tuning.begin("killed", "resign=2", settings).spawn().unwrap();
    wait_until("no progress", || lines(&tuning.path("killed")).len() >= 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines(&tuning.path("killed"));
    assert!(before.len() < 120);
    let resumed = printed(&tuning.resume("killed").output().unwrap());
    assert_eq!(resumed["parameters"], whole["parameters"]);
    let after = lines(&tuning.path("killed"));
    assert_eq!(after[..before.len()], before);
    assert_eq!(after, lines(&tuning.path("whole")));
}

#[test]
fn the_numbers_that_an_engine_announces_are_a_file_of_parameters() {
    let text = succeed(&["spsa", "--list", "--ready-timeout", "10", "--engine", MOCK], Path::new("."));
    assert!(text.ends_with("\nWisdom = { start = 30, min = 0, max = 100, step = 2.5 }\n"), "{text}");
    let tuning = TestTuning::new(&text);
    let played = printed(&tuning.begin("out", "resign=2", "--updates 2").output().unwrap());
    assert_eq!((&played["updates"], &played["parameters"][0]["start"]), (&2.into(), &30.into()));
}

#[test]
fn what_was_found_is_given_to_an_engine_as_its_options() {
    let tuning = TestTuning::new(GOOD);
    let as_options = |name: &str| run(&["spsa", "--as-options", name], tuning.folder.path());
    let words = "option.Threads=30 option.Wisdom=30\n";
    assert_eq!(as_options("parameters.toml"), (Some(0), words.to_owned(), String::new()));
    let (status, said, errors) = as_options("missing.toml");
    assert!(status == Some(1) && said.is_empty() && errors.contains("missing.toml"), "{errors}");
}

/// Engines of others have blanks and dots in the names of their options.
#[cfg(unix)]
#[test]
fn numbers_whose_names_need_quotes_are_found_written_and_read() {
    let tuning = TestTuning::new(
        "\"Search.LMR\" = { start = 5, min = 0, max = 10, step = 2 }\n\"Late Move\" = { start = 5, min = 0, max = 10, step = 2 }\n",
    );
    let script = tuning.path("engine.sh");
    let declare = |name: &str| format!("echo option name {name} type spin default 5 min 0 max 10\n");
    let answers = format!(
        "while read -r line; do case \"$line\" in\nusi) {}{}echo usiok;;\nisready) echo readyok;;\ngo*) echo bestmove resign;;\nquit) exit;;\nesac; done\n",
        declare("Search.LMR"),
        declare("Late Move")
    );
    fs::write(&script, answers).unwrap();
    let engine = format!("cmd='sh {}' nodes=1", script.display());
    let lab = |arguments: &[&str]| succeed(arguments, tuning.folder.path());
    let play =
        ["spsa", "--json", "--updates", "1", "--engine", &engine, "--parameters", "parameters.toml", "--output", "out"];
    assert!(lab(&play).contains("\"updates\": 1"));
    let found = fs::read_to_string(tuning.path("out/parameters.toml")).unwrap();
    assert!(found.contains("\"Late Move\" = { ") && found.contains("\"Search.LMR\" = { "), "{found}");
    let words = lab(&["spsa", "--as-options", "out/parameters.toml"]);
    assert!(words.starts_with("'option.Late Move="), "{words}");
    let [first, second] = ["x", "y"].map(|name| format!("name={name} {engine} {}", words.trim_end()));
    lab(&["match", "--games", "2", "--engine", &first, "--engine", &second, "--output", "match"]);
    let settings = fs::read_to_string(tuning.path("match/match.json")).unwrap();
    assert!(settings.contains("\"Late Move\": \""), "{settings}");
}

/// A tuning of other numbers lacks those of the formula; `--base` supplies them.
#[test]
fn the_curves_of_the_formula_are_read_from_files_and_from_folders() {
    let formula = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tuning-formula.toml");
    let distances = |source: &Path, rest: &[&std::ffi::OsStr]| {
        lab().args(["distances", "--json"]).arg(source).args(rest).output().unwrap()
    };
    let tuning = TestTuning::new("own_effect = { start = 1024, min = 0, max = 2000, step = 6 }");
    let based = ["--base".as_ref(), formula.as_os_str(), "--plot".as_ref()];
    let picture = tuning.path("distances.svg");
    let read = printed(&distances(&tuning.path("parameters.toml"), &[&based[..], &[picture.as_os_str()]].concat()));
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

    let missing = distances(&tuning.path("parameters.toml"), &[]);
    assert!(!missing.status.success() && missing.stdout.is_empty());
    assert!(String::from_utf8_lossy(&missing.stderr).contains("`own_distance_0` is missing"));

    let tuning = TestTuning::new(GOOD);
    printed(&tuning.begin("out", "resign=2", "--updates 200").output().unwrap());
    let read = printed(&distances(&tuning.path("out"), &based[..2]));
    assert_eq!(read["samples"], 50, "the second half of a hundred checkpoints");
}

#[cfg(unix)]
#[test]
fn an_engine_that_announces_no_numbers_is_named() {
    let script = "name=cat cmd='sh -c \"echo usiok; read a; read b; echo usi_tunablesok\"'";
    let errors = crate::laboratory::fail(&["spsa", "--list", "--engine", script], Path::new("."));
    assert!(errors.contains("engine `cat` announces no numbers to tune"), "{errors}");
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
        let output = TestTuning::new(parameters).begin("out", behaviour, rest).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{expected}: {error}");
        assert!(output.stdout.is_empty());
    }
    let tuning = TestTuning::new(GOOD);
    let error = String::from_utf8_lossy(&tuning.resume("nowhere").output().unwrap().stderr).into_owned();
    assert!(error.contains("holds no run that can go on"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_tuning_of_more_updates_than_memory_holds_is_interrupted_with_a_status_of_its_own() {
    let tuning = TestTuning::new(GOOD);
    let mut command = tuning.begin("out", "resign=2", "--updates 9000000000000000000");
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    wait_until("no progress", || lines(&tuning.path("out")).len() >= 2);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["ending"], &result["scheduled"]),
        (&"interrupted".into(), &9_000_000_000_000_000_000_u64.into())
    );
    assert_eq!(result["updates"], lines(&tuning.path("out")).len());
    let output = tuning.begin("other", "", "--updates 18446744073709551615").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("more games than can be counted"));
}
