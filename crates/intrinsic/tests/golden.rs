//! Reference records of intrinsic ratings.

use kiki_intrinsic::choice::{Choice, ChoiceModel, ChoiceTest, Projection, scaled_error};
use kiki_intrinsic::fit::{fit, fit_percentiles, log_likelihood, percentile_curve};
use kiki_intrinsic::line::CHESS_LINE;
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, check_all, close, number, relative};

#[test]
fn intrinsic_rating_records() {
    check_all("intrinsic-rating", |record| {
        match record.id.as_str() {
            "IR-fit" => fits(record),
            // Tests of the command line check these (command/intrinsic.rs).
            "IR-err" | "IR-err-u" | "IR-line" | "IR-p" | "IR-ols" => {}
            _ => return false,
        }
        true
    });
}

fn fraction(value: f64) -> f64 {
    value - value.floor()
}

/// Choices by the specification's formula, with moves in its order, not by value; and the values of
/// the first one.
fn formula_data(record: &GoldenRecord) -> (Vec<Choice>, Vec<f64>) {
    let input = |key: &str| number(&record.input[key]);
    let truth = ChoiceModel::new(input("s_true"), input("c_true")).unwrap();
    let offset = input("offset");
    let values = |k: f64| -> Vec<f64> {
        let best = 2.0 * fraction(0.754_877_666_246_692_7 * k + offset) - 1.0;
        let other = |i: f64| best - 0.02 * i * i * (0.5 + fraction(0.569_840_290_998_053_2 * k + 0.1 * i));
        (0..input("m") as u32).map(|i| if i == 0 { best } else { other(f64::from(i)) }).collect()
    };
    let choice = |k: f64| {
        let values = values(k);
        let errors: Vec<f64> = values.iter().map(|&value| scaled_error(values[0], value, 1.0).unwrap()).collect();
        let u = fraction(0.618_033_988_749_894_9 * k + offset);
        let mut sum = 0.0;
        let played = truth.probabilities(&errors).iter().position(|probability| {
            sum += probability;
            u < sum
        });
        Choice::new(errors, played.unwrap()).unwrap()
    };
    ((1..=input("K") as u32).map(|k| choice(f64::from(k))).collect(), values(1.0))
}

fn fits(record: &GoldenRecord) {
    let output = &record.output;
    let (choices, values) = formula_data(record);
    for (found, expected) in values.iter().zip(output["V_row1"].as_array().unwrap()) {
        close("value", *found, expected, 1e-9);
    }
    for (found, expected) in choices[0].errors.iter().zip(output["D_row1"].as_array().unwrap()) {
        close("scaled error", *found, expected, 1e-9);
    }
    let mut histogram = vec![0; 8];
    choices.iter().for_each(|choice| histogram[choice.played] += 1);
    assert_eq!(Value::from(histogram), output["choice_histogram"]);
    let sum: f64 = choices.iter().flat_map(|choice| &choice.errors).sum();
    close("sum of errors", sum, &output["sum_D"], 1e-4);

    let truth = ChoiceModel::new(number(&record.input["s_true"]), number(&record.input["c_true"])).unwrap();
    close("likelihood of the truth", log_likelihood(&truth, &choices), &output["loglik_true"], 1e-6);
    let found = fit(&choices).unwrap();
    close("greatest likelihood", found.log_likelihood, &output["loglik_max"], 1e-6);
    relative("s", found.model.sensitivity(), &output["s_hat"], 1e-4);
    relative("c", found.model.consistency(), &output["c_hat"], 1e-4);
    relative("error of ln s", found.error_ln_s, &output["se_ln_s"], 1e-3);
    relative("error of ln c", found.error_ln_c, &output["se_ln_c"], 1e-3);
    close("correlation", found.correlation, &output["corr"], 1e-3);

    let percentiles = fit_percentiles(&choices).unwrap();
    relative("s of percentiles", percentiles.model.sensitivity(), &output["percentile_fit"]["s"], 2e-3);
    relative("c of percentiles", percentiles.model.consistency(), &output["percentile_fit"]["c"], 2e-3);
    close("distance", percentiles.distance, &output["percentile_fit"]["objective"], 1e-9);
    // Under a right model the curve is the diagonal.
    assert!(percentile_curve(&truth, &choices).iter().all(|(q, share)| (q - share).abs() < 0.03));

    let projection = Projection::new(Some(&found.model), &choices).unwrap();
    close("match rate", projection.match_rate, &output["match_rate_actual"], 1e-4);
    close("expected match rate", projection.expected_match_rate.unwrap(), &output["match_rate_model"], 1e-4);
    close("mean error", projection.mean_error, &output["avg_error_actual"], 1e-6);
    close("expected mean error", projection.expected_mean_error.unwrap(), &output["avg_error_model"], 1e-6);
    relative("rating", CHESS_LINE.rating(projection.mean_error), &output["IR_actual"], 1e-4);
    relative("expected rating", CHESS_LINE.rating(projection.expected_mean_error.unwrap()), &output["IR_model"], 1e-4);

    let expected = &output["test_first200"];
    let test = ChoiceTest::new(&found.model, &choices[..200]).unwrap();
    close("matches", test.matches, &expected["match"], 0.0);
    relative("expected matches", test.expected_matches, &expected["expected"], 1e-4);
    close("z of matches", test.z_match.unwrap(), &expected["z_match"], 1e-3);
    close("z of errors", test.z_error.unwrap(), &expected["z_avg_error"], 1e-3);
}
