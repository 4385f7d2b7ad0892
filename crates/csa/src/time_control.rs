//! The clock of one side, as a summary describes it.

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result};
use kiki_text::excerpt;

/// Longest time in a summary, so that sums of times never overflow.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// How a server measures the time of one side. If all its times are zero, there is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ServerTimeControl {
    /// The unit of numbers in the summary and of times of moves.
    pub(crate) unit: Duration,
    /// The time of a move counts in multiples of this, rounded down.
    pub(crate) granularity: Duration,
    /// The time for the whole game.
    pub(crate) total: Duration,
    /// The time for each move once the time for the game is used up.
    pub(crate) byoyomi: Duration,
    /// The time added before each move, which that move may use.
    pub(crate) increment: Duration,
    /// The free time at each move. Unused delay is lost.
    pub(crate) delay: Duration,
    /// Whether times are rounded up instead.
    pub(crate) round_up: bool,
}

/// In seconds as people write it: `600+30` with byoyomi, `300+10F` with an increment, `300+5+10F`
/// with both. A delay adds `+2D`.
impl fmt::Display for ServerTimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total.as_secs_f64())?;
        if self.increment.is_zero() || !self.byoyomi.is_zero() {
            write!(f, "+{}", self.byoyomi.as_secs_f64())?;
        }
        for (time, mark) in [(self.increment, 'F'), (self.delay, 'D')] {
            if !time.is_zero() {
                write!(f, "+{}{mark}", time.as_secs_f64())?;
            }
        }
        Ok(())
    }
}

impl Default for ServerTimeControl {
    fn default() -> Self {
        let (unit, zero) = (Duration::from_secs(1), Duration::ZERO);
        Self { unit, granularity: unit, total: zero, byoyomi: zero, increment: zero, delay: zero, round_up: false }
    }
}

impl ServerTimeControl {
    /// Whether time limits the game at all.
    pub(crate) fn is_limited(&self) -> bool {
        !(self.total + self.byoyomi + self.increment + self.delay).is_zero()
    }

    /// Whether times of moves are in whole seconds, rounded up or down. The rest of a second that
    /// has begun is free then.
    pub(crate) fn counts_whole_seconds(&self) -> bool {
        !self.granularity.is_zero() && self.granularity.subsec_nanos() == 0
    }

    /// The duration of a number of thousandths of the unit. It saturates.
    pub(crate) fn of_thousandths(&self, count: u64) -> Duration {
        let nanoseconds = (self.unit.as_nanos() * u128::from(count)).div_ceil(1000);
        u64::try_from(nanoseconds).map_or(LONGEST, Duration::from_nanos).min(LONGEST)
    }
}

/// The lines of a `BEGIN Time` block. Times are in thousandths of the unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeBlock {
    unit: Option<Duration>,
    total: u64,
    byoyomi: u64,
    increment: u64,
    delay: u64,
    round_up: bool,
    /// `Remaining_Time+` and `Remaining_Time-`, which some servers send when an interrupted game
    /// continues.
    pub(crate) remaining: [Option<u64>; 2],
}

