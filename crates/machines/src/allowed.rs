//! What a worker may run. No command ever comes from the network: a worker runs its own Kiki, or
//! what its configuration names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kiki_driver::Timeouts;
use kiki_run::files::read_toml;
use serde::Deserialize;

/// The file name of Kiki beside this program.
const KIKI: &str = if cfg!(windows) { "kiki.exe" } else { "kiki" };

/// The engines that a worker may run: Kiki beside it, and those of its configuration by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllowedEngines {
    /// Commands by the name of the engine in runs.
    #[serde(default)]
    engines: BTreeMap<String, Vec<String>>,
    /// How long they may take for everything but searching.
    #[serde(skip)]
    pub(crate) timeouts: Timeouts,
}

impl AllowedEngines {
    /// Reads a configuration. `ready` is the time to get ready.
    pub(crate) fn read(file: Option<&Path>, ready: Duration) -> Result<Self> {
        let mut allowed: Self = file.map(read_toml).transpose()?.unwrap_or_default();
        allowed.timeouts = Timeouts { start: ready, ready, ..Timeouts::default() };
        for (name, command) in &allowed.engines {
            ensure!(!command.is_empty(), "engine `{name}` has no command");
        }
        Ok(allowed)
    }

    /// The command of an engine. `is_kiki` says that the run means the Kiki beside this program.
    pub(crate) fn command(&self, name: &str, is_kiki: bool) -> Result<Vec<String>> {
        if let Some(command) = self.engines.get(name) {
            return Ok(command.clone());
        }
        ensure!(is_kiki, "this worker's configuration names no engine `{name}`");
        let kiki = own_kiki()?;
        ensure!(kiki.is_file(), "engine `{name}` is Kiki, and {} is missing", kiki.display());
        Ok(vec![kiki.to_str().context("the path of this program is no text")?.to_owned()])
    }
}

/// The Kiki beside this program.
pub(crate) fn own_kiki() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(KIKI))
}
