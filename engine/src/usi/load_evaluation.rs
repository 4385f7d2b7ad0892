//! Loading the evaluation that the options select, and the model of sigma that belongs to it.

use std::sync::Arc;

use kiki_eval::SelectedWeights;

use super::evaluation::{EvaluationSettings, LoadedEvaluation};
use super::session::UsiSession;
use super::sigma::SigmaSettings;

impl UsiSession {
    /// Loads the evaluation that the options select. One that cannot be loaded is reported once; the network before stays,
    /// and where there was none the one in the program is used.
    pub(super) fn load_evaluation(&mut self) {
        let wanted = match EvaluationSettings::read(&self.options) {
            Ok(wanted) => wanted,
            Err(error) => return self.warn(error),
        };
        // A search in progress keeps its evaluation.
        if self.is_searching() {
            return;
        }
        if self.evaluation_tried.as_ref() != Some(&wanted) {
            self.load_selected(wanted);
        }
        if let SelectedWeights::Formula(weights) = &mut self.evaluation.weights
            && *weights != self.formula
        {
            *weights = Arc::clone(&self.formula);
            self.drop_searcher();
        }
    }

    /// Loads the model of sigma that the options select for the evaluation in use. One that cannot be loaded is reported once.
    pub(super) fn load_sigma_model(&mut self) {
        let wanted = match SigmaSettings::read(&self.options, &self.evaluation.weights) {
            Ok(wanted) => wanted,
            Err(error) => return self.warn(error),
        };
        if let Err(error) = self.sigma.load(wanted) {
            self.warn(error);
        }
    }

    /// Loads the evaluation of the settings, or reports why it cannot be loaded and which is used instead.
    fn load_selected(&mut self, wanted: EvaluationSettings) {
        match LoadedEvaluation::load(&wanted) {
            Ok((evaluation, notes)) => {
                notes.iter().for_each(|note| self.warn(note));
                self.use_evaluation(evaluation);
            }
            Err(error) if matches!(self.evaluation.weights, SelectedWeights::Network(_)) => self.warn(error),
            // Who names a network wants to play with one: the formula is far weaker than the one in the program.
            Err(error) => match LoadedEvaluation::substitute() {
                Ok(evaluation) => {
                    self.warn(format_args!("{error}; the network in the program is used"));
                    self.use_evaluation(evaluation);
                }
                Err(_) => self.warn(error),
            },
        }
        self.evaluation_tried = Some(wanted);
    }

    fn use_evaluation(&mut self, evaluation: LoadedEvaluation) {
        self.evaluation = evaluation;
        self.drop_searcher();
    }

    /// Gives back the memory of the searcher and of its evaluation; both are made again when they are needed.
    pub(super) fn give_back_search(&mut self) {
        self.drop_searcher();
        self.evaluation = LoadedEvaluation::default();
        self.evaluation_tried = None;
        self.options_changed = true;
    }

    /// Ends the searcher, which is made anew with the new evaluation. If it is still getting ready, its `readyok` comes first.
    pub(super) fn drop_searcher(&mut self) {
        if let Some(searcher) = self.searcher.take() {
            searcher.wait();
        }
    }
}
