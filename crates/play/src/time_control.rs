//! What limits the thinking of an engine.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one engine. All that are set hold at the same time; times are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// For the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Added for each move, and usable for that move already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment: Option<u64>,
    /// For each move once the time for the game is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byoyomi: Option<u64>,
    /// For each move, sent as `go movetime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Nodes for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl TimeControl {
    /// The names of the limits, as people write them.
    pub const NAMES: [&str; 6] = ["time", "increment", "byoyomi", "movetime", "nodes", "depth"];

    /// Sets a limit by its name.
    ///
    /// # Errors
    /// There is no such limit, or the number is too large for it.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
        let value = Some(value);
        match name {
            "time" => self.time = value,
            "increment" => self.increment = value,
            "byoyomi" => self.byoyomi = value,
            "movetime" => self.movetime = value,
            "nodes" => self.nodes = value,
            "depth" => {
                let depth = value.and_then(|depth| u32::try_from(depth).ok());
                self.depth = Some(depth.ok_or("a depth is below 2^32")?);
            }
            _ => return Err(format!("`{name}` is no limit")),
        }
        Ok(())
    }

    /// Whether there is no limit at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a clock runs that is told in `go`.
    pub fn has_clock(&self) -> bool {
        self.time.is_some() || self.byoyomi.is_some() || self.increment.is_some()
    }
}

/// `5 s + 100 ms`, `byoyomi 200 ms`, `1000 nodes`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |value: u64| format!("{:?}", Duration::from_millis(value));
        let mut parts = Vec::new();
        let main = [self.time, self.increment].into_iter().flatten().map(milliseconds).collect::<Vec<_>>().join(" + ");
        if !main.is_empty() {
            parts.push(main);
        }
        parts.extend(self.byoyomi.map(|value| format!("byoyomi {}", milliseconds(value))));
        parts.extend(self.movetime.map(|value| format!("{} a move", milliseconds(value))));
        parts.extend(self.nodes.map(|value| format!("{value} nodes")));
        parts.extend(self.depth.map(|value| format!("depth {value}")));
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_for_people() {
        let limits = TimeControl { time: Some(5000), increment: Some(100), nodes: Some(9), ..TimeControl::default() };
        assert_eq!(limits.to_string(), "5s + 100ms, 9 nodes");
    }
}
