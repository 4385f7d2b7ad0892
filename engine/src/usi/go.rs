//! `go` and `ponderhit`: the book, a search, or a mating problem.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::{ByColor, DeclarationVerdict, Move, Position};
use kiki_search::{ClockTimes, Limits, Skill};
use kiki_usi::{CheckmateReply, GoSpec, Info, MateLimit, PositionError, UsiScore};

use super::book::BookCandidate;
use super::game_clock::GameClock;
use super::reporter::{UsiReporter, line_of_play};
use super::session::{HeldResignation, PonderSearch, UsiSession};
use super::workers::MateLimits;

/// In a game, the mate solver has its own table: that of the search divided by this.
const MATE_SHARE: usize = 2;

/// How long a search without limits waits for a book still opening, to show its moves.
const PATIENCE_FOR_BOOK: Duration = Duration::from_millis(100);

impl UsiSession {
    pub(super) fn go(&mut self, spec: &GoSpec) {
        if !spec.warnings.is_empty() {
            self.warn(format_args!("go: not understood and left out: {}", spec.warnings.join(", ")));
        }
        if let Some(clocks) = read_clocks(&spec.clocks) {
            self.game.clock.set(clocks);
        }
        if !self.has_position() {
            return self.go_without_position(spec);
        }
        if let Some(depth) = spec.perft {
            return self.perft(depth, true);
        }
        if let Some(time) = spec.mate {
            if !spec.searchmoves.is_empty() {
                self.warn("go: `searchmoves` is ignored: a mating problem is solved with all moves");
            }
            return self.search_for_mate(time, spec.nodes);
        }
        self.answer.pondering = None;
        let position = self.current.position.clone();
        let by_game_clock = !spec.infinite && !spec.has_limit();
        let mut limits = self.limits(spec);
        let asks_book = !spec.infinite && spec.searchmoves.is_empty() && !self.settings().book.shows_only;
        if spec.ponder {
            return self.ponder(PonderSearch { position, limits, asks_book, by_game_clock, of_all_answers: false });
        }
        if by_game_clock {
            limits.clocks = self.running_clock(&limits);
        }
        if asks_book && let Some(candidates) = self.choose_from_book(&position, self.patience(&limits)) {
            // A search in progress must answer first.
            self.finish();
            return self.books.play(&position, &candidates);
        }
        if spec.infinite {
            self.show_what_is_known(&position, spec.searchmoves.is_empty().then_some(PATIENCE_FOR_BOOK));
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
        let limits = MateLimits { start: self.read, time, nodes, shortest: self.settings().shortest_mates };
        if let Err(error) = self.mates.go(&self.current.position, limits, mebibytes, &reporter) {
            self.warn(format_args!("cannot start the mate solver: {error}"));
            self.output.print(CheckmateReply::NotImplemented);
        }
    }

    /// The largest size of the mate solver's table, in MiB. Until a move is searched after
    /// `isready`, it may replace the search, which is recreated when needed. In a game both stay.
    fn room_for_mates(&mut self) -> usize {
        let searcher = self.resources.searcher.as_ref();
        let table = searcher.map_or(&self.settings().search, |searcher| searcher.options()).table_mebibytes;
        if self.resources.searched {
            return (table / MATE_SHARE).max(1);
        }
        self.resources.give_back();
        self.options.changed = true;
        table
    }

    fn new_reporter(&mut self) -> Arc<UsiReporter> {
        let settings = self.settings();
        // Errors of a level alone are no reason to resign.
        let greatest_error = self.skill().map_or(0, |skill| skill.greatest_error());
        let resign_value = settings.resign_value.saturating_add(greatest_error);
        let reporter = Arc::new(UsiReporter::new(&self.output, resign_value, settings.show_sigma));
        self.answer.reporter = Some(Arc::clone(&reporter));
        reporter
    }

    fn search(&mut self, position: Position, limits: Limits) {
        self.finish();
        if self.must_clear_hash {
            self.clear_hash();
        }
        if self.resources.searcher.is_none() {
            self.mates.clear();
        }
        self.resources.searched = true;
        if !self.prepare() {
            // Without a searcher, any legal move is better than none.
            let answer = position.legal_moves().first().map_or(kiki_usi::BestMove::Resign, kiki_usi::BestMove::new);
            return self.output.print(answer);
        }
        let reporter = self.new_reporter();
        if limits.clocks.is_some() && !limits.ponder {
            self.game.clock.run(position.side_to_move(), self.read, reporter.answered());
        }
        if let Some(searcher) = &mut self.resources.searcher {
            searcher.set_sigma_model(Arc::clone(&self.resources.sigma.model));
            searcher.go(position, Limits { elapsed: self.read.elapsed(), ..limits }, reporter);
        }
    }

    /// The clock for a move without limits: the game's, or a short time unless options set limits.
    fn running_clock(&mut self, limits: &Limits) -> Option<ClockTimes> {
        self.game.clock.now().or_else(|| limits.is_infinite().then(GameClock::without_clock))
    }

    fn ponder(&mut self, mut ponder: PonderSearch) {
        if ponder.asks_book {
            // A thread reads the book during the search.
            self.books.open(&self.options.settings.book, Some(Duration::ZERO));
        }
        // Below full strength, the engine thinks no longer on the opponent's time than on its own.
        ponder.of_all_answers =
            self.settings().stochastic_ponder && ponder.limits.skill.is_none() && !self.current.spec.moves.is_empty();
        if ponder.of_all_answers
            && let Err(error) = self.search_all_answers()
        {
            self.warn(error);
            ponder.of_all_answers = false;
        }
        if !ponder.of_all_answers {
            self.show_what_is_known(&ponder.position, ponder.asks_book.then_some(Duration::ZERO));
            self.search(ponder.position.clone(), ponder.limits.clone());
        }
        self.answer.pondering = Some(ponder);
    }

    /// Stochastic ponder: searches all of the opponent's replies instead of the expected one.
    fn search_all_answers(&mut self) -> Result<(), PositionError> {
        let mut before = self.current.spec.clone();
        before.moves.pop();
        self.search(kiki_usi::set_up(&before)?, Limits { ponder: true, ..Limits::default() });
        Ok(())
    }

    /// The expected move was played. Does nothing without a pondering search.
    pub(super) fn ponderhit(&mut self, clocks: Option<&kiki_usi::Clocks>) {
        if self.answer.held_resignation == Some(HeldResignation::Pondering) {
            return self.release_resignation();
        }
        let Some(ponder) = self.answer.pondering.take().filter(|_| self.is_searching()) else { return };
        let PonderSearch { position, limits, asks_book, by_game_clock, of_all_answers } = ponder;
        // Do not wait for a book that is not open by now: the clock runs.
        let answer = if asks_book { self.choose_from_book(&position, Some(Duration::ZERO)) } else { None };
        if answer.is_some() || of_all_answers {
            self.answer.mute();
            self.finish();
        }
        let new = clocks.and_then(read_clocks);
        if let Some(clocks) = new {
            self.game.clock.set(clocks);
        }
        let running = if by_game_clock { self.running_clock(&limits) } else { limits.clocks };
        let clocks = new.or(running);
        match answer {
            Some(candidates) => self.books.play(&position, &candidates),
            None if of_all_answers => self.search(position, Limits { clocks, ponder: false, ..limits }),
            None => {
                if let Some(reporter) = self.answer.reporter.as_ref().filter(|_| clocks.is_some()) {
                    self.game.clock.run(position.side_to_move(), self.read, reporter.answered());
                }
                if let Some(searcher) = &mut self.resources.searcher {
                    // The command may have waited for others.
                    searcher.ponderhit(clocks, self.read.elapsed());
                }
            }
        }
    }

    /// Shows what is known at once about a position whose answer must wait: clients listen now, not
    /// after `stop`. It is the line that a rule decides, or else the book's moves. Waits for the
    /// book at most `patience`; `None` for no book. The search runs anyway, for analysis.
    pub(super) fn show_what_is_known(&mut self, position: &Position, patience: Option<Duration>) {
        // A search in progress must answer first.
        self.finish();
        if let Some((plies, line)) = self.decided(position) {
            self.output.print(Info {
                depth: Some(0),
                seldepth: Some(1),
                multipv: Some(1),
                score: Some(UsiScore::mate(plies)),
                nodes: Some(0),
                time_ms: Some(0),
                pv: line_of_play(line.as_slice(), plies == 1),
                ..Info::default()
            });
        } else if patience.is_some() {
            let candidates = self.books.candidates(&self.options.settings.book, position, patience);
            self.books.show(position, &candidates);
        }
    }

    /// The end of the game here: plies to mate, and the deciding move; none for a declaration.
    fn decided(&self, position: &Position) -> Option<(i32, Option<Move>)> {
        match position.declaration(self.settings().search.rules.declaration) {
            DeclarationVerdict::Win => Some((1, None)),
            DeclarationVerdict::WinBy(mv) => Some((1, Some(mv))),
            DeclarationVerdict::No | DeclarationVerdict::Draw => {
                position.legal_moves().is_empty().then_some((-1, None))
            }
        }
    }

    /// The book move to play, before the other candidates. Waits for the book at most `patience`.
    fn choose_from_book(&mut self, position: &Position, patience: Option<Duration>) -> Option<Vec<BookCandidate>> {
        self.books.choose(&self.options.settings.book, position, patience)
    }

    fn limits(&self, spec: &GoSpec) -> Limits {
        let milliseconds = |time: i64| Duration::from_millis(time.unsigned_abs());
        let unless_infinite = !spec.infinite;
        Limits {
            clocks: read_clocks(&spec.clocks).filter(|_| unless_infinite),
            movetime: spec.movetime.map(milliseconds).filter(|_| unless_infinite),
            depth: spec.depth.or(self.settings().depth_limit).filter(|_| unless_infinite).map(|depth| depth.max(1)),
            nodes: spec.nodes.or(self.settings().node_limit).filter(|_| unless_infinite),
            search_moves: self.search_moves(&spec.searchmoves),
            ponder: spec.ponder,
            skill: self.skill(),
            // Filled in when the search begins.
            elapsed: Duration::ZERO,
        }
    }

    /// How long a search may wait for something dispensable: a tenth of its time.
    fn patience(&self, limits: &Limits) -> Option<Duration> {
        let by_clock =
            limits.clocks.map(|clocks| clocks.remaining[self.current.position.side_to_move()] + clocks.byoyomi);
        by_clock.into_iter().chain(limits.movetime).min().map(|time| time / 10)
    }

    fn skill(&self) -> Option<Skill> {
        Skill::new(self.settings().skill_level, self.settings().skill_seed.unwrap_or(self.game.seed))
    }

    fn search_moves(&self, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            match self.current.position.parse_move(text) {
                Ok(mv) => moves.push(mv),
                Err(error) => self.warn(format_args!("searchmoves: {error}")),
            }
        }
        moves
    }
}

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
