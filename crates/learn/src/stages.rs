//! A generation, stage by stage. A stage resumes from its files; complete ones end it at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Error, Result};
use kiki_eval::SelectedWeights;
use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::{blake3_of, write_json};
use kiki_train::duel::DuelSettings;
use kiki_train::selfplay::command::{SelfPlayNote, Shard, generate};
use kiki_train::selfplay::{SelfPlayLimit, SelfPlaySettings};
use kiki_train::trainer::command::{TrainArgs, TrainOptions, TrainingReport, train};
use kiki_train::trainer::shape;

use crate::matches;
use crate::progress::{Progress, WorkClock};
use crate::settings::{LearnSettings, TrainingStage};
use crate::shards;
use crate::state::{DataFile, Generation, GenerationGames, LearnState, TestResult};

/// Score scales (75 percent of the points) of the formula and of networks, in centipawns.
const FORMULA_SCALE: f64 = 1000.0;
const NETWORK_SCALE: f64 = 800.0;

/// What the seeds of a generation are for.
#[derive(Clone, Copy)]
enum Purpose {
    Games,
    HeldOut,
    Training,
    Test,
}

/// Seeds of all generations and purposes differ.
fn seed_of(settings: &LearnSettings, generation: usize, purpose: Purpose) -> u64 {
    settings.seed * 1_000_000 + 10 * generation as u64 + purpose as u64
}

/// A run in its folder.
pub(crate) struct Stages<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) threads: usize,
    /// Set at Ctrl-C and when the time is up.
    pub(crate) stop: &'a AtomicBool,
    pub(crate) clock: WorkClock,
}

