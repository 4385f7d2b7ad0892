//! Golden values of an independent program on the command line. Libraries check most of the
//! records; here one record shows that every value is told under its key. Of five systems the
//! commands are all that answers, so every record is here.

use std::fs;

use kiki_tests::golden::{record, records};
use serde_json::Value;

use crate::documentation::{assert_documented_in, keys_of};
use crate::laboratory::Folder;

/// Places in an answer, each with the place of its value in the output of a record.
type Places = [(&'static str, &'static str)];

/// Commands, the records with their answers, and the tolerances.
const ANSWERS: [(&str, &str, f64, &Places); 35] = [
    ("elo 55 0 45", "ERR-3", 1e-9, &ELO),
    ("elo 17 0 3", "ERR-4", 1e-9, &ELO),
    ("elo 55 0 45 --level 0.99", "ERR-7", 1e-9, &ELO),
    ("elo 60 0 40", "ERR-need", 0.0, &[("/games_needed", "/0.6")]),
    ("coverage -r 1.96", "COV-1", 1e-9, &[("/inclusive", "/1.96")]),
    ("coverage -r 2.58", "COV-1", 1e-9, &[("/inclusive", "/2.58")]),
    (
        "coverage -r 1.96",
        "COV-min",
        1e-9,
        &[("/minimum/0.5/games", "/1.96/0.5/n"), ("/minimum/0.1/coverage", "/1.96/0.1/cov")],
    ),
    (
        "coverage -r 2.58",
        "COV-min",
        1e-9,
        &[("/minimum/0.1/games", "/2.58/0.1/n"), ("/minimum/0.5/coverage", "/2.58/0.5/cov")],
    ),
    ("coverage", "COV-edge", 1e-9, &[("/inclusive/0.5/625", "/inclusive"), ("/exclusive/0.5/625", "/exclusive")]),
    ("coverage", "COV-ci", 1e-9, &[("/around_the_estimate", "")]),
    ("ab 1000 500 1000 490", "AB-1", 1e-9, &AB),
    ("ab 55 45 50 50", "AB-2", 1e-9, &AB),
    ("ab 520 480 500 500", "AB-3", 1e-9, &AB),
    ("ab 10 0 8 2", "AB-4", 1e-9, &AB),
    ("ab 0 0 0 0", "AB-5", 1e-9, &AB),
    ("ab 0 0 5 3", "AB-6", 1e-9, &AB),
    ("ab 1 0 0 1", "AB-7", 1e-9, &AB),
    ("ab 5200 4800 5000 5000", "AB-8", 1e-9, &AB),
    ("llr 60,10,260,12,78 --elo1 5", "SPRT-penta-1", 1e-6, &LLR),
    ("llr 460,20,520 --elo1 20", "SPRT-tri-2", 1e-6, &[("/counts/llr", "/llr_logistic")]),
    ("llr 460,20,520 --elo1 20 --model normalized", "SPRT-tri-2", 1e-6, &[("/counts/llr", "/llr_normalized")]),
    (
        "llr 1,1 --alpha 0.05 --beta 0.10",
        "SPRT-bounds",
        1e-9,
        &[("/lower", "/0.05,0.10/0"), ("/upper", "/0.05,0.10/1")],
    ),
    ("llr --elo1 20 --operating=-10,20", "SPRT-oc", 1e-6, &OPERATING),
    ("sigma constant -7.367 -7.363 -7.074 -7.071 -7.054 -7.053", "SIG-seed", 2e-5, &[("/sigma", "/sigma")]),
    (
        "sigma combine --value 420,250 --value 380,150 --correlation 0.4",
        "PC-combine",
        2e-9,
        &[("/weights", "/weights"), ("/value", "/value"), ("/sigma", "/sigma")],
    ),
    ("gamble chance --move -200,150", "GM-root", 1e-12, &[("/moves/0/probability", "/losing/a")]),
    ("gamble chance --move -300,400", "GM-root", 1e-12, &[("/moves/0/probability", "/losing/b")]),
    ("gamble chance --move -1000,500", "GM-root", 1e-12, &[("/moves/0/probability", "/losing/c")]),
    ("gamble chance --move 300,400", "GM-root", 1e-12, &[("/moves/0/probability", "/winning/a")]),
    ("gamble chance --move 200,100", "GM-root", 1e-12, &[("/moves/0/probability", "/winning/b")]),
    (
        TREE,
        "GM-tree",
        6e-10,
        &[("/moves/0/probability", "/P/W1"), ("/moves/1/probability", "/P/W2"), ("/moves/2/probability", "/P/W3")],
    ),
    (
        "lengths --model 0.2474,95.46,21.72 --simulate 10",
        "RW-pro",
        1e-5,
        &[
            ("/walk_plies", "/walk_plies_counted"),
            ("/walk_shares/4/1", "/T/pmf/5"),
            ("/model/deviation", "/total/sd"),
            ("/greatest_gap", "/max_cdf_gap"),
        ],
    ),
    (
        "lengths --moments 116.1,27.88 --simulate 10",
        "RW-pure",
        1e-6,
        &[("/pure_walk/step", "/A"), ("/pure_walk/deviation", "/sd")],
    ),
    ("gamble sign 155 188", "GM-sign", 6e-5, &[("/z", "/tests/0/2"), ("/p", "/tests/0/3")]),
    ("gamble sign 44 38", "GM-sign", 6e-5, &[("/z", "/tests/1/2"), ("/p", "/tests/1/3")]),
];

