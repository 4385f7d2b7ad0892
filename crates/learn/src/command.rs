//! The `learn` command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::Architecture;
use kiki_machines::workforce::WorkforceArgs;
use kiki_platform::{give_way, lock_file};
use kiki_run::ensure_usage;
use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::shell_word;
use kiki_run::interrupt::{exit_code, stop_flag};
use kiki_run::journal::LEARNING;
use kiki_run::output::time_in_words;
use kiki_run::say;

use crate::page;
use crate::progress::WorkClock;
use crate::settings::{LearnSettings, Recipe};
use crate::stages::{Stages, check_training};
use crate::state::{Generation, LearnState};

const EXAMPLE: &str = "\
Examples:
  kiki-lab learn results/learning --hours 8
  kiki-lab learn results/learning --hours 8 --network eval/nn.bin --settings mine.toml

DIR gets learning.html (a page that reloads itself), learn.json (settings and generations), data
(games), and a folder for each generation with its network. The same command continues after any
end (Ctrl-C, a kill, a reboot), and so does `kiki-lab resume DIR`. The run has the lowest priority;
`--eager` gives it normal priority. docs/networks.md tells more.";

/// Learn networks from scratch, generation by generation: self-play, training, test games
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct LearnArgs {
    /// The folder of the run; a new one begins a new run
    #[arg(value_name = "DIR", required_unless_present = "show_settings")]
    folder: Option<PathBuf>,
    /// Print the settings of the recipe, and exit
    #[arg(long)]
    show_settings: bool,
    #[command(flatten)]
    options: LearnOptions,
}

/// Options beside the folder, also of a resumed run.
#[derive(Args, Debug)]
pub struct LearnOptions {
    /// Total hours of work [default: 8, with the recipe `week` 168, or the number given before]
    #[arg(long, value_name = "HOURS")]
    hours: Option<f64>,
    /// The network that plays the first games [default: the formula]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Architecture of that network [default: as its file says]
    #[arg(long, value_name = "NAME", requires = "network")]
    architecture: Option<Architecture>,
    /// Settings for some time on some machine; all but those of `evening` name only what differs
    /// from it [default: evening]
    #[arg(long, value_enum)]
    recipe: Option<Recipe>,
    /// TOML file with the settings to change
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Folder in which other processes put files of games to learn from; the best network goes
    /// there as nn.bin
    #[arg(long, value_name = "DIR")]
    shards: Option<PathBuf>,
    #[command(flatten)]
    workforce: WorkforceArgs,
    /// Run at normal priority instead of the lowest
    #[arg(long)]
    eager: bool,
    /// The commit of the program, for the notes [default: that of its sources, if they have one]
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
}

#[must_use]
pub fn is_learning(folder: &Path) -> bool {
    folder.join(LEARNING).is_file()
}

