//! The searches of a tab.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::{ByColor, Color};
use kiki_eval::SelectedEvaluator;
use kiki_search::{
    Action, Bound, ClockTimes, Limits, Options, Reporter, ResourceError, RootScore, SearchInfo, SearchResult, Searcher,
    Skill, TimeOptions,
};
use kiki_usi::{LONGEST_MILLISECONDS, ScoreValue};

use crate::facts::{is_black_to_move, named_line, named_move};
use crate::outgoing::TabQuestion;
use crate::protocol::{EngineAction, EngineLine, Limit, Strength, TabReply, Time};
use crate::refusal::Refusal;
use crate::settings::Settings;

/// Minimum time between two progress reports.
const INTERVAL: Duration = Duration::from_millis(200);
/// Maximum number of lines of an analysis.
const MOST_LINES: usize = 10;
/// No network lies between the page and the engine, but a browser may be busy.
const DELAY: Duration = Duration::from_millis(60);

/// The searcher of a tab, made for its first search.
pub(crate) struct Thinking {
    settings: Arc<Settings>,
    searcher: Option<Searcher<SelectedEvaluator>>,
    /// Whether the table is in memory; weaker levels use another one.
    is_resident: bool,
}

impl Thinking {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings, searcher: None, is_resident: false }
    }

    /// Begins to search for a move in a game.
    pub(crate) fn play(&mut self, question: TabQuestion, strength: Strength, time: Time) -> Result<(), ResourceError> {
        let skill = Skill::new(strength.level, strength.seed);
        let mut limits = Limits { skill, ..Limits::default() };
        match time {
            Time::Move(time) => limits.movetime = Some(milliseconds(time)),
            Time::Clock { black, white, byoyomi, increment } => {
                let remaining =
                    ByColor::from_fn(|color| milliseconds(if color == Color::Black { black } else { white }));
                limits.clocks = Some(ClockTimes {
                    remaining,
                    byoyomi: milliseconds(byoyomi),
                    increment: ByColor::both(milliseconds(increment)),
                    ..ClockTimes::default()
                });
            }
        }
        self.go(question, limits, 1)
    }

    /// Begins to search for the best lines.
    pub(crate) fn analyze(&mut self, question: TabQuestion, lines: usize, limit: Limit) -> Result<(), ResourceError> {
        let mut limits = Limits::default();
        match limit {
            Limit::None => {}
            Limit::Milliseconds(time) => limits.movetime = Some(milliseconds(time)),
            Limit::Nodes(nodes) => limits.nodes = Some(nodes),
        }
        self.go(question, limits, lines.clamp(1, MOST_LINES))
    }

    /// Ends the search in progress, whose answer still comes.
    pub(crate) fn stop(&self) {
        if let Some(searcher) = &self.searcher {
            searcher.stop();
        }
    }

    fn go(&mut self, question: TabQuestion, limits: Limits, multipv: usize) -> Result<(), ResourceError> {
        let options = Options { multipv, ..self.settings.options() };
        if let Some(searcher) = &mut self.searcher {
            searcher.set_options(options)?;
        }
        let searcher = match &mut self.searcher {
            Some(searcher) => searcher,
            none => {
                let mut searcher = Searcher::new(self.settings.weights.clone(), options)?;
                searcher.set_sigma_model(Arc::clone(&self.settings.sigma));
                none.insert(searcher)
            }
        };
        if limits.skill.is_none() && !self.is_resident {
            // Making it resident would take most of the first search's time.
            searcher.clear();
            self.is_resident = true;
        }
        searcher.go(question.position.clone(), limits, Arc::new(LineReporter { question }));
        Ok(())
    }
}

impl Settings {
    fn options(&self) -> Options {
        Options {
            threads: self.threads,
            table_mebibytes: self.table_mebibytes,
            pv_interval: INTERVAL,
            time: TimeOptions { network_delay: DELAY, network_delay2: 2 * DELAY, ..TimeOptions::default() },
            ..Options::default()
        }
    }
}

/// Sends what a search reports to the tab.
struct LineReporter {
    question: TabQuestion,
}

impl LineReporter {
    /// Turns a score for the side to move into one for Black.
    fn score(&self, score: RootScore) -> ScoreValue {
        let value = match score {
            RootScore::Centipawns(value) => ScoreValue::Cp(value),
            RootScore::Mate(plies) => ScoreValue::mate(plies),
        };
        if is_black_to_move(&self.question.position) { value } else { -value }
    }
}

impl Reporter for LineReporter {
    fn info(&self, info: &SearchInfo) {
        let bound = match (info.bound, is_black_to_move(&self.question.position)) {
            (Bound::Exact, _) => None,
            (Bound::Lower, true) | (Bound::Upper, false) => Some("lower"),
            (Bound::Lower, false) | (Bound::Upper, true) => Some("upper"),
        };
        let line = EngineLine {
            rank: info.multipv,
            depth: info.depth,
            nodes: info.nodes,
            value: self.score(info.score),
            bound,
            moves: named_line(&self.question.position, &info.pv),
        };
        self.question.outgoing.offer(&TabReply::Line { id: self.question.id, line });
    }

    fn note(&self, text: &str) {
        self.question.outgoing.offer(&TabReply::Error { id: Some(self.question.id), refusal: Refusal::rare(text) });
    }

    fn finished(&self, result: &SearchResult) {
        let (action, mv) = match result.action {
            Action::Play(mv) => (EngineAction::Move, Some(named_move(&self.question.position, mv))),
            Action::DeclareWin => (EngineAction::Win, None),
            Action::Resign => (EngineAction::Resign, None),
        };
        self.question.outgoing.send(&TabReply::Answer {
            id: self.question.id,
            action,
            mv,
            value: Some(self.score(result.score)),
            nodes: result.nodes,
            book: false,
        });
    }
}

/// A time of a request, in milliseconds: no longer than USI allows.
fn milliseconds(time: u64) -> Duration {
    Duration::from_millis(time.min(LONGEST_MILLISECONDS.unsigned_abs()))
}
