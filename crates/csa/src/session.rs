//! From login to login: games, waits after failures, and the end at the user's request.

mod rejoin;

use std::fmt;
use std::io;
use std::mem;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail};
use crossbeam::channel::Sender;
use kiki_board::{Color, opponent};
use kiki_driver::CancellationToken;
use kiki_record::{EndReason, GameOutcome};
use tracing::{error, info, warn};

use crate::connection::{Connection, Event, Interrupts, event_channel};
use crate::engine_player::{EnginePlayer, STOP_TIMEOUT};
use crate::engine_start::game_options;
use crate::game::CsaGame;
use crate::logging::engine_lines;
use crate::output::LiveLine;
use crate::play::GameRunner;
use crate::protocol::{ClientLine, Password, ServerLine};
use crate::records::Records;
use crate::settings::ClientSettings;
use crate::summary::{GameSummary, SummaryReader};

/// Number of refused logins, without an accepted one, after which name or password must be wrong.
const MOST_REFUSALS: u32 = 3;

/// Number of rejected games after which the connection is given up, because the server does not
/// read the answers.
const MOST_REJECTED: u32 = 20;

const IDLE: Duration = Duration::from_secs(10);

/// A line, its text, and when it was read.
type ReadLine = (ServerLine, String, Instant);

/// Why a connection to the server ended.
enum SessionError {
    /// Name or password are wrong, or the previous login is not over yet.
    LoginRefused,
    /// The next attempt may succeed.
    Temporary(String),
    Stopped,
}

impl From<String> for SessionError {
    fn from(reason: String) -> Self {
        Self::Temporary(reason)
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Temporary(format!("the connection is lost: {error}"))
    }
}

pub struct Client {
    settings: ClientSettings,
    runner: GameRunner,
    sender: Sender<Event>,
    totals: GameTotals,
    /// Number of interrupts that do not end a wait for the server: one while a game may continue
    /// after a lost connection.
    ignored_interrupts: u32,
    refusals: u32,
    has_logged_in: bool,
    next_wait: Duration,
}

impl Client {
    /// The settings must have been checked. The token ends every wait for the engine.
    pub fn new(settings: ClientSettings, live: LiveLine, cancel: CancellationToken) -> Result<Self> {
        let spec = settings.engine.spec(settings.play.ponder)?;
        let (sender, events) = event_channel();
        let runner = GameRunner {
            engine: EnginePlayer::new(spec, cancel, Some(engine_lines())),
            records: Records::new(&settings.records.directory, settings.records.kif),
            live,
            events,
            interrupts: Interrupts::new(sender.clone()),
        };
        Ok(Self {
            next_wait: Duration::from_secs_f64(settings.server.reconnect_after),
            settings,
            runner,
            sender,
            totals: GameTotals::default(),
            ignored_interrupts: 0,
            refusals: 0,
            has_logged_in: false,
        })
    }

    #[must_use]
    pub fn interrupts(&self) -> Interrupts {
        self.runner.interrupts.clone()
    }

    /// Plays until all games are played or the user wants to stop. Fails if the engine does not
    /// start, or the server refuses the login.
    pub fn run(&mut self) -> Result<GameTotals> {
        let result = self.play_games();
        self.runner.engine.quit();
        self.runner.records.save_the_rest();
        self.runner.live.clear();
        result.map(|()| self.totals)
    }

    /// Records that could not be saved, as CSA text.
    pub fn unsaved_records(&self) -> impl Iterator<Item = String> {
        self.runner.records.unsaved()
    }

    /// Whether a finished game is saved nowhere.
    #[must_use]
    pub fn has_lost_records(&self) -> bool {
        self.runner.records.has_lost()
    }

