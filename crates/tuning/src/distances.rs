//! `kiki-lab distances`: what an effect is worth by its distance to a king, and the laws by which
//! it falls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::output::{print_json, table};
use kiki_run::say;
use kiki_stats::numeric::quantile;
use serde::Serialize;
use serde_json::{Value, json};

use crate::runner::checkpoints;
use crate::settings::read_parameters;

const EXAMPLE: &str = "\
Example:
  kiki-lab distances results/tuning --base examples/tuning-formula.toml --plot distances.svg

A file of parameters is one sample. A folder of `kiki-lab spsa` has one at each checkpoint in the second half of its updates. Checkpoints
of one tuning are correlated: several tunings with other seeds say more about the error.";

/// The two distance curves of Kiki's formula, beside the laws that fit them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct DistancesArgs {
    /// Files of parameters and folders of `kiki-lab spsa`
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// File of parameters that supplies missing numbers
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// Write the curves as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Curve of a side with its fitted laws.
struct EffectCurve {
    side: EffectSide,
    values: [EffectValue; DISTANCES],
    fits: [DecayFit; 3],
}

pub fn run(arguments: &DistancesArgs) -> Result<()> {
    let samples = samples(&arguments.paths, arguments.base.as_deref())?;
    let curve = |side| -> Result<EffectCurve> {
        let values = values(&samples, side)?;
        let medians = values.map(|value| value.median);
        Ok(EffectCurve { side, values, fits: LAWS.map(|law| DecayFit::new(law, &medians)) })
    };
    let curves = [curve(EffectSide::Own)?, curve(EffectSide::Enemy)?];
    if let Some(path) = &arguments.plot {
        chart(&curves).write(path)?;
    }
    if arguments.json {
        return print_json(&value(samples.len(), &curves));
    }
    print(samples.len(), &curves);
    Ok(())
}

fn print(samples: usize, curves: &[EffectCurve]) {
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
            [curve.side.name(), fit.law.formula].map(str::to_owned).into_iter().chain(numbers).collect()
        })
    });
    say!("{}", table(&["effects", "law", "a", "b", "error"], rows));
    say!("centipawns; error: standard error of one value; samples: {samples}");
}

fn value(samples: usize, curves: &[EffectCurve]) -> Value {
    let side = |curve: &EffectCurve| {
        let fits: BTreeMap<_, _> = curve.fits.iter().map(|fit| (fit.law.key, fit)).collect();
        (curve.side.name(), json!({ "values": curve.values, "fits": fits }))
    };
    json!({ "samples": samples, "sides": curves.iter().map(side).collect::<BTreeMap<_, _>>() })
}

fn chart(curves: &[EffectCurve]) -> LineChart {
    let mut lines = Vec::new();
    for (color, curve) in curves.iter().enumerate() {
        let side = curve.side.name();
        for (distance, found) in curve.values.iter().enumerate().filter(|(_, found)| found.low < found.high) {
            let points = [found.low, found.high].map(|end| (distance as f64, end)).to_vec();
            lines.push(ChartLine::new("", points, CurveStyle::Solid, color));
        }
        let median = curve.values.iter().enumerate().map(|(distance, found)| (distance as f64, found.median)).collect();
        lines.push(ChartLine::new(format!("{side} effects"), median, CurveStyle::Dots, color));
        for (fit, style) in curve.fits.iter().filter_map(|fit| Some((fit, fit.law.style?))) {
            let steps = (0..=20 * (DISTANCES - 1)).map(|step| step as f64 / 20.0);
            let points = steps.map(|distance| (distance, fit.at(distance))).collect();
            lines.push(ChartLine::new(format!("{side}, {}", fit.law.formula), points, style, color));
        }
    }
    LineChart::new("the value of an effect by its distance to the king", "Chebyshev distance", "centipawns", lines)
}

/// Number of distances on a board of nine by nine.
pub(crate) const DISTANCES: usize = 9;

/// 1024 stands for 1.
const ONE: f64 = 1024.0;

