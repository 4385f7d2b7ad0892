//! Finite numbers in arguments and files. Rust also parses NaN and infinities.

use std::any::TypeId;

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};

/// A number that is neither NaN nor infinite; `None` for any other text.
pub fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads `-1` behind an option or as a positional argument as its value, in a command and its
/// subcommands: an error is then about the number. An option with one list of numbers takes `-1,2`
/// too.
pub fn allow_negative_numbers(command: Command) -> Command {
    let is_list = |argument: &Arg| {
        let takes_one = argument.get_num_args().is_none_or(|number| number.max_values() <= 1);
        let is_number = argument.get_value_parser().type_id() == TypeId::of::<f64>();
        takes_one && is_number && argument.get_value_delimiter().is_some() && !argument.is_positional()
    };
    let read = |argument: Arg| match argument.get_action().takes_values() {
        true if is_list(&argument) => argument.allow_hyphen_values(true),
        true => argument.allow_negative_numbers(true),
        false => argument,
    };
    command.mut_args(read).mut_subcommands(allow_negative_numbers)
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
