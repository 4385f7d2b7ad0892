//! All reference records of matches and sequential tests, each at its own tolerance.

use kiki_stats::match_error::{IntervalMethod, games_needed, likely_run};
use kiki_stats::sprt::{Counts, EloModel, Hypotheses, Sprt, operating_point};
use kiki_stats::tally::MatchScore;
use kiki_stats::{Interval, Result, normal};
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number, relative};

#[test]
fn every_system_of_the_fixture_is_checked() {
    let known = [
        "ab-test",
        "alpha-beta",
        "binomial-coverage",
        "bradley-terry",
        "council",
        "gamble",
        "intrinsic-rating",
        "match-error",
        "probcut",
        "random-walk",
        "sigma",
        "sprt",
    ];
    for system in kiki_tests::golden::systems() {
        assert!(known.contains(&system.as_str()), "no check covers the system {system}");
    }
}

#[test]
fn match_error_records() {
    check_all("match-error", |record| {
        match record.id.as_str() {
            "ERR-z" => multipliers(record),
            "ERR-need" => needed(record),
            _ if record.output.get("clopper_pearson").is_some() => estimates(record),
            _ => return false,
        }
        true
    });
}

fn estimate(record: &GoldenRecord) -> MatchScore {
    MatchScore::new(number(&record.input["k"]), record.input["n"].as_u64().expect("games")).unwrap()
}

fn estimates(record: &GoldenRecord) {
    let estimate = estimate(record);
    let level = number(&record.input["level"]);
    let out = &record.output;
    relative("q", estimate.share(), &out["q"], 1e-9);
    relative("S", estimate.standard_error(), &out["S"], 1e-9);
    relative("S_n1", estimate.standard_error_with(1.0).unwrap(), &out["S_n1"], 1e-9);
    relative("S_n15", estimate.standard_error_with(1.5).unwrap(), &out["S_n15"], 1e-9);
    relative("dR", estimate.elo(), &out["dR"], 1e-9);
    relative("dR_se", estimate.elo_standard_error(), &out["dR_se"], 1e-9);
    let methods = [
        ("normal", IntervalMethod::Normal),
        ("wilson", IntervalMethod::Wilson),
        ("clopper_pearson", IntervalMethod::ClopperPearson),
        ("jeffreys", IntervalMethod::Jeffreys),
    ];
    for (name, method) in methods {
        let what = format!("{} {name}", record.id);
        let interval = estimate.interval(method, level).unwrap();
        relative(&what, interval.low, &out[name][0], 1e-9);
        relative(&what, interval.high, &out[name][1], 1e-9);
        elo(&what, estimate.elo_interval(method, level), &out[format!("{name}_elo")]);
    }
    minimal(&estimate, level, &out["minimal_binomial"]);
    close("LOS", estimate.superiority_normal(), &out["LOS_normal"], 1e-9);
    close("LOS", estimate.superiority_beta(), &out["LOS_beta"], 1e-9);
}

fn elo(what: &str, interval: Result<Interval>, expected: &Value) {
    if expected[0] == "degenerate" {
        assert!(interval.is_err(), "{what} must have no Elo interval");
        return;
    }
    let interval = interval.unwrap();
    close(what, interval.low, &expected[0], 1e-6);
    close(what, interval.high, &expected[1], 1e-6);
}

fn minimal(estimate: &MatchScore, level: f64, expected: &Value) {
    let run = likely_run(*estimate, level).unwrap();
    assert_eq!((Some(run.low), Some(run.high)), (expected["k_lo"].as_u64(), expected["k_hi"].as_u64()));
    relative("mass", run.mass, &expected["prob"], 1e-9);
    let interval = estimate.interval(IntervalMethod::MinimalBinomial, level).unwrap();
    relative("q_lo", interval.low, &expected["q_lo"], 1e-9);
    relative("q_hi", interval.high, &expected["q_hi"], 1e-9);
}