/// Side whose effects count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EffectSide {
    /// The king's side.
    Own,
    Enemy,
}

impl EffectSide {
    pub(crate) const BOTH: [Self; 2] = [Self::Own, Self::Enemy];

    /// First word of the names of its numbers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Enemy => "enemy",
        }
    }
}

/// Numbers of a file, or of a moment of a tuning, by name.
type NumbersByName = BTreeMap<String, f64>;

/// Value of an effect at a distance in centipawns: the median of all samples, and the ends of their
/// middle 95 percent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct EffectValue {
    median: f64,
    low: f64,
    high: f64,
}

/// Reads one sample of each file of parameters, and the checkpoints of each tuning's folder.
/// Missing numbers come from the file `base`.
fn samples(paths: &[PathBuf], base: Option<&Path>) -> Result<Vec<NumbersByName>> {
    let base = base.map(read_numbers).transpose()?.unwrap_or_default();
    let mut samples = Vec::new();
    for path in paths {
        let found = if path.is_dir() { checkpoints(path)? } else { vec![read_numbers(path)?] };
        ensure!(!found.is_empty(), "{}: no update has been played yet", path.display());
        for sample in found {
            let whole: NumbersByName = base.clone().into_iter().chain(sample).collect();
            for side in EffectSide::BOTH {
                centipawns(&whole, side).with_context(|| path.display().to_string())?;
            }
            samples.push(whole);
        }
    }
    Ok(samples)
}

fn values(samples: &[NumbersByName], side: EffectSide) -> Result<[EffectValue; DISTANCES]> {
    let curves: Vec<_> = samples.iter().map(|sample| centipawns(sample, side)).collect::<Result<_>>()?;
    Ok(std::array::from_fn(|distance| {
        let mut sorted: Vec<f64> = curves.iter().map(|curve| curve[distance]).collect();
        sorted.sort_by(f64::total_cmp);
        let [low, median, high] = [0.025, 0.5, 0.975].map(|share| quantile(&sorted, share));
        EffectValue { median, low, high }
    }))
}

fn read_numbers(path: &Path) -> Result<NumbersByName> {
    Ok(read_parameters(path)?.into_iter().map(|(name, range)| (name, f64::from(range.start))).collect())
}

/// Centipawns of an effect by distance.
fn centipawns(sample: &NumbersByName, side: EffectSide) -> Result<[f64; DISTANCES]> {
    let side = side.name();
    let number = |name: String| {
        sample.get(&name).copied().with_context(|| format!("`{name}` is missing: give it by --base FILE"))
    };
    let effect = number(format!("{side}_effect"))?;
    let mut curve = [0.0; DISTANCES];
    for (distance, value) in curve.iter_mut().enumerate() {
        *value = effect * number(format!("{side}_distance_{distance}"))? / ONE;
    }
    Ok(curve)
}

/// Law by which a quantity falls with the distance d = 0, 1, 2 ..
#[derive(Clone, Copy, Debug)]
struct DecayLaw {
    key: &'static str,
    /// With the scale a and the rate b.
    formula: &'static str,
    /// The value at a rate and a distance, with scale 1.
    shape: fn(f64, f64) -> f64,
    /// Whether the rate is fitted; otherwise it is 1.
    has_rate: bool,
    /// Its line in the chart.
    style: Option<CurveStyle>,
}

/// The power law with rate 1 is the harmonic one.
const LAWS: [DecayLaw; 3] = [
    DecayLaw {
        key: "harmonic",
        formula: "a / (d + 1)",
        shape: |_, d| 1.0 / (d + 1.0),
        has_rate: false,
        style: Some(CurveStyle::Solid),
    },
    DecayLaw {
        key: "exponential",
        formula: "a exp(-b d)",
        shape: |rate, d| (-rate * d).exp(),
        has_rate: true,
        style: Some(CurveStyle::Dashed),
    },
    DecayLaw {
        key: "power",
        formula: "a / (d + 1)^b",
        shape: |rate, d| (d + 1.0).powf(-rate),
        has_rate: true,
        style: None,
    },
];