    fn play_games(&mut self) -> Result<()> {
        let prepared = self.runner.engine.prepare();
        if self.runner.interrupts.count() > 0 {
            return Ok(());
        }
        prepared.context("the engine")?;
        info!("the engine is {}", self.runner.engine.name().unwrap_or_default());
        while self.wants_more() {
            match self.connect_and_play() {
                Ok(()) => continue,
                Err(SessionError::Stopped) => break,
                Err(SessionError::LoginRefused) => {
                    self.refusals += 1;
                    if !self.has_logged_in && self.refusals >= MOST_REFUSALS {
                        bail!("the server refuses the login: name or password are wrong, or the name is in use");
                    }
                    warn!("the server refuses the login");
                }
                Err(SessionError::Temporary(reason)) => warn!("{reason}"),
            }
            self.pause();
        }
        Ok(())
    }

    fn wants_more(&self) -> bool {
        let games = self.settings.play.games;
        self.runner.interrupts.count() == 0 && (games == 0 || self.totals.games() < games)
    }

    fn pause(&mut self) {
        if !self.wants_more() {
            return;
        }
        let longest = Duration::from_secs_f64(self.settings.server.reconnect_at_most);
        let wait = next_wait(&mut self.next_wait, longest);
        info!("next attempt in {:.1} s", wait.as_secs_f64());
        // An interrupt ends the wait.
        let _ = self.wait_until(Instant::now() + wait);
    }

    /// Connects, logs in and plays until the connection ends.
    fn connect_and_play(&mut self) -> Result<(), SessionError> {
        // The engine loads now, and not on the clock of its first game.
        let prepared = self.runner.engine.prepare();
        if self.runner.interrupts.count() > 0 {
            return Err(SessionError::Stopped);
        }
        prepared.map_err(|error| format!("the engine: {error}"))?;
        let mut connection = self.connect()?;
        self.log_in(&mut connection, None)?;
        loop {
            self.await_game(&mut connection)?;
            if !self.settings.server.stay || !self.wants_more() {
                // The client closes the connection, which the server may leave open for a while.
                return Ok(());
            }
            self.runner.engine.prepare().map_err(|error| format!("the engine: {error}"))?;
        }
    }

