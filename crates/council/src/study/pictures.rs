//! Rates as pictures, in the colours of the article (LFICS, councils): majority green, best black, optimistic red, pessimistic blue, predicted as blue crosses.

use std::path::Path;

use crate::model::{CouncilModel, SimulatedRates};
use anyhow::Result;

use super::equal::EqualMembers;
use super::sweep::{Sweep, SweepPoint};
use kiki_plot::{AxisScale, BLACK, ChartLine, CurveStyle, LineChart};

const BLUE: usize = 0;
const RED: usize = 1;
const GREEN: usize = 2;
const GREY: usize = 6;

/// Writes a picture for each sweep and each row of equal members.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn write_pictures(folder: &Path, sweeps: &[Sweep], equal: &[EqualMembers]) -> Result<()> {
    for sweep in sweeps {
        let name = format!("three-members-n{}-sync{}.svg", sweep.candidates, sweep.synchronisation);
        of_sweep(sweep).write(&folder.join(name))?;
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
    let line = |name: &str, style, color, rate: &dyn Fn(&SweepPoint) -> f64| ChartLine {
        name: name.to_owned(),
        points: sweep.points.iter().map(|point| (point.noise, rate(point))).collect(),
        style,
        color,
    };
    let mut lines: Vec<ChartLine> = RULES
        .iter()
        .map(|&(name, style, color, rate)| line(name, style, color, &|point| rate(&point.model, &point.simulated)))
        .collect();
    lines.push(line("strongest alone", CurveStyle::Dashed, BLACK, &|point| point.model.single(0)));
    lines.push(line("a weaker one alone", CurveStyle::Dashed, GREY, &|point| point.model.single(1)));
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
        y_label: "best move named".to_owned(),
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
