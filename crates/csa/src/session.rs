//! From login to login: games, waits after failures, and the end at the user's request.

mod rejoin;

use std::fmt;
use std::io;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail};
use crossbeam::channel::{Receiver, Sender};
use kiki_board::Color;
use kiki_driver::CancellationToken;
use kiki_record::{EndReason, GameOutcome};
use tracing::{error, info, warn};

use crate::connection::{Connection, ConnectionEvent, Event, Interrupts, event_channel};
use crate::engine_player::{EnginePlayer, STOP_TIMEOUT};
use crate::engine_start::GameOptions;
use crate::game::Game;
use crate::logging::engine_lines;
use crate::output::LiveLine;
use crate::play::{GameContext, continue_game, play};
use crate::protocol::{ClientLine, Password, ServerLine};
use crate::records::Records;
use crate::settings::Settings;
use crate::summary::{GameSummary, SummaryError, SummaryReader};

/// Number of refused logins, without an accepted one, after which name or password must be wrong.
const MOST_REFUSALS: u32 = 3;

/// Number of rejected games after which the connection is given up, because the server does not
/// read the answers.
const MOST_REJECTED: u32 = 20;

/// Longest wait for an event.
const IDLE: Duration = Duration::from_secs(10);

/// A summary or its error, and the game's name, which a rejection needs.
type ReadSummary = (Result<GameSummary, SummaryError>, String);

type ReadLine = (ServerLine, String, Instant);

/// Why a connection to the server ended.
enum SessionError {
    /// Name or password are wrong, or the previous login is not over yet.
    LoginRefused,
    /// The next attempt may succeed.
    Temporary(String),
    Stopped,
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Temporary(format!("the connection is lost: {error}"))
    }
}

pub struct Client {
    settings: Settings,
    player: EnginePlayer,
    records: Records,
    live: LiveLine,
    sender: Sender<Event>,
    events: Receiver<Event>,
    totals: Totals,
    interrupts: Interrupts,
    /// Number of interrupts that do not end a wait for the server: one while a game may continue
    /// after a lost connection.
    ignored_interrupts: u32,
    refusals: u32,
    has_logged_in: bool,
    back_off: BackOff,
}

impl Client {
    /// The settings must have been checked. The token ends every wait for the engine.
    pub fn new(settings: Settings, live: LiveLine, cancel: CancellationToken) -> Result<Self> {
        let spec = settings.engine.spec(settings.play.ponder)?;
        let (sender, events) = event_channel();
        let seconds = Duration::from_secs_f64;
        Ok(Self {
            player: EnginePlayer::new(spec, cancel, Some(engine_lines())),
            records: Records::new(&settings.records.directory, settings.records.kif),
            back_off: BackOff::new(
                seconds(settings.server.reconnect_after),
                seconds(settings.server.reconnect_at_most),
            ),
            interrupts: Interrupts::new(sender.clone()),
            live,
            sender,
            events,
            settings,
            totals: Totals::default(),
            ignored_interrupts: 0,
            refusals: 0,
            has_logged_in: false,
        })
    }

    /// The counter that stops the client.
    #[must_use]
    pub fn interrupts(&self) -> Interrupts {
        self.interrupts.clone()
    }

    /// Plays until all games are played or the user wants to stop. Fails if the engine does not
    /// start, or the server refuses the login.
    pub fn run(&mut self) -> Result<Totals> {
        let result = self.play_games();
        self.player.quit();
        let saved = self.records.save_the_rest();
        self.records.log_outcome(saved);
        self.live.clear();
        result.map(|()| self.totals)
    }

    /// Records that could not be saved, as CSA text.
    pub fn unsaved_records(&self) -> impl Iterator<Item = String> {
        self.records.unsaved()
    }

    /// Whether a finished game is saved nowhere.
    #[must_use]
    pub fn has_lost_records(&self) -> bool {
        self.records.has_lost()
    }

