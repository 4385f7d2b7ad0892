//! `kiki-lab sigma fit`: weights of sigma and of the expected deep value, by maximum likelihood,
//! for pairs of depths.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::sigma::{
    FEATURES, FeatureGroup, PROGRESS_BANDS, PairModel, ProgressWeights, SigmaLink, SigmaModel, VALUE_FEATURES,
    ValueFit, for_each_feature, progress_band, progress_elements, value_features,
};
use kiki_games::positions::SampledPosition;
use kiki_run::files::write_atomically;
use kiki_run::output::{ProgressLine, print_json};
use kiki_run::say;
use kiki_stats::line::LineFit;
use kiki_stats::regression::{self, Identity, Observations};
use serde_json::json;

use crate::model::{self, SigmaFit, SigmaSamples, link_parser};
use crate::sample::{DepthSample, SampleLine, SampleOutcome};

/// One game in this many is held out.
const HELD_OUT: u64 = 5;
/// Greater differences are clipped to this, in centipawns.
const GREATEST_DIFFERENCE: i32 = 2000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DepthPair {
    pub(crate) shallow: u8,
    pub(crate) deep: u8,
}

impl fmt::Display for DepthPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.shallow, self.deep)
    }
}

/// Part of the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    /// Games that the fit learns from.
    Training,
    /// Games that measure the fit.
    HeldOut,
}

impl Split {
    fn holds(self, game: u64) -> bool {
        game.is_multiple_of(HELD_OUT) == (self == Self::HeldOut)
    }
}

/// A position with the values of two depths.
#[derive(Clone, Copy)]
pub(crate) struct ValuePair<'a> {
    pub(crate) sampled: &'a SampledPosition,
    pub(crate) static_value: i32,
    pub(crate) shallow: i32,
    pub(crate) deep: i32,
}

impl ValuePair<'_> {
    /// Deep less shallow, in centipawns.
    pub(crate) fn difference(&self) -> f64 {
        f64::from((self.deep - self.shallow).clamp(-GREATEST_DIFFERENCE, GREATEST_DIFFERENCE))
    }
}

impl DepthSample {
    /// Positions of a split with the values of both depths.
    pub(crate) fn value_pairs(&self, pair: DepthPair, split: Split) -> Vec<ValuePair<'_>> {
        let values = |(&index, line): (&usize, &SampleLine)| {
            let sampled = &self.run.items[index];
            let SampleOutcome::Values(values) = &line.outcome else { return None };
            let at = |depth: u8| values.get(usize::from(depth).checked_sub(1)?).copied();
            let (shallow, deep) = (at(pair.shallow)?, at(pair.deep)?);
            split.holds(sampled.game).then_some(())?;
            Some(ValuePair { sampled, static_value: self.static_values[&index], shallow, deep })
        };
        self.run.found.iter().filter_map(values).collect()
    }

    /// Fits the progress, the played share of the game, to its elements on the training games.
    /// Refuses a sample with too few positions of whole games.
    pub(crate) fn fit_progress(&self) -> Result<ProgressWeights> {
        let mut weights = ProgressWeights::default();
        let mut observations = Observations::new(weights.0.len());
        for sampled in self.run.items.iter().filter(|sampled| Split::Training.holds(sampled.game)) {
            let Some(progress) = sampled.progress else { continue };
            let elements = progress_elements(&sampled.position);
            let features: Vec<(u16, f32)> =
                std::iter::once(1.0).chain(elements).zip(0..).map(|(x, i)| (i, x)).collect();
            observations.push(&features, progress, sampled.game as u32)?;
        }
        ensure!(observations.len() > 10 * weights.0.len(), "too few positions have a place in a whole game");
        let zero = vec![0.0; weights.0.len()];
        let fit = regression::fit(&observations, &Identity, &zero, &zero)?;
        weights.0.iter_mut().zip(&fit.parameters).for_each(|(weight, found)| *weight = *found as f32);
        Ok(weights)
    }
}

/// Column of the first value feature, after those of the position.
const FIRST_VALUE_FEATURE: usize = FEATURES;

