//! The settings of a contest: everything that decides which games are played and how they are judged.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use serde::{Deserialize, Serialize};

use super::schedule::{PairingFormat, Schedule};
use super::sprt_run::SprtSettings;

/// The settings of a contest, as they stand in its folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContestSettings {
    /// The name of the event in records.
    pub event: String,
    /// Who plays whom.
    pub format: PairingFormat,
    /// The engines, in the order of their numbers.
    pub engines: Vec<PlayerSpec>,
    /// Pairs of games for each pairing.
    pub rounds: usize,
    /// How games are played.
    pub rules: MatchRules,
    /// How often a game that a failed process ended is played again before it counts as a loss.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replay_faults: u32,
    /// The sequential test that ends the match, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSettings>,
    /// What engines said as `info string` until they were ready, by their names: each text once, whenever they were started. Found, not set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub handshake: BTreeMap<String, Vec<String>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl ContestSettings {
    /// # Errors
    /// Tells what is wrong with the settings.
    pub fn check(&self) -> Result<()> {
        ensure!(self.engines.len() >= 2, "a match needs two engines or more, not {}", self.engines.len());
        for (index, engine) in self.engines.iter().enumerate() {
            let twice = self.engines[..index].iter().any(|other| other.name == engine.name);
            ensure!(!twice, "two engines are named `{}`: give them names by name=..", engine.name);
        }
        ensure!(self.rounds > 0, "a match needs at least two games for each pairing");
        self.schedule(1)?;
        if let Some(sprt) = &self.sprt {
            ensure!(self.engines.len() == 2, "a sequential test compares two engines, not {}", self.engines.len());
            sprt.sprt()?;
        }
        Ok(())
    }

    /// # Errors
    /// More games than can be counted.
    pub fn schedule(&self, openings: usize) -> Result<Schedule> {
        Schedule::new(self.format, self.engines.len(), self.rounds, openings)
    }
}
