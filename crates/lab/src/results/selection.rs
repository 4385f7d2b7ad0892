//! Which players count, and under which names.

use anyhow::{Result, ensure};

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

    pub(super) fn excludes(&self, name: &str) -> bool {
        self.exclude.iter().any(|excluded| excluded == name)
    }

    /// Why a row is a game of a player against itself.
    pub(super) fn self_play(&self, row: &RawResult) -> String {
        let name = self.renamed(&row.first);
        if row.first == row.second {
            format!("`{name}` plays against itself")
        } else {
            format!("`{}` plays against `{}`: renamed, `{name}` plays against itself", row.first, row.second)
        }
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
