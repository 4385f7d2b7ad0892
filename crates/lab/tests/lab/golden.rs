//! Golden values of an independent program, checked on the command line. The library has its own
//! tests of the same records; these test the way to the user.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::documentation::{assert_documented_in, keys_of};

fn records(system: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/lab-values.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let records: Vec<Value> =
        all["records"].as_array().unwrap().iter().filter(|record| record["system"] == system).cloned().collect();
    assert!(!records.is_empty());
    records
}

fn run(arguments: &[String], threads: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiki-lab"));
    let output = command.args(arguments).arg("--json").env("RAYON_NUM_THREADS", threads).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn lab(line: &str) -> Value {
    run(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), "2")
}

/// Infinities are strings on both sides.
#[track_caller]
fn close(actual: &Value, expected: &Value, tolerance: f64) {
    if expected.is_string() {
        assert_eq!(actual, expected);
        return;
    }
    let (actual, expected) = (actual.as_f64().unwrap_or_else(|| panic!("{actual}")), expected.as_f64().unwrap());
    assert!((actual - expected).abs() <= tolerance * expected.abs().max(1.0), "{actual} is not {expected}");
}

#[test]
fn elo_tells_the_errors_of_a_match() {
    let mut checked = 0;
    for record in records("match-error") {
        let (input, out) = (&record["in"], &record["out"]);
        let (Some(k), Some(n)) = (input["k"].as_u64(), input["n"].as_u64()) else { continue };
        let Some(level) = input["level"].as_f64() else { continue };
        let value = lab(&format!("elo {k} 0 {} --level {level}", n - k));
        close(&value["win_rate"], &out["q"], 1e-12);
        close(&value["standard_error"], &out["S"], 1e-9);
        close(&value["standard_error_n_minus_1"], &out["S_n1"], 1e-9);
        close(&value["standard_error_n_minus_1_5"], &out["S_n15"], 1e-9);
        close(&value["elo"], &out["dR"], 1e-9);
        close(&value["elo_standard_error"], &out["dR_se"], 1e-9);
        for method in ["normal", "wilson", "clopper_pearson", "jeffreys"] {
            for end in 0..2 {
                close(&value["intervals"][method]["win_rate"][end], &out[method][end], 1e-9);
                let elo = &out[format!("{method}_elo")][end];
                if elo == "degenerate" {
                    assert!(value["intervals"][method]["elo"]["undefined"].is_string());
                } else {
                    close(&value["intervals"][method]["elo"][end], elo, 1e-6);
                }
            }
        }
        let minimal = &value["intervals"]["minimal_binomial"];
        assert_eq!(
            minimal["wins"],
            serde_json::json!([out["minimal_binomial"]["k_lo"], out["minimal_binomial"]["k_hi"]])
        );
        close(&minimal["mass"], &out["minimal_binomial"]["prob"], 1e-9);
        close(&value["superiority_normal"], &out["LOS_normal"], 1e-9);
        close(&value["superiority_beta"], &out["LOS_beta"], 1e-9);
        checked += 1;
    }
    assert_eq!(checked, 7);
}

#[test]
fn elo_tells_how_many_games_are_needed() {
    let all = records("match-error");
    let needed = &all.iter().find(|record| record["id"] == "ERR-need").unwrap()["out"];
    for (share, wins) in [("0.5", 50), ("0.6", 60), ("0.8", 80)] {
        let value = lab(&format!("elo {wins} 0 {}", 100 - wins));
        assert_eq!(value["games_needed"], needed[share]);
    }
}

