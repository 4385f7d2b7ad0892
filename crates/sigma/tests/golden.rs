//! Reference records of an independent program for sigma. The tests of the command line check those
//! of ProbCut and gambling.

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

/// Data by the specification's formula: two features, and a difference for each i.
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
