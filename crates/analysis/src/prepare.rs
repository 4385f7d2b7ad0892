//! Engines made ready for an analysis.

use kiki_driver::{CancellationSource, UsiEngine};
use kiki_play::PlayError;
use kiki_play::player::EngineSpec;
use kiki_play::pool::{RunOptions, WorkerPool};
use serde::{Deserialize, Serialize};

/// The option that tells how many lines are searched.
const MULTI_PV: &str = "MultiPV";
/// The option that lets Kiki tell sigma.
const SHOW_SIGMA: &str = "ShowSigma";

/// An engine with what it says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisEngine {
    /// How it is started, with all options that are set.
    pub spec: EngineSpec,
    /// `id name`.
    pub id: String,
    /// `id author`.
    pub author: String,
}

/// Starts each engine once and adds the options that the analysis needs: `MultiPV` for several lines, `ShowSigma` where there is one, unless they
/// are set already.
///
/// # Errors
/// An engine that does not start, lacks an option, or does not get ready.
pub fn prepare_engines(
    engines: &[EngineSpec],
    lines: usize,
    options: &RunOptions,
    cancellation: &CancellationSource,
) -> Result<Vec<AnalysisEngine>, PlayError> {
    let mut found = Vec::with_capacity(engines.len());
    for spec in engines {
        let mut spec = spec.clone();
        let is_set = |spec: &EngineSpec, name: &str| spec.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        if lines > 1 && !is_set(&spec, MULTI_PV) {
            spec.options.insert(MULTI_PV.to_owned(), lines.to_string());
        }
        let mut identity = None;
        let look = |engine: &mut UsiEngine| {
            identity = Some(engine.identity().clone());
            Ok::<(), PlayError>(())
        };
        let alone = [spec.clone()];
        WorkerPool { engines: &alone, options, cancellation }.check_engines(look)?;
        let identity = identity.unwrap_or_default();
        if identity.options.iter().any(|option| option.is_named(SHOW_SIGMA)) && !is_set(&spec, SHOW_SIGMA) {
            spec.options.insert(SHOW_SIGMA.to_owned(), "true".to_owned());
        }
        found.push(AnalysisEngine { spec, id: identity.name, author: identity.author });
    }
    Ok(found)
}