/// Samples with the features that `keep` accepts.
fn samples(pairs: &[ValuePair<'_>], progress: &ProgressWeights, keep: impl Fn(usize) -> bool) -> Result<SigmaSamples> {
    let mut samples = SigmaSamples::new(FEATURES + VALUE_FEATURES);
    let mut sums = vec![0.0; FEATURES];
    for pair in pairs {
        let mut features: Vec<(u16, f32)> = Vec::new();
        for_each_feature(&pair.sampled.position, progress, |feature, value| {
            // Feature 0 is the constant, which each sample has anyway.
            if feature > 0 && keep(feature) {
                sums[feature] += value;
                features.push((feature as u16, 0.0));
            }
        });
        features.sort_unstable_by_key(|&(feature, _)| feature);
        features.dedup_by_key(|&mut (feature, _)| feature);
        for (feature, value) in &mut features {
            *value = std::mem::take(&mut sums[usize::from(*feature)]);
        }
        for (index, value) in value_features(pair.static_value, pair.shallow).into_iter().enumerate() {
            if keep(FIRST_VALUE_FEATURE + index) {
                features.push(((FIRST_VALUE_FEATURE + index) as u16, value));
            }
        }
        samples.push(&features, pair.difference())?;
    }
    Ok(samples)
}

/// Features that sigma may depend on.
#[derive(Clone, Copy)]
pub(crate) struct SigmaFeatures {
    pub(crate) name: &'static str,
    holds: fn(usize) -> bool,
}

impl SigmaFeatures {
    pub(crate) const CONSTANT: Self = Self { name: "constant", holds: |_| false };
    /// The progress of the game, one number.
    pub(crate) const PROGRESS: Self =
        Self { name: "progress", holds: |feature| FeatureGroup::Progress.features().contains(&feature) };
    /// The seven counts behind the progress.
    pub(crate) const PROGRESS_ELEMENTS: Self = Self { name: "progress_elements", holds: is_progress_element };
    pub(crate) const POSITION: Self = Self { name: "all_features", holds: |feature| feature < FIRST_VALUE_FEATURE };
    /// The elements of the progress and the two values.
    const ELEMENTS_AND_VALUES: Self = Self {
        name: "elements_and_values",
        holds: |feature| is_progress_element(feature) || feature >= FIRST_VALUE_FEATURE,
    };
    /// All features of the position and the two values.
    const EVERYTHING: Self = Self { name: "all_and_values", holds: |_| true };

    /// All sets; the first four are those of Kameko 2013.
    pub(crate) const ALL: [Self; 6] = [
        Self::CONSTANT,
        Self::PROGRESS,
        Self::PROGRESS_ELEMENTS,
        Self::POSITION,
        Self::ELEMENTS_AND_VALUES,
        Self::EVERYTHING,
    ];
}

fn is_progress_element(feature: usize) -> bool {
    FeatureGroup::ProgressElements.features().contains(&feature)
}

/// Fit of a set of features with both parts of the samples.
pub(crate) struct SetFit {
    pub(crate) set: SigmaFeatures,
    pub(crate) fit: SigmaFit,
    pub(crate) training: SigmaSamples,
    pub(crate) held_out: SigmaSamples,
    /// Mean log-likelihood of the held-out samples, if there are any.
    pub(crate) held_out_log_likelihood: Option<f64>,
}

/// Fits a set of features to a pair of depths.
pub(crate) fn fit_set(
    sample: &DepthSample,
    pair: DepthPair,
    progress: &ProgressWeights,
    set: SigmaFeatures,
    options: SigmaFitOptions,
) -> Result<SetFit> {
    let of = |split| samples(&sample.value_pairs(pair, split), progress, set.holds);
    let (training, held_out) = (of(Split::Training)?, of(Split::HeldOut)?);
    let square = training.differences.iter().map(|g| g * g).sum::<f64>() / training.len().max(1) as f64;
    let link = options.link;
    let spread = match link {
        SigmaLink::Linear => options.spread * square.sqrt(),
        SigmaLink::Log => options.spread,
    };
    let place = || format!("{} of depths {pair}", set.name);
    let fit = model::fit(&training, link, spread.powi(-2)).with_context(place)?;
    let measured = held_out.mean_log_likelihood(&fit.weights, link, fit.floor);
    let held_out_log_likelihood = if held_out.is_empty() { None } else { Some(measured.with_context(place)?) };
    Ok(SetFit { set, fit, training, held_out, held_out_log_likelihood })
}

fn fit_pair(
    sample: &DepthSample,
    pair: DepthPair,
    progress: &ProgressWeights,
    options: SigmaFitOptions,
) -> Result<PairModel> {
    let weights = |set| -> Result<SigmaFit> { Ok(fit_set(sample, pair, progress, set, options)?.fit) };
    let (constant, alone, all) =
        (weights(SigmaFeatures::CONSTANT)?, weights(SigmaFeatures::PROGRESS)?, weights(SigmaFeatures::POSITION)?);
    let with_values = weights(SigmaFeatures::ELEMENTS_AND_VALUES)?;
    let elements = FeatureGroup::ProgressElements.features();
    let columns: Vec<usize> =
        std::iter::once(0).chain(elements).chain(FIRST_VALUE_FEATURE..with_values.weights.len()).collect();
    Ok(PairModel {
        shallow: pair.shallow,
        deep: pair.deep,
        floor: rounded(all.floor),
        fits: value_lines(&sample.value_pairs(pair, Split::Training), progress)?,
        constant: rounded(constant.weights[0]),
        progress: [rounded(alone.weights[0]), rounded(alone.weights[FeatureGroup::Progress.features().start])],
        values: std::array::from_fn(|index| rounded(with_values.weights[columns[index]])),
        weights: all.weights[..FIRST_VALUE_FEATURE].iter().copied().map(rounded).collect(),
    })
}

/// A band of the progress with fewer positions uses the line of all bands.
const LEAST_OF_BAND: usize = 300;

/// Expected deep value by the shallow one, for each band of the progress.
fn value_lines(pairs: &[ValuePair<'_>], progress: &ProgressWeights) -> Result<[ValueFit; PROGRESS_BANDS]> {
    let mut bands: [Vec<&ValuePair<'_>>; PROGRESS_BANDS] = Default::default();
    for pair in pairs {
        bands[progress_band(progress.progress(&progress_elements(&pair.sampled.position)))].push(pair);
    }
    let all: Vec<&ValuePair<'_>> = pairs.iter().collect();
    let lines = bands.iter().map(|band| value_line(if band.len() < LEAST_OF_BAND { &all } else { band }));
    let lines: Vec<ValueFit> = lines.collect::<Result<_>>()?;
    Ok(std::array::from_fn(|band| lines[band]))
}

fn value_line(pairs: &[&ValuePair<'_>]) -> Result<ValueFit> {
    let values: Vec<(f64, f64)> = pairs.iter().map(|pair| (f64::from(pair.shallow), f64::from(pair.deep))).collect();
    let found = LineFit::new("the regression", &values)?;
    let squares: f64 = values.iter().map(|(shallow, deep)| (deep - shallow).powi(2)).sum();
    let sigma = (squares / values.len() as f64).sqrt();
    ensure!(sigma > 0.0, "deep values are all the same as shallow ones");
    Ok(ValueFit {
        slope: rounded(found.slope),
        offset: rounded(found.intercept),
        share: rounded((found.residual_deviation / sigma).max(0.01)),
    })
}

/// Rounds to four decimals.
fn rounded(weight: f64) -> f32 {
    ((weight * 1e4).round() / 1e4) as f32
}

/// Options of a fit, shared by `fit` and `report`.
#[derive(Clone, Copy, Args, Debug)]
pub(crate) struct SigmaFitOptions {
    /// How sigma follows from the weighted sum of features: it is the sum, or the sum is its
    /// logarithm
    #[arg(long, value_parser = link_parser(), default_value = "linear")]
    link: SigmaLink,
    /// Prior standard deviation of each weight, as a share of sigma: a smaller one draws weights of
    /// rare features to 0
    #[arg(long, default_value_t = 0.05, value_name = "SHARE", value_parser = spread)]
    spread: f64,
}

fn spread(text: &str) -> Result<f64, String> {
    let spread = text.parse().ok().filter(|spread: &f64| *spread > 0.0 && spread.is_finite());
    spread.ok_or_else(|| "expected a number above 0".to_owned())
}

/// A pair of depths such as `4-8`.
pub(crate) fn parse_pair(text: &str) -> Result<DepthPair> {
    let parts = text.split_once('-').and_then(|(shallow, deep)| Some((shallow.parse().ok()?, deep.parse().ok()?)));
    let (shallow, deep) = parts.with_context(|| format!("`{text}` is not a pair of depths such as `4-8`"))?;
    ensure!(shallow > 0 && shallow < deep, "`{text}`: the first depth is at least 1 and less than the second");
    Ok(DepthPair { shallow, deep })
}

/// Fits sigma to a sample and writes the model
#[derive(Args, Debug)]
pub(crate) struct SigmaFitArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// Pairs of depths, such as `4-8,5-9` [default: all that are 4 or 6 plies apart]
    #[arg(long, value_name = "PAIRS", value_delimiter = ',', value_parser = parse_pair)]
    pairs: Vec<DepthPair>,
    #[command(flatten)]
    options: SigmaFitOptions,
    /// File of the model
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Note stored in the model
    #[arg(long, default_value = "")]
    note: String,
    /// Print the fitted pairs as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &SigmaFitArgs) -> Result<()> {
    let sample = DepthSample::read(&arguments.folder)?;
    let pairs = pairs(&arguments.pairs, sample.run.journal.settings.depth)?;
    let mut line = ProgressLine::new("pairs", pairs.len() as u64, 0);
    let progress = sample.fit_progress()?;
    let mut models = Vec::new();
    for &pair in &pairs {
        models.push(fit_pair(&sample, pair, &progress, arguments.options)?);
        line.show(models.len() as u64, String::new);
    }
    line.finish();
    let model = SigmaModel { note: arguments.note.clone(), link: arguments.options.link, progress, pairs: models };
    write_atomically(&arguments.output, model.to_text().as_bytes())?;
    if arguments.json {
        let pairs: Vec<[u8; 2]> = pairs.iter().map(|pair| [pair.shallow, pair.deep]).collect();
        return print_json(&json!({ "output": arguments.output, "pairs": pairs }));
    }
    say!("{} pairs of depths written to {}", pairs.len(), arguments.output.display());
    Ok(())
}

fn pairs(given: &[DepthPair], depth: u32) -> Result<Vec<DepthPair>> {
    let pairs: Vec<DepthPair> = if given.is_empty() {
        let apart =
            |plies: u8| (5..=depth as u8).filter(move |deep| *deep > plies).map(move |deep| (deep - plies, deep));
        apart(4).chain(apart(6)).map(|(shallow, deep)| DepthPair { shallow, deep }).collect()
    } else {
        given.to_vec()
    };
    ensure!(!pairs.is_empty(), "depth {depth} of the sample has no pairs: give --pairs");
    for pair in &pairs {
        ensure!(u32::from(pair.deep) <= depth, "{pair}: the sample ends at depth {depth}");
    }
    Ok(pairs)
}
