//! Reference records of the random walk of game lengths.

use kiki_lengths::fit::{fit, fit_pure_walk};
use kiki_lengths::model::{GameLengthModel, GammaLength, simulate};
use kiki_lengths::walk::{LengthMoments, Walk};
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number, relative};

#[test]
fn random_walk_records() {
    check_all("random-walk", |record| {
        match record.id.as_str() {
            "RW-pro" | "RW-floodgate" => model(record),
            "RW-fit" => fits(record),
            "RW-pure" => pure_walk(record),
            "RW-fail" => infeasible(record),
            _ => return false,
        }
        true
    });
}

fn model(record: &GoldenRecord) {
    let input = |key: &str| number(&record.input[key]);
    let model = GameLengthModel::new(input("A"), input("M"), input("S")).unwrap();
    let output = &record.output;
    walk(&model, &output["T"]);
    let total = model.moments();
    moments(&total, &output["total"]);
    relative("skewness", total.skewness(), &output["total"]["skewness"], 1e-6);
    relative("kurtosis", total.excess_kurtosis(), &output["total"]["excess_kurtosis"], 1e-6);
    let gamma = GammaLength::with(total.mean, total.deviation()).unwrap();
    relative("shape", gamma.shape, &output["gamma"]["shape"], 1e-6);
    relative("scale", gamma.scale, &output["gamma"]["scale"], 1e-6);
    roots(&gamma.moments(), &output["gamma"]);
    relative("ratio c3", total.third / gamma.moments().third, &output["ratio"]["c3"], 1e-6);
    relative("ratio c4", total.roots().1 / gamma.moments().roots().1, &output["ratio"]["c4_root"], 1e-6);
    let distribution = model.distribution();
    for (plies, expected) in by_number(&output["cdf_model"]) {
        close("model", distribution.cdf(plies), expected, 1e-9);
    }
    for (plies, expected) in by_number(&output["cdf_gamma"]) {
        close("gamma", gamma.cdf(plies), expected, 1e-9);
    }
    relative("gap", distribution.greatest_gap(|plies| gamma.cdf(plies)), &output["max_cdf_gap"], 1e-4);
    simulation(&model, &output["mc_1e6"]);
}

fn walk(model: &GameLengthModel, expected: &Value) {
    moments(&model.walk().moments(), expected);
    close("median", f64::from(model.walk().median()), &expected["median"], 0.0);
    let distribution = model.walk().distribution();
    for (step, expected) in by_number(&expected["pmf"]) {
        close("probability", distribution[step as usize - 1], expected, 1e-9);
    }
}

/// Values that are not in the record are not checked.
fn moments(found: &LengthMoments, expected: &Value) {
    relative("mean", found.mean, &expected["mean"], 1e-6);
    relative("deviation", found.deviation(), &expected["sd"], 1e-6);
    relative("c3", found.third, &expected["c3"], 1e-6);
    relative("c4", found.fourth, &expected["c4"], 1e-6);
    if expected.get("c3_root").is_some() {
        roots(found, expected);
    }
}

fn roots(found: &LengthMoments, expected: &Value) {
    relative("root of c3", found.roots().0, &expected["c3_root"], 1e-6);
    relative("root of c4", found.roots().1, &expected["c4_root"], 1e-6);
}

/// Both are samples: they differ by less than four standard errors of their difference.
fn simulation(model: &GameLengthModel, expected: &Value) {
    let games = simulate(model, 200_000, 1);
    let (steps, lengths): (Vec<f64>, Vec<f64>) = games.iter().map(|game| (f64::from(game.steps), game.length)).unzip();
    let root = (games.len() as f64).sqrt();
    let within = |what: &str, found: f64, error: f64, key: &str, its_error: &str| {
        close(what, found, &expected[key], 4.0 * error.hypot(number(&expected[its_error])));
    };
    let (steps, lengths) = (LengthMoments::of(&steps).unwrap(), LengthMoments::of(&lengths).unwrap());
    within("steps", steps.mean, steps.deviation() / root, "T_mean", "se_T_mean");
    within("length", lengths.mean, lengths.deviation() / root, "total_mean", "se_total_mean");
    // A million games had these errors.
    let more = (1e6 / games.len() as f64).sqrt();
    within("c3", lengths.third, more * number(&expected["se_c3"]), "c3", "se_c3");
    within("c4", lengths.fourth, more * number(&expected["se_c4"]), "c4", "se_c4");
}

fn fits(record: &GoldenRecord) {
    for (mean, deviation) in [(116.0, 27.9), (131.7, 32.4)] {
        let expected = &record.output[format!("gamma mean {mean} sd {deviation}")];
        let gamma = GammaLength::with(mean, deviation).unwrap();
        relative("c3", gamma.moments().third, &expected["c3"], 1e-9);
        let fit = fit(mean, deviation, gamma.moments().third).unwrap();
        close("step", fit.step, &expected["A"], 1e-7);
        close("mean", fit.mean, &expected["M"], 1e-4);
        close("deviation", fit.model().unwrap().deviation, &expected["S"], 1e-4);
        close("walk", Walk::new(fit.step).unwrap().moments().mean, &expected["T_mean"], 1e-5);
    }
}

fn pure_walk(record: &GoldenRecord) {
    let step = fit_pure_walk(116.1).unwrap();
    relative("step", step, &record.output["A"], 1e-6);
    let moments = Walk::new(step).unwrap().moments();
    relative("deviation", moments.deviation(), &record.output["sd"], 1e-6);
    relative("root of c3", moments.roots().0, &record.output["c3_root"], 1e-6);
}

fn infeasible(record: &GoldenRecord) {
    let input = |key: &str| number(&record.output["inp"][key]);
    let fit = fit(input("mean"), input("sd"), input("c3")).unwrap();
    let expected = &record.output["out"];
    close("step", fit.step, &expected["A"], 1e-7);
    close("mean", fit.mean, &expected["M"], 1e-4);
    assert_eq!(expected["S"], "infeasible");
    assert!(fit.variance < 0.0 && fit.model().is_err());
}