#[test]
fn coverage_tells_what_intervals_deliver() {
    let all = records("binomial-coverage");
    let out = |id: &str| all.iter().find(|record| record["id"] == id).unwrap()["out"].clone();
    for r in ["1.96", "2.58"] {
        let value = lab(&format!("coverage -r {r}"));
        for (p, games) in out("COV-1")[r].as_object().unwrap() {
            for (n, expected) in games.as_object().unwrap() {
                close(&value["inclusive"][p][n], expected, 1e-9);
            }
        }
        for (p, minimum) in out("COV-min")[r].as_object().unwrap() {
            assert_eq!(value["minimum"][p]["games"], minimum["n"]);
            close(&value["minimum"][p]["coverage"], &minimum["cov"], 1e-9);
        }
    }
    let value = lab("coverage");
    close(&value["inclusive"]["0.5"]["625"], &out("COV-edge")["inclusive"], 1e-9);
    close(&value["exclusive"]["0.5"]["625"], &out("COV-edge")["exclusive"], 1e-9);
    for (method, rates) in out("COV-ci").as_object().unwrap() {
        for (p, games) in rates.as_object().unwrap() {
            for (n, expected) in games.as_object().unwrap() {
                close(&value["around_the_estimate"][method][p][n], expected, 1e-9);
            }
        }
    }
}

#[test]
fn ab_tells_who_is_better() {
    let mut checked = 0;
    for record in records("ab-test") {
        let (input, out) = (&record["in"], &record["out"]);
        let (Some(a), Some(b)) = (input["A"].as_array(), input["B"].as_array()) else { continue };
        let value = lab(&format!("ab {} {} {} {}", a[0], a[1], b[0], b[1]));
        close(&value["chi_square"], &out["chi2"], 1e-9);
        close(&value["a_better_chi_square"], &out["p_chi2"], 1e-9);
        close(&value["a_better_posterior"], &out["p_beta"], 1e-9);
        close(&value["mean_difference"], &out["post_mean_diff"], 1e-9);
        close(&value["sd_difference"], &out["post_sd_diff"], 1e-9);
        checked += 1;
    }
    assert_eq!(checked, 8);
}

#[test]
fn ab_simulates_looking_again_and_again() {
    let all = records("ab-test");
    let peek = all.iter().find(|record| record["id"] == "AB-peek").unwrap();
    for seed in ["1", "2", "3"] {
        let line = format!("ab 1 1 1 1 --peek 30,100 --seed {seed}");
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let value = run(&words, "1");
        assert_eq!(value, run(&words, "2"), "the answer depends on the number of threads");
        let error = value["peek"]["standard_error"].as_f64().unwrap().hypot(peek["out"]["se"].as_f64().unwrap());
        let difference = value["peek"]["stopped"].as_f64().unwrap() - peek["out"]["stopped"].as_f64().unwrap();
        assert!(difference.abs() <= 4.0 * error, "{value}");
    }
}

#[test]
fn llr_tells_what_counts_decide() {
    let mut checked = 0;
    for record in records("sprt") {
        let (input, out) = (&record["in"], &record["out"]);
        let counts = input.get("counts").or_else(|| input.get("counts_LDW"));
        let Some(counts) = counts.and_then(Value::as_array) else { continue };
        let counts = counts.iter().map(Value::to_string).collect::<Vec<_>>().join(",");
        let line = format!("llr {counts} --elo0 {} --elo1 {}", input["elo0"], input["elo1"]);
        let value = lab(&line)["counts"].clone();
        close(&value["llr"], &out["llr_logistic"], 1e-6);
        close(&value["llr_normal_approximation"], &out["llr_logistic_normal_approx"], 1e-6);
        close(&lab(&format!("{line} --model normalized"))["counts"]["llr"], &out["llr_normalized"], 1e-6);
        checked += 1;
        if out["score"].is_null() {
            continue;
        }
        let estimates = &value["estimates"];
        close(&estimates["score"], &out["score"], 1e-6);
        close(&estimates["variance"], &out["var_pair"], 1e-6);
        close(&estimates["elo"], &out["elo"], 1e-6);
        close(&estimates["elo_interval"][0], &out["elo_lo95"], 1e-6);
        close(&estimates["elo_interval"][1], &out["elo_hi95"], 1e-6);
        close(&estimates["normalized_elo"], &out["nelo"], 1e-6);
        close(&estimates["normalized_elo_half_width"], &out["nelo_half95"], 1e-6);
        close(&estimates["superiority"], &out["los"], 1e-6);
    }
    assert_eq!(checked, 9);
}