const ELO: [(&str, &str); 17] = [
    ("/win_rate", "/q"),
    ("/standard_error", "/S"),
    ("/standard_error_n_minus_1", "/S_n1"),
    ("/standard_error_n_minus_1_5", "/S_n15"),
    ("/elo", "/dR"),
    ("/elo_standard_error", "/dR_se"),
    ("/intervals/normal/win_rate", "/normal"),
    ("/intervals/normal/elo", "/normal_elo"),
    ("/intervals/wilson/win_rate", "/wilson"),
    ("/intervals/wilson/elo", "/wilson_elo"),
    ("/intervals/clopper_pearson/win_rate", "/clopper_pearson"),
    ("/intervals/jeffreys/win_rate", "/jeffreys"),
    ("/intervals/minimal_binomial/wins/0", "/minimal_binomial/k_lo"),
    ("/intervals/minimal_binomial/wins/1", "/minimal_binomial/k_hi"),
    ("/intervals/minimal_binomial/mass", "/minimal_binomial/prob"),
    ("/superiority_normal", "/LOS_normal"),
    ("/superiority_beta", "/LOS_beta"),
];

const AB: [(&str, &str); 5] = [
    ("/chi_square", "/chi2"),
    ("/a_better_chi_square", "/p_chi2"),
    ("/a_better_posterior", "/p_beta"),
    ("/mean_difference", "/post_mean_diff"),
    ("/sd_difference", "/post_sd_diff"),
];

const LLR: [(&str, &str); 10] = [
    ("/counts/llr", "/llr_logistic"),
    ("/counts/llr_normal_approximation", "/llr_logistic_normal_approx"),
    ("/counts/estimates/score", "/score"),
    ("/counts/estimates/variance", "/var_pair"),
    ("/counts/estimates/elo", "/elo"),
    ("/counts/estimates/elo_interval/0", "/elo_lo95"),
    ("/counts/estimates/elo_interval/1", "/elo_hi95"),
    ("/counts/estimates/normalized_elo", "/nelo"),
    ("/counts/estimates/normalized_elo_half_width", "/nelo_half95"),
    ("/counts/estimates/superiority", "/los"),
];

const OPERATING: [(&str, &str); 4] = [
    ("/operating/0/accept_h1", "/-10/P_accept_H1"),
    ("/operating/0/accept_h0", "/-10/P_accept_H0"),
    ("/operating/0/expected_games", "/-10/expected_games"),
    ("/operating/1/accept_h1", "/20/P_accept_H1"),
];

