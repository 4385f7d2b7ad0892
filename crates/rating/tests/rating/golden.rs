//! Reference records of the ratings of a table.

use kiki_rating::bradley_terry::{Covariance, Fit, FitOptions, MonteCarloPlan, ResultTable, Scale, fit, monte_carlo};
use kiki_stats::tally::MatchScore;
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, check_all, close, number};

#[test]
fn bradley_terry_records() {
    check_all("bradley-terry", |record| {
        match record.id.as_str() {
            _ if record.output.get("closed").is_some() => two_players(record),
            _ if record.output.get("classes").is_some() => classes(record),
            _ if record.output.get("se_hessian_anchored").is_some() => {
                ratings(record);
                uncertainty(record);
                simulation(record);
            }
            _ => return false,
        }
        true
    });
}

fn two_players(record: &GoldenRecord) {
    let (w, l) = (number(&record.input["w"]), number(&record.input["l"]));
    let mut table = ResultTable::new(2);
    table.add(0, 1, w, l).unwrap();
    let fit = fit(&table, &FitOptions::anchored(1, 0.0)).unwrap();
    close("R", fit.rating(0).unwrap(), &record.output["R"], 1e-6);
    close("closed", fit.rating(0).unwrap(), &record.output["closed"], 1e-6);
    close("se", Covariance::new(&fit).unwrap().anchored_error(0).unwrap(), &record.output["se"], 1e-6);
    close("lnP", fit.ln_likelihood(), &record.output["lnP"], 1e-6);
    let match_error = MatchScore::new(w, (w + l) as u64).unwrap();
    close("section 2", match_error.elo_standard_error(), &record.output["se"], 1e-6);
}

/// The names and the table of a record.
fn table(record: &GoldenRecord) -> (Vec<String>, ResultTable) {
    let names: Vec<String> = serde_json::from_value(record.input["names"].clone()).expect("names");
    let mut table = ResultTable::new(names.len());
    for game in record.input["games"].as_array().expect("games") {
        let (a, b) = (index(&names, &game[0]), index(&names, &game[1]));
        table.add(a, b, number(&game[2]), number(&game[3])).unwrap();
    }
    (names, table)
}

fn index(names: &[String], name: &Value) -> usize {
    names.iter().position(|known| name == known.as_str()).expect("a known name")
}

fn classes(record: &GoldenRecord) {
    let (names, fit) = anchored(record);
    let classification = fit.classification();
    for (name, &class) in names.iter().zip(&classification.classes) {
        assert_eq!(record.output["classes"][name], class.to_string(), "{name}");
    }
    let core: Vec<&str> = classification.core.iter().map(|&player| names[player].as_str()).collect();
    assert_eq!(record.output["core"], serde_json::json!(core));
    ratings(record);
}

fn anchored(record: &GoldenRecord) -> (Vec<String>, Fit) {
    let (names, table) = table(record);
    let anchor = index(&names, &record.input["anchor"]);
    let fit = fit(&table, &FitOptions::anchored(anchor, 0.0)).unwrap();
    (names, fit)
}

fn ratings(record: &GoldenRecord) {
    let (names, fit) = anchored(record);
    for (name, rating) in record.output["ratings_anchor0"].as_object().expect("ratings") {
        let player = names.iter().position(|known| known == name).unwrap();
        close(name, fit.rating(player).unwrap(), rating, 1e-4);
    }
    close("lnP", fit.ln_likelihood(), &record.output["lnP"], 1e-6);
    assert!(fit.largest_gradient() < 1e-12);
    if let Some(ratings) = record.output["ratings_mean0"].as_object() {
        let (names, table) = table(record);
        let options = FitOptions { scale: Scale::Mean(0.0), ..FitOptions::default() };
        let fit = kiki_rating::bradley_terry::fit(&table, &options).unwrap();
        for (name, rating) in ratings {
            let player = names.iter().position(|known| known == name).unwrap();
            close(name, fit.rating(player).unwrap(), rating, 1e-4);
        }
    }
}

fn uncertainty(record: &GoldenRecord) {
    let (names, fit) = anchored(record);
    let covariance = Covariance::new(&fit).unwrap();
    let out = &record.output;
    for (player, name) in names.iter().enumerate() {
        close(name, covariance.anchored_error(player).unwrap(), &out["se_hessian_anchored"][name], 1e-4);
        close(name, covariance.centred_error(player).unwrap(), &out["se_hessian_centred"][name], 1e-4);
        for other in 0..names.len() {
            let expected = &out["cov_anchored"][player][other];
            close(name, covariance.anchored(player, other).unwrap(), expected, 1e-4);
        }
    }
    for (pair, error) in out["pair_diff_se"].as_object().expect("pairs") {
        let (a, b) = pair.split_once('-').expect("two names");
        let player = |name: &str| names.iter().position(|known| known == name).unwrap();
        close(pair, covariance.difference_error(player(a), player(b)).unwrap(), error, 1e-4);
    }
}

fn simulation(record: &GoldenRecord) {
    let (names, fit) = anchored(record);
    let expected = &record.output["mc"];
    let replicates = 4000;
    let plan = MonteCarloPlan { replicates, seed: 1, keep: None };
    let simulated = monte_carlo(&fit, &plan, &|_| ()).unwrap();
    assert_eq!((simulated.used, simulated.dropped), (replicates, 0));
    let relative = 4.0 * (0.5 / replicates as f64 + 0.5 / number(&expected["replicates"])).sqrt();
    for (player, name) in names.iter().enumerate() {
        let (anchored, centred) = (simulated.anchored[player].unwrap(), simulated.centred[player].unwrap());
        let sd = number(&expected["sd_anchored"][name]);
        let sd_centred = number(&expected["sd_centred"][name]);
        close(name, anchored.deviation, &expected["sd_anchored"][name], relative * sd);
        close(name, centred.deviation, &expected["sd_centred"][name], relative * sd_centred);
        close(name, anchored.mean, &expected["mean_anchored"][name], 4.0 * sd * (2.0 / replicates as f64).sqrt());
    }
}