#[test]
fn llr_tells_how_a_test_behaves() {
    let all = records("sprt");
    let out = |id: &str| all.iter().find(|record| record["id"] == id).unwrap()["out"].clone();
    for (rates, bounds) in out("SPRT-bounds").as_object().unwrap() {
        let (alpha, beta) = rates.split_once(',').unwrap();
        let value = lab(&format!("llr 1,1 --alpha {alpha} --beta {beta}"));
        close(&value["lower"], &bounds[0], 1e-12);
        close(&value["upper"], &bounds[1], 1e-12);
    }
    let value = lab("llr --elo1 20 --operating=-10,0,10,20,30");
    for point in value["operating"].as_array().unwrap() {
        let expected = &out("SPRT-oc")[point["elo"].as_f64().unwrap().to_string()];
        close(&point["accept_h1"], &expected["P_accept_H1"], 1e-6);
        close(&point["accept_h0"], &expected["P_accept_H0"], 1e-6);
        close(&point["expected_games"], &expected["expected_games"], 1e-6);
    }
}

/// Writes the games of a record as plain lines and rates them.
fn rate(record: &Value, options: &str, threads: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    let mut lines = String::new();
    for game in record["in"]["games"].as_array().unwrap() {
        let name = |index: usize| game[index].as_str().unwrap().to_owned();
        lines += &format!("{} {} {} {}\n", name(0), name(1), game[2], game[3]);
    }
    for name in record["in"]["names"].as_array().unwrap() {
        // Players without games are named, too.
        let other = if name == "A" { "B" } else { "A" };
        lines += &format!("{} {other} 0 0\n", name.as_str().unwrap());
    }
    fs::write(&path, lines).unwrap();
    let mut words = vec!["rate".to_owned(), path.display().to_string()];
    words.extend(options.split_whitespace().map(str::to_owned));
    run(&words, threads)
}

fn player<'a>(value: &'a Value, name: &str) -> &'a Value {
    value["players"].as_array().unwrap().iter().find(|player| player["name"] == name).unwrap()
}

#[test]
fn rate_tells_ratings_and_their_errors() {
    let all = records("bradley-terry");
    let record = all.iter().find(|record| record["id"] == "BT-1").unwrap();
    let out = &record["out"];
    let anchored = rate(record, "--anchor C --replicates 0", "2");
    let centred = rate(record, "--mean 0 --replicates 0", "2");
    close(&anchored["ln_likelihood"], &out["lnP"], 1e-6);
    for (name, rating) in out["ratings_anchor0"].as_object().unwrap() {
        let (of, about) = (player(&anchored, name), player(&centred, name));
        assert!((of["rating"].as_f64().unwrap() - rating.as_f64().unwrap()).abs() < 1e-4);
        close(&of["error_anchored"], &out["se_hessian_anchored"][name], 1e-4);
        close(&of["error_centred"], &out["se_hessian_centred"][name], 1e-4);
        let mean_zero = out["ratings_mean0"][name].as_f64().unwrap();
        assert!((about["rating"].as_f64().unwrap() - mean_zero).abs() < 1e-4);
    }
    let pairs = anchored["pairs"].as_array().unwrap();
    for (pair, error) in out["pair_diff_se"].as_object().unwrap() {
        let (a, b) = pair.split_once('-').unwrap();
        let found = pairs.iter().find(|pair| pair["players"] == serde_json::json!([a, b])).unwrap();
        close(&found["difference_error"], error, 1e-4);
    }
}

