//! The curve of the losses.

use std::fmt;
use std::path::Path;

use crate::trainer::Performance;
use anyhow::Result;
use serde::{Deserialize, Serialize};

use kiki_plot::{ChartLine, CurveStyle, LineChart};

/// An evaluation on the held-out records.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurvePoint {
    /// Records learned from.
    pub(super) positions: u64,
    pub(super) learning_rate: f64,
    /// Loss on the records since the previous point, each measured before it was learned from.
    pub(super) training_loss: f64,
    pub(super) training_accuracy: f64,
    /// Loss on the held-out records against the targets.
    pub(super) held_out_loss: f64,
    /// The same against the results alone.
    pub(super) held_out_result_loss: f64,
    pub(super) held_out_accuracy: f64,
}

impl CurvePoint {
    pub(super) fn new(positions: u64, learning_rate: f64, training: Performance, held_out: Performance) -> Self {
        Self {
            positions,
            learning_rate,
            training_loss: training.loss(),
            training_accuracy: training.accuracy(),
            held_out_loss: held_out.loss(),
            held_out_result_loss: held_out.result_loss(),
            held_out_accuracy: held_out.accuracy(),
        }
    }
}

impl fmt::Display for CurvePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { training_loss, held_out_loss, held_out_result_loss, held_out_accuracy, .. } = self;
        let accuracy = 100.0 * held_out_accuracy;
        write!(
            f,
            "loss {training_loss:.5}, held out {held_out_loss:.5} (results {held_out_result_loss:.5}), accuracy {accuracy:.2} %"
        )
    }
}

pub(super) fn draw(curve: &[CurvePoint], title: &str, path: &Path) -> Result<()> {
    let line = |name: &str, style, color, value: fn(&CurvePoint) -> f64| {
        ChartLine::new(
            name.to_owned(),
            curve.iter().map(|point| (point.positions as f64 / 1e6, value(point))).collect(),
            style,
            color,
        )
    };
    LineChart::new(
        title.to_owned(),
        "million positions learned from",
        "cross entropy, nats",
        vec![
            line("learned from", CurveStyle::Thin, 0, |point| point.training_loss),
            line("held out", CurveStyle::Solid, 1, |point| point.held_out_loss),
            line("held out, results alone", CurveStyle::Dashed, 2, |point| point.held_out_result_loss),
        ],
    )
    .write(path)
}