impl Stages<'_> {
    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn generation_folder(&self, number: usize) -> PathBuf {
        self.folder.join(format!("generation-{number:03}"))
    }

    /// Runs the next generation. Returns false if it was stopped early.
    pub(crate) fn next_generation(&self, state: &mut LearnState) -> Result<bool> {
        let begun = Instant::now();
        let number = state.generations.len() + 1;
        for folder in [self.data(), self.generation_folder(number)] {
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let Some(games) = self.games(state, number)? else { return Ok(false) };
        let learned_from = state.window(&games.data);
        let Some(report) = self.training(state, number, &games, &learned_from)? else { return Ok(false) };
        let network = EvaluationNote::new(Some(&report.network), None, None)?;
        let (parent, opponent) = state.best();
        let opponent = opponent.load()?;
        let Some(test) = self.test(state, number, &[network.load()?, opponent])? else { return Ok(false) };
        let generation = Generation {
            number,
            commit: state.commit.clone(),
            parent,
            games,
            learned_from,
            network,
            positions: report.positions,
            loss: report.loss,
            result_loss: report.result_loss,
            test,
            seconds: begun.elapsed().as_secs_f64(),
        };
        write_json(&self.generation_folder(number).join("generation.json"), &generation)?;
        state.games = None;
        state.generations.push(generation);
        shards::publish(state)?;
        self.thin_out(state)?;
        Ok(true)
    }

    /// Self-play, held-out games, and games of other processes.
    fn games(&self, state: &mut LearnState, number: usize) -> Result<Option<GenerationGames>> {
        if let Some(games) = &state.games {
            return Ok(Some(games.clone()));
        }
        let positions = [state.settings.positions(number), state.settings.selfplay.held_out];
        let names = [format!("generation-{number:03}.games"), format!("generation-{number:03}-held-out.games")];
        let mut files = Vec::new();
        for ((name, positions), purpose) in names.into_iter().zip(positions).zip([Purpose::Games, Purpose::HeldOut]) {
            let Some(file) = self.self_play(state, number, name, positions, purpose)? else { return Ok(None) };
            files.push(file);
        }
        let mut files = files.into_iter();
        let (Some(own), Some(held_out)) = (files.next(), files.next()) else { return Ok(None) };
        let mut data = vec![own];
        data.extend(shards::take(state, &self.data(), &format!("generation-{number:03}"))?);
        let games = GenerationGames { data, held_out };
        state.games = Some(games.clone());
        state.seconds = self.clock.seconds();
        state.write(self.folder)?;
        Ok(Some(games))
    }

    fn self_play(
        &self,
        state: &LearnState,
        number: usize,
        name: String,
        positions: u64,
        purpose: Purpose,
    ) -> Result<Option<DataFile>> {
        let (best, evaluation) = state.best();
        let path = self.data().join(&name);
        let note = self_play_note(state, number, evaluation, positions, purpose);
        let seed = note.settings.seed;
        let is_formula = matches!(evaluation, EvaluationNote::Formula);
        let mut shard = if path.exists() {
            Shard::resume(&path)?
        } else {
            Shard::create(path.clone(), note, if is_formula { FORMULA_SCALE } else { NETWORK_SCALE })?
        };
        let what = if matches!(purpose, Purpose::Games) { "self-play" } else { "held-out games" };
        let by = match best {
            0 if is_formula => "the formula".to_owned(),
            0 => "the first network".to_owned(),
            _ => format!("generation {best}"),
        };
        let stage = (format!("{what} by {by}"), "positions");
        let mut progress = Progress::new(self.folder, state, self.clock, stage, shard.counts().positions, positions);
        let played = generate(&mut shard, positions, self.threads, self.stop, |counts| {
            progress.show(counts.positions, || format!("{} games", counts.games))
        });
        progress.finish();
        let counts = shard.counts();
        shard.finish()?;
        played?;
        if counts.positions < positions {
            return Ok(None);
        }
        let bytes = fs::metadata(&path)?.len();
        Ok(Some(DataFile {
            name,
            seed: Some(seed),
            positions: counts.positions,
            bytes,
            blake3: blake3_of(&path)?,
            kept: true,
        }))
    }

    fn training(
        &self,
        state: &LearnState,
        number: usize,
        games: &GenerationGames,
        files: &[String],
    ) -> Result<Option<TrainingReport>> {
        let known = state.generations.iter().flat_map(|generation| &generation.games.data).chain(&games.data);
        let records: u64 = known.filter(|file| files.contains(&file.name)).map(|file| file.positions).sum();
        let arguments = TrainArgs {
            data: files.iter().map(|name| self.data().join(name)).collect(),
            held_out: vec![self.data().join(&games.held_out.name)],
            out: self.generation_folder(number).join("training"),
            options: train_options(&state.settings, number, records)?,
        };
        let stage = (format!("training on {:.1} million positions", records as f64 / 1e6), "positions");
        let mut progress = Progress::new(self.folder, state, self.clock, stage, 0, records);
        let report = train(&arguments, self.stop, |positions, wanted, held_out| {
            progress.expect(wanted);
            progress.show(positions, || held_out.map_or_else(String::new, |loss| format!("held-out loss {loss:.5}")))
        });
        progress.finish();
        report
    }

    fn test(&self, state: &LearnState, number: usize, weights: &[SelectedWeights; 2]) -> Result<Option<TestResult>> {
        let LearnSettings { test, .. } = &state.settings;
        let settings = DuelSettings { seed: seed_of(&state.settings, number, Purpose::Test), nodes: test.nodes };
        let stage = (format!("games against the best at {} nodes", test.nodes), "games");
        let mut progress = Progress::new(self.folder, state, self.clock, stage, 0, test.games);
        let path = self.generation_folder(number).join("test.jsonl");
        let played = matches::play(&path, weights, settings, test.games / 2, self.threads, self.stop, |result| {
            progress.show(result.games(), || format!("+{} ={} -{}", result.wins, result.draws, result.losses))
        });
        progress.finish();
        played
    }

    /// Removes the last training's checkpoint, and the oldest games beyond `most_mebibytes`.
    fn thin_out(&self, state: &mut LearnState) -> Result<()> {
        let surplus = state.surplus();
        for generation in &mut state.generations {
            for file in generation.games.data.iter_mut().filter(|file| surplus.contains(&file.name)) {
                file.kept = false;
            }
        }
        state.seconds = self.clock.seconds();
        // Record the removals first: a recorded file that is missing is worse than a stray one.
        state.write(self.folder)?;
        // A training recorded as finished is never resumed.
        let checkpoint = self.generation_folder(state.generations.len()).join("training/checkpoint.bin");
        let data = surplus.into_iter().map(|name| self.data().join(name));
        for path in data.chain([checkpoint]) {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn self_play_note(
    state: &LearnState,
    number: usize,
    evaluation: &EvaluationNote,
    positions: u64,
    purpose: Purpose,
) -> SelfPlayNote {
    let stage = &state.settings.selfplay;
    let (nodes, win_score) = match evaluation {
        EvaluationNote::Formula => (stage.formula_nodes, stage.formula_win_score),
        EvaluationNote::Network { .. } => (stage.nodes, stage.win_score),
    };
    SelfPlayNote {
        commit: state.commit.clone(),
        signature: None,
        evaluation: evaluation.clone(),
        settings: SelfPlaySettings {
            seed: seed_of(&state.settings, number, purpose),
            limit: SelfPlayLimit::Nodes(nodes),
            win_score,
            handicaps: stage.handicaps,
            ..SelfPlaySettings::default()
        },
        positions,
    }
}

/// Checks the training settings now: training begins after hours of games.
pub(crate) fn check_training(settings: &LearnSettings) -> Result<()> {
    let options = train_options(settings, 1, settings.positions(1));
    options.and_then(|options| Ok(options.settings.check()?)).context("[training]")
}

/// The options of a training on `records` records.
fn train_options(settings: &LearnSettings, number: usize, records: u64) -> Result<TrainOptions> {
    let TrainingStage { shape: text, passes, batch, own, decay, arguments, .. } = &settings.training;
    let mut options = TrainOptions::read(arguments, &["shape", "positions", "batch", "own", "decay", "seed"])?;
    options.settings.shape = shape(text).map_err(Error::msg)?;
    options.settings.positions = ((records as f64 * passes) as u64).max(*batch as u64);
    options.settings.batch = *batch;
    options.settings.seed = seed_of(settings, number, Purpose::Training);
    (options.returns.own, options.returns.decay) = (*own, *decay);
    Ok(options)
}
