//! Positions searched one by one in this process, on a single thread each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, Reporter, ResourceError, SearchInfo, SearchResult, Searcher};

/// How often a search looks whether it should stop.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

enum SearchMessage {
    Info(SearchInfo),
    End(SearchResult),
}

struct MessageSender(Sender<SearchMessage>);

impl Reporter for MessageSender {
    fn info(&self, info: &SearchInfo) {
        let _ = self.0.send(SearchMessage::Info(info.clone()));
    }
    fn note(&self, _: &str) {}
    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(SearchMessage::End(result.clone()));
    }
}

/// What a search said.
pub struct SearchedPosition {
    /// The lines it reported, in their order.
    pub infos: Vec<SearchInfo>,
    /// The best move, its value and its line.
    pub result: SearchResult,
}

impl SearchedPosition {
    /// The best lines in order, with exact scores: those that were reported last.
    pub fn best_lines(&self) -> &[SearchInfo] {
        let first = self.infos.iter().rposition(|info| info.multipv == 1).unwrap_or(0);
        &self.infos[first..]
    }
}

/// Searches positions one by one.
pub struct PositionSearcher {
    /// The searcher.
    pub searcher: Searcher<SelectedEvaluator>,
    reporter: Arc<dyn Reporter>,
    messages: Receiver<SearchMessage>,
}

impl PositionSearcher {
    /// # Errors
    /// If the system refuses threads or memory.
    pub fn new(weights: &SelectedWeights, options: Options) -> Result<Self, ResourceError> {
        let (sender, messages) = channel();
        Ok(Self {
            searcher: Searcher::new(weights.clone(), options)?,
            reporter: Arc::new(MessageSender(sender)),
            messages,
        })
    }

    /// Searches a position without knowledge of earlier ones; `None` if `stop` was set meanwhile.
    pub fn search_anew(&mut self, position: &Position, limits: &Limits, stop: &AtomicBool) -> Option<SearchedPosition> {
        self.searcher.clear();
        self.search(position, limits, stop)
    }

    /// Searches a position with what is known of earlier ones, as in a game; `None` if `stop` was set meanwhile.
    pub fn search(&mut self, position: &Position, limits: &Limits, stop: &AtomicBool) -> Option<SearchedPosition> {
        self.searcher.go(position.clone(), limits.clone(), Arc::clone(&self.reporter));
        let mut infos = Vec::new();
        let result = loop {
            match self.messages.recv_timeout(STOP_INTERVAL) {
                Ok(SearchMessage::Info(info)) => infos.push(info),
                Ok(SearchMessage::End(result)) => break result,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => self.searcher.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                // The searcher answers every search, and its reporter lives as long as this.
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        };
        (!stop.load(Ordering::Relaxed)).then_some(SearchedPosition { infos, result })
    }
}
