//! The state of a run, as stored in `learn.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::{blake3_of, write_json};
use kiki_run::journal::LEARNING;
use kiki_run::output::{interval, signed};
use kiki_stats::sprt::Counts;
use kiki_stats::tally::Tally;
use serde::{Deserialize, Serialize};

use crate::settings::LearnSettings;

/// Everything that a run resumes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LearnState {
    pub(crate) program: String,
    pub(crate) commit: Option<String>,
    pub(crate) settings: LearnSettings,
    pub(crate) hours: f64,
    /// Seconds of work so far.
    pub(crate) seconds: f64,
    pub(crate) start: EvaluationNote,
    /// Folder into which other processes put games.
    pub(crate) shards: Option<PathBuf>,
    /// Number of blocks taken from each file there: by its name without the ending and the sum of its
    /// note.
    pub(crate) taken: BTreeMap<String, usize>,
    pub(crate) generations: Vec<Generation>,
    /// The games of the next generation, once they are complete.
    pub(crate) games: Option<GenerationGames>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerationGames {
    pub(crate) data: Vec<DataFile>,
    pub(crate) held_out: DataFile,
}

/// A finished generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generation {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) commit: Option<String>,
    /// The generation that played the games; 0: the start.
    pub(crate) parent: usize,
    pub(crate) games: GenerationGames,
    /// Names of the files that the training read.
    pub(crate) learned_from: Vec<String>,
    pub(crate) network: EvaluationNote,
    /// Positions learned from, repeated ones included.
    pub(crate) positions: u64,
    /// Cross entropy on the held-out games, in nats: to the returns, and to the results alone.
    pub(crate) loss: f64,
    pub(crate) result_loss: f64,
    pub(crate) test: Tally,
    pub(crate) seconds: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataFile {
    /// In the folder `data` of the run.
    pub(crate) name: String,
    /// `None` for games of other processes, which have their own seeds.
    pub(crate) seed: Option<u64>,
    pub(crate) positions: u64,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
    /// Whether the file still exists.
    pub(crate) kept: bool,
}

impl DataFile {
    /// Describes a file in the folder `data`.
    pub(crate) fn new(data: &Path, name: String, seed: Option<u64>, positions: u64) -> Result<Self> {
        let path = data.join(&name);
        let bytes = std::fs::metadata(&path).with_context(|| path.display().to_string())?.len();
        Ok(Self { name, seed, positions, bytes, blake3: blake3_of(&path)?, kept: true })
    }
}

impl Generation {
    /// The difference from the parent in Elo; `None` without games.
    pub(crate) fn elo(&self) -> Option<f64> {
        Some(self.test.score().ok()?.elo())
    }

    /// The same with its 95 percent interval, for reports.
    pub(crate) fn elo_text(&self) -> Option<String> {
        let Tally { wins, draws, losses } = self.test;
        let estimates = Counts::Trinomial([losses, draws, wins]).estimates(0.95).ok()?;
        Some(format!("{} {}", signed(estimates.elo), interval(estimates.elo_interval)))
    }

    pub(crate) fn is_better(&self) -> bool {
        self.test.wins > self.test.losses
    }
}

