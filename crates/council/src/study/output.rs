//! Tables and pictures of a study.

use std::path::Path;

use anyhow::Result;
use kiki_plot::{BLACK, ChartLine, CurveStyle, LineChart};

use super::sweep::{CouncilRates, EqualMembers, Sweep, SweepPoint};

const COLUMNS: &str = "members,candidates,synchronisation,strongest_noise,weaker_noise,strongest,weaker,majority,optimistic,pessimistic,\
                       best,best_error,predicted,predicted_error,predicted_by_precision,predicted_by_precision_error";

pub(crate) fn csv(sweeps: &[Sweep], equal: &[EqualMembers]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for sweep in sweeps {
        for point in &sweep.points {
            let settings = [sweep.synchronisation, sweep.strongest_noise, point.noise];
            text += &line(sweep.candidates, settings, &point.rates);
        }
    }
    for found in equal {
        for rates in &found.councils {
            text += &line(found.candidates, [0.0, found.noise, found.noise], rates);
        }
    }
    text
}

fn line(candidates: u32, settings: [f64; 3], rates: &CouncilRates) -> String {
    let exact = [rates.strongest, rates.weaker, rates.majority, rates.optimistic, rates.pessimistic];
    let simulated = [rates.best, rates.predicted, rates.predicted_by_precision];
    let simulated = simulated.into_iter().flat_map(|found| [found.rate, found.standard_error]);
    let numbers = settings.into_iter().chain(exact).chain(simulated);
    let numbers: String = numbers.map(|number| format!(",{number}")).collect();
    format!("{},{candidates}{numbers}\n", rates.members)
}

const BLUE: usize = 0;
const RED: usize = 1;
const GREEN: usize = 2;
const GREY: usize = 6;

/// Writes a picture for each sweep and each row of equal members.
pub(crate) fn write_pictures(folder: &Path, sweeps: &[Sweep], equal: &[EqualMembers]) -> Result<()> {
    for sweep in sweeps {
        let name = format!("n{}-sync{}.svg", sweep.candidates, sweep.synchronisation);
        of_sweep(sweep).write(&folder.join(format!("three-members-{name}")))?;
        agreement_of(sweep).write(&folder.join(format!("agreement-{name}")))?;
    }
    for found in equal {
        of_equal(found).write(&folder.join(format!("equal-members-n{}.svg", found.candidates)))?;
    }
    Ok(())
}

type Rate = fn(&CouncilRates) -> f64;

/// The rules with their marks.
const RULES: [(&str, CurveStyle, usize, Rate); 5] = [
    ("majority", CurveStyle::Solid, GREEN, |rates| rates.majority),
    ("best", CurveStyle::Solid, BLACK, |rates| rates.best.rate),
    ("optimistic", CurveStyle::Solid, RED, |rates| rates.optimistic),
    ("pessimistic", CurveStyle::Solid, BLUE, |rates| rates.pessimistic),
    ("predicted", CurveStyle::Crosses, BLUE, |rates| rates.predicted.rate),
];

/// Single members with their marks.
const MEMBERS: [(&str, CurveStyle, usize, Rate); 2] = [
    ("strongest alone", CurveStyle::Dashed, BLACK, |rates| rates.strongest),
    ("a weaker one alone", CurveStyle::Dashed, GREY, |rates| rates.weaker),
];

fn of_sweep(sweep: &Sweep) -> LineChart {
    let line = |&(name, style, color, rate): &(&str, CurveStyle, usize, Rate)| {
        curve(sweep, name, style, color, |point| rate(&point.rates))
    };
    chart(sweep, "best move named", RULES.iter().chain(&MEMBERS).map(line).collect())
}

/// How often two members name the same move.
fn agreement_of(sweep: &Sweep) -> LineChart {
    let lines = vec![
        curve(sweep, "the two weaker ones", CurveStyle::Solid, BLUE, |point| point.agreement_of_weaker),
        curve(sweep, "a weaker one and the strongest", CurveStyle::Solid, RED, |point| point.agreement_with_strongest),
    ];
    chart(sweep, "same move named", lines)
}

fn curve(sweep: &Sweep, name: &str, style: CurveStyle, color: usize, rate: impl Fn(&SweepPoint) -> f64) -> ChartLine {
    let points = sweep.points.iter().map(|point| (point.noise, rate(point))).collect();
    ChartLine::new(name, points, style, color)
}

fn chart(sweep: &Sweep, y_label: &str, lines: Vec<ChartLine>) -> LineChart {
    LineChart::new(
        format!("Three members, {} candidates, synchronisation {} %", sweep.candidates, 100.0 * sweep.synchronisation),
        format!(
            "noise of the two weaker members (of the strongest: {}), in losses of a wrong move",
            sweep.strongest_noise
        ),
        y_label.to_owned(),
        lines,
    )
}

fn of_equal(found: &EqualMembers) -> LineChart {
    let line = |&(name, style, color, rate): &(&str, CurveStyle, usize, Rate)| {
        ChartLine::new(
            name.to_owned(),
            found.councils.iter().map(|rates| (rates.members as f64, rate(rates))).collect(),
            style,
            color,
        )
    };
    LineChart::new(
        format!("Equal members, {} candidates, noise {}", found.candidates, found.noise),
        "members",
        "best move named",
        RULES.iter().map(line).collect(),
    )
}
