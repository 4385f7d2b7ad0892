//! What a move took: what the server tells, compared with the own measurement. Of two readings the one counts that leaves less time.

use std::time::Duration;

use crate::time_control::TimeControl;

/// A server's time and the own one may differ by so much.
const TOLERANCE: Duration = Duration::from_millis(100);

/// How long a move took as this side saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MeasuredTime {
    /// From the line that began the turn to the sending of the own move. The server's clock has counted this at least. Nothing for a move of
    /// the other side.
    pub thought: Option<Duration>,
    /// From the line that began the turn to the line that ended it.
    pub whole: Duration,
}

/// What is known of a server's times. Some announce milliseconds and tell seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeCheck {
    tells_seconds: bool,
    has_warned: bool,
}

impl TimeCheck {
    /// What a move took. `told` is what the server says, in thousandths of its unit, and `most` what the side had for it. With the first time
    /// that is missing or too short comes a text for people.
    pub fn used(
        &mut self,
        control: &TimeControl,
        told: Option<u64>,
        most: Option<Duration>,
        measured: MeasuredTime,
    ) -> (Duration, Option<String>) {
        let Some(count) = told else {
            return (
                measured.whole,
                self.warning(|| "the server does not tell what a move took; it is measured".to_owned()),
            );
        };
        let literal = control.of_thousandths(count);
        // What counts milliseconds has no minutes.
        let in_seconds = Duration::from_millis(count);
        let thought = measured.thought.unwrap_or_default();
        let is_too_short = thought > literal + control.granularity + control.delay + TOLERANCE;
        if is_too_short && control.unit < Duration::from_secs(1) && in_seconds >= Duration::from_secs(1) {
            self.tells_seconds |= in_seconds.abs_diff(thought) <= Duration::from_secs(1) + TOLERANCE;
        }
        let mut used = literal;
        if self.tells_seconds && most.is_none_or(|most| in_seconds <= most) {
            used = used.max(in_seconds);
        }
        if !is_too_short {
            return (used, None);
        }
        let told = count as f64 / 1000.0;
        let warning = self.warning(|| {
            format!(
                "the server says T{told} for a move that took {:.1} s here: its times are not in the unit that it has announced, or not \
                 true; the longer time counts",
                thought.as_secs_f64()
            )
        });
        (used.max(thought), warning)
    }

    fn warning(&mut self, text: impl FnOnce() -> String) -> Option<String> {
        (!std::mem::replace(&mut self.has_warned, true)).then(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn in_milliseconds() -> TimeControl {
        TimeControl { unit: MS(1), granularity: MS(1), total: MS(60_000), ..TimeControl::default() }
    }

    /// What an own move took, in milliseconds, and whether there is a warning. `told` counts units.
    fn own(check: &mut TimeCheck, control: &TimeControl, told: u64, thought: u64) -> (u128, bool) {
        let measured = MeasuredTime { thought: Some(MS(thought)), whole: MS(thought + 20) };
        let (used, warning) = check.used(control, Some(1000 * told), Some(MS(60_000)), measured);
        (used.as_millis(), warning.is_some())
    }

    fn theirs(check: &mut TimeCheck, told: u64) -> u128 {
        let (used, warning) =
            check.used(&in_milliseconds(), Some(1000 * told), Some(MS(60_000)), MeasuredTime::default());
        assert_eq!(warning, None);
        used.as_millis()
    }

    #[test]
    fn what_a_server_tells_counts_as_long_as_it_can_be_true() {
        let (mut check, seconds) = (TimeCheck::default(), TimeControl::default());
        for (told, thought) in [(0, 1050), (1, 1999), (3, 100), (50, 7)] {
            assert_eq!(own(&mut check, &seconds, told, thought), (1000 * u128::from(told), false));
        }
        assert_eq!(own(&mut check, &in_milliseconds(), 400, 450), (400, false));
        let minutes = TimeControl { unit: MS(60_000), granularity: MS(60_000), ..seconds };
        assert_eq!(own(&mut check, &minutes, 0, 59_000), (0, false));
        let delay = TimeControl { delay: MS(5000), ..seconds };
        assert_eq!(own(&mut check, &delay, 0, 5900), (0, false));
        assert_eq!(theirs(&mut check, 3), 3);
    }

    #[test]
    fn seconds_in_place_of_milliseconds_are_known_by_a_move_that_took_as_many() {
        let mut check = TimeCheck::default();
        assert_eq!(own(&mut check, &in_milliseconds(), 2, 2700), (2700, true));
        assert_eq!((own(&mut check, &in_milliseconds(), 3, 2700), theirs(&mut check, 4)), ((3000, false), 4000));
        assert_eq!(own(&mut check, &in_milliseconds(), 0, 400), (400, false));
        assert_eq!(theirs(&mut check, 900), 900, "nobody had so many seconds");
    }

    #[test]
    fn a_time_that_is_too_short_is_the_measured_one_and_told_once() {
        let (mut check, seconds) = (TimeCheck::default(), TimeControl::default());
        assert_eq!(own(&mut check, &in_milliseconds(), 0, 400), (400, true));
        assert_eq!(theirs(&mut check, 3), 3, "nothing tells that these are seconds");
        assert_eq!(own(&mut check, &seconds, 1, 9000), (9000, false));
    }

    #[test]
    fn a_time_that_is_not_told_is_measured() {
        let mut check = TimeCheck::default();
        let measured = MeasuredTime { thought: Some(MS(100)), whole: MS(150) };
        let (used, warning) = check.used(&TimeControl::default(), None, None, measured);
        assert_eq!((used, warning.is_some()), (MS(150), true));
        assert_eq!(check.used(&TimeControl::default(), None, None, measured), (MS(150), None));
    }
}
