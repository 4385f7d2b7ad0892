//! `go`, `stop` and `ponderhit`.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::{ByColor, Move, Position};
use kiki_search::{ClockTimes, Limits, Skill};
use kiki_usi::{CheckmateReply, GoSpec, MateLimit, PositionError};

use super::game_clock::GameClock;
use super::mate::MateLimits;
use super::options::EngineSettings;
use super::reporter::UsiReporter;
use super::session::{HeldResignation, PonderSearch, UsiSession};

/// In a game the mate solver has a table of its own, which takes this part of what the other one has, on top of it.
const MATE_SHARE: usize = 2;

/// How long a search without limits is kept waiting for a book that is still being opened, to show its moves.
const PATIENCE_FOR_BOOK: Duration = Duration::from_millis(100);

impl UsiSession {
    pub(super) fn go(&mut self, spec: &GoSpec) {
        if !spec.warnings.is_empty() {
            self.warn(format_args!("go: not understood and left out: {}", spec.warnings.join(", ")));
        }
        if let Some(clocks) = read_clocks(&spec.clocks) {
            self.clock.tell(clocks);
        }
        if !self.has_position() {
            return self.go_without_position(spec);
        }
        if let Some(depth) = spec.perft {
            return self.perft(depth, true);
        }
        if let Some(time) = spec.mate {
            if !spec.searchmoves.is_empty() {
                self.warn("go: a mating problem is solved with all moves; `searchmoves` is left out");
            }
            return self.search_for_mate(time, spec.nodes);
        }
        self.pondering = None;
        let position = self.position.clone();
        let by_game_clock = !spec.infinite && !spec.has_limit();
        let mut limits = self.limits(spec);
        let asks_book = !spec.infinite && spec.searchmoves.is_empty() && self.settings.plays_book;
        if spec.ponder {
            return self.ponder(PonderSearch { position, limits, asks_book, by_game_clock, of_all_answers: false });
        }
        if by_game_clock {
            limits.clocks = self.clock_that_goes_on(&limits);
        }
        if asks_book && let Some(candidates) = self.book_move(&position, self.patience(&limits)) {
            // A search in progress has to answer first.
            self.finish();
            return self.report_book_move(&position, &candidates);
        }
        if spec.infinite {
            self.tell_what_is_known(&position, spec.searchmoves.is_empty().then_some(PATIENCE_FOR_BOOK));
        }
        self.search(position, limits);
    }

    fn search_for_mate(&mut self, time: MateLimit, nodes: Option<u64>) {
        self.stop();
        let time = match time {
            MateLimit::Infinite => None,
            MateLimit::Ms(limit) => Some(Duration::from_millis(limit.max(0).unsigned_abs())),
        };
        let reporter = self.new_reporter();
        let mebibytes = self.room_for_mates();
        let limits = MateLimits { start: self.read, time, nodes, shortest: self.settings.shortest_mates };
        if let Err(error) = self.mates.go(&self.position, limits, mebibytes, &reporter) {
            self.warn(format_args!("no thread for the mate solver: {error}"));
            self.output.print(CheckmateReply::NotImplemented);
        }
    }

    /// How large the mate solver's table may be, in MiB. As long as no move was searched since the engine got ready, it takes the place of
    /// the search, which is made again when it is needed; in a game both stay.
    fn room_for_mates(&mut self) -> usize {
        let table = self.searcher.as_ref().map_or(&self.settings.search, |searcher| searcher.options()).table_mebibytes;
        if self.searched {
            return (table / MATE_SHARE).max(1);
        }
        self.give_back_search();
        table
    }

    /// The reporter of a new search, which takes the place of the last one.
    fn new_reporter(&mut self) -> Arc<UsiReporter> {
        let EngineSettings { resign_value, show_sigma, .. } = self.settings;
        // Errors of evaluation alone are no reason to resign.
        let resign_value = resign_value.saturating_add(self.skill().map_or(0, |skill| skill.greatest_error()));
        let reporter = Arc::new(UsiReporter::new(&self.output, resign_value, show_sigma));
        self.reporter = Some(Arc::clone(&reporter));
        reporter
    }

    fn search(&mut self, position: Position, limits: Limits) {
        self.finish();
        if self.searcher.is_none() {
            self.mates.clear();
        }
        self.searched = true;
        if !self.prepare() {
            // Without a searcher any legal move is better than none.
            let answer = position.legal_moves().first().map_or(kiki_usi::BestMove::Resign, kiki_usi::BestMove::new);
            return self.output.print(answer);
        }
        let reporter = self.new_reporter();
        if limits.clocks.is_some() && !limits.ponder {
            self.clock.run(position.side_to_move(), self.read, reporter.answered());
        }
        if let Some(searcher) = &mut self.searcher {
            searcher.set_sigma_model(Arc::clone(&self.sigma.model));
            searcher.go(position, Limits { elapsed: self.read.elapsed(), ..limits }, reporter);
        }
    }

    /// The clock for a move for which no limit was named: that of the game, else a short time unless options limit the search. Nothing waits for ever that
    /// does not say so.
    fn clock_that_goes_on(&mut self, limits: &Limits) -> Option<ClockTimes> {
        self.clock.now().or_else(|| limits.is_infinite().then(GameClock::without_clock))
    }