    fn play_games(&mut self) -> Result<()> {
        let prepared = self.player.prepare();
        if self.interrupts.count() > 0 {
            return Ok(());
        }
        prepared.context("the engine")?;
        info!("the engine is {}", self.player.name().unwrap_or_default());
        while self.wants_more() {
            match self.connect_and_play() {
                Ok(()) => {}
                Err(SessionError::Stopped) => break,
                Err(SessionError::LoginRefused) => {
                    self.refusals += 1;
                    if !self.has_logged_in && self.refusals >= MOST_REFUSALS {
                        bail!("the server refuses the login: name or password are wrong, or the name is in use");
                    }
                    warn!("the server refuses the login");
                    self.pause();
                }
                Err(SessionError::Temporary(reason)) => {
                    warn!("{reason}");
                    self.pause();
                }
            }
        }
        Ok(())
    }

    fn wants_more(&self) -> bool {
        let games = self.settings.play.games;
        self.interrupts.count() == 0 && (games == 0 || self.totals.games() < games)
    }

    /// Waits before the next attempt, if there is one. An interrupt ends the wait.
    fn pause(&mut self) {
        if !self.wants_more() {
            return;
        }
        let wait = self.back_off.wait();
        info!("next attempt in {:.1} s", wait.as_secs_f64());
        let deadline = Instant::now() + wait;
        // Events of old connections do not matter.
        while self.interrupts.count() == 0 && Instant::now() < deadline {
            let _ = self.events.recv_deadline(deadline);
        }
    }

    /// Connects, logs in and plays until the connection ends.
    fn connect_and_play(&mut self) -> Result<(), SessionError> {
        // The engine loads now, and not on the clock of its first game.
        let prepared = self.player.prepare();
        if self.interrupts.count() > 0 {
            return Err(SessionError::Stopped);
        }
        prepared.map_err(|error| SessionError::Temporary(format!("the engine: {error}")))?;
        let mut connection = self.connect()?;
        self.log_in(&mut connection, None)?;
        loop {
            self.await_game(&mut connection)?;
            if !self.settings.server.stay || !self.wants_more() {
                // The client closes the connection, which the server may leave open for a while.
                return Ok(());
            }
            self.player.prepare().map_err(|error| SessionError::Temporary(format!("the engine: {error}")))?;
        }
    }

    fn connect(&self) -> Result<Connection, SessionError> {
        let server = &self.settings.server;
        let is_wanted = || self.interrupts.count() <= self.ignored_interrupts;
        let error = |error: io::Error| match error.kind() {
            io::ErrorKind::Interrupted => SessionError::Stopped,
            _ => SessionError::Temporary(format!("{}:{}: {error}", server.host, server.port)),
        };
        let keep_alive = (server.keep_alive > 0).then(|| Duration::from_secs(server.keep_alive));
        Connection::open(&server.host, server.port, keep_alive, self.sender.clone(), is_wanted).map_err(error)
    }

    /// Logs in, for any game or to continue this one.
    fn log_in(&mut self, connection: &mut Connection, again: Option<(String, Password)>) -> Result<(), SessionError> {
        let server = &self.settings.server;
        connection.send(&ClientLine::Login { name: server.name.clone(), password: server.login_password(), again })?;
        let (sent, deadline) = (Instant::now(), in_seconds(self.settings.server.login_within));
        loop {
            let (line, _, at) = self.line_until(connection, deadline, "the server does not answer the login")?;
            match line {
                ServerLine::LoginOk(name) => {
                    info!("logged in as {name}");
                    // The first move needs a round trip, and nothing was confirmed before it.
                    connection.add_round_trip(at.saturating_duration_since(sent));
                    (self.has_logged_in, self.refusals) = (true, 0);
                    return Ok(());
                }
                ServerLine::LoginRefused => return Err(SessionError::LoginRefused),
                _ => {}
            }
        }
    }