impl TimeBlock {
    /// Reads one line. Unknown names are ignored.
    pub(crate) fn read(&mut self, name: &str, value: &str) -> Result<()> {
        let problem = || format!("`{}` is not a time that this client knows", excerpt(&format!("{name}:{value}")));
        let number = || thousandths(value.trim()).with_context(problem);
        match name {
            "Time_Unit" => self.unit = Some(unit(value.trim()).with_context(problem)?),
            "Total_Time" => self.total = number()?,
            "Byoyomi" => self.byoyomi = number()?,
            "Increment" => self.increment = number()?,
            "Delay" => self.delay = number()?,
            "Remaining_Time+" => self.remaining[0] = Some(number()?),
            "Remaining_Time-" => self.remaining[1] = Some(number()?),
            "Time_Roundup" => self.round_up = value.trim() == "YES",
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn control(&self, game_id: &str) -> ServerTimeControl {
        let unit = self.unit.unwrap_or(Duration::from_secs(1));
        if unit == Duration::from_secs(60) && self.is_stop_watch_in_seconds(game_id) {
            let seconds = ServerTimeControl::default();
            return ServerTimeControl {
                granularity: seconds.of_thousandths(self.byoyomi),
                total: seconds.of_thousandths(self.total),
                ..seconds
            };
        }
        let empty = ServerTimeControl { unit, granularity: unit, ..ServerTimeControl::default() };
        ServerTimeControl {
            total: empty.of_thousandths(self.total),
            byoyomi: empty.of_thousandths(self.byoyomi),
            increment: empty.of_thousandths(self.increment),
            delay: empty.of_thousandths(self.delay),
            round_up: self.round_up,
            ..empty
        }
    }

    /// Whether this is a game of shogi-server such as `name-1500-060`. It announces minutes and
    /// counts seconds, and its byoyomi is the step to which it rounds times down.
    fn is_stop_watch_in_seconds(&self, game_id: &str) -> bool {
        let name = format!("-{}-0", self.total / 1000);
        game_id.split('+').any(|part| {
            let byoyomi = part.rsplit_once(&name).map(|(_, rest)| rest.trim_start_matches('0'));
            byoyomi.is_some_and(|rest| rest.parse() == Ok(self.byoyomi / 1000))
        })
    }
}

/// A number with or without a fraction, `12`, `2.5`, in thousandths. Finer fractions are rounded
/// up, and large numbers saturate.
pub(crate) fn thousandths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    // All letters are digits, so an error means that the number is too large.
    let whole = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    let (shown, rest) = fraction.split_at(fraction.len().min(3));
    let parts: u64 = format!("{shown:0<3}").parse().ok()?;
    let further = u64::from(rest.contains(|digit| digit != '0'));
    Some(whole.saturating_mul(1000).saturating_add(parts + further))
}

/// `1sec`, `1min`, `msec`, `100msec`.
fn unit(text: &str) -> Option<Duration> {
    let split = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (count, name) = text.split_at(split);
    let count: u32 = if count.is_empty() { 1 } else { count.parse().ok()? };
    let one = match name {
        "msec" => Duration::from_millis(1),
        "sec" => Duration::from_secs(1),
        "min" => Duration::from_secs(60),
        _ => return None,
    };
    (count > 0).then(|| one.saturating_mul(count).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(lines: &[(&str, &str)], game_id: &str) -> ServerTimeControl {
        let mut block = TimeBlock::default();
        for (name, value) in lines {
            block.read(name, value).unwrap();
        }
        block.control(game_id)
    }

    const SECOND: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn units_are_seconds_unless_told() {
        let floodgate = control(&[("Total_Time", "300"), ("Byoyomi", "0"), ("Increment", "10")], "");
        assert_eq!((floodgate.total, floodgate.increment), (SECOND(300), SECOND(10)));
        let fine = control(&[("Time_Unit", "1msec"), ("Total_Time", "1500")], "");
        assert_eq!((fine.total, fine.granularity), (Duration::from_millis(1500), Duration::from_millis(1)));
        let minutes = control(&[("Time_Unit", "1min"), ("Total_Time", "15"), ("Byoyomi", "1")], "");
        assert_eq!((minutes.total, minutes.byoyomi, minutes.granularity), (SECOND(900), SECOND(60), SECOND(60)));
        assert!(!control(&[("Total_Time", "0")], "").is_limited());
    }

    #[test]
    fn numbers_may_have_fractions() {
        for (text, expected) in [
            ("12", 12_000),
            ("2.5", 2500),
            ("0.125", 125),
            ("2.", 2000),
            (".5", 500),
            ("7.0001", 7001),
            ("1.0000", 1000),
            ("18446744073709551616", u64::MAX),
        ] {
            assert_eq!(thousandths(text), Some(expected), "{text}");
        }
        for text in ["", ".", "-1", "+1", "1.x", "x", "1e3", "1.2.3", " 1", "\u{661}"] {
            assert_eq!(thousandths(text), None, "{text}");
        }
        let fine = control(&[("Time_Unit", "1msec"), ("Byoyomi", "0.5"), ("Total_Time", "1500.25")], "");
        assert_eq!((fine.total, fine.byoyomi), (Duration::from_nanos(1_500_250_000), Duration::from_micros(500)));
    }

    #[test]
    fn a_clock_is_written_with_all_that_it_has() {
        let text = |total, byoyomi, increment, delay| {
            let [total, byoyomi, increment, delay] = [total, byoyomi, increment, delay].map(SECOND);
            ServerTimeControl { total, byoyomi, increment, delay, ..ServerTimeControl::default() }.to_string()
        };
        assert_eq!([text(600, 30, 0, 0), text(300, 0, 10, 0)], ["600+30", "300+10F"]);
        assert_eq!([text(300, 5, 10, 0), text(0, 0, 0, 2)], ["300+5+10F", "0+0+2D"]);
    }

    #[test]
    fn minutes_that_are_seconds_are_known_by_the_name_of_the_game() {
        let lines = [("Time_Unit", "1min"), ("Total_Time", "1500"), ("Byoyomi", "60")];
        let watch = control(&lines, "test+watch-1500-060+a+b+20260101000000");
        assert_eq!((watch.total, watch.byoyomi, watch.granularity), (SECOND(1500), SECOND(0), SECOND(60)));
        assert_eq!(watch.unit, SECOND(1));
        let other = control(&lines, "test+watch-1500-60+a+b+20260101000000");
        assert_eq!(other.total, SECOND(90_000));
    }

    #[test]
    fn what_is_no_time_is_named_and_what_is_too_long_is_bounded() {
        let mut block = TimeBlock::default();
        for (name, value) in [("Total_Time", "x"), ("Byoyomi", "-1"), ("Time_Unit", "1hour"), ("Time_Unit", "0sec")] {
            let error = block.read(name, value).unwrap_err();
            assert_eq!(error.to_string(), format!("`{name}:{value}` is not a time that this client knows"));
        }
        block.read("Least_Time_Per_Move", "?").unwrap();
        block.read("Total_Time", "18446744073709551615").unwrap();
        assert_eq!(block.control("").total, LONGEST);
    }
}
