//! How long a move may take.

use std::time::Duration;

use kiki_board::Color;
use kiki_usi::GoSpec;

/// What a move takes where the clock shows 0 and nothing else limits it, in milliseconds: the flag has fallen, or the clock is none.
const WITHOUT_TIME: i64 = 100;

/// The clock of the side to move, in milliseconds.
struct OwnClock {
    left: i64,
    byoyomi: i64,
    increment: i64,
}

impl OwnClock {
    /// None where no time was sent.
    fn of(go: &GoSpec, side: Color) -> Option<Self> {
        let clocks = &go.clocks;
        let (left, increment) = match side {
            Color::Black => (clocks.btime, clocks.binc),
            Color::White => (clocks.wtime, clocks.winc),
        };
        let [left, byoyomi, increment] = [left, clocks.byoyomi, increment].map(|time| time.unwrap_or(0));
        (!clocks.is_empty()).then_some(Self { left, byoyomi, increment })
    }

    /// Until the flag falls. Programs differ in whether what is left holds the increment already: less than one shows that it does not, and so does
    /// less than nothing.
    fn until_flag(&self) -> i64 {
        let holds_increment = self.left + self.byoyomi >= self.increment;
        let left = if holds_increment { self.left } else { self.left + self.increment };
        self.byoyomi + left.max(0)
    }
}

/// The time until the flag falls; none where no clock runs. A clock that shows 0 beside a limit of nodes, depth or time for the move is none.
#[must_use]
pub fn allowance(go: &GoSpec, side: Color) -> Option<Duration> {
    let by_clock = OwnClock::of(go, side).map(|clock| clock.until_flag());
    let times = [go.movetime, by_clock];
    // Both may be sent; the shorter one holds.
    let least = times.into_iter().flatten().filter(|&time| time > 0).min();
    let is_limited = go.nodes.is_some() || go.depth.is_some();
    let has_run_out = !is_limited && times.iter().any(Option::is_some);
    least.or(has_run_out.then_some(WITHOUT_TIME)).map(milliseconds)
}

/// How long members are waited for if none of them answers: the byoyomi and, of the time that is left, a third, or as much as an increment or
/// three byoyomi bring back if that is more. Programs that live answer sooner; the rest is for the moves after this one. None without a clock.
#[must_use]
pub fn longest_silence(go: &GoSpec, side: Color) -> Option<Duration> {
    let clock = OwnClock::of(go, side).filter(|clock| clock.left > 0)?;
    let spent = (clock.left / 3).max(clock.increment).max(3 * clock.byoyomi);
    Some(milliseconds(clock.until_flag().min(clock.byoyomi + spent)))
}

fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use kiki_usi::Command;

    use super::*;

    fn of(time: fn(&GoSpec, Color) -> Option<Duration>, text: &str, side: Color) -> Option<u64> {
        let Ok(Command::Go(go)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        time(&go, side).map(|time| time.as_millis() as u64)
    }

    #[test]
    fn every_form_of_time_is_understood() {
        let cases = [
            ("go byoyomi 1000", Some(1000)),
            ("go btime 60000 wtime 5000 byoyomi 1000", Some(61_000)),
            ("go btime 0 wtime 0 binc 2000 winc 3000", Some(2000)),
            ("go btime 7000 wtime 0 binc 2000 winc 3000", Some(7000)),
            ("go btime 2000 wtime 0 binc 2000 winc 3000", Some(2000)),
            ("go btime 500 wtime 500 binc 5000 winc 5000", Some(5500)),
            ("go btime -2000 wtime -2000 binc 5000 winc 5000", Some(3000)),
            ("go btime -5000 wtime -2000 binc 5000 winc 5000", Some(100)),
            ("go btime -300 wtime -300 byoyomi 200", Some(200)),
            ("go movetime 500", Some(500)),
            ("go btime 100 movetime 500", Some(100)),
            ("go nodes 1000", None),
            ("go infinite", None),
            // A clock that shows 0.
            ("go btime 0 wtime 0", Some(100)),
            ("go movetime 0", Some(100)),
            ("go btime 0 wtime 0 byoyomi 0", Some(100)),
            ("go btime 0 wtime 0 nodes 1000", None),
            ("go btime 0 wtime 0 depth 5", None),
            ("go btime 0 wtime 0 movetime 500", Some(500)),
            ("go btime 3000 wtime 0 nodes 1000", Some(3000)),
        ];
        for (text, expected) in cases {
            assert_eq!(of(allowance, text, Color::Black), expected, "{text}");
        }
        assert_eq!(of(allowance, "go btime 60000 wtime 5000 byoyomi 1000", Color::White), Some(6000));
    }

    #[test]
    fn silence_does_not_use_up_a_clock() {
        let cases = [
            ("go btime 60000 wtime 60000", Some(20_000)),
            ("go btime 60000 wtime 60000 byoyomi 1000", Some(21_000)),
            ("go btime 60000 wtime 60000 byoyomi 10000", Some(40_000)),
            ("go btime 5000 wtime 5000 byoyomi 10000", Some(15_000)),
            ("go btime 60000 wtime 60000 binc 30000 winc 1000", Some(30_000)),
            ("go btime 500 wtime 500 binc 5000 winc 5000", Some(5000)),
            ("go btime 0 wtime 9 byoyomi 1000", None),
            ("go movetime 500", None),
            ("go nodes 1000", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(longest_silence, text, Color::Black), expected, "{text}");
        }
    }
}