#[test]
fn rate_simulates_the_same_for_any_number_of_threads() {
    let all = records("bradley-terry");
    let record = all.iter().find(|record| record["id"] == "BT-1").unwrap();
    let reference = &record["out"]["mc"];
    for seed in [1, 2, 3] {
        let options = format!("--anchor C --seed {seed}");
        let value = rate(record, &options, "1");
        assert_eq!(value, rate(record, &options, "2"), "the answer depends on the number of threads");
        let tolerance = 4.0 * (1.0_f64 / 2000.0 + 1.0 / 8000.0).sqrt();
        for (name, deviation) in reference["sd_anchored"].as_object().unwrap() {
            let simulated = &player(&value, name)["simulated_anchored"]["deviation"];
            let (actual, expected) = (simulated.as_f64().unwrap(), deviation.as_f64().unwrap());
            assert!((actual - expected).abs() <= tolerance * expected, "{name}: {actual} is not {expected}");
        }
    }
}

#[test]
fn rate_tells_who_cannot_be_rated() {
    let all = records("bradley-terry");
    let record = all.iter().find(|record| record["id"] == "BT-rate-1").unwrap();
    let value = rate(record, "--anchor B --replicates 0", "2");
    for (name, class) in record["out"]["classes"].as_object().unwrap() {
        assert_eq!(&player(&value, name)["class"], class, "{name}");
    }
    for (name, rating) in record["out"]["ratings_anchor0"].as_object().unwrap() {
        assert!((player(&value, name)["rating"].as_f64().unwrap() - rating.as_f64().unwrap()).abs() < 1e-4);
    }
    close(&value["ln_likelihood"], &record["out"]["lnP"], 1e-6);
}

/// The expected output of a record.
fn output(system: &str, id: &str) -> Value {
    records(system).into_iter().find(|record| record["id"] == id).unwrap()["out"].clone()
}

/// The fractional part of a multiple. The tables of some records are generated from it.
fn part(step: f64, i: u32) -> f64 {
    (step * f64::from(i)).fract()
}

fn normal_part(i: u32) -> f64 {
    kiki_stats::normal::quantile(part(0.618_033_988_749_894_9, i)).unwrap()
}

/// Runs a command on a table of numbers.
fn ask_about(command: &str, lines: impl Iterator<Item = String>) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.txt");
    fs::write(&path, lines.collect::<String>()).unwrap();
    lab(&format!("{command} {}", path.display()))
}

#[test]
fn sigma_weights_follow_from_a_table() {
    let out = output("sigma", "SIG-fit");
    let value = ask_about(
        "sigma weights",
        (1..=12_800).map(|i| {
            let (x, y) = (part(0.754_877_666_246_692_7, i), part(0.569_840_290_998_053_2, i).powi(2));
            format!("{} {x} {y}\n", (100.0 + 250.0 * x + 80.0 * y) * normal_part(i))
        }),
    );
    for column in 0..3 {
        close(&value["weights"][column], &out["w_hat"][column], 1e-7);
        close(&value["standard_errors"][column], &out["se"][column], 1e-5);
    }
    close(&value["mean_log_likelihood"], &out["ll_hat"], 1e-9);
    close(&value["calibration"]["slope"], &out["slope"], 6e-7);
    assert_documented_in("docs/sigma.md", &keys_of(std::slice::from_ref(&value)));
    for (group, expected) in out["groups"].as_object().unwrap() {
        let group = &value["calibration"]["groups"][group.parse::<usize>().unwrap()];
        close(&group[0], &expected[0], 1e-5);
        close(&group[1], &expected[1], 1e-5);
    }
    let record = &records("sigma").into_iter().find(|record| record["id"] == "SIG-seed").unwrap();
    let value = lab(&format!("sigma constant {}", words(&record["in"]["ll"])));
    for (index, expected) in record["out"]["sigma"].as_array().unwrap().iter().enumerate() {
        close(&value["sigma"][index], expected, 2e-5);
    }
}

