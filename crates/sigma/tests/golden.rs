//! Reference records of an independent program: sigma, ProbCut and gambling.

use kiki_sigma::chance::UncertainTree::{Leaf, Node};
use kiki_sigma::chance::{SignTest, UncertainTree, chance};
use kiki_sigma::cuts::{CutDecision, ValueRegression, combine, decide, false_cut, joint_false_cut};
use kiki_sigma::model::{Calibration, SigmaLink, SigmaSamples, equivalent_sigma, fit};
use kiki_stats::normal;
use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number, numbers};
use serde_json::Value;

#[test]
fn sigma_records() {
    check_all("sigma", |record| {
        match record.id.as_str() {
            "SIG-fit" => fit_of_formula_data(record),
            "SIG-seed" => equivalent_sigmas(record),
            _ => return false,
        }
        true
    });
}

/// The data that the specification makes by formula: two features, and a difference for each i.
fn formula_data(record: &GoldenRecord) -> (SigmaSamples, SigmaSamples) {
    let truth = numbers(&record.input["w"]);
    let (mut samples, mut constant) = (SigmaSamples::new(3), SigmaSamples::new(1));
    for i in 1..=number(&record.input["n"]) as u32 {
        let part = |step: f64| (step * f64::from(i)).fract();
        let features = [part(0.754_877_666_246_692_7), part(0.569_840_290_998_053_2).powi(2)];
        let sigma = truth[0] + truth[1] * features[0] + truth[2] * features[1];
        let difference = sigma * normal::quantile(part(0.618_033_988_749_894_9)).unwrap();
        samples.push(&[(1, features[0] as f32), (2, features[1] as f32)], difference).unwrap();
        constant.push(&[], difference).unwrap();
    }
    (samples, constant)
}

fn fit_of_formula_data(record: &GoldenRecord) {
    let (samples, constant) = formula_data(record);
    let expected = |name: &str| &record.output[name];
    let each = |name: &str, actual: &[f64], tolerance: f64| {
        let listed = expected(name).as_array().expect("a list");
        listed.iter().zip(actual).for_each(|(expected, &actual)| close(name, actual, expected, tolerance));
    };
    each("g", samples.differences(), 1e-6);
    close("sum_g2", samples.differences().iter().map(|g| g * g).sum(), expected("sum_g2"), 1e-4);
    let likelihood = |weights: &[f64]| samples.mean_log_likelihood(weights, SigmaLink::Linear, 0.0).unwrap();
    // Features are single precision, which moves sums by some 1e-9 of their size.
    close("ll_truth", likelihood(&numbers(&record.input["w"])), expected("ll_truth"), 1e-9);
    close("ll_flat", likelihood(&numbers(expected("w_flat"))), expected("ll_flat"), 1e-9);
    let found = fit(&samples, SigmaLink::Linear, 0.0).unwrap();
    each("w_hat", &found.weights, 2e-6);
    each("se", &found.standard_errors, 1e-5);
    close("ll_hat", found.mean_log_likelihood, expected("ll_hat"), 1e-9);
    let flat = fit(&constant, SigmaLink::Linear, 0.0).unwrap();
    close("constant", flat.weights[0], expected("constant"), 1e-6);
    close("ll_constant", flat.mean_log_likelihood, expected("ll_constant"), 1e-9);
    calibration(&samples, &found.weights, expected("groups"), expected("slope"));
}

fn calibration(samples: &SigmaSamples, weights: &[f64], groups: &Value, slope: &Value) {
    let sigmas = samples.sigmas(weights, SigmaLink::Linear, 0.0);
    let calibration = Calibration::new(&sigmas, samples.differences(), 128).unwrap();
    for (group, expected) in by_number(groups) {
        let group = calibration.groups[group as usize];
        close("estimated", group.estimated, &expected[0], 6e-4);
        close("observed", group.observed, &expected[1], 6e-4);
        assert_eq!(group.samples, 100);
    }
    close("slope", calibration.slope, slope, 6e-7);
}

fn equivalent_sigmas(record: &GoldenRecord) {
    for (likelihood, expected) in numbers(&record.input["ll"]).iter().zip(numbers(&record.output["sigma"])) {
        assert!((equivalent_sigma(*likelihood).unwrap() - expected).abs() < 0.0051, "{likelihood}");
    }
}

