//! A generation, stage by stage. A stage resumes from its files; complete ones end it at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use kiki_machines::workforce::Workforce;
use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::write_json;
use kiki_stats::tally::Tally;
use kiki_train::duel::{DuelJob, DuelSettings};
use kiki_train::selfplay::command::{SelfPlayNote, Shard};
use kiki_train::selfplay::{SelfPlayLimit, SelfPlaySettings};
use kiki_train::trainer::command::{TrainArgs, TrainOptions, TrainingReport, train};

use crate::matches;
use crate::progress::{StageProgress, WorkClock};
use crate::settings::{LearnSettings, TrainingStage};
use crate::shards;
use crate::state::{DataFile, Generation, GenerationGames, LearnState};

#[derive(Clone, Copy)]
enum SeedPurpose {
    Games,
    HeldOut,
    Training,
    Test,
}

/// Seeds of all generations and purposes differ.
fn seed_of(settings: &LearnSettings, generation: usize, purpose: SeedPurpose) -> u64 {
    settings.seed * 1_000_000 + 10 * generation as u64 + purpose as u64
}

/// A run in its folder.
pub(crate) struct Stages<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) workforce: &'a Workforce,
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
        let number = state.generations.len() + 1;
        for folder in [self.data(), self.generation_folder(number)] {
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let Some(games) = self.games(state, number)? else { return Ok(false) };
        let learned_from = state.window(&games.data);
        let Some(report) = self.training(state, number, &games, &learned_from)? else { return Ok(false) };
        let network = EvaluationNote::new(Some(&report.network), None, None)?;
        let (parent, opponent) = state.best();
        let Some(test) = self.test(state, number, [network.clone(), opponent.clone()])? else { return Ok(false) };
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
            seconds: self.clock.seconds() - state.generations.iter().map(|earlier| earlier.seconds).sum::<f64>(),
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
        let Some(own) = self.self_play(state, number, false)? else { return Ok(None) };
        let Some(held_out) = self.self_play(state, number, true)? else { return Ok(None) };
        let mut data = vec![own];
        data.extend(shards::take(state, &self.data(), &format!("generation-{number:03}"))?);
        let games = GenerationGames { data, held_out };
        state.games = Some(games.clone());
        state.seconds = self.clock.seconds();
        state.write(self.folder)?;
        Ok(Some(games))
    }

    /// Games of the best evaluation, to learn from or held out.
    fn self_play(&self, state: &LearnState, number: usize, held_out: bool) -> Result<Option<DataFile>> {
        let stage = &state.settings.selfplay;
        let (purpose, what, ending, positions) = if held_out {
            (SeedPurpose::HeldOut, "held-out games", "-held-out", stage.held_out)
        } else {
            (SeedPurpose::Games, "self-play", "", state.settings.positions(number))
        };
        let (best, evaluation) = state.best();
        let is_formula = matches!(evaluation, EvaluationNote::Formula);
        let by = match best {
            0 if is_formula => "the formula".to_owned(),
            0 => "the first network".to_owned(),
            _ => format!("generation {best}"),
        };
        let (nodes, win_score) = match evaluation {
            EvaluationNote::Formula => (stage.formula_nodes, stage.formula_win_score),
            EvaluationNote::Network { .. } => (stage.nodes, stage.win_score),
        };
        let name = format!("generation-{number:03}{ending}.games");
        let path = self.data().join(&name);
        let seed = seed_of(&state.settings, number, purpose);
        let shard = if path.exists() {
            Shard::resume(&path)?
        } else {
            let settings = SelfPlaySettings {
                seed,
                limit: SelfPlayLimit::Nodes(nodes),
                win_score,
                handicaps: stage.handicaps,
                ..SelfPlaySettings::default()
            };
            let (commit, evaluation) = (state.commit.clone(), evaluation.clone());
            let note = SelfPlayNote { commit, signature: None, evaluation, settings, positions };
            Shard::create(path.clone(), note, None)?
        };
        let mut progress = self.progress(state, format!("{what} by {by}"), "positions", positions);
        let counts = shard.generate(positions, self.workforce, self.stop, |counts| {
            progress.show(counts.positions, || format!("{} games", counts.games))
        });
        progress.finish();
        let played = counts?.positions;
        if played < positions {
            return Ok(None);
        }
        DataFile::new(&self.data(), name, Some(seed), played).map(Some)
    }

    fn progress<'a>(
        &'a self,
        state: &'a LearnState,
        name: String,
        unit: &'static str,
        wanted: u64,
    ) -> StageProgress<'a> {
        StageProgress::new(self.folder, state, self.clock, name, unit, wanted)
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
        let name = format!("training on {:.1} million positions", records as f64 / 1e6);
        let settings = &arguments.options.settings;
        let mut progress = self.progress(state, name, "positions", settings.steps() * settings.batch as u64);
        let report = train(&arguments, self.stop, |positions, held_out| {
            progress.show(positions, || held_out.map_or_else(String::new, |loss| format!("held-out loss {loss:.5}")))
        });
        progress.finish();
        report
    }

    fn test(&self, state: &LearnState, number: usize, evaluations: [EvaluationNote; 2]) -> Result<Option<Tally>> {
        let LearnSettings { test, .. } = &state.settings;
        let settings = DuelSettings { seed: seed_of(&state.settings, number, SeedPurpose::Test), nodes: test.nodes };
        let job = DuelJob::new(evaluations, settings);
        let name = format!("games against the best at {} nodes", test.nodes);
        let mut progress = self.progress(state, name, "games", test.games);
        let path = self.generation_folder(number).join("test.jsonl");
        let played = matches::play(&path, &job, test.games, self.workforce, self.stop, |result| {
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

/// Checks the training settings now: training begins after hours of games.
pub(crate) fn check_training(settings: &LearnSettings) -> Result<()> {
    let options = train_options(settings, 1, settings.positions(1));
    options.and_then(|options| options.settings.check()).context("[training]")
}

/// The options of a training on `records` records.
fn train_options(settings: &LearnSettings, number: usize, records: u64) -> Result<TrainOptions> {
    let TrainingStage { shape, passes, batch, own, decay, arguments, .. } = &settings.training;
    let mut options = TrainOptions::read(arguments, &["shape", "positions", "batch", "own", "decay", "seed"])?;
    options.settings.shape = shape.parse()?;
    options.settings.positions = ((records as f64 * passes) as u64).max(*batch as u64);
    options.settings.batch = *batch;
    options.settings.seed = seed_of(settings, number, SeedPurpose::Training);
    (options.returns.own, options.returns.decay) = (*own, *decay);
    Ok(options)
}
