//! A network in floating point, in which 1 is the greatest activation, and its conversion to the
//! integers of a network file.

use kiki_board::mix;
use kiki_eval::{Architecture, NetworkFile};
use nalgebra::DMatrix;
use rand::SeedableRng as _;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::adam::{Adam, AdamMoments};
use super::classic;
use super::head::{ACTIVATION, FIRST_BIAS, Passed};
use super::index::FeatureSlots;
use super::samples::piece_first;
use super::sfnn;
use super::stacks::Stacks;
use super::table::{FeatureGradients, FeatureTable, GREATEST_FEATURE, Rows, add, add_rows, unit};

/// The numbers of a network with their moments.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub(super) architecture: Architecture,
    pub(super) table: FeatureTable,
    /// The transformer's, `[unit]`.
    pub(super) biases: Vec<f32>,
    pub(super) bias_moments: AdamMoments,
    pub(super) stacks: Stacks,
}

/// The gradients of all numbers after the features.
pub(super) struct ModelGradient {
    /// The transformer's.
    pub(super) biases: Vec<f32>,
    /// Of each stack; `None` if the batch has no sample for it.
    pub(super) stacks: Vec<Option<Vec<f32>>>,
}

impl Model {
    #[must_use]
    pub fn new(architecture: Architecture, factorised: bool, seed: u64) -> Self {
        let random = &mut Pcg64::seed_from_u64(mix(seed));
        let (features, l1) = architecture.transformer();
        let shortcut = match &architecture {
            Architecture::Sfnn(shape) if shape.has_shortcut() => Some(shape.h1),
            _ => None,
        };
        let first_bias = |layer: usize, output: usize| {
            let is_hidden = layer < 2 && (layer, Some(output)) != (0, shortcut);
            if is_hidden { FIRST_BIAS } else { 0.0 }
        };
        Self {
            architecture,
            table: FeatureTable::new(features, l1, factorised, random),
            biases: vec![FIRST_BIAS; l1],
            bias_moments: AdamMoments::new(l1),
            stacks: Stacks::new(architecture.layers(), architecture.stacks(), factorised, first_bias, random),
        }
    }

    /// The network of a file. Writing it without a step gives the same file.
    #[must_use]
    pub(super) fn of_network(file: &NetworkFile, factorised: bool) -> Self {
        let mut model = Self::new(file.architecture, factorised, 0);
        let (set, _) = model.architecture.transformer();
        let rows: Vec<&[i16]> = file.transformer_rows().collect();
        model.biases.iter_mut().zip(rows[0]).for_each(|(number, &bias)| *number = f32::from(bias) / ACTIVATION);
        let (kings, pieces) = (set.king_squares(), set.pieces());
        // The inverse of `piece_first`.
        let in_file = (0..set.count()).map(|feature| feature % kings * pieces + feature / kings);
        model.table.take_weights(in_file.map(|feature| rows[1 + feature]));
        let roundings = model.roundings();
        let Stacks { layers, rows, .. } = &mut model.stacks;
        for (numbers, parameters) in rows.numbers.chunks_exact_mut(rows.width).zip(&file.stacks) {
            for ((layer, parameters), rounding) in layers.iter().zip(parameters).zip(roundings) {
                layer.take_parameters(numbers, parameters, rounding);
            }
        }
        model
    }

    /// What the division of each layer's sums rounds off, by which its biases differ from those of
    /// a file.
    fn roundings(&self) -> [f32; 3] {
        match &self.architecture {
            Architecture::Classic(_) => classic::ROUNDING,
            Architecture::Sfnn(_) => [0.0; 3],
        }
    }

    /// The same numbers without memory of earlier gradients.
    pub(super) fn without_moments(mut self) -> Self {
        let FeatureTable { rows, pieces, relations, .. } = &mut self.table;
        [rows, pieces, relations, &mut self.stacks.rows].into_iter().for_each(Rows::forget_moments);
        [&mut self.bias_moments, &mut self.stacks.common].into_iter().for_each(AdamMoments::forget);
        self
    }

    /// Number of outputs of the transformer for each side.
    pub(super) fn l1(&self) -> usize {
        self.biases.len()
    }