fn multipliers(record: &GoldenRecord) {
    for (level, r) in by_number(&record.output["r_for_level"]) {
        close("r", normal::multiplier(level).unwrap(), r, 1e-9);
    }
    for (r, expected) in by_number(&record.output["level_for_r"]) {
        let level = normal::level(r).unwrap();
        close("inside", level.inside, &expected["inside"], 1e-9);
        close("-log10 a", level.minus_log10_outside(), &expected["minus_log10_a"], 1e-9);
    }
}

fn needed(record: &GoldenRecord) {
    for (q, by_width) in by_number(&record.output) {
        for (half_width, games) in by_number(by_width) {
            assert_eq!(Some(games_needed(half_width, q, 0.95).unwrap()), games.as_u64(), "{q} {half_width}");
        }
    }
}

#[test]
fn sprt_records() {
    check_all("sprt", |record| {
        match record.id.as_str() {
            "SPRT-bounds" => bounds(record),
            "SPRT-oc" => operating_characteristic(record),
            id if id.starts_with("SPRT-tri-") => trinomial(record),
            id if id.starts_with("SPRT-penta-") => pentanomial(record),
            _ => return false,
        }
        true
    });
}

fn bounds(record: &GoldenRecord) {
    for (rates, bounds) in record.output.as_object().expect("bounds by error rates") {
        let (alpha, beta) = rates.split_once(',').expect("two error rates");
        let hypotheses = Hypotheses::new(0.0, 5.0, alpha.parse().unwrap(), beta.parse().unwrap()).unwrap();
        close(rates, hypotheses.bounds().lower, &bounds[0], 1e-12);
        close(rates, hypotheses.bounds().upper, &bounds[1], 1e-12);
    }
}

fn operating_characteristic(record: &GoldenRecord) {
    let input = |name: &str| number(&record.input[name]);
    let hypotheses = Hypotheses::new(input("elo0"), input("elo1"), input("alpha"), input("beta")).unwrap();
    let sprt = Sprt { hypotheses, model: EloModel::Logistic };
    for (elo, expected) in by_number(&record.output) {
        let point = operating_point(&sprt, elo, &|_| ()).unwrap();
        close("P(H1)", point.accept_h1, &expected["P_accept_H1"], 1e-6);
        close("P(H0)", point.accept_h0, &expected["P_accept_H0"], 1e-6);
        close("games", point.expected_games, &expected["expected_games"], 1e-6 * point.expected_games);
    }
}

fn trinomial(record: &GoldenRecord) {
    let counts = numbers(&record.input["counts_LDW"]);
    ratios(record, &Counts::Trinomial(counts.try_into().expect("three counts")));
}

fn pentanomial(record: &GoldenRecord) {
    let counts = numbers(&record.input["counts"]);
    let counts = Counts::Pentanomial(counts.try_into().expect("five counts"));
    ratios(record, &counts);
    let estimates = counts.estimates(0.95).unwrap();
    let check = |name: &str, actual: f64| close(name, actual, &record.output[name], 1e-6);
    check("score", estimates.score);
    check("var_pair", estimates.variance);
    check("elo", estimates.elo);
    check("elo_lo95", estimates.elo_interval.low);
    check("elo_hi95", estimates.elo_interval.high);
    check("nelo", estimates.normalized_elo.unwrap());
    check("nelo_half95", estimates.normalized_elo_half_width.unwrap());
    check("los", estimates.superiority);
}

fn ratios(record: &GoldenRecord, counts: &Counts) {
    let hypotheses = Hypotheses::new(number(&record.input["elo0"]), number(&record.input["elo1"]), 0.05, 0.05).unwrap();
    let test = |model| Sprt { hypotheses, model };
    let check = |name: &str, actual: f64| close(&format!("{} {name}", record.id), actual, &record.output[name], 1e-6);
    check("llr_logistic", test(EloModel::Logistic).llr(counts).unwrap());
    check("llr_normalized", test(EloModel::Normalized).llr(counts).unwrap());
    check("llr_logistic_normal_approx", test(EloModel::Logistic).llr_normal_approximation(counts).unwrap());
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("counts").iter().map(|count| count.as_u64().expect("a count")).collect()
}
