//! `kiki-lab distances`: what an effect is worth by its distance to a king.

use std::path::PathBuf;

use crate::decay::{DecayFit, DecayLaw};
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::distances::{DISTANCES, DistanceSamples, EffectSide, EffectValue};
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  kiki-lab distances results/tuning --base examples/tuning-formula.toml --plot distances.svg

A file of parameters is one sample; of a folder of `kiki-lab spsa` it is the checkpoints of the second half of its updates. Checkpoints
of one tuning hang together: several tunings with other seeds say more about the error.";

/// The two distance curves of Kiki's formula, beside the laws that fit them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct DistancesArgs {
    /// Files of parameters and folders of `kiki-lab spsa`
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// A file with the numbers that these do not have
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// Write the curves as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The curve of a side with the laws that were fitted to it.
struct EffectCurve {
    side: EffectSide,
    values: [EffectValue; DISTANCES],
    fits: Vec<DecayFit>,
}

/// Runs `distances`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &DistancesArgs) -> Result<()> {
    let samples = DistanceSamples::read(&arguments.paths, arguments.base.as_deref())?;
    let mut curves = Vec::new();
    for side in EffectSide::BOTH {
        let values = samples.values(side)?;
        let medians = values.map(|value| value.median);
        let fits = DecayLaw::ALL.into_iter().map(|law| DecayFit::new(law, &medians)).collect::<Result<_, _>>()?;
        curves.push(EffectCurve { side, values, fits });
    }
    if let Some(path) = &arguments.plot {
        chart(&curves).write(path)?;
    }
    if arguments.json {
        return print_json(&value(&samples, &curves));
    }
    print(&samples, &curves);
    Ok(())
}

/// A law in its JSON key, and as a formula.
fn name(law: DecayLaw) -> (&'static str, &'static str) {
    match law {
        DecayLaw::Harmonic => ("harmonic", "a / (d + 1)"),
        DecayLaw::Exponential => ("exponential", "a exp(-b d)"),
        DecayLaw::Power => ("power", "a / (d + 1)^b"),
    }
}

fn print(samples: &DistanceSamples, curves: &[EffectCurve]) {
    let rows = (0..DISTANCES).map(|distance| {
        let cells = curves.iter().flat_map(|curve| {
            let EffectValue { median, low, high } = curve.values[distance];
            [format!("{median:.1}"), format!("[{low:.1}, {high:.1}]")]
        });
        std::iter::once(distance.to_string()).chain(cells).collect()
    });
    say!("{}", table(&["distance", "own", "95 % of samples", "enemy", "95 % of samples"], rows));
    let rows = curves.iter().flat_map(|curve| {
        curve.fits.iter().map(|fit| {
            let numbers = [format!("{:.2}", fit.scale), format!("{:.3}", fit.rate), format!("{:.2}", fit.error)];
            [curve.side.name(), name(fit.law).1].map(str::to_owned).into_iter().chain(numbers).collect()
        })
    });
    say!("{}", table(&["effects", "law", "a", "b", "error"], rows));
    say!("centipawns; error: standard error of one value; samples: {}", samples.count());
}

fn value(samples: &DistanceSamples, curves: &[EffectCurve]) -> Value {
    let mut sides = Map::new();
    for curve in curves {
        let values = curve.values.map(|value| json!({ "median": value.median, "low": value.low, "high": value.high }));
        let fit = |fit: &DecayFit| {
            (name(fit.law).0.to_owned(), json!({ "scale": fit.scale, "rate": fit.rate, "error": fit.error }))
        };
        let fits: Map<_, _> = curve.fits.iter().map(fit).collect();
        sides.insert(curve.side.name().to_owned(), json!({ "values": values, "fits": fits }));
    }
    json!({ "samples": samples.count(), "sides": sides })
}

fn chart(curves: &[EffectCurve]) -> LineChart {
    let mut lines = Vec::new();
    for (color, curve) in curves.iter().enumerate() {
        let side = curve.side.name();
        for (distance, found) in curve.values.iter().enumerate().filter(|(_, found)| found.low < found.high) {
            let points = [found.low, found.high].map(|end| (distance as f64, end)).to_vec();
            lines.push(ChartLine { name: String::new(), points, style: CurveStyle::Solid, color });
        }
        let median = curve.values.iter().enumerate().map(|(distance, found)| (distance as f64, found.median)).collect();
        lines.push(ChartLine { name: format!("{side} effects"), points: median, style: CurveStyle::Dots, color });
        for (law, style) in [(DecayLaw::Harmonic, CurveStyle::Solid), (DecayLaw::Exponential, CurveStyle::Dashed)] {
            let fit = curve.fits.iter().find(|fit| fit.law == law);
            let steps = (0..=20 * (DISTANCES - 1)).map(|step| step as f64 / 20.0);
            let points = fit.map(|fit| steps.map(|distance| (distance, fit.at(distance))).collect());
            let name = format!("{side}, {}", name(law).1);
            lines.push(ChartLine { name, points: points.unwrap_or_default(), style, color });
        }
    }
    LineChart {
        title: "the value of an effect by its distance to the king".to_owned(),
        x_label: "Chebyshev distance".to_owned(),
        y_label: "centipawns".to_owned(),
        axis: AxisScale::Linear,
        lines,
        y_range: None,
    }
}
