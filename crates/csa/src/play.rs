//! Plays one game: performs the actions of the state machine and passes events to it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use kiki_driver::{EngineAnswer, EngineError};
use kiki_record::{EndReason, GameEnd};
use kiki_usi::{Info, ScoreValue};
use tracing::{debug, error, info, warn};

use crate::connection::{Connection, Event, Interrupts, LAST_GAME};
use crate::engine_player::{EnginePlayer, LAST_STOP_TIMEOUT, PlayerEvent, STOP_TIMEOUT};
use crate::engine_start::{GameOptions, game_options};
use crate::game::{CsaGame, GameAction, TimedPosition};
use crate::game_result::for_engine;
use crate::output::{INTERVAL, LiveLine};
use crate::protocol::{ClientLine, ServerLine};
use crate::records::Records;

const MOST_RESTARTS: u32 = 3;

/// Longest wait for a restarted engine on the own turn.
const LONGEST_RESTART: Duration = Duration::from_secs(30);

/// Shortest wait for a restarted engine. With less time left, the client moves without it.
const SHORTEST_RESTART: Duration = Duration::from_millis(300);

/// The engine, the records and the terminal, shared by all games.
pub(crate) struct GameRunner {
    pub(crate) engine: EnginePlayer,
    pub(crate) records: Records,
    pub(crate) live: LiveLine,
    pub(crate) events: Receiver<Event>,
    pub(crate) interrupts: Interrupts,
}

struct GameLoop<'a> {
    runner: &'a mut GameRunner,
    connection: &'a mut Connection,
    game: &'a mut CsaGame,
    options: GameOptions,
    actions: VecDeque<GameAction>,
    /// Why the connection is lost, if it is.
    connection_lost: Option<String>,
    is_suspended: bool,
    restarts: u32,
    /// The last information of an engine before it failed.
    last_info: Info,
    /// When to move without an engine that is being restarted on the own turn.
    without_engine_at: Option<Instant>,
    /// Whether the engine has been ordered to move at once.
    was_told_to_move: bool,
}

impl GameRunner {
    /// Plays a game to its end, beginning with these actions, or until its connection is lost and
    /// it may continue on another one. Takes and returns why the connection is lost, if it is.
    pub(crate) fn play(
        &mut self,
        connection: &mut Connection,
        game: &mut CsaGame,
        actions: Vec<GameAction>,
        connection_lost: Option<String>,
    ) -> Option<String> {
        game.round_trip = connection.round_trip();
        let mut playing = GameLoop {
            runner: self,
            connection,
            options: game_options(&game.summary),
            game,
            actions: actions.into(),
            connection_lost,
            is_suspended: false,
            restarts: 0,
            last_info: Info::default(),
            without_engine_at: None,
            was_told_to_move: false,
        };
        playing.run();
        playing.connection_lost
    }
}

