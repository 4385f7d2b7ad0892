//! `kiki-lab train`: trains a network on records.

mod arguments;
mod curve;
mod folder;
mod note;
mod record_files;
mod training;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use crate::data::read_network;
use crate::trainer::Learner;
use anyhow::{Context as _, Result};

use folder::TrainingFolder;
use kiki_run::evaluation::ThreadArgs;
use kiki_run::interrupt::{exit_code, stop_flag, tell_to_resume};
use kiki_run::journal::TRAINING;
use kiki_run::output::ProgressLine;
use kiki_run::usage::wrong_usage;
use note::{BestNetwork, NotedFile, TrainingNote, TrainingResult};
use training::{Training, TrainingData};

pub use arguments::{TrainArgs, TrainOptions};

pub fn is_training(folder: &Path) -> bool {
    folder.join(TRAINING).is_file()
}

pub fn run(arguments: &TrainArgs) -> Result<ExitCode> {
    use_threads(&arguments.options.threads)?;
    learn(begin(arguments)?)
}

pub fn resume(folder: &Path, threads: &ThreadArgs) -> Result<ExitCode> {
    use_threads(threads)?;
    learn(reopen(folder)?)
}

fn use_threads(threads: &ThreadArgs) -> Result<()> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads.count()?).build_global()?)
}

fn learn(mut training: Training) -> Result<ExitCode> {
    let stop = stop_flag()?;
    let [before, wanted] = training.positions();
    let mut line = ProgressLine::new("positions", wanted, before);
    let ended = training.run(&stop, |positions, evaluated| {
        if let Some(point) = evaluated {
            line.print(format_args!("{:.1} million: {point}", positions as f64 / 1e6));
        }
        line.show(positions, String::new);
        Ok(())
    });
    line.finish();
    let ended = ended?;
    training.report();
    if !ended {
        tell_to_resume(&training.folder.path);
    }
    Ok(exit_code(!ended))
}

/// The best network of a training.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingReport {
    pub network: PathBuf,
    /// Positions learned from, repeated ones included.
    pub positions: u64,
    /// Cross entropy on the held-out positions to their targets, in nats.
    pub loss: f64,
    /// The same to the results alone.
    pub result_loss: f64,
}

/// Begins a training, or resumes the one in its folder. Returns `None` if `stop` was set. Calls
/// `show` with the positions learned from and the last held-out loss.
pub fn train(
    arguments: &TrainArgs,
    stop: &AtomicBool,
    mut show: impl FnMut(u64, Option<f64>) -> Result<()>,
) -> Result<Option<TrainingReport>> {
    let folder = &arguments.out;
    let mut training = if TrainingFolder::has_begun(folder) {
        reopen(folder)?
    } else {
        if folder.exists() {
            // Left by a process that ended before the first checkpoint.
            std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        begin(arguments)?
    };
    let mut loss = training.note.result.best.as_ref().map(|best| best.loss);
    let ended = training.run(stop, |positions, evaluated| {
        loss = evaluated.map(|point| point.held_out_loss).or(loss);
        show(positions, loss)
    })?;
    let TrainingResult { positions, best, .. } = training.note.result;
    let network = training.folder.network;
    let report =
        |best: BestNetwork| TrainingReport { network, positions, loss: best.loss, result_loss: best.result_loss };
    Ok(best.filter(|_| ended).map(report))
}

fn begin(arguments: &TrainArgs) -> Result<Training> {
    let TrainOptions { start, settings, .. } = &arguments.options;
    settings.check().map_err(wrong_usage)?;
    let (learner, start, before) = match start {
        Some(start) if start.is_file() => {
            let network = read_network(start, Some(&settings.shape))?.file;
            let folder = std::path::absolute(start)?.parent().map(Path::to_owned).unwrap_or_default();
            let start = NotedFile::new(start.clone())?;
            let before = TrainingFolder::open(folder).and_then(|folder| folder.read_note()).ok();
            let before = before.filter(|note| note.is_of(&start)).map(TrainingNote::up_to_best);
            (Learner::after_network(settings.clone(), &network)?, Some(start), before)
        }
        Some(start) => {
            let other = TrainingFolder::open(start.clone())?;
            let before = other.read_note()?;
            let learner = Learner::after(settings.clone(), other.read_checkpoint(&before.settings)?)?;
            (learner, Some(other.checkpoint_file()?), Some(before))
        }
        None => (Learner::new(settings.clone())?, None, None),
    };
    let note = TrainingNote::new(arguments, learner.settings().clone(), start, before)?;
    let data = TrainingData::open(&note, 0)?;
    let folder = TrainingFolder::create(arguments.out.clone())?;
    let lock = folder.lock()?;
    let mut training = Training::new(folder, lock, note, data, learner)?;
    training.save()?;
    Ok(training)
}

fn reopen(path: &Path) -> Result<Training> {
    let folder = TrainingFolder::open(path.to_owned())?;
    let lock = folder.lock()?;
    let note = folder.read_note()?;
    note.check_data()?;
    let learner = folder.read_checkpoint(&note.settings)?;
    let data = TrainingData::open(&note, learner.steps())?;
    Training::new(folder, lock, note, data, learner)
}
