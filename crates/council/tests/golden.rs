//! Section 6 of the specification.

use kiki_council::model::{
    Accuracy, BestValue, CouncilModel, Opinion, SimpleCouncil, crossing, extreme_value, simulate, weigh,
};
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number, numbers};

/// Runs of a simulation: the standard error of a rate is 0.0022.
const RUNS: u32 = 50_000;

#[test]
fn council_records() {
    check_all("council", |record| {
        match record.id.as_str() {
            "CO-cross" => crossings(record),
            "CO-N-s2-n2" | "CO-N-s2-n3" => equal_members(record),
            "CO-one-1" | "CO-one-2" => decision(record),
            "CO-simple" => simple(record),
            id if id.starts_with("CO-s1=2-") => sweep(record),
            _ => return false,
        }
        true
    });
}

fn sweep(record: &GoldenRecord) {
    let input = |key: &str| number(&record.input[key]);
    for (noise, expected) in by_number(&record.output) {
        let model = CouncilModel::new(vec![input("s1"), noise, noise], input("n") as u32)
            .and_then(|model| model.synchronised(input("sync")))
            .unwrap();
        let exact = &expected["exact"];
        close("strongest", model.single(0), &exact["strongest"], 1e-9);
        close("weaker", model.single(1), &exact["weaker"], 1e-9);
        close("majority", model.majority(), &exact["majority"], 1e-9);
        close("optimistic", model.optimistic(), &exact["optimistic"], 1e-9);
        close("pessimistic", model.pessimistic(), &exact["pessimistic"], 1e-9);
        close("agreement of the weaker", model.agreement(1, 2), &exact["agree_weak_weak"], 1e-9);
        close("agreement with the strongest", model.agreement(0, 1), &exact["agree_strong_weak"], 1e-9);
        let found = simulate(&model, RUNS, 1).unwrap();
        let error = number(&expected["mc"]["se_max"]);
        within("best", found.best, &expected["mc"]["best"], error);
        within("predicted", found.predicted, &expected["mc"]["predicted"], error);
    }
}

/// Both are samples: they differ by less than four standard errors of their difference.
fn within(what: &str, found: Accuracy, expected: &Value, error: f64) {
    close(what, found.rate, expected, 4.0 * found.standard_error.hypot(error));
}

fn crossings(record: &GoldenRecord) {
    type Rule = fn(&CouncilModel) -> f64;
    let rules: [(&str, Rule); 2] = [("majority", CouncilModel::majority), ("optimistic", CouncilModel::optimistic)];
    for candidates in [2, 3] {
        for synchronisation in ["0", "0.5"] {
            for (name, rule) in rules {
                let model = |noise: f64| {
                    CouncilModel::new(vec![2.0, noise, noise], candidates)?
                        .synchronised(synchronisation.parse().unwrap())
                };
                let found = crossing(model, rule, 2.0, 10.0).unwrap();
                let key = format!("n={candidates} s1=2 sync={synchronisation} {name}");
                close(&key, found.expect("the rule falls below the strongest"), &record.output[&key], 1e-6);
            }
        }
    }
}

fn equal_members(record: &GoldenRecord) {
    let input = |key: &str| number(&record.input[key]);
    for (members, expected) in by_number(&record.output) {
        let model = CouncilModel::new(vec![input("s"); members as usize], input("n") as u32).unwrap();
        let exact = &expected["exact"];
        close("single", model.single(0), &exact["single"], 1e-9);
        close("majority", model.majority(), &exact["majority"], 1e-9);
        close("optimistic", model.optimistic(), &exact["optimistic"], 1e-9);
        close("pessimistic", model.pessimistic(), &exact["pessimistic"], 1e-9);
        let found = simulate(&model, RUNS, 2).unwrap();
        within("best", found.best, &expected["mc"]["best"], number(&expected["se"]));
        within("predicted", found.predicted, &expected["mc"]["predicted"], number(&expected["se"]));
    }
}

fn decision(record: &GoldenRecord) {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let moves = texts(&record.input["moves"]);
    let candidate = |name: &String| moves.iter().position(|other| other == name).unwrap();
    let told = numbers(&record.input["V"]).into_iter().zip(numbers(&record.input["s"]));
    let opinions: Vec<Opinion> = moves
        .iter()
        .zip(told)
        .map(|(name, (value, noise))| Opinion { candidate: candidate(name), value, noise })
        .collect();
    let best_value = record.input["A"].as_f64().map_or(BestValue::Predicted, BestValue::Known);
    let weighing = weigh(&opinions, number(&record.input["d"]), best_value).unwrap();
    close("the best move's value", weighing.best_value, &record.output["A_used"], 1e-9);
    for (&weight, expected) in weighing.weights.iter().zip(record.output["weight"].as_array().unwrap()) {
        close("weight", weight, expected, 1e-9);
    }
    for found in &weighing.candidates {
        let name = &moves[found.candidate];
        close("score", found.score, &record.output["score"][name], 1e-9);
        close("posterior", found.posterior, &record.output["posterior"][name], 1e-9);
    }
    // Products of likelihoods differ from sums of weights by what all candidates have in common.
    let product = |index: usize| number(&record.output["lnF_product"][&moves[weighing.candidates[index].candidate]]);
    let difference = weighing.candidates[0].score - weighing.candidates[1].score;
    assert!((difference - (product(0) - product(1))).abs() < 1e-9);
    assert_eq!(record.output["best"], moves[weighing.best()]);
    assert_eq!(record.output["optimistic"], moves[extreme_value(&opinions, true).unwrap()]);
    assert_eq!(record.output["pessimistic"], moves[extreme_value(&opinions, false).unwrap()]);
}

fn simple(record: &GoldenRecord) {
    for (candidates, strongest) in [(2, 0.6), (3, 0.5), (5, 0.45)] {
        let expected = &record.output[format!("B={candidates} p1={strongest}")];
        let council = SimpleCouncil::new(candidates, strongest).unwrap();
        close("advantage", council.advantage(), &expected["a"], 1e-9);
        close("majority", council.majority(council.advantage() / 4.0), &expected["P_at_d_quarter_a"], 1e-9);
        close("first order", council.first_order_threshold(), &expected["first_order_threshold"], 1e-9);
        close("threshold", council.threshold(), &expected["exact_threshold"], 1e-9);
    }
}
