//! The numbers that an engine announces for tuning, by the command `usi_tunables`.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use crossbeam::channel::unbounded;
use kiki_driver::{CancellationToken, LineDirection, LineLogger, Timeouts, UsiEngine};
use kiki_play::player::PlayerSpec;
use serde::Deserialize;

use super::settings::ParameterRange;

/// What an engine prints before the list, which is JSON on the same line, and after it.
const LIST: &str = "info string shogiarena_tunables_json ";
const END: &str = "usi_tunablesok";

#[derive(Deserialize)]
struct AnnouncedList {
    tunables: Vec<AnnouncedNumber>,
}

#[derive(Deserialize)]
struct AnnouncedNumber {
    /// The name of its USI option.
    option: String,
    default: i32,
    min: i32,
    max: i32,
    schedule: AnnouncedSchedule,
}

#[derive(Deserialize)]
struct AnnouncedSchedule {
    /// The last perturbation of SPSA.
    c_end: f64,
}

/// Starts an engine and asks for its numbers, in its own order.
///
/// # Errors
/// The engine does not start, does not know the command, or announces nothing.
pub(crate) fn announced_parameters(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Vec<(String, ParameterRange)>> {
    let lines = ask(spec, timeouts).with_context(|| format!("engine `{}`", spec.name))?;
    let list = lines.iter().rev().find_map(|line| line.strip_prefix(LIST));
    let Some(list) = list else {
        bail!("engine `{}` announces no numbers to tune: Kiki does if built with `--features tune`", spec.name);
    };
    let list: AnnouncedList = serde_json::from_str(list).with_context(|| format!("engine `{}`: {END}", spec.name))?;
    let parameter = |number: AnnouncedNumber| {
        let AnnouncedNumber { option, default, min, max, schedule } = number;
        (option, ParameterRange { start: default, min, max, step: schedule.c_end })
    };
    Ok(list.tunables.into_iter().map(parameter).collect())
}

/// The output of the engine up to the end of its list.
fn ask(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Vec<String>> {
    let (sender, received) = unbounded();
    let logger: LineLogger = Arc::new(move |direction, line: &[u8]| {
        if direction == LineDirection::FromEngine {
            let _ = sender.send(String::from_utf8_lossy(line).into_owned());
        }
    });
    let mut engine =
        UsiEngine::start_with_logger(&spec.program()?, timeouts, &CancellationToken::never(), Some(logger))?;
    engine.send_extension("usi_tunables")?;
    let deadline = Instant::now() + timeouts.ready;
    let mut lines = Vec::new();
    loop {
        let line = received.recv_deadline(deadline).with_context(|| format!("it does not answer `{END}`"))?;
        if line == END {
            break;
        }
        lines.push(line);
    }
    engine.quit();
    Ok(lines)
}
