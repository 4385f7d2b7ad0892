//! What all tabs share.

use std::sync::Arc;

use kiki_book::Book;
use kiki_eval::SelectedWeights;
use kiki_eval::sigma::SigmaModel;

/// The greatest message of a tab, in bytes: no record of one game is as large.
pub(crate) const MOST_MESSAGE: usize = 4 << 20;

#[derive(Clone, Debug)]
pub struct Settings {
    pub weights: SelectedWeights,
    pub sigma: Arc<SigmaModel>,
    /// Threads of each search.
    pub threads: usize,
    /// Size of each tab's transposition table in MiB.
    pub table_mebibytes: usize,
    /// Maximum number of tabs at a time.
    pub tabs: usize,
    /// The opening book of games and hints.
    pub book: Option<Arc<Book>>,
    /// The program, as the page names it.
    pub program: String,
}
