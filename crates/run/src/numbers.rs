//! Finite numbers in arguments and files. Rust also parses NaN and infinities.

use anyhow::{Result, bail};
use clap::{ArgMatches, Command};

/// A number that is neither NaN nor infinite; `None` for any other text.
pub fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Refuses NaN and infinite numbers among the arguments of a command and its subcommands, and names
/// the argument.
pub fn refuse_non_finite(command: &Command, matches: &ArgMatches) -> Result<()> {
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let Ok(Some(numbers)) = matches.try_get_many::<f64>(id) else { continue };
        if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
            bail!("{argument}: {number} is not a finite number");
        }
    }
    match matches.subcommand() {
        Some((name, matches)) => {
            command.find_subcommand(name).map_or(Ok(()), |inner| refuse_non_finite(inner, matches))
        }
        None => Ok(()),
    }
}