    /// Waits for a game and plays it. An invalid summary is rejected.
    fn await_game(&mut self, connection: &mut Connection) -> Result<(), SessionError> {
        let mut rejected = 0;
        loop {
            if rejected >= MOST_REJECTED {
                return Err(SessionError::Temporary(format!(
                    "the server has offered {rejected} games that cannot be played"
                )));
            }
            let line = self.next_line(connection, None)?;
            if line.is_none_or(|(line, ..)| line != ServerLine::SummaryBegins) {
                continue;
            }
            let (summary, game_id) = self.read_summary(connection)?;
            let game = match summary.and_then(|summary| Game::new(summary, self.settings.play.rules())) {
                Ok(game) => game,
                Err(problem) => {
                    error!("{game_id} is rejected: {problem}");
                    connection.send(&ClientLine::Reject(game_id))?;
                    rejected += 1;
                    continue;
                }
            };
            if let Err(problem) = self.player.new_game(&GameOptions::of(game.summary())) {
                connection.send(&ClientLine::Reject(game_id))?;
                return Err(SessionError::Temporary(format!("the game is rejected, the engine: {problem}")));
            }
            let started = self.agree(connection, game.summary());
            if started.is_err() {
                // The engine has already received the start of a game.
                self.player.game_over(kiki_usi::GameResult::Draw, STOP_TIMEOUT);
            }
            return self.play(connection, game, started?);
        }
    }

    fn read_summary(&mut self, connection: &mut Connection) -> Result<ReadSummary, SessionError> {
        let mut reader = SummaryReader::default();
        let deadline = in_seconds(self.settings.server.start_within);
        loop {
            let (_, text, _) = self.line_until(connection, deadline, "the summary of a game does not end")?;
            if let Some(summary) = reader.read(&text) {
                return Ok((summary, reader.game_id().to_owned()));
            }
        }
    }

    /// Agrees to a game and waits for `START`. The game is given up if the other side does not
    /// agree in time.
    fn agree(&mut self, connection: &mut Connection, summary: &GameSummary) -> Result<Instant, SessionError> {
        let id = &summary.game_id;
        connection.send(&ClientLine::Agree(id.clone()))?;
        let deadline = in_seconds(self.settings.server.start_within);
        loop {
            let Some((line, _, at)) = self.next_line(connection, Some(deadline))? else {
                // Servers accept the one or the other.
                connection.send(&ClientLine::Reject(id.clone()))?;
                connection.send(&ClientLine::Logout)?;
                let limit = self.settings.server.start_within;
                return Err(SessionError::Temporary(format!("{id} did not start within {limit} s and is given up")));
            };
            match line {
                ServerLine::Start(started) if started == *id => return Ok(at),
                ServerLine::Start(started) => warn!("the server starts {started} instead of {id}"),
                ServerLine::Reject(by) => {
                    return Err(SessionError::Temporary(format!("{id} was rejected by {by}")));
                }
                _ => {}
            }
        }
    }

    fn play(&mut self, connection: &mut Connection, game: Game, at: Instant) -> Result<(), SessionError> {
        let summary = game.summary();
        let (side, game_id) = (summary.side, summary.game_id.clone());
        info!(
            "{game_id}: {} against {}, {}",
            if side == Color::Black { "Black" } else { "White" },
            summary.opponent(),
            summary.time_text()
        );
        self.back_off.reset();
        let start_time = now_as_csa();
        let mut played = play(&mut self.context(connection, &start_time), game, at);
        while let Some(mut game) = played.suspended.take() {
            let (actions, connection_lost) = self.rejoin(connection, &mut game, played.connection_lost.take());
            played = continue_game(&mut self.context(connection, &start_time), game, actions, connection_lost);
        }
        let result = self.totals.add(played.end.outcome, side);
        info!("{game_id}: {result} ({}); {}", played.end.reason, self.totals);
        match played.connection_lost {
            _ if self.interrupts.count() > 1 => Err(SessionError::Stopped),
            Some(reason) => Err(SessionError::Temporary(format!("the connection was lost during the game: {reason}"))),
            None if played.end.reason == EndReason::Interrupted && self.interrupts.count() > 0 => {
                Err(SessionError::Stopped)
            }
            None => Ok(()),
        }
    }

