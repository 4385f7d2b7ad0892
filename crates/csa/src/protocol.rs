//! The lines between a client and a server, as types. Nothing here reads or writes a connection.

use std::fmt;

use kiki_record::{EndReason, csa_server_reason};

use crate::time_control::thousandths;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `LOGIN:name OK`.
    LoginOk(String),
    /// `LOGIN:incorrect`, with or without a reason: the name or the password is wrong, or the name
    /// is logged in already.
    LoginRefused,
    /// `BEGIN Game_Summary`.
    SummaryBegins,
    /// `START:id`.
    Start(String),
    /// `REJECT:id by name`: the name, empty if it is unknown.
    Reject(String),
    /// `+7776FU,T12`.
    Move {
        token: String,
        /// The time that it took, in thousandths of the unit of the summary; `None` if it is
        /// missing or not a number.
        time: Option<u64>,
    },
    /// `%TORYO`, `%KACHI,T5` and other statements of a player.
    Statement {
        /// The word with its `%`.
        word: String,
        /// The time that it took, as of a move.
        time: Option<u64>,
    },
    /// Why the game is over: a line that [`csa_server_reason`] knows, except `#CHUDAN`.
    Reason(EndReason),
    /// How the game ended for this client. It is the last line of a game.
    Result(ResultLine),
    /// Any other line, such as `##[ERROR] ..`. Bytes that are not UTF-8 become U+FFFD.
    Other(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultLine {
    Win,
    Lose,
    Draw,
    /// `#CENSORED`: without a result, as after `#MAX_MOVES`.
    Censored,
    /// `#CHUDAN`: the game is broken off.
    Chudan,
}

impl ServerLine {
    /// Reads a line, with or without its line break.
    ///
    /// ```
    /// use kiki_csa::protocol::ServerLine;
    ///
    /// let line = ServerLine::parse(b"+7776FU,T12\n");
    /// assert_eq!(line, ServerLine::Move { token: "+7776FU".to_owned(), time: Some(12_000) });
    /// ```
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\r', '\n', ' ']);
        match text.as_bytes() {
            [b'+' | b'-', ..] => {
                let (token, time) = with_time(text);
                Self::Move { token: token.to_owned(), time }
            }
            [b'%', ..] => {
                let (word, time) = with_time(text);
                Self::Statement { word: word.to_owned(), time }
            }
            [b'#', ..] => Self::result(text),
            _ => Self::named(text),
        }
    }

    fn result(text: &str) -> Self {
        match text {
            "#WIN" => Self::Result(ResultLine::Win),
            "#LOSE" => Self::Result(ResultLine::Lose),
            "#DRAW" => Self::Result(ResultLine::Draw),
            "#CENSORED" => Self::Result(ResultLine::Censored),
            "#CHUDAN" => Self::Result(ResultLine::Chudan),
            _ => csa_server_reason(text).map_or_else(|| Self::Other(text.to_owned()), Self::Reason),
        }
    }

    fn named(text: &str) -> Self {
        if let Some(answer) = text.strip_prefix("LOGIN:") {
            return match answer.strip_suffix(" OK") {
                Some(name) => Self::LoginOk(name.to_owned()),
                None if answer.split(' ').next() == Some("incorrect") => Self::LoginRefused,
                None => Self::Other(text.to_owned()),
            };
        }
        if let Some(game_id) = text.strip_prefix("START:") {
            return Self::Start(game_id.to_owned());
        }
        if let Some(rest) = text.strip_prefix("REJECT:") {
            return Self::Reject(rest.split_once(" by ").map_or("", |(_, by)| by).to_owned());
        }
        match text {
            "BEGIN Game_Summary" => Self::SummaryBegins,
            _ => Self::Other(text.to_owned()),
        }
    }
}

/// Splits `+7776FU,T12` into its word and its time, and ignores other parts.
fn with_time(text: &str) -> (&str, Option<u64>) {
    let mut parts = text.split(',');
    let word = parts.next().unwrap_or_default();
    let time = parts.find_map(|part| thousandths(part.strip_prefix('T')?));
    (word, time)
}

/// A password. Its `Debug` text hides it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Password(String);

impl Password {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The password itself, for checking and sending it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("*****")
    }
}

/// A line to the server. [`ClientLine::wire`] gives the bytes to send. `Display` is for the log and
/// hides the password.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `LOGIN name password`, or `LOGIN name password reconnect:id+token`.
    Login {
        name: String,
        /// The password, which may begin with the name of a game.
        password: Password,
        /// The game to continue after a lost connection, and the server's token for it.
        again: Option<(String, Password)>,
    },
    Logout,
    Agree(String),
    Reject(String),
    /// `+7776FU`, or `+7776FU,'* 35 -3334FU`.
    Move {
        token: String,
        /// The comment after `'`; empty for none.
        comment: String,
    },
    Resign,
    Declare,
    KeepAlive,
}

impl ClientLine {
    pub(crate) fn wire(&self) -> String {
        match self {
            Self::Login { name, password, again } => {
                let again = again.as_ref().map(|(id, token)| format!(" reconnect:{id}+{}", token.reveal()));
                format!("LOGIN {name} {}{}\n", password.reveal(), again.unwrap_or_default())
            }
            other => format!("{other}\n"),
        }
    }
}

impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Login { name, again: None, .. } => write!(f, "LOGIN {name} *****"),
            Self::Login { name, again: Some((id, _)), .. } => write!(f, "LOGIN {name} ***** reconnect:{id}+*****"),
            Self::Logout => f.write_str("LOGOUT"),
            Self::Agree(game_id) => write!(f, "AGREE {game_id}"),
            Self::Reject(game_id) => write!(f, "REJECT {game_id}"),
            Self::Move { token, comment } if comment.is_empty() => f.write_str(token),
            Self::Move { token, comment } => write!(f, "{token},'{comment}"),
            Self::Resign => f.write_str("%TORYO"),
            Self::Declare => f.write_str("%KACHI"),
            Self::KeepAlive => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_lines_of_the_server_are_told_apart() {
        let text = str::to_owned;
        for (line, expected) in [
            ("\r\n", ServerLine::Other(String::new())),
            ("REJECT:id", ServerLine::Reject(String::new())),
            ("-3334FU", ServerLine::Move { token: text("-3334FU"), time: None }),
            ("-3334FU,T2.5", ServerLine::Move { token: text("-3334FU"), time: Some(2500) }),
            ("-3334FU,T-1", ServerLine::Move { token: text("-3334FU"), time: None }),
            ("-3334FU,T0", ServerLine::Move { token: text("-3334FU"), time: Some(0) }),
            ("-3334FU,'* 5,T7", ServerLine::Move { token: text("-3334FU"), time: Some(7000) }),
            ("%TORYO,T5", ServerLine::Statement { word: text("%TORYO"), time: Some(5000) }),
            ("##[ERROR] you", ServerLine::Other(text("##[ERROR] you"))),
            ("LOGIN:?", ServerLine::Other(text("LOGIN:?"))),
            ("hello", ServerLine::Other(text("hello"))),
        ] {
            assert_eq!(ServerLine::parse(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(ServerLine::parse(b"\xff"), ServerLine::Other(text("\u{fffd}")));
    }
}
