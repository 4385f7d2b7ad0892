//! `kiki-lab worker`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_run::evaluation::ThreadArgs;
use kiki_run::interrupt::{EngineGuard, stop_flag};

use crate::allowed::AllowedEngines;
use crate::files::FileCache;
use crate::job::JobKind;
use crate::measure::{host, measure};
use crate::server::{Server, ServerArgs, runtime};
use crate::worker::{WorkerSettings, serve};

const EXAMPLE: &str = "\
Example:
  kiki-lab worker --nats nats://127.0.0.1:4222 --threads 8

Ctrl-C returns the tasks at hand. docs/machines.md tells how to set up server, workers and
coordinators.";

/// Work for runs that other machines coordinate through a NATS server
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct WorkerArgs {
    /// The NATS server, such as nats://user:password@lab.example:4222 or tls://lab.example
    #[arg(long, value_name = "URL")]
    nats: String,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// TOML file with the engines that runs may use here beside Kiki: a table [engines] with a
    /// command (a list of words) for each name
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// Seconds that engines may take to get ready
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86400))]
    ready_timeout: u64,
    /// Folder for networks and other files of runs [default: kiki/files in the user's cache]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Name of this worker [default: that of the machine, with the number of the process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

pub fn run(arguments: &WorkerArgs, kinds: &'static [JobKind]) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let allowed = AllowedEngines::read(arguments.engines.as_deref(), Duration::from_secs(arguments.ready_timeout))?;
    let cache = FileCache { folder: arguments.cache.clone().map_or_else(default_cache, Ok)? };
    let name = arguments.name.clone().unwrap_or_else(|| format!("{}-{}", host(), std::process::id()));
    let settings = WorkerSettings { name, threads, allowed, cache, kinds, measured: measure()? };
    let stop = stop_flag()?;
    let _guard = EngineGuard::start();
    runtime()?.block_on(async {
        let server = Server::connect(&arguments.nats, &arguments.server, &settings.name).await?;
        serve(server, settings, stop).await
    })?;
    Ok(ExitCode::SUCCESS)
}

fn default_cache() -> Result<PathBuf> {
    let base = kiki_platform::user_folder("XDG_CACHE_HOME", ".cache");
    Ok(base.context("--cache DIR: there is no folder of the user for a cache")?.join("kiki/files"))
}
