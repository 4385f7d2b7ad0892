//! Engines of a run on the machines of its workers, with the files that their options name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result, ensure};
use kiki_driver::{CancellationToken, EngineIdentity, EngineSpec, Timeouts, UsiEngine};
use kiki_play::player::PlayerSpec;
use kiki_play::pool::{GameWorker, RunOptions, WorkerPool};
use kiki_run::files::blake3_of;
use kiki_usi::{GoSpec, OptionKind, OptionValue, PositionRoot, PositionSpec};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::allowed::{AllowedEngines, own_kiki};
use crate::context::WorkerContext;

/// Maximum number of files in a folder that an option names.
const MOST_FILES: usize = 64;
/// The work of a signature: a tenth of a second.
const SIGNATURE_POSITIONS: usize = 8;
const SIGNATURE_DEPTH: u32 = 6;

/// An engine of a run, without its command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoteEngine {
    /// The command is empty: each worker has its own.
    spec: PlayerSpec,
    /// `id name`, which the worker's engine must have too.
    id: String,
    /// The signature of the Kiki that was built with this program, which that of the worker must
    /// have too; `None` for another engine.
    signature: Option<u64>,
    /// Files that options name, set or by default.
    files: Vec<OptionFile>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionFile {
    option: String,
    /// The name within the folder, if the option names a folder.
    in_folder: Option<String>,
    path: PathBuf,
    blake3: String,
}

impl RemoteEngine {
    fn of(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Self> {
        let identity = identity(spec, timeouts)?;
        let command = spec.command.first().context("no command")?;
        let is_kiki =
            spec.command.len() == 1 && Path::new(command).canonicalize().ok() == own_kiki()?.canonicalize().ok();
        let signature = if is_kiki { Some(signature(spec, timeouts)?) } else { None };
        let mut folders = vec![spec.directory.clone().unwrap_or_default()];
        let mut spec = PlayerSpec { command: Vec::new(), directory: None, ..spec.clone() };
        if is_kiki {
            // Kiki also looks beside itself, and for what its options name by default.
            folders.extend(own_kiki()?.parent().map(Path::to_owned));
            for known in &identity.options {
                let OptionValue::Text(default) = &known.default else { continue };
                let is_set = spec.options.keys().any(|option| known.is_named(option));
                if is_path_kind(&known.kind) && !is_set && find(&folders, default).is_some() {
                    spec.options.insert(known.name.clone(), default.clone());
                }
            }
        }
        let mut files = Vec::new();
        for (option, value) in &spec.options {
            let is_path = identity.options.iter().any(|known| known.is_named(option) && is_path_kind(&known.kind));
            if let Some(place) = find(&folders, value).filter(|_| is_path) {
                files.extend(files_of(option, &place)?);
            }
        }
        Ok(Self { spec, id: identity.name, signature, files })
    }
}

/// What the value of an option names in the first of these folders that has it.
fn find(folders: &[PathBuf], value: &str) -> Option<PathBuf> {
    folders.iter().filter(|_| !value.is_empty()).map(|folder| folder.join(value)).find(|place| place.exists())
}

/// Whether options of this kind may name files.
fn is_path_kind(kind: &OptionKind) -> bool {
    matches!(kind, OptionKind::String | OptionKind::Filename)
}

/// The files that an option names: a file, or those of a folder.
fn files_of(option: &str, path: &Path) -> Result<Vec<OptionFile>> {
    let file = |path: PathBuf, in_folder: Option<String>| -> Result<OptionFile> {
        Ok(OptionFile { option: option.to_owned(), in_folder, blake3: blake3_of(&path)?, path })
    };
    if path.is_file() {
        return Ok(vec![file(path.to_owned(), None)?]);
    }
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in path.read_dir().with_context(|| path.display().to_string())? {
            let path = entry?.path();
            // Kiki makes unpacked copies of networks itself.
            let is_sent = path.is_file() && path.extension().is_none_or(|extension| extension != "unpacked");
            if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| is_sent) {
                files.push(file(path.clone(), Some(name.to_owned()))?);
            }
        }
        ensure!(files.len() <= MOST_FILES, "option {option}: {} has more than {MOST_FILES} files", path.display());
        files.sort_by(|one, other| one.in_folder.cmp(&other.in_folder));
    }
    Ok(files)
}

/// The engines of a job. On a worker all threads share their commands and files.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SharedEngines {
    engines: Vec<RemoteEngine>,
    #[serde(skip)]
    local: OnceLock<Arc<LocalEngines>>,
}

/// The engines of a job on this machine. Dropping it removes the folders of their options.
struct LocalEngines {
    specs: Vec<PlayerSpec>,
    options: RunOptions,
    _folder: TempDir,
}

impl SharedEngines {
    /// Describes engines for workers. Starts each once: its `id name` and the types of its options
    /// decide what workers need.
    pub fn of(specs: &[PlayerSpec], timeouts: Timeouts) -> Result<Self> {
        let engines = specs
            .iter()
            .map(|spec| RemoteEngine::of(spec, timeouts).with_context(|| format!("engine `{}`", spec.name)));
        Ok(Self { engines: engines.collect::<Result<_>>()?, local: OnceLock::new() })
    }

    /// The files that workers fetch.
    pub(crate) fn files(&mut self) -> Vec<(&mut PathBuf, &str)> {
        let files = self.engines.iter_mut().flat_map(|engine| &mut engine.files);
        files.map(|file| (&mut file.path, file.blake3.as_str())).collect()
    }

