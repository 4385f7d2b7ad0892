//! The table `[server]` of the settings: where and as whom to log in.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Deserialize;

use crate::protocol::Password;

/// A server takes no keep-alive oftener than this, in seconds.
const SHORTEST_KEEP_ALIVE: u64 = 30;

/// The longest wait that may be set. An `Instant` so far from now can always be represented.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// Floodgate's games. It never pairs a player without a password.
const FLOODGATE: &str = "floodgate-";

/// Where and as whom to log in.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// The name or address of the server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The name to log in with: 1 to 32 letters, digits, `_`, `-`, `.` or `@`.
    pub name: String,
    /// The game, such as `floodgate-300-10F`: it is sent in front of the password. Empty if the password has it, or if the server
    /// wants none.
    pub game: String,
    /// The password.
    #[serde(deserialize_with = "password")]
    pub password: Password,
    /// Seconds between empty lines that keep the connection alive, at least 30; 0 for none.
    pub keep_alive: u64,
    /// Seconds in which the server has to answer the login.
    pub login_within: f64,
    /// Seconds in which a game has to start after this side has agreed to it, and a summary that has begun has to end.
    pub start_within: f64,
    /// Seconds before the first new attempt after a failure; they double from attempt to attempt.
    pub reconnect_after: f64,
    /// The most seconds between attempts.
    pub reconnect_at_most: f64,
    /// Whether to stay logged in after a game, for servers that begin the next one by themselves.
    pub stay: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 4081,
            name: String::new(),
            game: String::new(),
            password: Password::default(),
            keep_alive: 60,
            login_within: 60.0,
            start_within: 180.0,
            reconnect_after: 10.0,
            reconnect_at_most: 60.0,
            stay: false,
        }
    }
}

fn password<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Password, D::Error> {
    // The usual error would quote what stands there.
    let text = String::deserialize(deserializer)
        .map_err(|_| serde::de::Error::custom("a password is a text in quotation marks"));
    text.map(Password::new)
}

impl ServerSettings {
    /// What is sent as the password: the game, a comma and the password, or the one of them that there is.
    #[must_use]
    pub fn login_password(&self) -> Password {
        match (self.game.as_str(), self.password.reveal()) {
            ("", _) => self.password.clone(),
            (game, "") => Password::new(game),
            (game, secret) => Password::new(format!("{game},{secret}")),
        }
    }

    /// Checks that they make sense.
    pub(crate) fn check(&self) -> Result<()> {
        ensure!(!self.host.is_empty(), "server.host is missing");
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.@".contains(letter);
        ensure!(
            (1..=32).contains(&self.name.len()) && self.name.chars().all(is_letter),
            "server.name is `{}`, but must be 1 to 32 letters, digits, `_`, `-`, `.` or `@`",
            self.name
        );
        ensure!(!self.game.contains([',', ' ']), "server.game is `{}`, but must have no blank and no comma", self.game);
        let game_of_password = self.password.reveal().split_once(',').map_or("", |(game, _)| game);
        ensure!(
            self.game.is_empty() || game_of_password != self.game,
            "server.game is `{}`, and the password begins with it as well: it must stand in one of them only",
            self.game
        );
        let password = self.login_password();
        ensure!(!password.reveal().is_empty(), "neither server.game nor a password is given");
        ensure!(
            !password.reveal().starts_with(FLOODGATE)
                || password.reveal().split_once(',').is_some_and(|(_, own)| !own.is_empty()),
            "floodgate begins no game with a player without a password: set server.password or KIKI_CSA_PASSWORD"
        );
        ensure!(
            password.reveal().chars().all(|letter| letter.is_ascii_graphic()),
            "the password must be of visible ASCII letters without blanks"
        );
        ensure!(
            self.keep_alive == 0 || (SHORTEST_KEEP_ALIVE..=LONGEST_WAIT.as_secs()).contains(&self.keep_alive),
            "server.keep_alive is {}, but must be 0, or {SHORTEST_KEEP_ALIVE} to {}",
            self.keep_alive,
            LONGEST_WAIT.as_secs()
        );
        for (name, seconds) in [
            ("login_within", self.login_within),
            ("start_within", self.start_within),
            ("reconnect_after", self.reconnect_after),
            ("reconnect_at_most", self.reconnect_at_most),
        ] {
            ensure!(
                Duration::try_from_secs_f64(seconds).is_ok_and(|time| !time.is_zero() && time <= LONGEST_WAIT),
                "server.{name} is {seconds}, but must be above 0 and at most a day"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_or_the_password_may_stand_alone() {
        let password = |game: &str, password: &str| {
            let password = Password::new(password);
            let server = ServerSettings { game: game.to_owned(), password, ..ServerSettings::default() };
            server.login_password().reveal().to_owned()
        };
        assert_eq!(password("test-60-1F", ""), "test-60-1F");
        assert_eq!(password("", "test-60-1F-B"), "test-60-1F-B");
    }
}
