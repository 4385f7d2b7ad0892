//! How long an engine may think, and its clock during a game.

use std::fmt;
use std::time::Duration;

use kiki_usi::{Clocks, GoSpec};
use serde::{Deserialize, Serialize};

/// What bounds the thinking of one engine. Everything that is set holds at the same time; times are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// For the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<u64>,
    /// Gained by each move, and usable for that move already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) increment: Option<u64>,
    /// For each move once the time for the game is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) byoyomi: Option<u64>,
    /// For each move, told as `go movetime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) movetime: Option<u64>,
    /// Positions a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<u64>,
    /// Plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<u32>,
}

impl Limit {
    /// The names of the parts, as they are written in files and on the command line.
    pub(crate) const NAMES: [&str; 6] = ["time", "increment", "byoyomi", "movetime", "nodes", "depth"];

    /// Sets a part by its name.
    pub(crate) fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
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

    /// Whether nothing bounds the thinking.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn has_clock(&self) -> bool {
        self.time.is_some() || self.byoyomi.is_some() || self.increment.is_some()
    }
}

/// `5 s + 100 ms`, `byoyomi 200 ms`, `1000 nodes`.
impl fmt::Display for Limit {
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

/// What an engine has left in a game. `go` tells what there is before this move's increment, as USI servers and GUIs do; the increment
/// may be used for the move that it is gained by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    limit: Limit,
    left: Duration,
}

impl Clock {
    pub(crate) fn new(limit: Limit) -> Self {
        Self { limit, left: Duration::from_millis(limit.time.unwrap_or(0)) }
    }

    /// The longest that the next move may take; `None` if no time bounds it.
    pub(crate) fn allowance(&self) -> Option<Duration> {
        let Limit { increment, byoyomi, movetime, .. } = self.limit;
        let clock = Duration::from_millis(increment.unwrap_or(0).saturating_add(byoyomi.unwrap_or(0))) + self.left;
        let movetime = movetime.map(Duration::from_millis);
        match (self.limit.has_clock(), movetime) {
            (true, Some(movetime)) => Some(clock.min(movetime)),
            (true, None) => Some(clock),
            (false, movetime) => movetime,
        }
    }

    /// Takes off what a move took, and adds its increment. Whether it took too long is for [`Clock::allowance`] to say.
    pub(crate) fn spend(&mut self, elapsed: Duration) {
        self.left = (self.left + Duration::from_millis(self.limit.increment.unwrap_or(0))).saturating_sub(elapsed);
    }

    fn left(&self) -> i64 {
        i64::try_from(self.left.as_millis()).unwrap_or(i64::MAX)
    }
}

/// The command for the side to move (0 Black, 1 White). What only the other side's limit has is not told: some programs stop at words
/// that they do not know, such as `binc`.
pub(crate) fn go(side: usize, clocks: &[Clock; 2]) -> GoSpec {
    let own = clocks[side].limit;
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let times = if own.has_clock() {
        let increment = |side: usize| own.increment.map(|_| signed(clocks[side].limit.increment.unwrap_or(0)));
        Clocks {
            btime: Some(clocks[0].left()),
            wtime: Some(clocks[1].left()),
            byoyomi: own.byoyomi.map(signed),
            binc: increment(0),
            winc: increment(1),
        }
    } else {
        Clocks::default()
    };
    GoSpec {
        clocks: times,
        movetime: own.movetime.map(signed),
        nodes: own.nodes,
        depth: own.depth,
        ..GoSpec::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn each_side_is_told_its_own_kind_of_limit() {
        let fischer = Limit { time: Some(5000), increment: Some(100), ..Limit::default() };
        let byoyomi = Limit { byoyomi: Some(200), nodes: Some(1000), ..Limit::default() };
        let clocks = [Clock::new(fischer), Clock::new(byoyomi)];
        assert_eq!(go(0, &clocks).to_string(), "go btime 5000 wtime 0 binc 100 winc 0");
        assert_eq!(go(1, &clocks).to_string(), "go btime 5000 wtime 0 byoyomi 200 nodes 1000");
        let depth = Limit { depth: Some(7), ..Limit::default() };
        assert_eq!(go(0, &[Clock::new(depth), clocks[0]]).to_string(), "go depth 7");
    }

    #[test]
    fn an_increment_may_be_used_for_its_own_move() {
        let mut clock = Clock::new(Limit { time: Some(1000), increment: Some(100), ..Limit::default() });
        assert_eq!(clock.allowance(), Some(MS(1100)));
        clock.spend(MS(300));
        assert_eq!(clock.allowance(), Some(MS(900)));
        clock.spend(MS(5000));
        assert_eq!(clock.allowance(), Some(MS(100)));
    }

    #[test]
    fn byoyomi_is_whole_at_every_move() {
        let mut clock = Clock::new(Limit { time: Some(1000), byoyomi: Some(500), ..Limit::default() });
        assert_eq!(clock.allowance(), Some(MS(1500)));
        clock.spend(MS(1400));
        assert_eq!(clock.allowance(), Some(MS(500)));
    }

    #[test]
    fn nodes_and_depth_have_no_time() {
        let clock = Clock::new(Limit { nodes: Some(1), depth: Some(1), ..Limit::default() });
        assert_eq!(clock.allowance(), None);
        let clock = Clock::new(Limit { movetime: Some(7), ..Limit::default() });
        assert_eq!(clock.allowance(), Some(MS(7)));
    }

    #[test]
    fn limits_are_told_to_people() {
        let limit = Limit { time: Some(5000), increment: Some(100), nodes: Some(9), ..Limit::default() };
        assert_eq!(limit.to_string(), "5s + 100ms, 9 nodes");
    }
}
