//! Tables and pictures of a study.

use std::path::Path;

use anyhow::Result;
use kiki_plot::{AxisScale, BLACK, ChartLine, CurveStyle, LineChart};

use super::sweep::{EqualMembers, Sweep, SweepPoint};
use crate::model::{CouncilModel, SimulatedRates};

const COLUMNS: &str = "members,candidates,synchronisation,strongest_noise,weaker_noise,strongest,weaker,majority,optimistic,pessimistic,\
                       best,best_error,predicted,predicted_error,predicted_by_precision,predicted_by_precision_error";

/// A line for each council.
pub(crate) fn csv(sweeps: &[Sweep], equal: &[EqualMembers]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for sweep in sweeps {
        for point in &sweep.points {
            let noises = [sweep.strongest, point.noise];
            line(&mut text, (sweep.candidates, sweep.synchronisation, noises), &point.model, &point.simulated);
        }
    }
    for found in equal {
        for (model, simulated) in &found.councils {
            line(&mut text, (found.candidates, 0.0, [found.noise; 2]), model, simulated);
        }
    }
    text
}

fn line(
    text: &mut String,
    (candidates, synchronisation, noises): (u32, f64, [f64; 2]),
    model: &CouncilModel,
    simulated: &SimulatedRates,
) {
    let weaker = model.members() - 1;
    let exact = [model.single(0), model.single(weaker), model.majority(), model.optimistic(), model.pessimistic()];
    let found = [simulated.best, simulated.predicted, simulated.predicted_by_precision];
    let numbers = [synchronisation]
        .into_iter()
        .chain(noises)
        .chain(exact)
        .chain(found.into_iter().flat_map(|found| [found.rate, found.standard_error]));
    *text += &format!("{},{candidates}", model.members());
    for number in numbers {
        *text += &format!(",{number}");
    }
    text.push('\n');
}

const BLUE: usize = 0;
const RED: usize = 1;
const GREEN: usize = 2;
const GREY: usize = 6;

/// Writes a picture for each sweep and each row of equal members.
pub(crate) fn write_pictures(folder: &Path, sweeps: &[Sweep], equal: &[EqualMembers]) -> Result<()> {
    for sweep in sweeps {
        let name = format!("three-members-n{}-sync{}.svg", sweep.candidates, sweep.synchronisation);
        of_sweep(sweep).write(&folder.join(name))?;
        let name = format!("agreement-n{}-sync{}.svg", sweep.candidates, sweep.synchronisation);
        agreement_of(sweep).write(&folder.join(name))?;
    }
    for found in equal {
        of_equal(found).write(&folder.join(format!("equal-members-n{}.svg", found.candidates)))?;
    }
    Ok(())
}

/// A rate of a council, exact or simulated.
type Rate = fn(&CouncilModel, &SimulatedRates) -> f64;

/// The rules with their marks.
const RULES: [(&str, CurveStyle, usize, Rate); 5] = [
    ("majority", CurveStyle::Solid, GREEN, |model, _| model.majority()),
    ("best", CurveStyle::Solid, BLACK, |_, simulated| simulated.best.rate),
    ("optimistic", CurveStyle::Solid, RED, |model, _| model.optimistic()),
    ("pessimistic", CurveStyle::Solid, BLUE, |model, _| model.pessimistic()),
    ("predicted", CurveStyle::Crosses, BLUE, |_, simulated| simulated.predicted.rate),
];

fn of_sweep(sweep: &Sweep) -> LineChart {
    let mut lines: Vec<ChartLine> = RULES
        .iter()
        .map(|&(name, style, color, rate)| {
            curve(sweep, name, style, color, |point| rate(&point.model, &point.simulated))
        })
        .collect();
    lines.push(curve(sweep, "strongest alone", CurveStyle::Dashed, BLACK, |point| point.model.single(0)));
    lines.push(curve(sweep, "a weaker one alone", CurveStyle::Dashed, GREY, |point| point.model.single(1)));
    chart(sweep, "best move named", lines)
}

/// How often two members name the same move.
fn agreement_of(sweep: &Sweep) -> LineChart {
    let lines = vec![
        curve(sweep, "the two weaker ones", CurveStyle::Solid, BLUE, |point| point.model.agreement(1, 2)),
        curve(sweep, "a weaker one and the strongest", CurveStyle::Solid, RED, |point| point.model.agreement(0, 1)),
    ];
    chart(sweep, "same move named", lines)
}

fn curve(sweep: &Sweep, name: &str, style: CurveStyle, color: usize, rate: impl Fn(&SweepPoint) -> f64) -> ChartLine {
    let points = sweep.points.iter().map(|point| (point.noise, rate(point))).collect();
    ChartLine { name: name.to_owned(), points, style, color }
}

fn chart(sweep: &Sweep, y_label: &str, lines: Vec<ChartLine>) -> LineChart {
    LineChart {
        title: format!(
            "Three members, {} candidates, synchronisation {} %",
            sweep.candidates,
            100.0 * sweep.synchronisation
        ),
        x_label: format!(
            "noise of the two weaker members (of the strongest: {}), in losses of a wrong move",
            sweep.strongest
        ),
        y_label: y_label.to_owned(),
        axis: AxisScale::Linear,
        lines,
        y_range: None,
    }
}

fn of_equal(found: &EqualMembers) -> LineChart {
    let line = |&(name, style, color, rate): &(&str, CurveStyle, usize, Rate)| ChartLine {
        name: name.to_owned(),
        points: found.councils.iter().map(|(model, runs)| (model.members() as f64, rate(model, runs))).collect(),
        style,
        color,
    };
    LineChart {
        title: format!("Equal members, {} candidates, noise {}", found.candidates, found.noise),
        x_label: "members".to_owned(),
        y_label: "best move named".to_owned(),
        axis: AxisScale::Linear,
        lines: RULES.iter().map(line).collect(),
        y_range: None,
    }
}
