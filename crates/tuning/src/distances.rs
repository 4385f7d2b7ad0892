//! What an effect is worth by its distance to a king, out of files of parameters and folders of tunings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::runner::checkpoints;
use super::settings::read_parameters;
use kiki_stats::numeric::quantile;

/// Distances on a board of nine by nine.
pub(crate) const DISTANCES: usize = 9;

/// 1024 stands for 1.
const ONE: f64 = 1024.0;

/// Whose effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EffectSide {
    /// Of the king's side.
    Own,
    Enemy,
}

impl EffectSide {
    pub(crate) const BOTH: [Self; 2] = [Self::Own, Self::Enemy];

    /// The first word of the names of its numbers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Enemy => "enemy",
        }
    }
}

/// The numbers of one file, or of one moment of a tuning, by name.
type Sample = BTreeMap<String, f64>;

/// What an effect is worth at one distance, in centipawns: the median of all samples, and where 95 percent of them lie.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EffectValue {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Numbers of the formula, once or many times.
pub(crate) struct DistanceSamples {
    samples: Vec<Sample>,
}

impl DistanceSamples {
    /// Reads files of parameters, each one sample, and folders of tunings, each the checkpoints of the second half of what was played.
    /// What they do not have comes from the file `base`.
    ///
    /// # Errors
    /// Names the file or folder and what is wrong with it.
    pub(crate) fn read(paths: &[PathBuf], base: Option<&Path>) -> Result<Self> {
        let base = base.map(read_sample).transpose()?.unwrap_or_default();
        let mut samples = Vec::new();
        for path in paths {
            let found = if path.is_dir() { checkpoints(path)? } else { vec![read_sample(path)?] };
            ensure!(!found.is_empty(), "{}: nothing has been played yet", path.display());
            for sample in found {
                let whole: Sample = base.clone().into_iter().chain(sample).collect();
                for side in EffectSide::BOTH {
                    values(&whole, side).with_context(|| path.display().to_string())?;
                }
                samples.push(whole);
            }
        }
        Ok(Self { samples })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.samples.len()
    }

    /// The values of a side's effects by distance.
    pub(crate) fn values(&self, side: EffectSide) -> Result<[EffectValue; DISTANCES]> {
        let curves: Vec<_> = self.samples.iter().map(|sample| values(sample, side)).collect::<Result<_>>()?;
        Ok(std::array::from_fn(|distance| {
            let mut sorted: Vec<f64> = curves.iter().map(|curve| curve[distance]).collect();
            sorted.sort_by(f64::total_cmp);
            let [low, median, high] = [0.025, 0.5, 0.975].map(|share| quantile(&sorted, share));
            EffectValue { median, low, high }
        }))
    }
}

fn read_sample(path: &Path) -> Result<Sample> {
    Ok(read_parameters(path)?.into_iter().map(|(name, range)| (name, f64::from(range.start))).collect())
}

/// Centipawns of an effect by distance.
fn values(sample: &Sample, side: EffectSide) -> Result<[f64; DISTANCES]> {
    let side = side.name();
    let number = |name: String| {
        sample.get(&name).copied().with_context(|| format!("there is no `{name}`: --base FILE gives what is missing"))
    };
    let effect = number(format!("{side}_effect"))?;
    let mut curve = [0.0; DISTANCES];
    for (distance, value) in curve.iter_mut().enumerate() {
        *value = effect * number(format!("{side}_distance_{distance}"))? / ONE;
    }
    Ok(curve)
}