    /// `go ponder`.
    fn ponder(&mut self, mut ponder: PonderSearch) {
        if ponder.asks_book {
            // A thread reads it meanwhile.
            self.open_book(Some(Duration::ZERO));
        }
        // A level below the full one thinks no more on the opponent's time than on its own.
        ponder.of_all_answers =
            self.settings.stochastic_ponder && ponder.limits.skill.is_none() && !self.spec.moves.is_empty();
        if ponder.of_all_answers
            && let Err(error) = self.search_all_answers()
        {
            self.warn(error);
            ponder.of_all_answers = false;
        }
        if !ponder.of_all_answers {
            self.tell_what_is_known(&ponder.position, ponder.asks_book.then_some(Duration::ZERO));
            self.search(ponder.position.clone(), ponder.limits.clone());
        }
        self.pondering = Some(ponder);
    }

    /// Stochastic ponder: instead of the expected move, the opponent's whole choice is searched.
    fn search_all_answers(&mut self) -> Result<(), PositionError> {
        let mut before = self.spec.clone();
        before.moves.pop();
        self.search(kiki_usi::set_up(&before)?, Limits { ponder: true, ..Limits::default() });
        Ok(())
    }

    /// Ends the search, or whatever else is going on, and waits until it has answered.
    pub(super) fn finish(&mut self) {
        self.release_resignation();
        self.background.stop();
        self.mates.stop();
        if let Some(searcher) = &self.searcher {
            searcher.stop();
            searcher.wait();
        }
    }

    pub(super) fn stop(&mut self) {
        self.pondering = None;
        self.finish();
    }

    /// Waits for what ends by itself; a search that does not is ended at the next command.
    pub(super) fn wait_for_answer(&mut self) {
        self.background.wait();
        if !self.mates.is_endless() {
            self.mates.wait();
        }
        if let Some(searcher) = &self.searcher
            && !searcher.is_held()
        {
            searcher.wait();
        }
    }

    /// The expected move was played. Without a ponder search in progress nothing happens.
    pub(super) fn ponderhit(&mut self, clocks: Option<&kiki_usi::Clocks>) {
        if self.held_resignation == Some(HeldResignation::Pondering) {
            return self.release_resignation();
        }
        let Some(ponder) = self.pondering.take().filter(|_| self.is_searching()) else { return };
        let PonderSearch { position, limits, asks_book, by_game_clock, of_all_answers } = ponder;
        // A book that is not open by now is not waited for: the clock runs, and there is a search to go on with.
        let answer = if asks_book { self.book_move(&position, Some(Duration::ZERO)) } else { None };
        if answer.is_some() || of_all_answers {
            self.mute();
            self.finish();
        }
        let told = clocks.and_then(read_clocks);
        if let Some(clocks) = told {
            self.clock.tell(clocks);
        }
        let goes_on = if by_game_clock { self.clock_that_goes_on(&limits) } else { limits.clocks };
        let clocks = told.or(goes_on);
        match answer {
            Some(candidates) => self.report_book_move(&position, &candidates),
            None if of_all_answers => self.search(position, Limits { clocks, ponder: false, ..limits }),
            None => {
                if let Some(reporter) = self.reporter.as_ref().filter(|_| clocks.is_some()) {
                    self.clock.run(position.side_to_move(), self.read, reporter.answered());
                }
                if let Some(searcher) = &mut self.searcher {
                    searcher.ponderhit(clocks);
                }
            }
        }
    }

    fn limits(&self, spec: &GoSpec) -> Limits {
        let milliseconds = |time: i64| Duration::from_millis(time.unsigned_abs());
        let unless_infinite = !spec.infinite;
        Limits {
            clocks: read_clocks(&spec.clocks).filter(|_| unless_infinite),
            movetime: spec.movetime.map(milliseconds).filter(|_| unless_infinite),
            depth: spec.depth.or(self.settings.depth_limit).filter(|_| unless_infinite).map(|depth| depth.max(1)),
            nodes: spec.nodes.or(self.settings.node_limit).filter(|_| unless_infinite),
            search_moves: self.search_moves(&spec.searchmoves),
            ponder: spec.ponder,
            skill: self.skill(),
            // Known when the search begins.
            elapsed: Duration::ZERO,
        }
    }

    /// How long a search may be kept waiting for something that it can do without: a tenth of the time it has.
    fn patience(&self, limits: &Limits) -> Option<Duration> {
        let by_clock = limits.clocks.map(|clocks| clocks.remaining[self.position.side_to_move()] + clocks.byoyomi);
        by_clock.into_iter().chain(limits.movetime).min().map(|time| time / 10)
    }

    /// The strength that the options ask for, if it is not the full one.
    fn skill(&self) -> Option<Skill> {
        Skill::new(self.settings.skill_level, self.settings.skill_seed.unwrap_or(self.game_seed))
    }

    fn search_moves(&self, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            match self.position.parse_move(text) {
                Ok(mv) => moves.push(mv),
                Err(error) => self.warn(format_args!("searchmoves: {error}")),
            }
        }
        moves
    }
}

/// The clocks of a command, if it names any.
fn read_clocks(clocks: &kiki_usi::Clocks) -> Option<ClockTimes> {
    if clocks.is_empty() {
        return None;
    }
    let time = |value: Option<i64>| Duration::from_millis(value.unwrap_or(0).max(0).unsigned_abs());
    let below_zero = |value: Option<i64>| Duration::from_millis(value.unwrap_or(0).min(0).unsigned_abs());
    Some(ClockTimes {
        remaining: ByColor::new(time(clocks.btime), time(clocks.wtime)),
        overdrawn: ByColor::new(below_zero(clocks.btime), below_zero(clocks.wtime)),
        increment: ByColor::new(time(clocks.binc), time(clocks.winc)),
        byoyomi: time(clocks.byoyomi),
        estimated: false,
    })
}
