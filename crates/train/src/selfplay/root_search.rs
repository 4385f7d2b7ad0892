//! One search of one position, with its best lines.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use kiki_board::{Move, Position};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{
    Action, Limits, Options, Reporter, ResourceError, RootScore, Rules, SearchInfo, SearchResult, Searcher,
};

use super::settings::{SelfPlayLimit, SelfPlaySettings};

/// A move and its value.
#[derive(Clone, Copy)]
pub(super) struct ScoredMove {
    pub(super) mv: Move,
    /// For the side to move.
    pub(super) score: RootScore,
}

/// What a search found.
pub(super) struct RootOutcome {
    pub(super) action: Action,
    /// For the side to move.
    pub(super) score: RootScore,
    /// Best first, if several were asked for; otherwise empty.
    pub(super) lines: Vec<ScoredMove>,
}

enum SearchMessage {
    Line(usize, ScoredMove),
    End(Action, RootScore),
}

struct MessageSender(Sender<SearchMessage>);

impl Reporter for MessageSender {
    fn info(&self, info: &SearchInfo) {
        if let Some(&mv) = info.pv.first() {
            let _ = self.0.send(SearchMessage::Line(info.multipv, ScoredMove { mv, score: info.score }));
        }
    }
    fn note(&self, _: &str) {}
    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(SearchMessage::End(result.action, result.score));
    }
}

/// Searches positions one by one on a single thread.
pub(super) struct RootSearcher {
    searcher: Searcher<SelectedEvaluator>,
    limits: Limits,
    reporter: Arc<dyn Reporter>,
    messages: Receiver<SearchMessage>,
}

impl RootSearcher {
    /// # Errors
    /// If the system refuses threads or memory.
    pub(super) fn new(weights: SelectedWeights, settings: &SelfPlaySettings) -> Result<Self, ResourceError> {
        let options = Options {
            threads: 1,
            table_mebibytes: settings.table_mebibytes,
            // Only the last lines count.
            pv_interval: Duration::from_secs(3600),
            rules: Rules { max_moves: settings.max_plies, ..Rules::default() },
            ..Options::default()
        };
        let (nodes, depth) = match settings.limit {
            SelfPlayLimit::Nodes(nodes) => (Some(nodes), None),
            SelfPlayLimit::Depth(depth) => (None, Some(depth)),
        };
        let (sender, messages) = channel();
        Ok(Self {
            searcher: Searcher::new(weights, options)?,
            limits: Limits { nodes, depth, ..Limits::default() },
            reporter: Arc::new(MessageSender(sender)),
            messages,
        })
    }

    /// Forgets all earlier positions.
    pub(super) fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Searches a position for so many of the best moves.
    ///
    /// # Errors
    /// If the system refuses threads.
    pub(super) fn search(&mut self, position: &Position, lines: usize) -> Result<RootOutcome, ResourceError> {
        if self.searcher.options().multipv != lines {
            self.searcher.set_options(Options { multipv: lines, ..*self.searcher.options() })?;
        }
        self.searcher.go(position.clone(), self.limits.clone(), Arc::clone(&self.reporter));
        let mut best = Vec::new();
        loop {
            // The searcher answers every search, and its reporter lives as long as this.
            match self.messages.recv() {
                Ok(SearchMessage::Line(1, line)) => best = vec![line],
                Ok(SearchMessage::Line(_, line)) => best.push(line),
                Ok(SearchMessage::End(action, score)) => return Ok(RootOutcome { action, score, lines: best }),
                Err(_) => return Ok(RootOutcome { action: Action::Resign, score: RootScore::Mate(-1), lines: best }),
            }
        }
    }
}
