//! Plays one game: performs the actions of the state machine and passes events to it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use kiki_driver::EngineAnswer;
use kiki_record::{EndReason, GameEnd, GameOutcome};
use kiki_usi::{BestMove, Info, ScoreValue};
use tracing::{debug, error, info, warn};

use crate::connection::{Connection, ConnectionEvent, Event, Interrupts, LAST_GAME};
use crate::engine_player::{EnginePlayer, LAST_STOP_TIMEOUT, PlayerEvent, STOP_TIMEOUT};
use crate::engine_start::GameOptions;
use crate::game::{Game, GameAction, SearchRequest};
use crate::game_result::for_engine;
use crate::output::{INTERVAL, LiveLine};
use crate::protocol::{ClientLine, ServerLine};
use crate::records::Records;

/// Number of restarts of the engine for one move.
const MOST_RESTARTS: u32 = 3;

/// Longest wait for a restarted engine on the own turn.
const LONGEST_RESTART: Duration = Duration::from_secs(30);

/// Shortest wait for a restarted engine. With less time left, the client moves without it.
const SHORTEST_RESTART: Duration = Duration::from_millis(300);

pub(crate) struct GameContext<'a> {
    pub(crate) connection: &'a mut Connection,
    pub(crate) player: &'a mut EnginePlayer,
    pub(crate) records: &'a mut Records,
    pub(crate) live: &'a LiveLine,
    pub(crate) events: &'a Receiver<Event>,
    pub(crate) interrupts: &'a Interrupts,
    /// The beginning of the game for the record, in CSA's form.
    pub(crate) start_time: &'a str,
}

pub(crate) struct PlayResult {
    /// The end of the game; [`EndReason::Interrupted`] if it has none.
    pub(crate) end: GameEnd,
    /// Why the connection is lost, if it is.
    pub(crate) connection_lost: Option<String>,
    /// The game, if it may continue on another connection.
    pub(crate) suspended: Option<Game>,
}

struct GameLoop<'t, 'a> {
    context: &'t mut GameContext<'a>,
    game: Game,
    options: GameOptions,
    actions: VecDeque<GameAction>,
    connection_lost: Option<String>,
    is_suspended: bool,
    restarts: u32,
    /// The last information of an engine before it failed.
    last_info: Info,
    /// When to move without an engine that is being restarted on the own turn.
    without_engine_at: Option<Instant>,
    /// Whether the engine has been ordered to move at once.
    was_told_to_move: bool,
    sent_at: Option<Instant>,
}

pub(crate) fn play(context: &mut GameContext<'_>, mut game: Game, at: Instant) -> PlayResult {
    let actions = game.start(at);
    continue_game(context, game, actions, None)
}