/// Moves with the values and sigmas of the replies.
const TREE: &str = "gamble chance --move 150,100/200,120 --move 250,600/300,700 --move 180,90/60,400";

fn lab(line: &str) -> Value {
    Folder::new().json(line)
}

/// An answer may have more keys than the record. A key may be an index. Infinities are strings on
/// both sides.
#[track_caller]
fn close(actual: &Value, expected: &Value, tolerance: f64) {
    match expected {
        Value::Object(values) => values.iter().for_each(|(key, value)| {
            let of_index = key.parse::<usize>().ok().and_then(|index| actual.get(index));
            close(of_index.unwrap_or(&actual[key]), value, tolerance);
        }),
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| close(&actual[index], value, tolerance));
        }
        Value::Number(number) => {
            let (found, expected) = (actual.as_f64().unwrap_or(f64::NAN), number.as_f64().unwrap());
            assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{actual} is not {expected}");
        }
        _ => assert_eq!(actual, expected),
    }
}

#[test]
fn answers_are_those_of_the_records() {
    for (line, id, tolerance, places) in ANSWERS {
        let answer = lab(line);
        let record = record(id).output;
        for (of_answer, of_record) in places {
            let expected = record.pointer(of_record).unwrap();
            close(answer.pointer(of_answer).unwrap_or_else(|| panic!("{line}: no {of_answer}")), expected, tolerance);
        }
    }
    assert!(lab("elo 10 0 0")["intervals"]["normal"]["elo"]["undefined"].is_string());
    // The record has the values of the side that replies.
    assert_eq!(lab(TREE)["moves"][0]["value"], -200.0);
}

#[test]
fn every_record_of_a_system_without_another_test_is_here() {
    let elsewhere = ["AB-frac", "AB-peek", "PC-decisions", "PC-joint", "PC-regression", "SIG-fit"];
    for record in ["binomial-coverage", "ab-test", "probcut", "gamble", "sigma"].into_iter().flat_map(records) {
        let is_here = ANSWERS.iter().any(|row| row.1 == record.id);
        assert!(is_here || elsewhere.contains(&&*record.id), "{}", record.id);
    }
}

#[test]
fn ab_simulates_looking_again_and_again() {
    let (value, out) = (lab("ab 1 1 1 1 --peek 30,100 --seed 1"), record("AB-peek").output);
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
    let error = number(&value["peek"], "standard_error").hypot(number(&out, "se"));
    assert!((number(&value["peek"], "stopped") - number(&out, "stopped")).abs() <= 4.0 * error, "{value}");
}

/// Runs a command on a file of lines.
fn ask_about(command: &str, lines: impl Iterator<Item = String>) -> Value {
    let folder = Folder::new();
    let path = folder.join("table.txt");
    fs::write(&path, lines.collect::<String>()).unwrap();
    lab(&command.replace("TABLE", &path.display().to_string()))
}

/// A line of the table of results.
fn game_line(game: &Value) -> String {
    format!("{} {} {} {}\n", name(&game[0]), name(&game[1]), game[2], game[3])
}

#[test]
fn rate_tells_who_cannot_be_rated() {
    let record = record("BT-rate-1");
    let games = record.input["games"].as_array().unwrap().iter().map(game_line);
    // A player without games is named, too.
    let value = ask_about("rate TABLE --anchor B --replicates 0", games.chain(["I A 0 0\n".to_owned()]));
    let players = value["players"].as_array().unwrap();
    assert_eq!(players.len(), 10);
    for player in players {
        assert_eq!(player["class"], record.output["classes"][name(&player["name"])], "{player}");
    }
}

