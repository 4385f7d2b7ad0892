//! Which players count, and under which names.

use anyhow::{Error, Result, anyhow, ensure};

use super::raw_result::RawResult;

/// Which players count, and under which names.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayerSelection {
    pub(crate) exclude: Vec<String>,
    /// Old and new names.
    pub(crate) rename: Vec<(String, String)>,
}

impl PlayerSelection {
    /// Reads `old=new`.
    pub(crate) fn parse_rename(text: &str) -> Result<(String, String), String> {
        let (old, new) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form old=new"))?;
        if new.is_empty() { Err(format!("`{text}` has no new name")) } else { Ok((old.to_owned(), new.to_owned())) }
    }

    pub(super) fn excludes(&self, row: &RawResult) -> bool {
        self.exclude.iter().any(|excluded| *excluded == row.first || *excluded == row.second)
    }

    /// What is wrong with a row that says nothing about players.
    pub(super) fn fault_of(&self, row: &RawResult) -> Option<Error> {
        let is_nameless = |name: &String| self.renamed(name).is_empty();
        if is_nameless(&row.first) || is_nameless(&row.second) {
            return Some(anyhow!("it does not tell who played, and is left out"));
        }
        (row.first == row.second).then(|| anyhow!("`{}` plays against itself, which is left out", row.first))
    }

    /// Why a row is by the names that were given a game of a player against itself.
    pub(super) fn self_play(&self, row: &RawResult) -> String {
        let name = self.renamed(&row.first);
        format!("`{}` plays against `{}`: renamed, `{name}` plays against itself", row.first, row.second)
    }

    pub(super) fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        self.rename.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }

    /// # Errors
    /// A name that does not occur in the results.
    pub(super) fn check(&self, rows: &[Vec<RawResult>]) -> Result<()> {
        for name in self.exclude.iter().chain(self.rename.iter().map(|(old, _)| old)) {
            let occurs = rows.iter().flatten().any(|row| row.first == *name || row.second == *name);
            ensure!(occurs, "no player is named `{name}`");
        }
        Ok(())
    }
}
