//! The outputs of a model for a batch, and the gradients that follow.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::head::{ACTIVATION, WEIGHT};
use super::index::{FeatureSlots, FeatureViews};
use super::model::{Model, ModelGradient};
use super::samples::{Performance, SampleGroup, Samples};
use super::settings::TrainingSettings;
use super::table::{FeatureGradients, add, resize};
use kiki_eval::DEFAULT_FV_SCALE;

/// An output of 1 in the unit of a network file.
const OUTPUT: f32 = ACTIVATION * WEIGHT;

/// The logarithm of the odds for an output of 1.
fn log_odds_of_one(settings: &TrainingSettings) -> f32 {
    let centipawns = OUTPUT / DEFAULT_FV_SCALE as f32;
    centipawns * 3_f32.ln() / settings.network_scale as f32
}

fn sigmoid(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Buffers for the numbers between the features and the layers, reused by the next batch.
#[derive(Default)]
pub(super) struct Batch {
    slots: FeatureSlots,
    views: FeatureViews,
    /// The weights of the features as a file holds them, `[slot][unit]`.
    weights: Vec<i16>,
    /// Sums of the features, later their gradients, `[sample][side][unit]`, in the order of the
    /// samples' stacks.
    sums: Vec<f32>,
    /// Gradients of the features, `[slot][unit]`.
    of_slots: Vec<f32>,
}

impl Batch {
    /// The outputs for all samples in the order of their records, in the unit of a network file.
    pub(super) fn outputs(&mut self, model: &Model, samples: &Samples) -> Vec<f64> {
        self.gather(model, samples);
        let parts = self.for_groups(model, samples, |group, sums| model.outputs(group.stack, sums));
        let outputs = parts.iter().flat_map(|outputs| outputs.iter());
        samples.in_order_of_records(outputs.map(|output| f64::from(output * OUTPUT)))
    }

    pub(super) fn performance(&mut self, model: &Model, samples: &Samples, settings: &TrainingSettings) -> Performance {
        self.gather(model, samples);
        let unit = log_odds_of_one(settings);
        let parts = self.for_groups(model, samples, |group, sums| {
            let outputs = model.outputs(group.stack, sums);
            let labels = samples.labels(group.places.clone());
            labels.zip(&outputs).map(|(label, output)| Performance::of(label, unit * output)).sum::<Performance>()
        });
        parts.into_iter().sum()
    }

    /// Computes the gradients of the mean loss. Returns those of all numbers after the features;
    /// those of the features follow from [`Self::of_features`].
    pub(super) fn gradients(
        &mut self,
        model: &Model,
        samples: &Samples,
        settings: &TrainingSettings,
    ) -> (ModelGradient, Performance) {
        self.gather(model, samples);
        let unit = log_odds_of_one(settings);
        let parts = self.for_groups(model, samples, |group, sums| {
            let mut performance = Performance::default();
            let of_outputs = |outputs: &mut DMatrix<f32>| {
                for (label, output) in samples.labels(group.places.clone()).zip(outputs) {
                    let log_odds = unit * *output;
                    performance += Performance::of(label, log_odds);
                    *output = (sigmoid(log_odds) - label.target) * unit / samples.len() as f32;
                }
            };
            (group.stack, model.gradients(group.stack, sums, of_outputs), performance)
        });
        let stacks = vec![None; model.architecture.stacks()];
        let mut sum = ModelGradient { biases: vec![0.0; model.l1()], stacks };
        let mut performance = Performance::default();
        for (stack, [of_stack, of_biases], of_part) in parts {
            add(&mut sum.biases, &of_biases);
            match &mut sum.stacks[stack] {
                Some(sum) => add(sum, &of_stack),
                none => *none = Some(of_stack),
            }
            performance += of_part;
        }
        (sum, performance)
    }

    /// The gradients of the features; valid after [`Self::gradients`].
    pub(super) fn of_features(&mut self) -> FeatureGradients<'_> {
        let Self { slots, views, sums, of_slots, .. } = self;
        FeatureGradients { slots, views, of_views: sums, of_slots }
    }

    fn gather(&mut self, model: &Model, samples: &Samples) {
        self.slots.fill(model.architecture.transformer().0.count(), samples.features());
        model.table.gather(&self.slots, &mut self.weights);
    }

    /// Computes the sums of each group of samples and calls `function` with them. Collects the
    /// views of each feature in parallel.
    fn for_groups<T: Send>(
        &mut self,
        model: &Model,
        samples: &Samples,
        function: impl Fn(&SampleGroup, &mut [f32]) -> T + Sync,
    ) -> Vec<T> {
        let Self { slots, views, weights, sums, .. } = self;
        let sample = 2 * model.l1();
        resize(sums, samples.len() * sample);
        let mut rest = &mut sums[..];
        let groups: Vec<(&SampleGroup, &mut [f32])> = samples
            .groups()
            .iter()
            .map(|group| (group, rest.split_off_mut(..group.places.len() * sample).expect("a place for every sample")))
            .collect();
        let of_groups = groups.into_par_iter().map(|(group, sums)| {
            model.add_features(slots, weights, samples.views(group.places.clone()), sums);
            function(group, sums)
        });
        let ((), results) =
            rayon::join(|| views.fill(slots, samples.views(0..samples.len())), || of_groups.collect::<Vec<T>>());
        results
    }
}
