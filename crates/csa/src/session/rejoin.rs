//! Continues a game after its connection was lost, on servers that send a `Reconnect_Token`. The
//! login names the game and the token, and the server sends the summary again, with the current
//! position and the times left.

use std::time::{Duration, Instant};

use kiki_board::ByColor;
use tracing::{info, warn};

use super::{Client, ReadLine, SessionError, in_seconds, next_wait};
use crate::connection::{Connection, LAST_GAME};
use crate::game::{CsaGame, GameAction};
use crate::protocol::ServerLine;

/// Seconds for which servers keep a game at most.
const KEPT_FOR: f64 = 120.0;

/// Shortest and longest wait between attempts, unless the settings have shorter ones.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Number of refusals after which the game is lost. A server may refuse until it notices that the
/// old connection is gone.
const MOST_REFUSALS: u32 = 3;

/// Longest wait for the times left after the summary.
const STATE_WITHIN: Duration = Duration::from_secs(2);

/// Maximum number of lines in the block with the times left; real ones are far shorter.
const MOST_STATE_LINES: usize = 100;

/// The times left, if the server sends them, or the line that came in their place.
type Rest = (Option<ByColor<Duration>>, Option<ReadLine>);

impl Client {
    /// Tries to continue a game whose connection was lost for this reason. Returns the next
    /// actions, and the reason again if the game is over.
    pub(super) fn rejoin(
        &mut self,
        connection: &mut Connection,
        game: &mut CsaGame,
        reason: Option<String>,
    ) -> (Vec<GameAction>, Option<String>) {
        warn!("the connection is lost: {}; the game may continue", reason.as_deref().unwrap_or_default());
        // The first interrupt does not end the game.
        self.ignored_interrupts = 1;
        let actions = self.rejoin_within(connection, game, in_seconds(KEPT_FOR));
        self.ignored_interrupts = 0;
        match actions {
            Ok(actions) => (actions, None),
            Err(SessionError::Stopped) => (game.give_up(), reason),
            Err(_) => (game.break_off(), reason),
        }
    }

    fn rejoin_within(
        &mut self,
        connection: &mut Connection,
        game: &mut CsaGame,
        deadline: Instant,
    ) -> Result<Vec<GameAction>, SessionError> {
        let server = &self.settings.server;
        let bounded = |seconds: f64, most: Duration| Duration::from_secs_f64(seconds).min(most);
        let mut wait = bounded(server.reconnect_after, SHORTEST_WAIT);
        let longest = bounded(server.reconnect_at_most, LONGEST_WAIT);
        let mut refusals = 0;
        loop {
            match self.rejoin_once(connection, game) {
                Err(SessionError::LoginRefused) if refusals + 1 < MOST_REFUSALS => refusals += 1,
                Err(SessionError::Temporary(reason)) if Instant::now() < deadline => warn!("{reason}"),
                done => return done,
            }
            self.wait_until(Instant::now() + next_wait(&mut wait, longest))?;
        }
    }

    /// Waits, but not after an interrupt.
    pub(super) fn wait_until(&mut self, until: Instant) -> Result<(), SessionError> {
        while Instant::now() < until {
            self.check_interrupts()?;
            // Events of old connections do not matter.
            let _ = self.runner.events.recv_deadline(until);
        }
        self.check_interrupts()
    }

    pub(super) fn check_interrupts(&self) -> Result<(), SessionError> {
        if self.runner.interrupts.count() > self.ignored_interrupts {
            return Err(SessionError::Stopped);
        }
        if self.ignored_interrupts > 0 && self.runner.interrupts.take_unreported() == Some(1) {
            info!("{LAST_GAME}");
        }
        Ok(())
    }

    /// One attempt: a connection, the login, the game.
    fn rejoin_once(
        &mut self,
        connection: &mut Connection,
        game: &mut CsaGame,
    ) -> Result<Vec<GameAction>, SessionError> {
        let ticket = game.reconnect_token().map(|token| (game.summary.game_id.clone(), token.clone()));
        *connection = self.connect()?;
        self.log_in(connection, ticket)?;
        let deadline = in_seconds(self.settings.server.login_within);
        loop {
            let (line, _, at) = self.line_until(connection, deadline, "the server does not go on with the game")?;
            if line == ServerLine::SummaryBegins {
                break;
            }
            // The game may have ended meanwhile.
            let actions = game.line(&line, at);
            if game.end.is_some() {
                return Ok(actions);
            }
        }
        let (summary, _) = self.read_summary(connection)?;
        let summary = summary.map_err(|problem| format!("{problem:#}"))?;
        let (left, next) = self.read_state(connection)?;
        let Some(mut actions) = game.resume(&summary, left, Instant::now()) else {
            warn!("the server goes on with another game, or from a position that cannot follow");
            return Ok(game.break_off());
        };
        info!("{} goes on", game.summary.game_id);
        if let Some((line, _, at)) = next {
            actions.extend(game.line(&line, at));
        }
        Ok(actions)
    }

    /// Reads the times that both sides have left. Some servers send `START` or nothing instead.
    fn read_state(&mut self, connection: &mut Connection) -> Result<Rest, SessionError> {
        let deadline = Instant::now() + STATE_WITHIN;
        let Some(first) = self.next_line(connection, Some(deadline))? else { return Ok((None, None)) };
        match (&first.0, first.1.as_str()) {
            (_, "BEGIN Reconnect_State") => {}
            (ServerLine::Start(_), _) => return Ok((None, None)),
            _ => return Ok((None, Some(first))),
        }
        let [mut black, mut white] = [None; 2];
        for _ in 0..MOST_STATE_LINES {
            let (_, text, _) = self.line_until(connection, deadline, "the times of the game do not end")?;
            let time = |value: &str| value.trim().parse().ok().map(Duration::from_millis);
            match text.split_once(':') {
                Some(("Black_Time_Remaining_Ms", value)) => black = time(value),
                Some(("White_Time_Remaining_Ms", value)) => white = time(value),
                _ if text == "END Reconnect_State" => {
                    return Ok((black.zip(white).map(|(b, w)| ByColor::new(b, w)), None));
                }
                _ => {}
            }
        }
        Err("the times of the game do not end".to_owned().into())
    }
}
