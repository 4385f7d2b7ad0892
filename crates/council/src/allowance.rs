//! How long a move may take.

use std::time::Duration;

use kiki_board::Color;
use kiki_usi::GoSpec;

/// The time until the flag falls; none where no clock runs. Increments count only if there is nothing else, since programs differ in whether
/// what is left holds them already.
#[must_use]
pub fn allowance(go: &GoSpec, side: Color) -> Option<Duration> {
    let clocks = &go.clocks;
    let (left, increment) = match side {
        Color::Black => (clocks.btime, clocks.binc),
        Color::White => (clocks.wtime, clocks.winc),
    };
    let by_clock = if clocks.is_empty() { None } else { Some(left.unwrap_or(0) + clocks.byoyomi.unwrap_or(0)) };
    let by_clock = by_clock.map(|time| if time == 0 { increment.unwrap_or(0) } else { time });
    // Both may be sent; the shorter one holds.
    let milliseconds = [go.movetime, by_clock].into_iter().flatten().min()?;
    Some(Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use kiki_usi::Command;

    use super::*;

    fn of(text: &str, side: Color) -> Option<u64> {
        let Ok(Command::Go(go)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        allowance(&go, side).map(|time| time.as_millis() as u64)
    }

    #[test]
    fn every_form_of_time_is_understood() {
        let cases = [
            ("go byoyomi 1000", Some(1000)),
            ("go btime 60000 wtime 5000 byoyomi 1000", Some(61_000)),
            ("go btime 0 wtime 0 binc 2000 winc 3000", Some(2000)),
            ("go btime 7000 wtime 0 binc 2000 winc 3000", Some(7000)),
            ("go movetime 500", Some(500)),
            ("go btime 100 movetime 500", Some(100)),
            ("go nodes 1000", None),
            ("go infinite", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text, Color::Black), expected, "{text}");
        }
        assert_eq!(of("go btime 60000 wtime 5000 byoyomi 1000", Color::White), Some(6000));
    }
}