impl GameLoop<'_> {
    fn run(&mut self) {
        loop {
            while let Some(action) = self.actions.pop_front() {
                self.perform(action);
            }
            if self.is_suspended || self.game.end.is_some() {
                break;
            }
            self.show();
            match self.runner.engine.wait(self.next_deadline(), &self.runner.events) {
                PlayerEvent::Answer(answer) => self.answered(&answer),
                PlayerEvent::Event(event) => self.happened(event),
                PlayerEvent::Timeout => {}
                PlayerEvent::Failed(problem) => self.engine_failed(&problem),
                PlayerEvent::Started => {
                    warn!("the engine was started again");
                    self.think_again();
                }
                PlayerEvent::Cancelled => self.give_up(),
            }
            self.check_interrupts();
            if !self.is_suspended {
                self.check_clock();
            }
        }
        self.runner.live.clear();
    }

    fn next_deadline(&self) -> Instant {
        let can_be_stopped = !self.was_told_to_move && self.runner.engine.is_running();
        let own = self.game.deadlines().map(|times| if can_be_stopped { times.stop } else { times.move_without });
        let live = if self.runner.live.is_shown() { INTERVAL } else { Duration::from_secs(10) };
        [own, self.without_engine_at, self.connection.next_keep_alive()]
            .into_iter()
            .flatten()
            .fold(Instant::now() + live, Instant::min)
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Line { connection, at, bytes } if connection == self.connection.id => self.line(&bytes, at),
            Event::Closed { connection, reason } if connection == self.connection.id => self.leave(&reason),
            _ => {}
        }
    }

    fn check_interrupts(&mut self) {
        match self.runner.interrupts.take_unreported() {
            None => {}
            Some(1) => info!("{LAST_GAME}"),
            Some(_) => self.give_up(),
        }
    }

    fn line(&mut self, bytes: &[u8], at: Instant) {
        let (line, _) = self.connection.received(bytes, at);
        // This comes before the turn that the line may begin.
        self.measure_round_trip(&line, at);
        let turn = self.game.thinking_since();
        self.actions.extend(self.game.line(&line, at));
        if self.game.thinking_since() != turn {
            (self.restarts, self.was_told_to_move, self.without_engine_at) = (0, false, None);
        }
    }

    fn measure_round_trip(&mut self, line: &ServerLine, at: Instant) {
        if matches!(line, ServerLine::Move { .. })
            && self.game.awaits_confirmation()
            && let Some(sent) = self.game.sent_at
        {
            let time = at.saturating_duration_since(sent);
            debug!("confirmed {} ms after it was sent", time.as_millis());
            self.connection.add_round_trip(time);
            self.game.round_trip = self.connection.round_trip();
        }
    }

    fn perform(&mut self, action: GameAction) {
        match action {
            GameAction::Send(line) => self.send(&line),
            GameAction::Think(request) => self.think(request),
            GameAction::Ponder(expected) if self.runner.engine.is_running() => {
                let begun = self.runner.engine.go(&expected, true);
                self.check_engine(begun);
            }
            GameAction::Ponder(_) => {}
            GameAction::PonderHit(clocks) if self.runner.engine.is_pondering() => {
                match self.runner.engine.ponder_hit(clocks) {
                    Ok(Some(answer)) => self.answered(&answer),
                    Ok(None) => {}
                    Err(error) => self.engine_failed(&error.to_string()),
                }
            }
            // The engine was restarted meanwhile, or is being restarted.
            GameAction::PonderHit(_) => self.think_again(),
            GameAction::Stop => {
                let stopped = self.runner.engine.stop((self.longest_restart() / 2).min(STOP_TIMEOUT));
                self.check_engine(stopped);
            }
            GameAction::Save => self.save(),
            GameAction::Warn(text) => warn!("{text}"),
            GameAction::Over(end) => self.over(end),
        }
    }

    fn send(&mut self, line: &ClientLine) {
        self.game.sent_at = Some(Instant::now());
        if let Err(error) = self.connection.send(line) {
            self.leave(&error.to_string());
        }
    }

    /// Restarts the engine if a command failed.
    fn check_engine(&mut self, result: Result<(), EngineError>) {
        if let Err(error) = result {
            self.engine_failed(&error.to_string());
        }
    }

    /// Lets the engine think, or waits for one that is being restarted.
    fn think(&mut self, request: TimedPosition) {
        self.without_engine_at = None;
        if self.runner.engine.is_starting() {
            return self.await_engine();
        }
        // The times of `request` may reach the engine too late.
        let now = Instant::now();
        let spent = self.game.thinking_since().map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let again = if spent > self.game.reserve().lateness() { self.game.think_again(now) } else { None };
        let begun = self.runner.engine.go(&again.unwrap_or(request), false);
        self.check_engine(begun);
    }

    fn think_again(&mut self) {
        if let Some(request) = self.game.think_again(Instant::now()) {
            self.think(request);
        }
    }

    fn answered(&mut self, answer: &EngineAnswer) {
        match self.game.answer(&answer.best, &answer.info) {
            Ok(actions) => self.actions.extend(actions),
            Err(bad) => self.engine_failed(&format!("{bad} in {}", self.game.position.to_sfen())),
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
            return if self.game.is_thinking() { self.move_without_engine() } else { self.runner.engine.give_up() };
        }
        self.runner.engine.restart(&self.options);
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

    fn keep_line_of_play(&mut self) {
        let told = self.runner.engine.last_info();
        if !told.pv.is_empty() {
            self.last_info = told;
        }
    }

    /// Longest wait for a restarted engine: half of the time left, or of the time for the next
    /// move.
    fn longest_restart(&self) -> Duration {
        let left = match self.game.deadlines() {
            Some(times) => Some(times.move_without.saturating_duration_since(Instant::now())),
            // There are no deadlines on the other side's turn or without clocks.
            None => self.game.clocks.allowance(self.game.summary.side),
        };
        left.map_or(LONGEST_RESTART, |left| (left / 2).min(LONGEST_RESTART))
    }

    /// Moves without the engine, and restarts it on the other side's time.
    fn move_without_engine(&mut self) {
        self.without_engine_at = None;
        let Some(best) = self.game.fallback(&self.last_info) else { return };
        let text = best.to_string();
        error!("there is no engine in time: the client plays {}", text.trim_start_matches("bestmove "));
        // The answer is accepted, because the move is legal.
        if let Ok(actions) = self.game.answer(&best, &Info::default()) {
            self.actions.extend(actions);
        }
        self.runner.engine.restart(&self.options);
    }

    fn check_clock(&mut self) {
        if let Err(error) = self.connection.keep_alive_if_due() {
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
        let Some(times) = self.game.deadlines() else { return };
        if now >= times.move_without {
            error!("the engine does not answer in time");
            self.keep_line_of_play();
            self.move_without_engine();
        } else if now >= times.stop && !self.was_told_to_move && self.runner.engine.is_running() {
            self.was_told_to_move = true;
            warn!("the engine takes longer than it was told; it is stopped");
            let stopped = self.runner.engine.move_now();
            self.check_engine(stopped);
        }
    }

    fn give_up(&mut self) {
        self.connection_lost.get_or_insert_with(|| "stopped by the user".to_owned());
        self.actions.extend(self.game.give_up());
    }

    fn leave(&mut self, reason: &str) {
        if self.game.end.is_none() {
            self.connection_lost.get_or_insert_with(|| reason.to_owned());
            self.is_suspended = self.game.reconnect_token().is_some();
            self.actions.extend(if self.is_suspended { self.game.suspend() } else { self.game.break_off() });
        }
    }

    fn save(&mut self) {
        match self.game.end {
            None => self.runner.records.save(&self.game.record()),
            Some(_) => self.runner.records.finish(self.game.record()),
        }
    }

    fn over(&mut self, end: GameEnd) {
        let side = self.game.summary.side;
        let is_cut = self.connection_lost.is_some() && end.reason == EndReason::Interrupted;
        let result = if is_cut { kiki_usi::GameResult::Lose } else { for_engine(end.outcome, side) };
        let is_left = self.runner.interrupts.count() > 1;
        self.runner.engine.game_over(result, if is_left { LAST_STOP_TIMEOUT } else { STOP_TIMEOUT });
        if end == GameEnd::loss_of(side, EndReason::Time) {
            error!("lost on time");
        } else if end == GameEnd::loss_of(side, EndReason::IllegalMove) {
            error!("lost by an illegal move, says the server");
        }
    }

    fn show(&self) {
        if !self.runner.live.is_shown() {
            return;
        }
        let score = self.runner.engine.last_info().score.map(|score| match score.value {
            ScoreValue::Cp(centipawns) => format!("{centipawns:+}"),
            ScoreValue::Mate(plies) => format!("mate {plies}"),
        });
        self.runner.live.show(&score.unwrap_or_default(), self.game, Instant::now());
    }
}
