//! Why a move is bad, or good.

use std::sync::Arc;

use kiki_board::Move;
use kiki_eval::SelectedEvaluator;
use kiki_reasons::{Effort, Explainer};

use crate::facts::named_move;
use crate::outgoing::TabQuestion;
use crate::problem::ProofThread;
use crate::protocol::TabReply;
use crate::refusal::Refusal;
use crate::settings::Settings;

impl ProofThread {
    /// Begins to look for the reason why a legal move is bad, or good.
    pub(crate) fn explain(
        &mut self,
        question: TabQuestion,
        mv: Move,
        is_good: bool,
        settings: &Arc<Settings>,
    ) -> std::io::Result<()> {
        let settings = Arc::clone(settings);
        self.begin(question, move |id, position, _| {
            let explainer = Explainer::<SelectedEvaluator>::new(settings.weights.clone(), Effort::default());
            let mut explainer = match explainer {
                Ok(explainer) => explainer,
                Err(error) => return TabReply::Error { id: Some(id), refusal: Refusal::rare(error) },
            };
            let reason = if is_good { explainer.merit(&position, mv) } else { explainer.explain(&position, mv) };
            TabReply::Reason { id, of: named_move(&position, mv), reason: reason.told(&position) }
        })
    }
}