    fn context<'a>(&'a mut self, connection: &'a mut Connection, start_time: &'a str) -> GameContext<'a> {
        GameContext {
            connection,
            player: &mut self.player,
            records: &mut self.records,
            live: &self.live,
            events: &self.events,
            interrupts: &self.interrupts,
            start_time,
        }
    }

    /// The next line before the deadline, or else an error with this text.
    fn line_until(
        &mut self,
        connection: &mut Connection,
        deadline: Instant,
        problem: &str,
    ) -> Result<ReadLine, SessionError> {
        self.next_line(connection, Some(deadline))?.ok_or_else(|| SessionError::Temporary(problem.to_owned()))
    }

    /// The next line of this connection, which is kept alive meanwhile. `None` if none was read
    /// before the deadline. Neither the deadline nor an interrupt queues behind irrelevant lines.
    fn next_line(
        &mut self,
        connection: &mut Connection,
        deadline: Option<Instant>,
    ) -> Result<Option<ReadLine>, SessionError> {
        loop {
            if let Err(stop) = self.check_interrupts() {
                // The server may be gone already.
                let _ = connection.send(&ClientLine::Logout);
                return Err(stop);
            }
            connection.keep_alive_if_due()?;
            let idle = Instant::now() + IDLE;
            let until = [deadline, connection.next_keep_alive()].into_iter().flatten().fold(idle, Instant::min);
            let is_late = |at: Instant| deadline.is_some_and(|deadline| deadline <= at);
            match self.events.recv_deadline(until) {
                Ok(Event::Connection { id, event }) if id == connection.id() => match event {
                    ConnectionEvent::Line(at, _) if is_late(at) => return Ok(None),
                    ConnectionEvent::Line(at, bytes) => {
                        let (line, text) = connection.received(&bytes, at);
                        return Ok(Some((line, text, at)));
                    }
                    ConnectionEvent::Closed(reason) => {
                        return Err(SessionError::Temporary(format!("the connection is lost: {reason}")));
                    }
                },
                Ok(_) => {}
                Err(_) if is_late(Instant::now()) => return Ok(None),
                Err(_) => {}
            }
        }
    }
}

fn in_seconds(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds)
}

/// The time in UTC as CSA writes it: `2026/01/31 09:30:00`.
fn now_as_csa() -> String {
    let text = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    text.replace('-', "/").replace('T', " ").trim_end_matches('Z').to_owned()
}

/// Waits that double from the shortest to the longest.
#[derive(Clone, Copy, Debug)]
pub struct BackOff {
    shortest: Duration,
    longest: Duration,
    next: Duration,
}

impl BackOff {
    #[must_use]
    pub fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest: longest.max(shortest), next: shortest }
    }

    /// How long to wait now. The next wait doubles, up to the longest.
    pub fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (2 * wait).min(self.longest);
        wait
    }

    pub fn reset(&mut self) {
        self.next = self.shortest;
    }
}

/// Results of a client's games. `Display` gives `3 games: 2 won, 0 drawn, 1 lost`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// Without a result: interrupted, or the connection was lost.
    pub without_result: u32,
}

impl Totals {
    /// Adds a game in which the client played `side`. Returns its result in words.
    pub fn add(&mut self, outcome: GameOutcome, side: Color) -> &'static str {
        let (count, result) = match outcome.winner() {
            Some(winner) if winner == side => (&mut self.won, "won"),
            Some(_) => (&mut self.lost, "lost"),
            None if outcome == GameOutcome::Draw => (&mut self.drawn, "drawn"),
            None => (&mut self.without_result, "no result"),
        };
        *count += 1;
        result
    }

    /// All games that have begun.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost + self.without_result
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} games: {} won, {} drawn, {} lost", self.games(), self.won, self.drawn, self.lost)?;
        if self.without_result > 0 {
            write!(f, ", {} without a result", self.without_result)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_until_all_is_well() {
        let mut back_off = BackOff::new(Duration::from_secs(10), Duration::from_secs(60));
        let waits: Vec<u64> = (0..5).map(|_| back_off.wait().as_secs()).collect();
        assert_eq!(waits, [10, 20, 40, 60, 60]);
        back_off.reset();
        assert_eq!(back_off.wait(), Duration::from_secs(10));
    }
}
