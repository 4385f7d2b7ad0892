//! Section 10 of the specification.

use kiki_sigma::probcut::{CutDecision, ValueRegression, combine, decide, false_cut, joint_false_cut};
use kiki_stats::normal;

use kiki_tests::golden::{GoldenRecord, check_all, close, number, numbers};

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