impl LearnState {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(LEARNING);
        let place = || path.display().to_string();
        serde_json::from_str(&read_regular_text(&path, MOST_RECORDS).with_context(place)?).with_context(place)
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(LEARNING), self)
    }

    /// The best generation so far and its evaluation; 0: the start.
    pub(crate) fn best(&self) -> (usize, &EvaluationNote) {
        let best = self.generations.iter().rev().find(|generation| generation.is_better());
        best.map_or((0, &self.start), |generation| (generation.number, &generation.network))
    }

    /// Whether the run ends: the last `patience` generations each gained less than `least_elo`.
    pub(crate) fn is_at_end(&self) -> bool {
        let LearnSettings { least_elo, patience, .. } = self.settings;
        let little = |generation: &&Generation| generation.elo().is_some_and(|elo| elo < least_elo);
        self.generations.iter().rev().take_while(little).count() >= patience
    }

    /// The files that a training reads: the newest that fit the window. `new` are of this
    /// generation.
    pub(crate) fn window(&self, new: &[DataFile]) -> Vec<String> {
        let mut positions = 0;
        let older = self.generations.iter().rev().flat_map(|generation| generation.games.data.iter().rev());
        let newest_first = new.iter().rev().chain(older.filter(|file| file.kept));
        let fits = |file: &&DataFile| {
            // The first file is read whatever its size.
            let first = positions == 0;
            positions += file.positions;
            first || positions <= self.settings.training.window
        };
        newest_first.take_while(fits).map(|file| file.name.clone()).collect()
    }

    /// The files to delete so that the rest fits `most_mebibytes`: the oldest outside the window.
    pub(crate) fn surplus(&self) -> Vec<String> {
        let window = self.window(&[]);
        let kept = || self.generations.iter().flat_map(|generation| &generation.games.data).filter(|file| file.kept);
        let mut bytes: u64 = kept().map(|file| file.bytes).sum();
        let most = self.settings.most_mebibytes << 20;
        let mut surplus = Vec::new();
        for file in kept().filter(|file| !window.contains(&file.name)) {
            if bytes <= most {
                break;
            }
            bytes -= file.bytes;
            surplus.push(file.name.clone());
        }
        surplus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Recipe;

    fn file(name: &str, positions: u64) -> DataFile {
        DataFile {
            name: name.to_owned(),
            seed: Some(1),
            positions,
            bytes: positions << 20,
            blake3: String::new(),
            kept: true,
        }
    }

    /// Generations with these positions and results.
    fn state(generations: &[(u64, [u64; 3])]) -> LearnState {
        let generation = |(number, &(positions, [wins, draws, losses])): (usize, &(u64, [u64; 3]))| Generation {
            number: number + 1,
            commit: None,
            parent: 0,
            games: GenerationGames {
                data: vec![file(&format!("{}", number + 1), positions)],
                held_out: file("held-out", 1),
            },
            learned_from: Vec::new(),
            network: EvaluationNote::Formula,
            positions,
            loss: 0.5,
            result_loss: 0.6,
            test: Tally { wins, draws, losses },
            seconds: 1.0,
        };
        LearnState {
            program: String::new(),
            commit: None,
            settings: LearnSettings::read(Recipe::Evening, None).unwrap(),
            hours: 1.0,
            seconds: 0.0,
            start: EvaluationNote::Formula,
            shards: None,
            taken: BTreeMap::new(),
            generations: generations.iter().enumerate().map(generation).collect(),
            games: None,
        }
    }

    fn of_results(results: &[[u64; 3]]) -> LearnState {
        state(&results.iter().map(|&result| (1, result)).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_network_that_won_is_the_best() {
        for (results, best) in [(&[][..], 0), (&[[3, 0, 5]], 0), (&[[5, 0, 3], [9, 9, 1], [4, 0, 4]], 2)] {
            assert_eq!(of_results(results).best().0, best);
        }
    }

    #[test]
    fn a_few_games_prove_nothing() {
        let text = |result| state(&[(1, result)]).generations[0].elo_text();
        assert_eq!(text([0, 0, 4]).unwrap(), "-inf [-inf, +72.1]");
        assert_eq!(text([150, 150, 100]).unwrap(), "+43.7 [+16.9, +71.0]");
        assert_eq!(text([0, 0, 0]), None);
    }

    #[test]
    fn a_run_ends_after_two_generations_that_bring_little() {
        let (much, little) = ([60, 0, 40], [51, 0, 49]);
        for results in [&[][..], &[little], &[little, much, little]] {
            assert!(!of_results(results).is_at_end());
        }
        assert!(of_results(&[much, little, little]).is_at_end());
    }

    #[test]
    fn the_newest_games_are_learned_from_and_the_oldest_go() {
        let mut state = state(&[(50, [1, 0, 0]), (60, [1, 0, 0]), (70, [1, 0, 0])]);
        state.settings.training.window = 140;
        assert_eq!(state.window(&[]), ["3", "2"]);
        assert_eq!(state.window(&[file("new", 200)]), ["new"]);
        assert_eq!(state.window(&[file("new", 60)]), ["new", "3"]);
        assert_eq!(state.surplus(), [""; 0]);
        state.settings.most_mebibytes = 150;
        assert_eq!(state.surplus(), ["1"]);
        state.settings.most_mebibytes = 10;
        assert_eq!(state.surplus(), ["1"], "none that the next training reads");
        state.generations[0].games.data[0].kept = false;
        assert_eq!(state.surplus(), [""; 0]);
    }
}
