//! The settings of an ablation study.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use serde::{Deserialize, Serialize};

use super::list::{Ablation, WHOLE};
use crate::schedule::PairingFormat;
use crate::settings::ContestSettings;

/// The settings as they stand in the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AblationSettings {
    /// With all steps.
    pub engine: PlayerSpec,
    /// The steps that are switched off one by one.
    pub ablations: Vec<Ablation>,
    /// Pairs of games for each step; 0 for none.
    pub rounds: usize,
    /// Nodes are counted to this depth in plies; 0 for not at all.
    pub depth: u32,
    /// Where they are counted, as SFEN.
    pub positions: Vec<String>,
    /// How games are played.
    pub rules: MatchRules,
}

impl AblationSettings {
    /// # Errors
    /// An engine with an option that an ablation sets, or an engine of the name of another, or nothing to do.
    pub fn check(&self) -> Result<()> {
        ensure!(self.rounds > 0 || self.depth > 0, "neither games nor a depth: there is nothing to do");
        for ablation in &self.ablations {
            for option in ablation.options.keys() {
                let fixed = self.engine.options.keys().find(|fixed| fixed.eq_ignore_ascii_case(option));
                ensure!(fixed.is_none(), "`{option}` is set by the engine, and by the ablation `{}`", ablation.name);
            }
        }
        Ok(())
    }

    /// The engine with all steps.
    pub(super) fn whole(&self) -> PlayerSpec {
        PlayerSpec { name: WHOLE.to_owned(), ..self.engine.clone() }
    }

    /// The match of the whole engine, which is the first one, against the one without a step.
    pub(super) fn contest(&self, ablation: &Ablation) -> ContestSettings {
        let whole = self.whole();
        ContestSettings {
            event: format!("ablation of {}", ablation.name),
            format: PairingFormat::RoundRobin,
            engines: vec![whole.clone(), ablation.engine(&whole)],
            rounds: self.rounds,
            rules: self.rules,
            replay_faults: 0,
            sprt: None,
            handshake: BTreeMap::new(),
        }
    }
}
