//! Limits of an engine's thinking, its game clock, and the `go` command made of both clocks.

use std::fmt;
use std::time::Duration;

use kiki_usi::{Clocks, GoSpec};
use serde::{Deserialize, Serialize};
use shogi_core::Color;

/// Limits of one engine. All that are set apply at the same time; times are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayLimits {
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

impl PlayLimits {
    /// The names that [`Self::set`] accepts.
    pub const NAMES: [&str; 6] = ["time", "increment", "byoyomi", "movetime", "nodes", "depth"];

    /// Refuses an unknown name, and a depth of 2^32 or more.
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

    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn has_clock(&self) -> bool {
        self.time.is_some() || self.byoyomi.is_some() || self.increment.is_some()
    }
}

/// `5s + 100ms`, `byoyomi 200ms`, `1000 nodes`.
impl fmt::Display for PlayLimits {
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

/// Time that an engine has left. As with USI servers and GUIs, `go` gives the time without this
/// move's increment, and the move may use the increment.
#[derive(Clone, Copy, Debug)]
pub struct PlayerClock {
    limits: PlayLimits,
    left: Duration,
}

impl PlayerClock {
    #[must_use]
    pub fn new(limits: PlayLimits) -> Self {
        Self { limits, left: Duration::from_millis(limits.time.unwrap_or(0)) }
    }

    /// The longest time for the next move; `None` if no time limits it.
    #[must_use]
    pub fn allowance(&self) -> Option<Duration> {
        let PlayLimits { increment, byoyomi, movetime, .. } = self.limits;
        let each_move = increment.unwrap_or(0).saturating_add(byoyomi.unwrap_or(0));
        let clock = self.limits.has_clock().then(|| Duration::from_millis(each_move) + self.left);
        [clock, movetime.map(Duration::from_millis)].into_iter().flatten().min()
    }

    /// Subtracts the time of a move and adds its increment. Check [`PlayerClock::allowance`] first.
    pub fn spend(&mut self, elapsed: Duration) {
        self.left = (self.left + Duration::from_millis(self.limits.increment.unwrap_or(0))).saturating_sub(elapsed);
    }
}

/// `go` for the side to move. Omits words that only the other side's limits need, because some
/// programs stop at unknown words such as `binc`.
#[must_use]
pub fn go_command(side: Color, clocks: &[PlayerClock; 2]) -> GoSpec {
    let own = clocks[side.array_index()].limits;
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let left = |color: usize| i64::try_from(clocks[color].left.as_millis()).unwrap_or(i64::MAX);
    let [btime, wtime] = [0, 1].map(|color| own.has_clock().then(|| left(color)));
    let [binc, winc] = clocks.map(|clock| own.increment.map(|_| signed(clock.limits.increment.unwrap_or(0))));
    let clocks = Clocks { btime, wtime, byoyomi: own.byoyomi.map(signed), binc, winc };
    let movetime = own.movetime.map(signed);
    GoSpec { clocks, movetime, nodes: own.nodes, depth: own.depth, ..GoSpec::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_for_people() {
        let limits = PlayLimits { time: Some(5000), increment: Some(100), nodes: Some(9), ..PlayLimits::default() };
        assert_eq!(limits.to_string(), "5s + 100ms, 9 nodes");
    }

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn each_side_gets_its_own_kind_of_limit() {
        let fischer = PlayLimits { time: Some(5000), increment: Some(100), ..PlayLimits::default() };
        let byoyomi = PlayLimits { byoyomi: Some(200), nodes: Some(1000), ..PlayLimits::default() };
        let clocks = [PlayerClock::new(fischer), PlayerClock::new(byoyomi)];
        assert_eq!(go_command(Color::Black, &clocks).to_string(), "go btime 5000 wtime 0 binc 100 winc 0");
        assert_eq!(go_command(Color::White, &clocks).to_string(), "go btime 5000 wtime 0 byoyomi 200 nodes 1000");
        let depth = PlayLimits { depth: Some(7), ..PlayLimits::default() };
        assert_eq!(go_command(Color::Black, &[PlayerClock::new(depth), clocks[0]]).to_string(), "go depth 7");
    }

    #[test]
    fn a_move_may_use_the_rest_its_increment_and_its_byoyomi() {
        for ((time, increment, byoyomi), moves) in [
            ((1000, Some(100), None), &[(1100, 300), (900, 5000), (100, 0)][..]),
            ((1000, None, Some(500)), &[(1500, 1400), (500, 0)]),
        ] {
            let limits = PlayLimits { time: Some(time), increment, byoyomi, ..PlayLimits::default() };
            let mut clock = PlayerClock::new(limits);
            for &(allowance, spent) in moves {
                assert_eq!(clock.allowance(), Some(MS(allowance)), "{limits}");
                clock.spend(MS(spent));
            }
        }
        for (limits, allowance) in [
            (PlayLimits { nodes: Some(1), depth: Some(1), ..PlayLimits::default() }, None),
            (PlayLimits { movetime: Some(7), ..PlayLimits::default() }, Some(MS(7))),
        ] {
            assert_eq!(PlayerClock::new(limits).allowance(), allowance);
        }
    }
}
