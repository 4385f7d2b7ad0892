//! A search that blocks its caller until the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::Evaluator;
use parking_lot::Mutex;

use crate::limits::Limits;
use crate::report::{Reporter, SearchInfo, SearchResult};
use crate::threads::Searcher;

/// Interval between two looks at a stop signal.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

/// A finished search.
#[derive(Clone, PartialEq, Debug)]
pub struct Searched {
    /// The reported lines, in their order.
    pub lines: Vec<SearchInfo>,
    /// Failures that the search survived.
    pub notes: Vec<String>,
    /// The answer.
    pub result: SearchResult,
}

impl Searched {
    /// The best lines in order, with exact scores: those reported last.
    #[must_use]
    pub fn best_lines(&self) -> &[SearchInfo] {
        let first = self.lines.iter().rposition(|line| line.multipv == 1).unwrap_or(0);
        &self.lines[first..]
    }
}

/// Collects the reports of a search.
#[derive(Default)]
struct Collector {
    lines: Mutex<Vec<SearchInfo>>,
    notes: Mutex<Vec<String>>,
    result: Mutex<Option<SearchResult>>,
}

impl Reporter for Collector {
    fn info(&self, info: &SearchInfo) {
        self.lines.lock().push(info.clone());
    }

    fn note(&self, text: &str) {
        self.notes.lock().push(text.to_owned());
    }

    fn finished(&self, result: &SearchResult) {
        *self.result.lock() = Some(result.clone());
    }
}

impl<E: Evaluator + 'static> Searcher<E> {
    /// Searches a position without knowledge of earlier ones; `None` if `stop` was set meanwhile.
    pub fn search_anew(&mut self, position: &Position, limits: &Limits, stop: &AtomicBool) -> Option<Searched> {
        self.clear();
        self.search_unless_stopped(position, limits, stop)
    }

    /// Searches a position with knowledge of earlier ones, as in a game; `None` if `stop` was set
    /// meanwhile.
    pub fn search_unless_stopped(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Option<Searched> {
        let searched = self.search(position.clone(), limits.clone(), stop);
        (!stop.load(Ordering::Relaxed)).then_some(searched)
    }

    /// Searches and waits for the answer, which comes soon after `stop` is set. Limits that ponder
    /// or are infinite need a `stop`.
    ///
    /// # Panics
    /// If the search ends without an answer, which does not happen.
    pub fn search(&mut self, position: Position, limits: Limits, stop: &AtomicBool) -> Searched {
        let reports = Arc::new(Collector::default());
        self.go(position, limits, Arc::clone(&reports) as Arc<dyn Reporter>);
        loop {
            if stop.load(Ordering::Relaxed) {
                self.stop();
            }
            if self.wait_at_most(STOP_INTERVAL) {
                break;
            }
        }
        let Collector { lines, notes, result } = &*reports;
        let result = result.lock().take().expect("every search ends with an answer");
        Searched { lines: std::mem::take(&mut lines.lock()), notes: std::mem::take(&mut notes.lock()), result }
    }
}
