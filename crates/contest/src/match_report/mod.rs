//! Reports of contests: what `match`, `sprt` and `show` print.

use anyhow::Result;

use crate::runner::{Contest, ContestEnd};
use kiki_run::numbers::print_json;
use kiki_run::say;

pub(crate) mod game_text;
mod json;
pub(crate) mod overview;
mod tables;
mod warnings;

/// Prints the result of a contest, as tables or as JSON.
pub(crate) fn print(contest: &Contest, end: &ContestEnd, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&json::value(contest, end));
    }
    say!("{}", tables::engines(contest));
    say!("{}", tables::pairings(contest));
    if let Some(run) = &contest.sprt {
        say!("{}", tables::sprt_text(run));
    }
    say!("{}", tables::summary(contest, end));
    Ok(())
}