    /// Whether an engine thinks by the clock.
    pub(crate) fn are_timed(&self) -> bool {
        self.engines.iter().any(|RemoteEngine { spec, .. }| spec.limits.has_clock() || spec.limits.movetime.is_some())
    }

    /// The players of a worker's thread.
    pub fn worker<'a>(&'a self, context: &'a WorkerContext<'_>) -> Result<GameWorker<'a>> {
        let local = match self.local.get() {
            Some(local) => local,
            None => {
                let found = Arc::new(LocalEngines::new(&self.engines, context.engines)?);
                self.local.get_or_init(|| found)
            }
        };
        let pool = WorkerPool { engines: &local.specs, options: &local.options, cancellation: context.stop.engines() };
        Ok(pool.begin_worker(0)?)
    }
}

impl LocalEngines {
    /// Finds the commands of engines and lays out the files of their options.
    fn new(engines: &[RemoteEngine], allowed: &AllowedEngines) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let timeouts = allowed.timeouts;
        let specs = engines.iter().enumerate().map(|(number, engine)| {
            let mut spec =
                PlayerSpec { command: allowed.command(&engine.spec.name, engine.signature.is_some())?, ..engine.spec.clone() };
            spec.directory = Some(folder.path().to_owned());
            let found = identity(&spec, timeouts).with_context(|| format!("engine `{}`", spec.name))?;
            for (option, value) in &spec.options {
                let is_text = found.options.iter().any(|known| known.is_named(option) && is_path_kind(&known.kind));
                let is_path = is_text && (value.contains(['/', '\\', ':']) || value.contains(".."));
                let is_sent = engine.files.iter().any(|file| file.option == *option);
                // An engine may write to a path that such an option names.
                ensure!(is_sent || !is_path, "option {option} of engine `{}` names a path of this worker", spec.name);
            }
            spec.options.extend(engine.lay_out(&folder.path().join(number.to_string()))?);
            let id = found.name;
            ensure!(id == engine.id, "engine `{}` is `{id}` on this worker and `{}` in the run", spec.name, engine.id);
            if let Some(expected) = engine.signature {
                let found = signature(&spec, timeouts).with_context(|| format!("engine `{}`", spec.name))?;
                ensure!(
                    found == expected,
                    "engine `{}` searches or evaluates differently on this worker: signature {found}, and {expected} in the run",
                    spec.name
                );
            }
            Ok(spec)
        });
        let specs = specs.collect::<Result<_>>()?;
        let options = RunOptions { concurrency: 1, timeouts, logs: None, cpus: Vec::new() };
        Ok(Self { specs, options, _folder: folder })
    }
}

/// Starts an engine and returns its name and options.
fn identity(spec: &PlayerSpec, timeouts: Timeouts) -> Result<EngineIdentity> {
    let engine = UsiEngine::start(&spec.program()?, timeouts, &CancellationToken::never(), None)?;
    Ok(engine.identity().clone())
}

/// The signature of a Kiki with its evaluation: the nodes of a fixed work. The options that decide
/// about the nodes are those of the evaluation; others may make it play at random.
fn signature(spec: &PlayerSpec, timeouts: Timeouts) -> Result<u64> {
    const WHAT_COUNTS: [&str; 6] = ["Eval", "EvalArchitecture", "EvalDir", "EvalFile", "FV_SCALE", "SigmaFile"];
    let counts = |option: &str| WHAT_COUNTS.iter().any(|name| name.eq_ignore_ascii_case(option));
    let options = spec.options.clone().into_iter().filter(|(option, _)| counts(option));
    let options = options.chain([("Threads".to_owned(), "1".to_owned())]).collect();
    let engine = EngineSpec { program: spec.program()?, options, ponders: false };
    let mut engine = engine.start(timeouts, &CancellationToken::never(), None)?;
    let go = GoSpec { depth: Some(SIGNATURE_DEPTH), ..GoSpec::default() };
    let mut nodes = 0;
    for sfen in kiki_bench::POSITIONS.lines().take(SIGNATURE_POSITIONS) {
        engine.ready()?;
        engine.new_game()?;
        engine.go(&PositionSpec { root: PositionRoot::Sfen(sfen.to_owned()), moves: Vec::new() }, &go)?;
        nodes += engine.answer(None)?.info.nodes.unwrap_or(0);
    }
    Ok(nodes)
}

impl RemoteEngine {
    /// Puts the files of folders under their names. Returns the values of the options.
    fn lay_out(&self, folder: &Path) -> Result<BTreeMap<String, String>> {
        let mut values = BTreeMap::new();
        for file in &self.files {
            let value = match &file.in_folder {
                None => file.path.clone(),
                Some(name) => {
                    // Names from the network must not lead elsewhere: folders have numbers.
                    let is_plain = Path::new(name).file_name().is_some_and(|only| only == name.as_str());
                    ensure!(is_plain, "an option names the file `{name}`, which lies outside its folder");
                    let number = self.spec.options.keys().position(|option| *option == file.option);
                    let folder = folder.join(number.context("a file of no option")?.to_string());
                    fs::create_dir_all(&folder)?;
                    let place = folder.join(name);
                    ensure!(!place.exists(), "an option names the file `{name}` twice");
                    fs::hard_link(&file.path, &place).or_else(|_| fs::copy(&file.path, &place).map(drop))?;
                    folder
                }
            };
            let value = value.to_str().context("a path that is no text")?.to_owned();
            values.insert(file.option.clone(), value);
        }
        Ok(values)
    }
}
