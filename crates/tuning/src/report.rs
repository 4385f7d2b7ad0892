//! The report of a tuning, as a table or as JSON.

use anyhow::Result;
use serde_json::json;

use crate::runner::Tuning;
use kiki_run::numbers::{print_json, signed, table};
use kiki_run::say;
use kiki_run::shell_word::shell_word;

/// Prints the values that were found.
pub(crate) fn print(tuning: &Tuning, concurrency: usize, as_json: bool) -> Result<()> {
    let ending = if tuning.is_complete() { "complete" } else { "interrupted" };
    if as_json {
        let parameters = tuning.found_values().map(
            |(name, range, value, steps)| json!({ "name": name, "start": range.start, "value": value, "steps": steps }),
        );
        return print_json(&json!({
            "ending": ending,
            "folder": tuning.folder().display().to_string(),
            "updates": tuning.played(),
            "scheduled": tuning.settings.updates,
            "parameters": parameters.collect::<Vec<_>>(),
        }));
    }
    let rows = tuning.found_values().map(|(name, range, value, steps)| {
        vec![name.to_owned(), range.start.to_string(), format!("{value:.1}"), signed(steps)]
    });
    say!("{}", table(&["parameter", "start", "found", "steps"], rows));
    let folder = tuning.folder().display();
    say!(
        "{} of {} updates ({ending}); {folder}/parameters.toml, parameters.svg",
        tuning.played(),
        tuning.settings.updates
    );
    if !tuning.is_complete() {
        say!("go on with: kiki-lab resume {} --concurrency {concurrency}", shell_word(tuning.folder()));
    }
    Ok(())
}
