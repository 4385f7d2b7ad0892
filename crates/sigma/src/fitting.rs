//! The weights of sigma, for several sets of features.

use crate::model;
use crate::model::{SigmaFit, SigmaSamples};
use crate::probcut::ValueRegression;
use anyhow::{Context as _, Result, ensure};
use kiki_eval::sigma::{
    FeatureGroup, PROGRESS_BANDS, PairModel, ProgressWeights, SigmaLink, SigmaModel, ValueFit, progress_band,
    progress_elements,
};

use super::dataset::{DepthPair, FIRST_VALUE_FEATURE, Split, ValuePair, samples};
use super::sampling::Sample;

/// What sigma may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FeatureSet {
    /// On nothing.
    Constant,
    /// On the progress of the game.
    Progress,
    /// On what the progress is made of.
    ProgressElements,
    /// On all features.
    All,
    /// On the elements of the progress and the values.
    ElementsAndValues,
    /// On all features and the values.
    AllAndValues,
}

impl FeatureSet {
    pub(crate) const ALL: [Self; 6] = [
        Self::Constant,
        Self::Progress,
        Self::ProgressElements,
        Self::All,
        Self::ElementsAndValues,
        Self::AllAndValues,
    ];

    /// Its name, as the slides (Kameko 2013) have it where they know it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Progress => "progress",
            Self::ProgressElements => "progress_elements",
            Self::All => "all_features",
            Self::ElementsAndValues => "elements_and_values",
            Self::AllAndValues => "all_and_values",
        }
    }

    fn holds(self, feature: usize) -> bool {
        match self {
            Self::Constant => false,
            Self::Progress => FeatureGroup::Progress.features().contains(&feature),
            Self::ProgressElements => FeatureGroup::ProgressElements.features().contains(&feature),
            Self::All => feature < FIRST_VALUE_FEATURE,
            Self::ElementsAndValues => Self::ProgressElements.holds(feature) || feature >= FIRST_VALUE_FEATURE,
            Self::AllAndValues => true,
        }
    }
}

/// How weights are fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitSettings {
    pub(crate) link: SigmaLink,
    /// The standard deviation that weights are thought to have: in parts of sigma.
    pub(crate) spread: f64,
}

/// The fit of a set of features, with the samples that it was made of and those that were held out.
pub(crate) struct SetFit {
    pub(crate) fit: SigmaFit,
    pub(crate) training: SigmaSamples,
    pub(crate) held_out: SigmaSamples,
    /// The mean log-likelihood of what was held out; `None` if nothing was.
    pub(crate) held_out_log_likelihood: Option<f64>,
}

/// Fits a set of features to a pair of depths.
///
/// # Errors
/// If there are too few samples, or the fit does not settle.
pub(crate) fn fit_set(
    sample: &Sample,
    pair: DepthPair,
    progress: &ProgressWeights,
    set: FeatureSet,
    settings: FitSettings,
) -> Result<SetFit> {
    let of = |split| samples(&sample.value_pairs(pair, split), progress, |feature| set.holds(feature));
    let (training, held_out) = (of(Split::Training)?, of(Split::HeldOut)?);
    let square = training.differences().iter().map(|g| g * g).sum::<f64>() / training.len().max(1) as f64;
    let link = stats_link(settings.link);
    let spread = match settings.link {
        SigmaLink::Linear => settings.spread * square.sqrt(),
        SigmaLink::Log => settings.spread,
    };
    let place = || format!("{} of depths {}-{}", set.name(), pair.shallow, pair.deep);
    let fit = model::fit(&training, link, spread.powi(-2)).with_context(place)?;
    let measured = held_out.mean_log_likelihood(&fit.weights, link, fit.floor);
    let held_out_log_likelihood = if held_out.is_empty() { None } else { Some(measured.with_context(place)?) };
    Ok(SetFit { fit, training, held_out, held_out_log_likelihood })
}

fn stats_link(link: SigmaLink) -> model::SigmaLink {
    match link {
        SigmaLink::Linear => model::SigmaLink::Linear,
        SigmaLink::Log => model::SigmaLink::Log,
    }
}

/// The model of a pair of depths.
///
/// # Errors
/// As [`fit_set`].
pub(crate) fn fit_pair(
    sample: &Sample,
    pair: DepthPair,
    progress: &ProgressWeights,
    settings: FitSettings,
) -> Result<PairModel> {
    let weights = |set| -> Result<SigmaFit> { Ok(fit_set(sample, pair, progress, set, settings)?.fit) };
    let (constant, alone, all) =
        (weights(FeatureSet::Constant)?, weights(FeatureSet::Progress)?, weights(FeatureSet::All)?);
    let with_values = weights(FeatureSet::ElementsAndValues)?;
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

/// A band of the progress with fewer positions takes the line of all.
const LEAST_OF_BAND: usize = 300;

/// The line of each band of the progress.
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
    let found = ValueRegression::fit(&values)?;
    let squares: f64 = values.iter().map(|(shallow, deep)| (deep - shallow).powi(2)).sum();
    let sigma = (squares / values.len() as f64).sqrt();
    ensure!(sigma > 0.0, "deep values are all the same as shallow ones");
    Ok(ValueFit {
        slope: rounded(found.slope),
        offset: rounded(found.offset),
        share: rounded((found.sigma / sigma).max(0.01)),
    })
}

/// As many digits as mean something.
fn rounded(weight: f64) -> f32 {
    ((weight * 1e4).round() / 1e4) as f32
}

/// The models of several pairs of depths. `each` is called with the number of pairs done.
///
/// # Errors
/// As [`fit_set`], and if too few positions know their place in their game.
pub(crate) fn fit_model(
    sample: &Sample,
    pairs: &[DepthPair],
    settings: FitSettings,
    note: String,
    mut each: impl FnMut(usize),
) -> Result<SigmaModel> {
    let progress = sample.fit_progress()?;
    let mut models = Vec::new();
    for &pair in pairs {
        models.push(fit_pair(sample, pair, &progress, settings)?);
        each(models.len());
    }
    Ok(SigmaModel { note, link: settings.link, progress, pairs: models })
}
