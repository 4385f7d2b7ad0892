//! Section 2 of the specification.

use kiki_stats::match_error::{Denominator, IntervalMethod, MatchEstimate, games_needed, likely_run};
use kiki_stats::{Interval, Result, normal};
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number, relative};

#[test]
fn match_error_records() {
    check_all("match-error", |record| {
        match record.id.as_str() {
            "ERR-seed" => seed(record),
            "ERR-z" => multipliers(record),
            "ERR-need" => needed(record),
            _ if record.output.get("clopper_pearson").is_some() => estimates(record),
            _ => return false,
        }
        true
    });
}

fn estimate(record: &GoldenRecord) -> MatchEstimate {
    MatchEstimate::of(number(&record.input["k"]), record.input["n"].as_u64().expect("games")).unwrap()
}

fn seed(record: &GoldenRecord) {
    let estimate = estimate(record);
    let out = &record.output;
    relative("q", estimate.win_rate(), &out["q"], 1e-9);
    close("S", estimate.standard_error(), &out["S_text"], 5e-4);
    close("dR", estimate.elo(), &out["dR_text"], 0.05);
    close("dR_se", estimate.elo_standard_error(), &out["dR_se_text"], 0.05);
    let over = estimate.standard_error_over(Denominator::GamesMinusThreeHalves).unwrap();
    relative("S_n15", over, &out["S_n15"], 1e-9);
    relative("dR", estimate.elo(), &out["dR"], 1e-9);
    relative("dR_se", estimate.elo_standard_error(), &out["dR_se"], 1e-9);
}

fn estimates(record: &GoldenRecord) {
    let estimate = estimate(record);
    let level = number(&record.input["level"]);
    let out = &record.output;
    relative("q", estimate.win_rate(), &out["q"], 1e-9);
    relative("S", estimate.standard_error(), &out["S"], 1e-9);
    let over = |denominator| estimate.standard_error_over(denominator).unwrap();
    relative("S_n1", over(Denominator::GamesMinusOne), &out["S_n1"], 1e-9);
    relative("S_n15", over(Denominator::GamesMinusThreeHalves), &out["S_n15"], 1e-9);
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

fn minimal(estimate: &MatchEstimate, level: f64, expected: &Value) {
    let run = likely_run(estimate.score(), level).unwrap();
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