fn words(numbers: &Value) -> String {
    numbers.as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn sigma_decides_cuts_and_tells_how_often_they_are_wrong() {
    // This test and the next one cover all records.
    let ids: Vec<Value> = records("probcut").iter().map(|record| record["id"].clone()).collect();
    assert_eq!(ids, ["PC-decisions", "PC-joint", "PC-combine", "PC-regression"]);
    for row in output("probcut", "PC-decisions")["decisions"].as_array().unwrap() {
        let line = format!("--alpha {} --beta {} --sigma {} -k {}", row[1], row[2], row[3], row[4]);
        let expected = if row[5] == "none" { "search" } else { row[5].as_str().unwrap() };
        assert_eq!(lab(&format!("sigma cut {} {line}", row[0]))["decision"], expected, "{row}");
    }
    let out = output("probcut", "PC-joint");
    for row in out["joint"].as_array().unwrap() {
        let value = lab(&format!("sigma wrong {} {} --correlation {}", row[0], row[1], row[2]));
        close(&value["wrong"], &row[3], 6e-9);
    }
    for row in out["one"].as_array().unwrap() {
        close(&lab(&format!("sigma wrong {}", row[0]))["wrong"], &row[1], 5e-4);
    }
}

#[test]
fn sigma_combines_shallow_values_and_predicts_deep_ones() {
    let out = output("probcut", "PC-combine");
    let value = lab("sigma combine --value 420,250 --value 380,150 --correlation 0.4");
    close(&value["weights"][0], &out["weights"][0], 6e-10);
    close(&value["value"], &out["value"], 1e-8);
    close(&value["sigma"], &out["sigma"], 1e-8);
    let out = output("probcut", "PC-regression");
    let value = ask_about(
        "sigma line --beta 300 -k 2",
        (1..=1000).map(|i| {
            let shallow = 1200.0 * (part(0.754_877_666_246_692_7, i) - 0.5);
            format!("{shallow}\t{}\n", 1.08 * shallow - 6.0 + 140.0 * normal_part(i))
        }),
    );
    close(&value["slope"], &out["a"], 6e-9);
    close(&value["offset"], &out["b"], 6e-7);
    close(&value["sigma"], &out["sigma"], 6e-7);
    let number = |name: &str| out[name].as_f64().unwrap();
    assert_documented_in("docs/sigma.md", &keys_of(std::slice::from_ref(&value)));
    close(&value["threshold"], &((300.0 - number("b") + 2.0 * number("sigma")) / number("a")).into(), 1e-6);
}

#[test]
fn gamble_tells_the_chances_of_moves() {
    let pair = |leaf: &Value| format!("{},{}", leaf[0], leaf[1]);
    for record in records("gamble") {
        let out = &record["out"];
        match record["id"].as_str().unwrap() {
            "GM-root" => {
                for (side, moves) in record["in"].as_object().unwrap() {
                    for (name, leaf) in moves.as_object().unwrap() {
                        let value = lab(&format!("gamble chance --move {}", pair(leaf)));
                        close(&value["moves"][0]["value"], &leaf[0], 0.0);
                        close(&value["moves"][0]["probability"], &out[side][name], 1e-12);
                    }
                }
            }
            "GM-tree" => {
                let moves = record["in"].as_object().unwrap();
                let replies =
                    |leaves: &Value| leaves.as_array().unwrap().iter().map(pair).collect::<Vec<_>>().join("/");
                let asked: String = moves.values().map(|leaves| format!(" --move {}", replies(leaves))).collect();
                let value = lab(&format!("gamble chance{asked}"));
                for (index, name) in moves.keys().enumerate() {
                    // The record has the values of the side that replies.
                    let value = &value["moves"][index];
                    close(&(-value["value"].as_f64().unwrap()).into(), &out["values"][name], 1e-12);
                    close(&value["probability"], &out["P"][name], 6e-10);
                }
            }
            "GM-sign" => {
                for row in out["tests"].as_array().unwrap() {
                    let value = lab(&format!("gamble sign {} {}", row[0], row[1]));
                    close(&value["z"], &row[2], 6e-5);
                    close(&value["p"], &row[3], 6e-7);
                }
            }
            other => panic!("no command answers {other}"),
        }
    }
}
