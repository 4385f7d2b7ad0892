//! One game, played: what the state machine asks for is done, and what happens is told to it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use kiki_driver::EngineAnswer;
use kiki_record::{EndReason, GameEnd, GameOutcome};
use kiki_usi::{BestMove, Info, ScoreValue};
use tracing::{debug, error, info, warn};

use crate::connection::{ConnectionEvent, Event, Interrupts, LAST_GAME, Link};
use crate::engine_player::{EnginePlayer, LAST_STOP_TIMEOUT, PlayerEvent, STOP_TIMEOUT};
use crate::engine_start::GameOptions;
use crate::game::{Game, GameAction, SearchRequest};
use crate::game_result::for_engine;
use crate::output::{INTERVAL, LiveLine};
use crate::protocol::{ClientLine, ServerLine};
use crate::records::Records;

/// How often an engine is started again for one move.
const MOST_RESTARTS: u32 = 3;

/// The longest that a new engine is waited for on the own turn.
const LONGEST_RESTART: Duration = Duration::from_secs(30);

/// Less than this is not enough to wait for a new engine.
const SHORTEST_RESTART: Duration = Duration::from_millis(300);

/// What a game is played with.
pub(crate) struct GameContext<'a> {
    pub(crate) link: &'a mut Link,
    pub(crate) player: &'a mut EnginePlayer,
    pub(crate) records: &'a mut Records,
    pub(crate) live: &'a LiveLine,
    pub(crate) events: &'a Receiver<Event>,
    pub(crate) interrupts: &'a Interrupts,
    /// When the record says that the game began, in CSA's form.
    pub(crate) start_time: &'a str,
}

/// How a game left the context.
pub(crate) struct PlayResult {
    /// The end; [`EndReason::Interrupted`] for a game without one.
    pub(crate) end: GameEnd,
    /// Why the connection is lost, if it is.
    pub(crate) connection_lost: Option<String>,
    /// The game itself, if it may go on with another connection.
    pub(crate) suspended: Option<Game>,
}

/// A game in progress.
struct GameLoop<'t, 'a> {
    context: &'t mut GameContext<'a>,
    game: Game,
    /// What an engine is told that is started again.
    options: GameOptions,
    actions: VecDeque<GameAction>,
    connection_lost: Option<String>,
    is_suspended: bool,
    /// How often the engine was started again for this move.
    restarts: u32,
    /// What the engine told last before it failed.
    last_info: Info,
    /// When to move without the engine, while one is being started on the own turn.
    without_engine_at: Option<Instant>,
    /// Whether it has been told to move at once.
    was_told_to_move: bool,
    /// When the last own move was sent.
    sent_at: Option<Instant>,
}

/// Plays a game that has just been started, to its end.
pub(crate) fn play(context: &mut GameContext<'_>, mut game: Game, at: Instant) -> PlayResult {
    let actions = game.start(at);
    continue_game(context, game, actions, None)
}

/// Goes on with a game: first with what is to be done now. `connection_lost` is why there is no connection.
pub(crate) fn continue_game(
    context: &mut GameContext<'_>,
    mut game: Game,
    actions: Vec<GameAction>,
    connection_lost: Option<String>,
) -> PlayResult {
    game.set_round_trip(context.link.round_trip());
    let mut playing = GameLoop {
        context,
        options: GameOptions::of(game.summary()),
        game,
        actions: actions.into(),
        connection_lost,
        is_suspended: false,
        restarts: 0,
        last_info: Info::default(),
        without_engine_at: None,
        was_told_to_move: false,
        sent_at: None,
    };
    playing.run();
    let end = playing.game.end().unwrap_or(GameEnd { outcome: GameOutcome::Unknown, reason: EndReason::Interrupted });
    let suspended = (playing.is_suspended && playing.game.end().is_none()).then_some(playing.game);
    PlayResult { end, connection_lost: playing.connection_lost, suspended }
}

impl GameLoop<'_, '_> {
    fn run(&mut self) {
        loop {
            self.perform_all();
            if self.is_suspended || self.game.end().is_some() {
                break;
            }
            self.show();
            match self.context.player.wait(self.next_deadline(), self.context.events) {
                PlayerEvent::Answer(answer) => self.answered(&answer),
                PlayerEvent::Event(event) => self.happened(event),
                PlayerEvent::Timeout => {}
                PlayerEvent::Failed(error) => self.engine_failed(&error.to_string()),
                PlayerEvent::Started => {
                    warn!("the engine was started again");
                    self.think_again();
                }
                PlayerEvent::NotStarted(error) => {
                    self.engine_failed(&format!("the engine does not start again: {error}"));
                }
                PlayerEvent::Cancelled => self.give_up(),
            }
            self.check_interrupts();
            if self.is_suspended {
                continue;
            }
            self.check_clock();
        }
        self.context.live.clear();
    }

