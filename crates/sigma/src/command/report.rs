//! `kiki-lab sigma report`: how good the models of sigma are.

use std::path::{Path, PathBuf};

use crate::model::{Calibration, equivalent_sigma, excess_kurtosis};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::arguments::{FitOptions, parse_pair};
use crate::dataset::{DepthPair, Split};
use crate::fitting::{FeatureSet, SetFit, fit_set};
use crate::sampling::Sample;
use kiki_plot::{AxisScale, ChartLine, CurveStyle, Histogram, LineChart, histogram};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

/// Groups of the calibration, as in the slides.
const GROUPS: usize = 128;

/// The slides' mean log-likelihoods (Kameko 2013), of training and development, in their own units.
const SLIDES: [(FeatureSet, f64, f64); 3] = [
    (FeatureSet::Progress, -7.367, -7.363),
    (FeatureSet::ProgressElements, -7.074, -7.071),
    (FeatureSet::All, -7.054, -7.053),
];

/// Shows how well sigma is foretold, by several sets of features
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// The pair of depths
    #[arg(long, value_name = "PAIR", default_value = "4-8")]
    pair: String,
    #[command(flatten)]
    options: FitOptions,
    /// Write pictures (SVG) into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A row of the table.
struct SetRow {
    set: FeatureSet,
    found: SetFit,
}

pub(super) fn run(arguments: &ReportArgs) -> Result<()> {
    let settings = arguments.options.settings()?;
    let pair = parse_pair(&arguments.pair)?;
    let sample = Sample::read(&arguments.folder)?;
    let progress = sample.fit_progress()?;
    let row = |set| Ok(SetRow { set, found: fit_set(&sample, pair, &progress, set, settings)? });
    let rows: Vec<SetRow> = FeatureSet::ALL.into_iter().map(row).collect::<Result<_>>()?;
    if arguments.json {
        print_json(&json!({ "pair": arguments.pair, "rows": rows.iter().map(json_of).collect::<Result<Vec<_>>>()? }))?;
    } else {
        print(&rows)?;
    }
    match &arguments.plots {
        Some(folder) => draw(folder, &sample, pair, &rows),
        None => Ok(()),
    }
}

/// The excess kurtosis of the differences divided by their sigmas, on what the fit was made of.
fn kurtosis(found: &SetFit) -> Result<f64> {
    let sigmas = found.training.sigmas(&found.fit.weights, found.fit.link, found.fit.floor);
    let ratios: Vec<f64> = found.training.differences().iter().zip(&sigmas).map(|(g, sigma)| g / sigma).collect();
    Ok(excess_kurtosis(&ratios)?)
}

fn print(rows: &[SetRow]) -> Result<()> {
    const HEADER: [&str; 9] =
        ["features", "weights", "training", "held out", "sigma", "held out", "slope", "kurtosis", "slides"];
    let mut cells = Vec::new();
    for SetRow { set, found } in rows {
        let likelihood = |value: f64| -> Result<[String; 2]> {
            Ok([format!("{value:.4}"), format!("{:.1}", equivalent_sigma(value)?)])
        };
        let [training, sigma] = likelihood(found.fit.mean_log_likelihood)?;
        let dash = || ["-".to_owned(), "-".to_owned()];
        let [held_out, held_out_sigma] = found.held_out_log_likelihood.map_or_else(|| Ok(dash()), likelihood)?;
        let slides = SLIDES.iter().find(|(of, ..)| of == set);
        cells.push(vec![
            set.name().to_owned(),
            found.fit.weights.iter().filter(|weight| **weight != 0.0).count().to_string(),
            training,
            held_out,
            sigma,
            held_out_sigma,
            calibration(found)?.map_or_else(|| "-".to_owned(), |found| format!("{:.3}", found.slope)),
            format!("{:.2}", kurtosis(found)?),
            slides.map_or_else(|| "-".to_owned(), |(_, training, held_out)| format!("{training} / {held_out}")),
        ]);
    }
    say!("{}", table(&HEADER, cells));
    if let Some(SetRow { found, .. }) = rows.first() {
        say!("{} positions to learn from, {} held out", found.training.len(), found.held_out.len());
    }
    say!(
        "training, held out: mean log-likelihoods; sigma: the constant that would have the same; slope: observed to foretold, of what is held out"
    );
    Ok(())
}