pub fn run(arguments: &LearnArgs) -> Result<ExitCode> {
    if arguments.show_settings {
        say!("{}", arguments.options.recipe.unwrap_or_default().text().trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    learn(arguments.folder.as_deref().context("which folder?")?, &arguments.options)
}

/// Begins a run, or goes on with the one in the folder.
pub fn learn(folder: &Path, arguments: &LearnOptions) -> Result<ExitCode> {
    let threads = arguments.workforce.threads.count()?;
    if !arguments.eager {
        // Before any other thread starts: threads inherit the priority.
        give_way();
    }
    let workforce = arguments.workforce.workforce()?;
    // Training uses as many threads as self-play.
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    // A new folder must exist before it can be locked.
    let new = if is_learning(folder) { None } else { Some(begin(folder, arguments)?) };
    let _lock = lock(folder)?;
    let mut state = match new {
        Some(state) => state,
        None => resume(folder, arguments)?,
    };
    state.write(folder)?;
    let clock = WorkClock::start(state.seconds);
    let left = 3600.0 * state.hours - state.seconds;
    let interrupted = stop_flag()?;
    let stop = stop_after(&interrupted, left.max(0.0))?;
    let stages = Stages { folder, workforce: &workforce, stop: &stop, clock };
    let outcome = if left > 0.0 { learn_on(&stages, &mut state) } else { Ok(()) };
    state.seconds = clock.seconds();
    state.write(folder)?;
    page::write(folder, &state, None)?;
    outcome?;
    tell_end(folder, &state);
    Ok(exit_code(interrupted.load(Ordering::Relaxed)))
}

/// Runs generations to the end, or until it is stopped.
fn learn_on(stages: &Stages<'_>, state: &mut LearnState) -> Result<()> {
    while !state.is_at_end() && !stages.is_stopped() && stages.next_generation(state)? {
        if let Some(generation) = state.generations.last() {
            say!("{}", summary(generation));
        }
    }
    Ok(())
}

fn begin(folder: &Path, arguments: &LearnOptions) -> Result<LearnState> {
    let recipe = arguments.recipe.unwrap_or_default();
    let settings = LearnSettings::read(recipe, arguments.settings.as_deref())?;
    check_training(&settings)?;
    let hours = hours(arguments)?.unwrap_or(recipe.hours());
    let start = EvaluationNote::new(arguments.network.as_deref(), arguments.architecture.as_ref(), None)?;
    // Reject a bad network now, not in the first game.
    start.load()?;
    let place = || folder.display().to_string();
    let is_empty = !folder.exists() || folder.read_dir().with_context(place)?.next().is_none();
    ensure!(is_empty, "{} holds other files: name a new folder", folder.display());
    std::fs::create_dir_all(folder).with_context(place)?;
    let shards = arguments.shards.as_deref().map(std::path::absolute).transpose()?;
    if let Some(shards) = &shards {
        std::fs::create_dir_all(shards).with_context(|| shards.display().to_string())?;
    }
    Ok(LearnState {
        program: kiki_run::PROGRAM.to_owned(),
        commit: arguments.commit.clone().or_else(kiki_run::commit),
        settings,
        hours,
        seconds: 0.0,
        start,
        shards,
        taken: std::collections::BTreeMap::new(),
        generations: Vec::new(),
        games: None,
    })
}

fn resume(folder: &Path, arguments: &LearnOptions) -> Result<LearnState> {
    let mut state = LearnState::read(folder)?;
    let LearnOptions { network, recipe, settings, shards, commit, .. } = arguments;
    let start = EvaluationNote::new(network.as_deref(), arguments.architecture.as_ref(), None)?;
    ensure!(network.is_none() || start == state.start, "the run began with another network");
    let is_unsaid = settings.is_none() && recipe.is_none();
    let same = is_unsaid || LearnSettings::read(recipe.unwrap_or_default(), settings.as_deref())? == state.settings;
    ensure!(same, "the run began with other settings: name a new folder");
    if let Some(shards) = shards {
        state.shards = Some(std::path::absolute(shards)?);
    }
    state.hours = hours(arguments)?.unwrap_or(state.hours);
    state.commit = commit.clone().or_else(kiki_run::commit).or(state.commit);
    Ok(state)
}

fn hours(arguments: &LearnOptions) -> Result<Option<f64>> {
    let sound = |hours: f64| hours > 0.0 && hours <= 100_000.0;
    ensure_usage!(arguments.hours.is_none_or(sound), "--hours: expected more than 0, at most 100000");
    Ok(arguments.hours)
}

fn lock(folder: &Path) -> Result<std::fs::File> {
    let path = folder.join("lock");
    let file = std::fs::File::create(&path).with_context(|| path.display().to_string())?;
    ensure!(lock_file(&file), "{}: another process learns here", folder.display());
    Ok(file)
}

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A flag that is set at Ctrl-C or when the time is up.
fn stop_after(interrupted: &Arc<AtomicBool>, seconds: f64) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (set, interrupted) = (Arc::clone(&stop), Arc::clone(interrupted));
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    std::thread::Builder::new().name("clock".to_owned()).spawn(move || {
        while !interrupted.load(Ordering::Relaxed) && Instant::now() < end {
            std::thread::sleep(LOOK_EVERY);
        }
        set.store(true, Ordering::Relaxed);
    })?;
    Ok(stop)
}

fn summary(generation: &Generation) -> String {
    let Generation { number, test, loss, positions, .. } = generation;
    let elo = generation.elo_text().map_or_else(String::new, |elo| format!(", {elo} Elo"));
    let becomes = if generation.is_better() { "the best so far" } else { "no better" };
    format!(
        "generation {number}: {:.1} million positions, held-out loss {loss:.5}, +{} ={} -{}{elo}: {becomes}",
        *positions as f64 / 1e6,
        test.wins,
        test.draws,
        test.losses
    )
}

fn tell_end(folder: &Path, state: &LearnState) {
    match state.best() {
        (0, _) => say!("no network has won its test yet"),
        (number, EvaluationNote::Network { file, .. }) => {
            say!("best network: generation {number}, {}", shell_word(file));
        }
        (_, EvaluationNote::Formula) => {}
    }
    if state.is_at_end() {
        let LearnSettings { patience, least_elo, .. } = state.settings;
        say!("the run has ended: {patience} generations in a row brought less than {least_elo} Elo");
    } else {
        let left = (3600.0 * state.hours - state.seconds).max(0.0);
        // As long again if the time is used up.
        let more = if left < 1.0 { format!(" --hours {}", 2.0 * state.hours) } else { String::new() };
        let [worked, all] = [state.seconds, 3600.0 * state.hours].map(time_in_words);
        say!("{worked} of {all} worked; go on with: kiki-lab learn {}{more}", shell_word(folder));
    }
}