#[test]
fn probcut_records() {
    check_all("probcut", |record| {
        match record.id.as_str() {
            "PC-decisions" => decisions(record),
            "PC-joint" => joint(record),
            "PC-combine" => combination(record),
            "PC-regression" => regression(record),
            _ => return false,
        }
        true
    });
}

fn decisions(record: &GoldenRecord) {
    for row in record.output["decisions"].as_array().expect("rows") {
        let input: Vec<f64> = row.as_array().expect("a row")[..5].iter().map(number).collect();
        let expected = match row[5].as_str() {
            Some("fail_high") => CutDecision::FailHigh,
            Some("fail_low") => CutDecision::FailLow,
            _ => CutDecision::Search,
        };
        assert_eq!(decide(input[0], (input[1], input[2]), input[3], input[4]), Ok(expected), "{row}");
    }
}

fn joint(record: &GoldenRecord) {
    for row in record.output["joint"].as_array().expect("rows") {
        let input = numbers(row);
        close("joint", joint_false_cut(input[0], input[1], input[2]).unwrap(), &row[3], 6e-9);
    }
    for row in record.output["one"].as_array().expect("rows") {
        close("one", false_cut(number(&row[0])), &row[1], 5e-4);
    }
}

fn combination(record: &GoldenRecord) {
    let pair = |name: &str| <[f64; 2]>::try_from(numbers(&record.input[name])).expect("two numbers");
    let found = combine(pair("v"), pair("sigma"), number(&record.input["rho"])).unwrap();
    for (index, weight) in found.weights.into_iter().enumerate() {
        close("weight", weight, &record.output["weights"][index], 6e-10);
    }
    close("value", found.value, &record.output["value"], 6e-7);
    close("sigma", found.sigma, &record.output["sigma"], 6e-7);
}

fn regression(record: &GoldenRecord) {
    let part = |step: f64, i: u32| (step * f64::from(i)).fract();
    let pairs: Vec<(f64, f64)> = (1..=number(&record.input["n"]) as u32)
        .map(|i| {
            let shallow = 1200.0 * (part(0.754_877_666_246_692_7, i) - 0.5);
            let error = 140.0 * normal::quantile(part(0.618_033_988_749_894_9, i)).unwrap();
            (shallow, 1.08 * shallow - 6.0 + error)
        })
        .collect();
    let found = ValueRegression::fit(&pairs).unwrap();
    close("a", found.slope, &record.output["a"], 1e-9);
    close("b", found.offset, &record.output["b"], 1e-6);
    close("sigma", found.sigma, &record.output["sigma"], 1e-6);
}

#[test]
fn gamble_records() {
    check_all("gamble", |record| {
        match record.id.as_str() {
            "GM-root" => root_moves(record),
            "GM-tree" => tree(record),
            "GM-sign" => sign_tests(record),
            _ => return false,
        }
        true
    });
}

fn root_moves(record: &GoldenRecord) {
    for (side, moves) in record.input.as_object().expect("two sides") {
        for (name, leaf) in moves.as_object().expect("moves") {
            close(name, chance(number(&leaf[0]), number(&leaf[1])).unwrap(), &record.output[side][name], 1e-12);
        }
    }
}

/// White moves, Black replies: Black's values at the leaves are those of the side that is not to move there.
fn tree(record: &GoldenRecord) {
    let leaf = |pair: &Value| {
        let pair = numbers(pair);
        Leaf(-pair[0], pair[1])
    };
    for (name, leaves) in record.input.as_object().expect("moves") {
        let replies: UncertainTree = Node(leaves.as_array().expect("leaves").iter().map(leaf).collect());
        close(name, replies.value(), &record.output["values"][name], 1e-12);
        close(name, 1.0 - replies.chance().unwrap(), &record.output["P"][name], 6e-10);
    }
}

fn sign_tests(record: &GoldenRecord) {
    for row in record.output["tests"].as_array().expect("rows") {
        let test = SignTest::new(number(&row[0]) as u64, number(&row[1]) as u64).unwrap();
        close("z", test.z, &row[2], 6e-5);
        close("p", test.two_sided, &row[3], 6e-7);
    }
}