/// Continues a game, beginning with these actions. `connection_lost` is the reason if there is no
/// connection.
pub(crate) fn continue_game(
    context: &mut GameContext<'_>,
    mut game: Game,
    actions: Vec<GameAction>,
    connection_lost: Option<String>,
) -> PlayResult {
    game.set_round_trip(context.connection.round_trip());
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
        [own, self.without_engine_at, self.context.connection.next_keep_alive()]
            .into_iter()
            .flatten()
            .fold(now + live, Instant::min)
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Connection { id, event } if id == self.context.connection.id() => match event {
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
        let (line, _) = self.context.connection.received(bytes, at);
        // This comes before the turn that the line may begin.
        self.measure_round_trip(&line, at);
        let turn = self.game.thinking_since();
        let actions = self.game.line(&line, at);
        self.actions.extend(actions);
        if self.game.thinking_since() != turn {
            (self.restarts, self.was_told_to_move, self.without_engine_at) = (0, false, None);
        }
    }

    /// Measures the round trip, from an own move to its confirmation.
    fn measure_round_trip(&mut self, line: &ServerLine, at: Instant) {
        if matches!(line, ServerLine::Move { .. })
            && self.game.awaits_confirmation()
            && let Some(sent) = self.sent_at.take()
        {
            let time = at.saturating_duration_since(sent);
            debug!("confirmed {} ms after it was sent", time.as_millis());
            self.context.connection.add_round_trip(time);
            self.game.set_round_trip(self.context.connection.round_trip());
        }
    }

    fn perform(&mut self, action: GameAction) {
        match action {
            GameAction::Send(line) => self.send(&line),
            GameAction::Think(request) => self.think(request),
            GameAction::Ponder(request) => {
                if self.context.player.is_running()
                    && let Err(error) = self.context.player.ponder(&request)
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
                // The engine was restarted meanwhile, or is being restarted.
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
        if let Err(error) = self.context.connection.send(line) {
            self.leave(&error.to_string());
        }
    }

    /// Lets the engine think, or waits for one that is being restarted.
    fn think(&mut self, request: SearchRequest) {
        self.without_engine_at = None;
        if self.context.player.is_starting() {
            self.await_engine();
        } else if let Err(error) = self.context.player.think(&self.up_to_date(request)) {
            self.engine_failed(&error.to_string());
        }
    }

    /// The search with the remaining time, if the times of `request` would reach the engine too
    /// late.
    fn up_to_date(&self, request: SearchRequest) -> SearchRequest {
        let (now, game) = (Instant::now(), &self.game);
        let spent = game.thinking_since().map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let again = if spent > game.reserve().lateness() { game.think_again(now) } else { None };
        again.unwrap_or(request)
    }

    fn think_again(&mut self) {
        if let Some(request) = self.game.think_again(Instant::now()) {
            self.think(request);
        }
    }

    fn answered(&mut self, answer: &EngineAnswer) {
        match self.game.answer(&answer.best, &answer.info) {
            Ok(actions) => self.actions.extend(actions),
            Err(bad) => self.engine_failed(&format!("{bad} in {}", self.game.position().to_sfen())),
        }
    }

    /// Restarts the engine in a thread. It is asked for the same position as soon as it is ready.
    /// After too many restarts the client moves without it.
    fn engine_failed(&mut self, problem: &str) {
        error!("{problem}");
        self.keep_line_of_play();
        self.restarts += 1;
        if self.restarts > MOST_RESTARTS {
            // On the other side's turn the engine is given up, and started again on the own turn.
            return if self.game.is_thinking() { self.move_without_engine() } else { self.context.player.give_up() };
        }
        self.context.player.restart(&self.options);
        self.await_engine();
    }

    /// On the own turn, waits for the engine that is being restarted, or moves at once if there is
    /// no time.
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

    /// Keeps the principal variation of a failed engine, which gives the client a move.
    fn keep_line_of_play(&mut self) {
        let told = self.context.player.last_info();
        if !told.pv.is_empty() {
            self.last_info = told;
        }
    }

    /// Longest wait for a restarted engine: half of the time left, or of the time for the next
    /// move.
    fn longest_restart(&self) -> Duration {
        let left = match self.game.deadlines() {
            Some(times) => Some(times.give_up.saturating_duration_since(Instant::now())),
            // There are no deadlines on the other side's turn or without clocks.
            None => self.game.clocks().allowance(self.game.summary().side),
        };
        left.map_or(LONGEST_RESTART, |left| (left / 2).min(LONGEST_RESTART))
    }

    /// Moves without the engine, and restarts it on the other side's time.
    fn move_without_engine(&mut self) {
        self.without_engine_at = None;
        let Some(best) = self.game.fallback(&self.last_info) else { return };
        error!("there is no engine in time: the client plays {}", text_of(&best));
        // The answer is accepted, because the move is legal.
        if let Ok(actions) = self.game.answer(&best, &Info::default()) {
            self.actions.extend(actions);
        }
        self.context.player.restart(&self.options);
    }

    fn check_clock(&mut self) {
        if let Err(error) = self.context.connection.keep_alive_if_due() {
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
        // A game without clocks has no deadlines.
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
        self.context.records.log_outcome(saved);
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