#[test]
fn rate_tells_ratings_and_their_errors() {
    let record = record("BT-1");
    let rate = |scale: &str| {
        let games = record.input["games"].as_array().unwrap().iter();
        ask_about(&format!("rate TABLE {scale} --replicates 0"), games.map(game_line))
    };
    let [anchored, centred] = ["--anchor C", "--mean 0"].map(rate);
    let out = &record.output;
    close(&anchored["ln_likelihood"], &out["lnP"], 1e-6);
    for player in anchored["players"].as_array().unwrap() {
        let name = name(&player["name"]);
        close(&player["rating"], &out["ratings_anchor0"][name], 1e-4);
        close(&player["error_anchored"], &out["se_hessian_anchored"][name], 1e-4);
        close(&player["error_centred"], &out["se_hessian_centred"][name], 1e-4);
    }
    for player in centred["players"].as_array().unwrap() {
        close(&player["rating"], &out["ratings_mean0"][name(&player["name"])], 1e-4);
    }
    let pair =
        anchored["pairs"].as_array().unwrap().iter().find(|pair| pair["players"] == serde_json::json!(["A", "B"]));
    close(&pair.unwrap()["difference_error"], &out["pair_diff_se"]["A-B"], 1e-4);
}

fn name(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The fractional part of a multiple. The tables of some records are generated from it.
fn part(step: f64, i: u32) -> f64 {
    (step * f64::from(i)).fract()
}

fn normal_part(i: u32) -> f64 {
    kiki_stats::normal::quantile(part(0.618_033_988_749_894_9, i)).unwrap()
}

#[test]
fn sigma_weights_follow_from_a_table() {
    let out = record("SIG-fit").output;
    let value = ask_about(
        "sigma weights TABLE",
        (1..=12_800).map(|i| {
            let (x, y) = (part(0.754_877_666_246_692_7, i), part(0.569_840_290_998_053_2, i).powi(2));
            format!("{} {x} {y}\n", (100.0 + 250.0 * x + 80.0 * y) * normal_part(i))
        }),
    );
    close(&value["weights"], &out["w_hat"], 1e-7);
    close(&value["standard_errors"], &out["se"], 1e-5);
    close(&value["mean_log_likelihood"], &out["ll_hat"], 1e-9);
    close(&value["calibration"]["slope"], &out["slope"], 6e-7);
    close(&value["calibration"]["groups"], &out["groups"], 1e-5);
    assert_documented_in("docs/sigma.md", &keys_of(std::slice::from_ref(&value)));
}

#[test]
fn sigma_decides_cuts_and_tells_how_often_they_are_wrong() {
    for row in record("PC-decisions").output["decisions"].as_array().unwrap() {
        let line = format!("--alpha {} --beta {} --sigma {} -k {}", row[1], row[2], row[3], row[4]);
        let expected = if row[5] == "none" { "search" } else { name(&row[5]) };
        assert_eq!(lab(&format!("sigma cut {} {line}", row[0]))["decision"], expected, "{row}");
    }
    let out = record("PC-joint").output;
    for row in out["joint"].as_array().unwrap() {
        let value = lab(&format!("sigma wrong {} {} --correlation {}", row[0], row[1], row[2]));
        close(&value["wrong"], &row[3], 6e-9);
    }
    for row in out["one"].as_array().unwrap() {
        close(&lab(&format!("sigma wrong {}", row[0]))["wrong"], &row[1], 5e-4);
    }
}

#[test]
fn sigma_predicts_deep_values() {
    let out = record("PC-regression").output;
    let value = ask_about(
        "sigma line TABLE --beta 300 -k 2",
        (1..=1000).map(|i| {
            let shallow = 1200.0 * (part(0.754_877_666_246_692_7, i) - 0.5);
            format!("{shallow}\t{}\n", 1.08 * shallow - 6.0 + 140.0 * normal_part(i))
        }),
    );
    let [a, b, sigma] = ["a", "b", "sigma"].map(|name| out[name].as_f64().unwrap());
    close(&value["slope"], &out["a"], 6e-9);
    close(&value["offset"], &out["b"], 6e-7);
    close(&value["sigma"], &out["sigma"], 6e-7);
    close(&value["threshold"], &((300.0 - b + 2.0 * sigma) / a).into(), 1e-6);
    assert_documented_in("docs/sigma.md", &keys_of(std::slice::from_ref(&value)));
}
