//! A run that finds something about each item of its list.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::interrupt::stop_flag;
use crate::journal::Journal;
use crate::output::ProgressLine;
use crate::parallel;

/// A line of the journal: what was found about an item.
pub trait ItemLine: Serialize + DeserializeOwned {
    /// Index of the item in the list.
    fn item(&self) -> usize;
}

/// The items with what was found so far.
pub struct ListRun<S, T, L> {
    pub journal: Journal<S>,
    pub items: Vec<T>,
    /// Lines by the index of their item.
    pub found: BTreeMap<usize, L>,
}

impl<S, T, L: ItemLine> ListRun<S, T, L> {
    /// Reads the items of a list and the lines of a journal.
    pub fn new(journal: Journal<S>, read: impl Fn(&str) -> Result<T>) -> Result<Self> {
        let items = journal.items(read)?;
        let mut found = BTreeMap::new();
        journal.replay(|line: L| {
            ensure!(line.item() < items.len(), "the list has no item {}", line.item());
            found.insert(line.item(), line);
            Ok(())
        })?;
        Ok(Self { journal, items, found })
    }

    pub fn missing(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|index| !self.found.contains_key(index)).collect()
    }

    pub fn is_complete(&self) -> bool {
        self.found.len() == self.items.len()
    }

    /// Searches the items of these indices on several threads, with a progress line, until Ctrl-C.
    /// `search` returns nothing if its flag was set.
    pub fn search<W>(
        &mut self,
        indices: &[usize],
        threads: usize,
        new_state: impl Fn() -> Result<W> + Sync,
        search: impl Fn(&mut W, usize, &T, &AtomicBool) -> Result<Option<L>> + Sync,
    ) -> Result<()>
    where
        T: Sync,
        L: Send,
    {
        let stop = stop_flag()?;
        let before = self.found.len();
        let mut progress = ProgressLine::new("positions", (before + indices.len()) as u64, before as u64);
        let Self { journal, items, found } = self;
        let work = |state: &mut W, &index: &usize| search(state, index, &items[index], &stop).transpose();
        parallel::for_each(indices, threads, new_state, work, |_, line| {
            let line = line?;
            journal.append(&line)?;
            found.insert(line.item(), line);
            progress.show(found.len() as u64, String::new);
            Ok(())
        })?;
        progress.finish();
        Ok(())
    }
}