/// A law fitted to values by least squares.
#[derive(Clone, Copy, Debug, Serialize)]
struct DecayFit {
    #[serde(skip)]
    law: DecayLaw,
    /// Value at distance 0, in the unit of the values.
    scale: f64,
    /// Rate of the fall; 1 for the harmonic law.
    rate: f64,
    /// Standard error of one value, corrected for the fitted parameters.
    error: f64,
}

impl DecayFit {
    /// Fits `law` to three or more values at distance 0, 1, 2 .. without weights.
    fn new(law: DecayLaw, values: &[f64]) -> Self {
        let rate = if law.has_rate { best_rate(|rate| scaled(law, rate, values).1) } else { 1.0 };
        let fitted = 1 + usize::from(law.has_rate);
        let (scale, squares) = scaled(law, rate, values);
        Self { law, scale, rate, error: (squares / (values.len() - fitted) as f64).sqrt() }
    }

    fn at(&self, distance: f64) -> f64 {
        self.scale * (self.law.shape)(self.rate, distance)
    }
}

/// Best scale for a rate, and the sum of the remaining squared differences.
fn scaled(law: DecayLaw, rate: f64, values: &[f64]) -> (f64, f64) {
    let pairs = || values.iter().enumerate().map(|(distance, &value)| ((law.shape)(rate, distance as f64), value));
    let scale =
        pairs().map(|(shape, value)| shape * value).sum::<f64>() / pairs().map(|(shape, _)| shape * shape).sum::<f64>();
    (scale, pairs().map(|(shape, value)| (value - scale * shape).powi(2)).sum())
}

/// The rate from -2 to 6 with the least `squares`: a grid, then ternary search around its best.
fn best_rate(squares: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 0.05;
    let coarse = (-40..=120).map(|step| f64::from(step) * STEP);
    let best = coarse.min_by(|&one, &other| squares(one).total_cmp(&squares(other))).unwrap_or(0.0);
    let (mut low, mut high) = (best - STEP, best + STEP);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if squares(low + third) < squares(high - third) { high -= third } else { low += third }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(law: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..9).map(|distance| law(f64::from(distance))).collect()
    }

    #[test]
    fn each_law_is_found_in_its_own_values_and_fits_those_of_the_others_worse() {
        let curves = [
            values(|d| 68.0 / (d + 1.0)),
            values(|d| 96.0 * (-0.37 * d).exp()),
            values(|d| 50.0 * (d + 1.0).powf(-1.6)),
        ];
        for (own, (values, (scale, rate))) in curves.iter().zip([(68.0, 1.0), (96.0, 0.37), (50.0, 1.6)]).enumerate() {
            let fits = LAWS.map(|law| DecayFit::new(law, values));
            assert!((fits[own].scale - scale).abs() < 1e-5 && (fits[own].rate - rate).abs() < 1e-6, "{:?}", fits[own]);
            assert!(fits[own].error < 1e-5 && (fits[own].at(3.0) - values[3]).abs() < 1e-5);
            // The power law includes the harmonic one.
            let others = (0..3).filter(|&other| other != own && (own, other) != (0, 2));
            others.for_each(|other| assert!(fits[other].error > 0.5, "{own}: {:?}", fits[other]));
        }
    }

    #[test]
    fn the_error_counts_the_numbers_that_were_fitted() {
        let noisy = [10.0, 6.0, 2.0, 3.0];
        let harmonic = DecayFit::new(LAWS[0], &noisy);
        // By hand: (10 + 3 + 2/3 + 3/4) / (1 + 1/4 + 1/9 + 1/16) = 10.126829.
        assert!((harmonic.scale - 10.126_829).abs() < 1e-6, "{harmonic:?}");
        let squares: f64 = noisy.iter().enumerate().map(|(d, y)| (y - harmonic.at(d as f64)).powi(2)).sum();
        assert!((harmonic.error - (squares / 3.0).sqrt()).abs() < 1e-12);
    }
}
