//! Section 5 of the specification.

use kiki_stats::sprt::{Counts, EloModel, Hypotheses, Sprt, operating_point};
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number};

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
        let point = operating_point(&sprt, elo).unwrap();
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