/// The calibration on what was held out; `None` if that is too little for the groups.
fn calibration(found: &SetFit) -> Result<Option<Calibration>> {
    if found.held_out.len() < GROUPS {
        return Ok(None);
    }
    let sigmas = found.held_out.sigmas(&found.fit.weights, found.fit.link, found.fit.floor);
    Ok(Some(Calibration::new(&sigmas, found.held_out.differences(), GROUPS)?))
}

fn json_of(row: &SetRow) -> Result<Value> {
    let SetRow { set, found } = row;
    let groups = calibration(found)?.map(|found| {
        let group = |group: &crate::model::CalibrationGroup| json!([group.estimated, group.observed, group.samples]);
        json!({ "slope": found.slope, "groups": found.groups.iter().map(group).collect::<Vec<_>>() })
    });
    Ok(json!({
        "features": set.name(),
        "training": { "positions": found.training.len(), "mean_log_likelihood": found.fit.mean_log_likelihood },
        "held_out": { "positions": found.held_out.len(), "mean_log_likelihood": found.held_out_log_likelihood },
        "floor": found.fit.floor,
        "excess_kurtosis": kurtosis(found)?,
        "calibration": groups,
    }))
}

fn draw(folder: &Path, sample: &Sample, pair: DepthPair, rows: &[SetRow]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for SetRow { set, found } in rows.iter().filter(|row| row.set != FeatureSet::Constant) {
        if let Some(calibration) = calibration(found)? {
            draw_calibration(&folder.join(format!("calibration-{}.svg", set.name())), *set, pair, &calibration)?;
        }
    }
    for (name, title, phase) in [("middle-game", "middle games", 0.0..0.5), ("endgame", "endgames", 0.5..1.01)] {
        let in_phase = |progress: Option<f32>| progress.is_some_and(|progress| phase.contains(&progress));
        let pairs = sample.value_pairs(pair, Split::Training);
        let values: Vec<f64> =
            pairs.iter().filter(|pair| in_phase(pair.sampled.progress)).map(|pair| pair.difference()).collect();
        if values.len() > 1 {
            draw_differences(&folder.join(format!("differences-{name}.svg")), title, pair, &values)?;
        }
    }
    Ok(())
}

fn draw_calibration(path: &Path, set: FeatureSet, pair: DepthPair, calibration: &Calibration) -> Result<()> {
    let points: Vec<(f64, f64)> = calibration.groups.iter().map(|group| (group.estimated, group.observed)).collect();
    let end = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let line = |name: &str, points, style, color| ChartLine { name: name.to_owned(), points, style, color };
    LineChart {
        title: format!("Depth {} for depth {}: sigma of {}, {GROUPS} groups", pair.shallow, pair.deep, set.name()),
        x_label: "foretold sigma, centipawns".to_owned(),
        y_label: "root mean square of the differences".to_owned(),
        axis: AxisScale::Linear,
        lines: vec![
            line("groups that were held out", points, CurveStyle::Dots, 0),
            line("foretold = observed", vec![(0.0, 0.0), (end, end)], CurveStyle::Dashed, 1),
        ],
        y_range: None,
    }
    .write(path)
}

fn draw_differences(path: &Path, phase: &str, pair: DepthPair, values: &[f64]) -> Result<()> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    histogram(
        path,
        &Histogram {
            title: format!("Depth {} less depth {}: {phase}", pair.deep, pair.shallow),
            x_label: "centipawns".to_owned(),
            y_label: "positions".to_owned(),
            values,
            normal: (format!("normal, mean {mean:.0}, sigma {deviation:.0}"), mean, deviation),
        },
    )
}
