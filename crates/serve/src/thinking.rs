//! The searches of a tab.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::{ByColor, Color, Position};
use kiki_eval::SelectedEvaluator;
use kiki_search::{
    Action, Bound, ClockTimes, Limits, Options, Reporter, ResourceError, RootScore, SearchInfo, SearchResult, Searcher,
    Skill, TimeOptions,
};
use kiki_usi::ScoreValue;

use crate::facts::{is_black_to_move, named_line, named_move};
use crate::outgoing::Outgoing;
use crate::protocol::{EngineAction, EngineLine, Limit, Reply, Strength, Time};
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
}

impl Thinking {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings, searcher: None }
    }

    /// Begins to search for a move in a game. The answer is the reply to request `id`.
    pub(crate) fn play(
        &mut self,
        (id, position): (u64, Position),
        strength: Strength,
        time: Time,
        outgoing: &Outgoing,
    ) -> Result<(), ResourceError> {
        let skill = Skill::new(strength.level, strength.seed);
        let milliseconds = Duration::from_millis;
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
        self.go((id, position), limits, 1, outgoing)
    }

    /// Begins to search for the best lines.
    pub(crate) fn analyze(
        &mut self,
        (id, position): (u64, Position),
        lines: usize,
        limit: Limit,
        outgoing: &Outgoing,
    ) -> Result<(), ResourceError> {
        let mut limits = Limits::default();
        match limit {
            Limit::None => {}
            Limit::Milliseconds(time) => limits.movetime = Some(Duration::from_millis(time)),
            Limit::Nodes(nodes) => limits.nodes = Some(nodes),
        }
        self.go((id, position), limits, lines.clamp(1, MOST_LINES), outgoing)
    }

    /// Ends the search in progress, whose answer still comes.
    pub(crate) fn stop(&self) {
        if let Some(searcher) = &self.searcher {
            searcher.stop();
        }
    }

    fn go(
        &mut self,
        (id, position): (u64, Position),
        limits: Limits,
        multipv: usize,
        outgoing: &Outgoing,
    ) -> Result<(), ResourceError> {
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
        let reporter = LineReporter { id, position: position.clone(), outgoing: outgoing.clone() };
        searcher.go(position, limits, Arc::new(reporter));
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
    id: u64,
    position: Position,
    outgoing: Outgoing,
}

impl LineReporter {
    /// Turns a score for the side to move into one for Black.
    fn score(&self, score: RootScore) -> ScoreValue {
        let value = match score {
            RootScore::Centipawns(value) => ScoreValue::Cp(value),
            RootScore::Mate(plies) => ScoreValue::mate(plies),
        };
        if is_black_to_move(&self.position) { value } else { -value }
    }
}

impl Reporter for LineReporter {
    fn info(&self, info: &SearchInfo) {
        let bound = match (info.bound, is_black_to_move(&self.position)) {
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
            moves: named_line(&self.position, &info.pv),
        };
        self.outgoing.offer(&Reply::Line { id: self.id, line });
    }

    fn note(&self, text: &str) {
        self.outgoing.offer(&Reply::Error { id: Some(self.id), refusal: text.into() });
    }

    fn finished(&self, result: &SearchResult) {
        let (action, mv) = match result.action {
            Action::Play(mv) => (EngineAction::Move, Some(named_move(&self.position, mv))),
            Action::DeclareWin => (EngineAction::Win, None),
            Action::Resign => (EngineAction::Resign, None),
        };
        self.outgoing.send(&Reply::Answer {
            id: self.id,
            action,
            mv,
            value: self.score(result.score),
            milliseconds: u64::try_from(result.time.as_millis()).unwrap_or(u64::MAX),
            nodes: result.nodes,
        });
    }
}