    fn perform_all(&mut self) {
        while let Some(action) = self.actions.pop_front() {
            self.perform(action);
        }
    }

    fn next_deadline(&self) -> Instant {
        let now = Instant::now();
        let deadlines = self.game.deadlines();
        let can_be_stopped = !self.was_told_to_move && self.context.player.is_running();
        let own = deadlines.map(|times| if can_be_stopped { times.stop } else { times.give_up });
        let live = if self.context.live.is_shown() { INTERVAL } else { Duration::from_secs(10) };
        [own, self.without_engine_at, self.context.link.next_keep_alive()]
            .into_iter()
            .flatten()
            .fold(now + live, Instant::min)
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Connection { id, event } if id == self.context.link.id() => match event {
                ConnectionEvent::Line(at, bytes) => self.line(&bytes, at),
                ConnectionEvent::Closed(reason) => self.leave(&reason),
            },
            Event::Connection { .. } | Event::Wake => {}
        }
    }

    fn check_interrupts(&mut self) {
        match self.context.interrupts.take_unreported() {
            None => {}
            Some(1) => info!("{LAST_GAME}"),
            Some(_) => self.give_up(),
        }
    }

    fn line(&mut self, bytes: &[u8], at: Instant) {
        let line = ServerLine::parse(bytes);
        self.context.link.received(&line, &String::from_utf8_lossy(bytes), at);
        // Before the turn that the line may begin.
        self.measure_round_trip(&line, at);
        let turn = self.game.thinking_since();
        let actions = self.game.line(&line, at);
        self.actions.extend(actions);
        if self.game.thinking_since() != turn {
            (self.restarts, self.was_told_to_move, self.without_engine_at) = (0, false, None);
        }
    }

    /// How long after an own move its confirmation comes is the way to the server and back.
    fn measure_round_trip(&mut self, line: &ServerLine, at: Instant) {
        if matches!(line, ServerLine::Move { .. })
            && self.game.awaits_confirmation()
            && let Some(sent) = self.sent_at.take()
        {
            let time = at.saturating_duration_since(sent);
            debug!("confirmed {} ms after it was sent", time.as_millis());
            self.context.link.add_round_trip(time);
            self.game.set_round_trip(self.context.link.round_trip());
        }
    }

    fn perform(&mut self, action: GameAction) {
        match action {
            GameAction::Send(line) => self.send(&line),
            GameAction::Think(task) => self.think(task),
            GameAction::Ponder(task) => {
                if self.context.player.is_running()
                    && let Err(error) = self.context.player.ponder(&task)
                {
                    self.engine_failed(&error.to_string());
                }
            }
            GameAction::PonderHit(clocks) => match self.context.player.is_pondering() {
                true => match self.context.player.ponder_hit(clocks) {
                    Ok(Some(answer)) => self.answered(&answer),
                    Ok(None) => {}
                    Err(error) => self.engine_failed(&error.to_string()),
                },
                // It was started again meanwhile, or is being started.
                false => self.think_again(),
            },
            GameAction::Stop => {
                if let Err(error) = self.context.player.stop((self.longest_restart() / 2).min(STOP_TIMEOUT)) {
                    self.engine_failed(&error.to_string());
                }
            }
            GameAction::Save => self.save(),
            GameAction::Warn(text) => warn!("{text}"),
            GameAction::Over(end) => self.over(end),
        }
    }

    fn send(&mut self, line: &ClientLine) {
        let now = Instant::now();
        self.sent_at = Some(now);
        self.game.sent(now);
        if let Err(error) = self.context.link.send(line) {
            self.leave(&error.to_string());
        }
    }

    /// Lets the engine think, or waits for the one that is being started.
    fn think(&mut self, task: SearchRequest) {
        self.without_engine_at = None;
        if self.context.player.is_starting() {
            self.await_engine();
        } else if let Err(error) = self.context.player.think(&self.up_to_date(task)) {
            self.engine_failed(&error.to_string());
        }
    }

    /// The task with what is really left of its time, if more has gone since the turn began than an engine may be late.
    fn up_to_date(&self, task: SearchRequest) -> SearchRequest {
        let (now, game) = (Instant::now(), &self.game);
        let spent = game.thinking_since().map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let again = if spent > game.reserve().lateness() { game.think_again(now) } else { None };
        again.unwrap_or(task)
    }

    fn think_again(&mut self) {
        if let Some(task) = self.game.think_again(Instant::now()) {
            self.think(task);
        }
    }

    fn answered(&mut self, answer: &EngineAnswer) {
        match self.game.answer(&answer.best, &answer.info) {
            Ok(actions) => self.actions.extend(actions),
            Err(bad) => self.engine_failed(&format!("{bad} in {}", self.game.position().to_sfen())),
        }
    }

    /// The engine is started again by a thread of its own, and asked for the same position as soon as it is ready. If that does not help
    /// the client moves without it.
    fn engine_failed(&mut self, problem: &str) {
        error!("{problem}");
        self.keep_line_of_play();
        self.restarts += 1;
        if self.restarts > MOST_RESTARTS {
            // On the other side's turn there is nothing to move; the engine is started again on the own turn.
            return if self.game.is_thinking() { self.move_without_engine() } else { self.context.player.give_up() };
        }
        self.context.player.restart(&self.options);
        self.await_engine();
    }

    /// On the own turn, waits for the engine that is being started, or moves at once if there is no time for that.
    fn await_engine(&mut self) {
        if !self.game.is_thinking() {
            return;
        }
        let wait = self.longest_restart();
        if wait < SHORTEST_RESTART {
            self.move_without_engine();
        } else {
            self.without_engine_at = Some(Instant::now() + wait);
        }
    }

    /// The line of play of an engine that has failed names a move for a client that has none.
    fn keep_line_of_play(&mut self) {
        let told = self.context.player.last_info();
        if !told.pv.is_empty() {
            self.last_info = told;
        }
    }

    /// How long a new engine is waited for: no more than half of what is left, or of what the next move may take.
    fn longest_restart(&self) -> Duration {
        let left = match self.game.deadlines() {
            Some(times) => Some(times.give_up.saturating_duration_since(Instant::now())),
            // None without clocks.
            None => self.game.clocks().allowance(self.game.summary().side),
        };
        left.map_or(LONGEST_RESTART, |left| (left / 2).min(LONGEST_RESTART))
    }

    /// Moves, and starts the engine again on the other side's time.
    fn move_without_engine(&mut self) {
        self.without_engine_at = None;
        let Some(best) = self.game.fallback(&self.last_info) else { return };
        error!("there is no engine in time: the client plays {}", text_of(&best));
        // The move is legal, so that the answer is taken.
        if let Ok(actions) = self.game.answer(&best, &Info::default()) {
            self.actions.extend(actions);
        }
        self.context.player.restart(&self.options);
    }

    fn check_clock(&mut self) {
        if let Err(error) = self.context.link.keep_alive_if_due() {
            self.leave(&error.to_string());
        }
        if !self.game.is_thinking() {
            return;
        }
        let now = Instant::now();
        if self.without_engine_at.is_some_and(|moment| now >= moment) {
            error!("the engine is not ready in time");
            return self.move_without_engine();
        }
        // Without clocks there are none.
        let Some(times) = self.game.deadlines() else { return };
        if now >= times.give_up {
            error!("the engine does not answer in time");
            self.keep_line_of_play();
            self.move_without_engine();
        } else if now >= times.stop && !self.was_told_to_move && self.context.player.is_running() {
            self.was_told_to_move = true;
            warn!("the engine takes longer than it was told; it is stopped");
            if let Err(error) = self.context.player.move_now() {
                self.engine_failed(&error.to_string());
            }
        }
    }

    fn give_up(&mut self) {
        self.connection_lost.get_or_insert_with(|| "stopped by the user".to_owned());
        let actions = self.game.give_up();
        self.actions.extend(actions);
    }

    fn leave(&mut self, reason: &str) {
        if self.game.end().is_none() {
            self.connection_lost.get_or_insert_with(|| reason.to_owned());
            self.is_suspended = self.game.reconnect_token().is_some();
            let actions = if self.is_suspended { self.game.suspend() } else { self.game.break_off() };
            self.actions.extend(actions);
        }
    }

    fn save(&mut self) {
        let record = kiki_record::Game { start_time: self.context.start_time.to_owned(), ..self.game.record() };
        let saved = match self.game.end() {
            None => self.context.records.save(&record),
            Some(_) => self.context.records.finish(&record),
        };
        self.context.records.tell(saved);
    }

    fn over(&mut self, end: GameEnd) {
        let side = self.game.summary().side;
        let is_cut = self.connection_lost.is_some() && end.reason == EndReason::Interrupted;
        let result = if is_cut { kiki_usi::GameResult::Lose } else { for_engine(end.outcome, side) };
        let is_left = self.context.interrupts.count() > 1;
        self.context.player.game_over(result, if is_left { LAST_STOP_TIMEOUT } else { STOP_TIMEOUT });
        if end == GameEnd::loss_of(side, EndReason::Time) {
            error!("lost on time");
        }
        if end == GameEnd::loss_of(side, EndReason::IllegalMove) {
            error!("lost by an illegal move, says the server");
        }
    }

    fn show(&self) {
        let score = match self.context.live.is_shown() {
            true => self.context.player.last_info().score.map(|score| match score.value {
                ScoreValue::Cp(centipawns) => format!("{centipawns:+}"),
                ScoreValue::Mate(plies) => format!("mate {plies}"),
            }),
            false => None,
        };
        self.context.live.show(&score.unwrap_or_default(), &self.game, Instant::now());
    }
}

fn text_of(best: &BestMove) -> String {
    best.to_string().replacen("bestmove ", "", 1)
}
