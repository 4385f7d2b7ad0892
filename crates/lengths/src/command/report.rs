//! The answer as text and as JSON.

use crate::game_length::{LengthErrors, LengthMoments, WeightedLength};
use serde_json::{Value, json};

use super::answer::Answer;
use kiki_run::numbers::table;
use kiki_run::say;

/// The mean of the plies that are no walk, and those of the walk, by how the deciding ply is counted.
fn parts(answer: &Answer) -> (f64, f64) {
    let decided = f64::from(answer.count_deciding_ply);
    (answer.model.mean - decided, answer.model.walk().moments().mean - 1.0 + decided)
}

/// Numbers of plies that the distributions are told at.
const PLIES: [u32; 7] = [60, 80, 100, 120, 150, 200, 250];

pub(super) fn print(answer: &Answer) {
    let (mean, walk) = parts(answer);
    let model = &answer.model;
    let error = |of: fn(&LengthErrors) -> f64, digits: usize| {
        answer.played.as_ref().map_or_else(String::new, |played| format!(" ± {:.digits$}", of(&played.errors)))
    };
    say!("step        {:.4}{}", model.walk().step(), error(|errors| errors.step, 4));
    say!("other plies {mean:.2}{} on average", error(|errors| errors.mean, 2));
    say!("            {:.2}{} standard deviation", model.deviation, error(|errors| errors.deviation, 2));
    let steps = model.walk().moments();
    say!("walk        {walk:.2} plies on average, {:.2} standard deviation", steps.deviation());
    if let Some(played) = &answer.played {
        say!(
            "{} games count; {} ended otherwise, {} were shorter or longer; ±: standard errors, {} of {} samples have a model",
            played.games.len(),
            played.other_endings,
            played.out_of_range,
            played.errors.samples,
            played.replicates
        );
    }
    say!("{}", moments_table(answer));
    let distribution = model.distribution();
    let row = |plies: u32| {
        let at = f64::from(plies);
        let mut cells = vec![plies.to_string()];
        cells.extend(answer.played.as_ref().map(|played| format!("{:.4}", share(&played.games, at))));
        cells.extend([distribution.cdf(at), answer.gamma.cdf(at)].map(|share| format!("{share:.4}")));
        cells
    };
    let played = answer.played.as_ref().map(|_| "games");
    let header: Vec<&str> = ["plies"].into_iter().chain(played).chain(["model", "gamma"]).collect();
    say!("{}", table(&header, PLIES.into_iter().map(row)));
    say!("greatest difference between model and gamma: {:.4}", gap(answer));
}

fn moments_table(answer: &Answer) -> comfy_table::Table {
    let cells = |name: &str, moments: &LengthMoments| {
        let (third, fourth) = moments.roots();
        let numbers = [moments.mean, moments.deviation(), third, fourth].map(|number| format!("{number:.3}"));
        let shape = [moments.skewness(), moments.excess_kurtosis()].map(|number| format!("{number:.4}"));
        [name.to_owned()].into_iter().chain(numbers).chain(shape).collect::<Vec<String>>()
    };
    let (model, gamma) = (answer.model.moments(), answer.gamma.moments());
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(answer.played.as_ref().map(|played| cells("games", &played.moments)));
    rows.extend([cells("model", &model), cells("gamma", &gamma)]);
    rows.extend(LengthMoments::of_games(&answer.simulated).ok().map(|moments| cells("simulated", &moments)));
    let ratio = |number: f64| format!("{number:.6}");
    let (ours, theirs) = (model.roots(), gamma.roots());
    let ratios = [ratio(1.0), ratio(1.0), ratio(ours.0 / theirs.0), ratio(ours.1 / theirs.1)];
    rows.push(["model / gamma".to_owned()].into_iter().chain(ratios).chain([String::new(), String::new()]).collect());
    table(&["", "mean", "deviation", "root of third", "root of fourth", "skewness", "excess kurtosis"], rows)
}

/// The share of games of so many plies or fewer.
fn share(games: &[WeightedLength], plies: f64) -> f64 {
    let sum = |counts: fn(f64, f64) -> bool| {
        games.iter().filter(|game| counts(game.plies, plies)).fold(0.0, |sum, game| sum + game.weight)
    };
    sum(|length, plies| length <= plies) / sum(|_, _| true)
}

fn gap(answer: &Answer) -> f64 {
    answer.model.distribution().greatest_gap(|plies| answer.gamma.cdf(plies))
}

pub(super) fn as_json(answer: &Answer) -> Value {
    let moments = |moments: &LengthMoments| {
        json!({
            "mean": moments.mean,
            "deviation": moments.deviation(),
            "third": moments.third,
            "fourth": moments.fourth,
            "skewness": moments.skewness(),
            "excess_kurtosis": moments.excess_kurtosis(),
        })
    };
    let (mean, walk) = parts(answer);
    let distribution = answer.model.distribution();
    let shares = PLIES.map(|plies| json!([plies, distribution.cdf(plies.into()), answer.gamma.cdf(plies.into())]));
    let played = answer.played.as_ref().map(|played| {
        json!({
            "counted": played.games.len(),
            "other_endings": played.other_endings,
            "out_of_range": played.out_of_range,
            "moments": moments(&played.moments),
            "errors": {
                "step": played.errors.step,
                "mean": played.errors.mean,
                "deviation": played.errors.deviation,
                "samples": played.errors.samples,
            },
        })
    });
    json!({
        "step": answer.model.walk().step(),
        "other_plies": { "mean": mean, "deviation": answer.model.deviation },
        "walk_plies": walk,
        "games": played,
        "model": moments(&answer.model.moments()),
        "gamma": { "shape": answer.gamma.shape, "scale": answer.gamma.scale, "moments": moments(&answer.gamma.moments()) },
        "simulated": LengthMoments::of_games(&answer.simulated).ok().map(|found| moments(&found)),
        "shares": shares,
        "greatest_gap": gap(answer),
    })
}
