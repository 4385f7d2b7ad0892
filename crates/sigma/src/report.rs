//! `kiki-lab sigma report`: likelihood, calibration and pictures of sigma for several sets of
//! features.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use kiki_plot::{ChartLine, CurveStyle, Histogram, LineChart, histogram};
use kiki_run::output::{or_dash, print_json, table};
use kiki_run::say;
use serde_json::{Value, json};

use crate::fit::{DepthPair, SetFit, SigmaFeatures, SigmaFitOptions, Split, fit_set, parse_pair};
use crate::model::{SigmaCalibration, equivalent_sigma, excess_kurtosis};
use crate::sample::DepthSample;

/// Groups of the calibration, as in Kameko 2013.
pub(crate) const GROUPS: usize = 128;

/// Mean log-likelihoods of Kameko 2013, training and development, in the units of that program.
const SLIDES: [(SigmaFeatures, f64, f64); 3] = [
    (SigmaFeatures::PROGRESS, -7.367, -7.363),
    (SigmaFeatures::PROGRESS_ELEMENTS, -7.074, -7.071),
    (SigmaFeatures::POSITION, -7.054, -7.053),
];

/// Compares sets of features: how well each predicts sigma
#[derive(Args, Debug)]
pub(crate) struct SigmaReportArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// The pair of depths
    #[arg(long, value_name = "PAIR", default_value = "4-8", value_parser = parse_pair)]
    pair: DepthPair,
    #[command(flatten)]
    options: SigmaFitOptions,
    /// Write pictures (SVG) into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &SigmaReportArgs) -> Result<()> {
    let pair = arguments.pair;
    let sample = DepthSample::read(&arguments.folder)?;
    let progress = sample.fit_progress()?;
    let fit = |set| fit_set(&sample, pair, &progress, set, arguments.options);
    let rows: Vec<SetFit> = SigmaFeatures::ALL.into_iter().map(fit).collect::<Result<_>>()?;
    if arguments.json {
        let rows = rows.iter().map(json_of).collect::<Result<Vec<_>>>()?;
        print_json(&json!({ "pair": pair.to_string(), "rows": rows }))?;
    } else {
        print(&rows)?;
    }
    arguments.plots.as_ref().map_or(Ok(()), |folder| draw(folder, &sample, pair, &rows))
}

/// Excess kurtosis of the training differences divided by their sigmas.
fn kurtosis(found: &SetFit) -> Result<f64> {
    let sigmas = found.training.sigmas(&found.fit.weights, found.fit.link, found.fit.floor);
    let ratios: Vec<f64> = found.training.differences.iter().zip(&sigmas).map(|(g, sigma)| g / sigma).collect();
    Ok(excess_kurtosis(&ratios)?)
}

fn print(rows: &[SetFit]) -> Result<()> {
    const HEADER: [&str; 9] =
        ["features", "weights", "training", "held out", "sigma", "held out", "slope", "kurtosis", "slides"];
    let mut cells = Vec::new();
    for found in rows {
        let likelihood = |value: f64| -> Result<[String; 2]> {
            Ok([format!("{value:.4}"), format!("{:.1}", equivalent_sigma(value)?)])
        };
        let [training, sigma] = likelihood(found.fit.mean_log_likelihood)?;
        let held_out = found.held_out_log_likelihood.map(likelihood).transpose()?;
        let [held_out, held_out_sigma] = held_out.unwrap_or_else(|| ["-"; 2].map(str::to_owned));
        let slides = SLIDES.iter().find(|(set, ..)| set.name == found.set.name);
        cells.push(vec![
            found.set.name.to_owned(),
            found.fit.weights.iter().filter(|weight| **weight != 0.0).count().to_string(),
            training,
            held_out,
            sigma,
            held_out_sigma,
            or_dash(calibration(found)?.map(|found| format!("{:.3}", found.slope))),
            format!("{:.2}", kurtosis(found)?),
            or_dash(slides.map(|(_, training, held_out)| format!("{training} / {held_out}"))),
        ]);
    }
    say!("{}", table(&HEADER, cells));
    if let Some(found) = rows.first() {
        say!("{} positions to learn from, {} held out", found.training.len(), found.held_out.len());
    }
    say!(
        "training, held out: mean log-likelihoods; sigma: the constant of the same likelihood; slope: observed over predicted, held out"
    );
    Ok(())
}

/// Calibration on the held-out samples; `None` if there are fewer than the groups.
fn calibration(found: &SetFit) -> Result<Option<SigmaCalibration>> {
    if found.held_out.len() < GROUPS {
        return Ok(None);
    }
    let sigmas = found.held_out.sigmas(&found.fit.weights, found.fit.link, found.fit.floor);
    Ok(Some(SigmaCalibration::new(&sigmas, &found.held_out.differences, GROUPS)?))
}

fn json_of(found: &SetFit) -> Result<Value> {
    Ok(json!({
        "features": found.set.name,
        "training": { "positions": found.training.len(), "mean_log_likelihood": found.fit.mean_log_likelihood },
        "held_out": { "positions": found.held_out.len(), "mean_log_likelihood": found.held_out_log_likelihood },
        "floor": found.fit.floor,
        "excess_kurtosis": kurtosis(found)?,
        "calibration": calibration(found)?,
    }))
}

fn draw(folder: &Path, sample: &DepthSample, pair: DepthPair, rows: &[SetFit]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for found in rows.iter().filter(|found| found.set.name != SigmaFeatures::CONSTANT.name) {
        if let Some(calibration) = calibration(found)? {
            let path = folder.join(format!("calibration-{}.svg", found.set.name));
            draw_calibration(&path, found.set, pair, &calibration)?;
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

fn draw_calibration(path: &Path, set: SigmaFeatures, pair: DepthPair, calibration: &SigmaCalibration) -> Result<()> {
    let points: Vec<(f64, f64)> = calibration.groups.iter().map(|group| (group.estimated, group.observed)).collect();
    let end = points.iter().map(|point| point.0).fold(0.0, f64::max);
    LineChart::new(
        format!("Depth {} for depth {}: sigma of {}, {GROUPS} groups", pair.shallow, pair.deep, set.name),
        "predicted sigma, centipawns",
        "root mean square of the differences",
        vec![
            ChartLine::new("held-out groups", points, CurveStyle::Dots, 0),
            ChartLine::new("predicted = observed", vec![(0.0, 0.0), (end, end)], CurveStyle::Dashed, 1),
        ],
    )
    .write(path)
}

fn draw_differences(path: &Path, phase: &str, pair: DepthPair, values: &[f64]) -> Result<()> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let chart = Histogram {
        title: format!("Depth {} less depth {}: {phase}", pair.deep, pair.shallow),
        x_label: "centipawns".to_owned(),
        y_label: "positions".to_owned(),
        values,
        normal: (format!("normal, mean {mean:.0}, sigma {deviation:.0}"), mean, deviation),
    };
    histogram(path, &chart)
}