    fn connect(&self) -> Result<Connection, SessionError> {
        let server = &self.settings.server;
        let is_wanted = || self.runner.interrupts.count() <= self.ignored_interrupts;
        let error = |error: io::Error| match error.kind() {
            io::ErrorKind::Interrupted => SessionError::Stopped,
            _ => format!("{}:{}: {error}", server.host, server.port).into(),
        };
        let keep_alive = (server.keep_alive > 0.0).then(|| Duration::from_secs_f64(server.keep_alive));
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
                return Err(format!("the server has offered {rejected} games that cannot be played").into());
            }
            let line = self.next_line(connection, None)?;
            if line.is_none_or(|(line, ..)| line != ServerLine::SummaryBegins) {
                continue;
            }
            let (summary, game_id) = self.read_summary(connection)?;
            let game = match summary {
                Ok(summary) => CsaGame::new(summary, self.settings.play),
                Err(problem) => {
                    error!("{game_id} is rejected: {problem:#}");
                    connection.send(&ClientLine::Reject(game_id))?;
                    rejected += 1;
                    continue;
                }
            };
            if let Err(problem) = self.runner.engine.new_game(&game_options(&game.summary)) {
                connection.send(&ClientLine::Reject(game_id))?;
                return Err(format!("the game is rejected, the engine: {problem}").into());
            }
            let started = self.agree(connection, &game_id);
            if started.is_err() {
                // The engine has already received the start of a game.
                self.runner.engine.game_over(kiki_usi::GameResult::Draw, STOP_TIMEOUT);
            }
            return self.play(connection, game, started?);
        }
    }

    /// Reads a summary, or its error, and the game's name, which a rejection needs.
    fn read_summary(&mut self, connection: &mut Connection) -> Result<(Result<GameSummary>, String), SessionError> {
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
    fn agree(&mut self, connection: &mut Connection, id: &str) -> Result<Instant, SessionError> {
        connection.send(&ClientLine::Agree(id.to_owned()))?;
        let limit = self.settings.server.start_within;
        let deadline = in_seconds(limit);
        loop {
            let Some((line, _, at)) = self.next_line(connection, Some(deadline))? else {
                // Servers accept the one or the other.
                connection.send(&ClientLine::Reject(id.to_owned()))?;
                connection.send(&ClientLine::Logout)?;
                return Err(format!("{id} did not start within {limit} s and is given up").into());
            };
            match line {
                ServerLine::Start(started) if started == *id => return Ok(at),
                ServerLine::Start(started) => warn!("the server starts {started} instead of {id}"),
                ServerLine::Reject(by) => return Err(format!("{id} was rejected by {by}").into()),
                _ => {}
            }
        }
    }

    fn play(&mut self, connection: &mut Connection, mut game: CsaGame, at: Instant) -> Result<(), SessionError> {
        let (side, game_id) = (game.summary.side, game.summary.game_id.clone());
        info!(
            "{game_id}: {} against {}, {}",
            if side == Color::Black { "Black" } else { "White" },
            game.summary.names[opponent(side)],
            game.summary.time_text()
        );
        self.next_wait = Duration::from_secs_f64(self.settings.server.reconnect_after);
        game.start_time = now_as_csa();
        let mut actions = game.start(at);
        let mut connection_lost = None;
        let end = loop {
            connection_lost = self.runner.play(connection, &mut game, actions, connection_lost);
            if let Some(end) = game.end {
                break end;
            }
            (actions, connection_lost) = self.rejoin(connection, &mut game, connection_lost);
        };
        let result = self.totals.add(end.outcome, side);
        info!("{game_id}: {result} ({}); {}", end.reason, self.totals);
        let interrupts = self.runner.interrupts.count();
        match connection_lost {
            _ if interrupts > 1 => Err(SessionError::Stopped),
            Some(reason) => Err(format!("the connection was lost during the game: {reason}").into()),
            None if end.reason == EndReason::Interrupted && interrupts > 0 => Err(SessionError::Stopped),
            None => Ok(()),
        }
    }

    /// The next line before the deadline, or else an error with this text.
    fn line_until(
        &mut self,
        connection: &mut Connection,
        deadline: Instant,
        problem: &str,
    ) -> Result<ReadLine, SessionError> {
        self.next_line(connection, Some(deadline))?.ok_or_else(|| problem.to_owned().into())
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
            match self.runner.events.recv_deadline(until) {
                Ok(Event::Line { connection: id, at, bytes }) if id == connection.id => {
                    if is_late(at) {
                        return Ok(None);
                    }
                    let (line, text) = connection.received(&bytes, at);
                    return Ok(Some((line, text, at)));
                }
                Ok(Event::Closed { connection: id, reason }) if id == connection.id => {
                    return Err(format!("the connection is lost: {reason}").into());
                }
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

/// Returns the wait and doubles the next one, up to the longest.
fn next_wait(wait: &mut Duration, longest: Duration) -> Duration {
    let doubled = (2 * *wait).min(longest).max(*wait);
    mem::replace(wait, doubled)
}

/// Results of a client's games. `Display` gives `3 games: 2 won, 0 drawn, 1 lost`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameTotals {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// Without a result: interrupted, or the connection was lost.
    pub without_result: u32,
}

impl GameTotals {
    /// Adds a game in which the client played `side`. Returns its result in words.
    fn add(&mut self, outcome: GameOutcome, side: Color) -> &'static str {
        let (count, result) = match outcome.winner() {
            Some(winner) if winner == side => (&mut self.won, "won"),
            Some(_) => (&mut self.lost, "lost"),
            None if outcome == GameOutcome::Draw => (&mut self.drawn, "drawn"),
            None => (&mut self.without_result, "no result"),
        };
        *count += 1;
        result
    }

    fn games(&self) -> u32 {
        self.won + self.drawn + self.lost + self.without_result
    }
}

impl fmt::Display for GameTotals {
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
    fn waits_double_up_to_the_longest() {
        let (mut next, longest) = (Duration::from_secs(10), Duration::from_secs(60));
        let waits: Vec<u64> = (0..5).map(|_| next_wait(&mut next, longest).as_secs()).collect();
        assert_eq!(waits, [10, 20, 40, 60, 60]);
    }
}