    /// The sums of the transformer for some views, `[view][unit]`, given their features and the
    /// weights by slot. The weights are the integers of a file: gradients ignore the rounding
    /// (straight-through estimation; Bengio and others, 2013).
    pub(super) fn add_features<'a>(
        &self,
        slots: &FeatureSlots,
        weights: &[i16],
        views: impl Iterator<Item = &'a [u32]>,
        sums: &mut [f32],
    ) {
        let mut units = vec![0; self.l1()];
        let biases: Vec<f32> = self.biases.iter().map(|&bias| f32::from(unit(bias)) * (1.0 / ACTIVATION)).collect();
        for (features, sums) in views.zip(sums.chunks_exact_mut(self.l1())) {
            units.fill(0);
            add_rows(&mut units, weights, features.iter().map(|&feature| slots.slot(feature)), i16::wrapping_add);
            for ((sum, &units), bias) in sums.iter_mut().zip(&units).zip(&biases) {
                *sum = f32::from(units) * (1.0 / ACTIVATION) + bias;
            }
        }
    }

    /// Passes sums, `[sample][side][unit]`, through a stack with these rounded numbers.
    fn pass<'a>(&'a self, numbers: &'a [f32], sums: &mut [f32]) -> Passed<'a> {
        match &self.architecture {
            Architecture::Classic(_) => classic::pass(&self.stacks.layers, numbers, sums),
            Architecture::Sfnn(shape) => sfnn::pass(shape, &self.stacks.layers, numbers, sums),
        }
    }

    /// The outputs of samples of a stack, given their sums, which it clips.
    pub(super) fn outputs(&self, stack: usize, sums: &mut [f32]) -> DMatrix<f32> {
        self.pass(&self.stacks.rounded(stack), sums).outputs
    }

    /// The gradients of a stack's numbers and of the transformer's biases, for samples of the
    /// stack. `of_outputs` turns outputs into their gradients. Replaces the sums by their
    /// gradients.
    pub(super) fn gradients(
        &self,
        stack: usize,
        sums: &mut [f32],
        of_outputs: impl FnOnce(&mut DMatrix<f32>),
    ) -> [Vec<f32>; 2] {
        let numbers = &self.stacks.rounded(stack);
        let mut of_stack = vec![0.0; numbers.len()];
        let Passed { mut outputs, backward } = self.pass(numbers, sums);
        of_outputs(&mut outputs);
        backward(&outputs, sums, &mut of_stack);
        let mut of_biases = vec![0.0; self.l1()];
        for view in sums.chunks_exact(self.l1()) {
            add(&mut of_biases, view);
        }
        [of_stack, of_biases]
    }

    /// Changes numbers that only some positions use, rows of features and parts of stacks, by the
    /// first step, and all others by the second.
    pub(super) fn update(
        &mut self,
        gradient: &ModelGradient,
        of_features: FeatureGradients<'_>,
        [of_parts, adam]: [Adam; 2],
        step: u64,
    ) {
        self.table.update(of_features, [of_parts, adam], step);
        let AdamMoments { first, second } = &mut self.bias_moments;
        adam.update(&mut self.biases, [first, second], &gradient.biases, 1, GREATEST_FEATURE);
        self.stacks.update(&gradient.stacks, [of_parts, adam], step);
    }

    /// The numbers of a network file, each rounded to the nearest.
    #[must_use]
    pub fn to_network(&self) -> NetworkFile {
        let (set, l1) = self.architecture.transformer();
        let biases: Vec<i16> = self.biases.iter().map(|&bias| unit(bias)).collect();
        let mut weights = vec![0; set.count() * l1];
        let rows = weights.par_chunks_exact_mut(l1).enumerate();
        rows.for_each(|(feature, row)| self.table.weights(piece_first(set, feature), row));
        let roundings = self.roundings();
        let Stacks { layers, rows, .. } = &self.stacks;
        let stack = |numbers| [0, 1, 2].map(|at| layers[at].to_parameters(numbers, roundings[at]));
        let stacks = rows.numbers.chunks_exact(rows.width).map(stack).collect();
        NetworkFile::new(self.architecture, &biases, &weights, None, stacks)
    }
}
