//! `kiki-lab train`: trains a network on records.

mod arguments;
mod curve;
mod folder;
mod note;
mod record_files;
mod training;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::trainer::Learner;
use anyhow::{Result, anyhow, ensure};

use folder::TrainingFolder;
use kiki_run::files::shell_word;
use kiki_run::interrupt::{exit_code, stop_flag};
use kiki_run::say;
use note::TrainingNote;
use training::{Training, TrainingData};

pub use arguments::TrainArgs;

/// Whether a folder holds a training.
pub fn is_training(folder: &std::path::Path) -> bool {
    folder.join(folder::NOTE).is_file()
}

/// Runs `train`.
pub fn run(arguments: &TrainArgs) -> Result<ExitCode> {
    if let Some(threads) = arguments.threads {
        ensure!((1..=1024).contains(&threads), "--threads {threads}: expected 1 to 1024");
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let mut training = match &arguments.resume {
        Some(path) => resume(path.clone())?,
        None => begin(arguments)?,
    };
    let stop = stop_flag()?;
    let ended = training.run(&stop)?;
    training.report();
    if !ended {
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(training.folder()));
    }
    Ok(exit_code(!ended))
}

fn begin(arguments: &TrainArgs) -> Result<Training> {
    let path = arguments.out.clone().ok_or_else(|| anyhow!("--out DIR says where the results go"))?;
    let numbers = &arguments.numbers;
    ensure!(numbers.evaluate_every >= 1, "--evaluate-every 0: expected at least 1");
    let (learner, start) = match &arguments.start {
        Some(start) => {
            let other = TrainingFolder::open(start.clone())?;
            let learner = Learner::after(numbers.settings(), other.read_checkpoint(&other.read_note()?.settings)?)?;
            (learner, Some(other.checkpoint_file()?))
        }
        None => (Learner::new(numbers.settings())?, None),
    };
    let note = TrainingNote::new(arguments, learner.settings().clone(), start)?;
    let data = TrainingData::open(&note, 0)?;
    let mut training = Training::new(TrainingFolder::create(path)?, note, data, learner)?;
    training.save()?;
    Ok(training)
}

fn resume(path: PathBuf) -> Result<Training> {
    let folder = TrainingFolder::open(path)?;
    let note = folder.read_note()?;
    note.check_data()?;
    let learner = folder.read_checkpoint(&note.settings)?;
    let data = TrainingData::open(&note, learner.steps())?;
    Training::new(folder, note, data, learner)
}
