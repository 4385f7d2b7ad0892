//! What of the time for a move is kept back: for the way to the server and back, and as the margin for what cannot be foreseen.

use std::time::Duration;

/// Of the time for a move at most this part is kept as the margin.
const LARGEST_MARGIN: u32 = 4;

/// Of the time for a move at most this part is kept for the way, so that a wild measurement leaves time to think.
const LONGEST_WAY: u32 = 2;

/// How long before the end of the time for a move something is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserve {
    /// When the time ends that the engine is told of.
    pub told: Duration,
    /// When an engine that has not answered is told to stop.
    pub stop: Duration,
    /// When a move is sent without it.
    pub give_up: Duration,
}

impl Reserve {
    /// `allowance` is the time for the move by the server's clock, which counts the way as well: the line that begins the turn and the
    /// one with the move travel while it runs. `round_trip` is that way as it was measured. The engine is never told of so much that it
    /// would be stopped before its time has passed.
    #[must_use]
    pub fn of(allowance: Duration, margin: Duration, round_trip: Duration) -> Self {
        let margin = margin.min(allowance / LARGEST_MARGIN);
        let way = round_trip.min(allowance / LONGEST_WAY);
        Self { told: margin.max(way + margin * 3 / 4), stop: way + margin / 2, give_up: way + margin / 4 }
    }

    /// So much later than at the beginning of the turn an engine may be told its times, and still answers before it is stopped.
    #[must_use]
    pub fn lateness(&self) -> Duration {
        self.told.saturating_sub(self.stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times before the end, in milliseconds: told, stop, give up.
    fn reserve(allowance: u64, margin: u64, round_trip: u64) -> [u128; 3] {
        let [allowance, margin, round_trip] = [allowance, margin, round_trip].map(Duration::from_millis);
        let reserve = Reserve::of(allowance, margin, round_trip);
        [reserve.told, reserve.stop, reserve.give_up].map(|time| time.as_millis())
    }

    #[test]
    fn the_margin_covers_a_short_way_for_the_engine_and_a_long_one_is_kept_beside_it() {
        assert_eq!(reserve(60_000, 500, 0), [500, 250, 125]);
        assert_eq!(reserve(60_000, 500, 100), [500, 350, 225]);
        assert_eq!(reserve(60_000, 500, 300), [675, 550, 425]);
        assert_eq!(reserve(60_000, 0, 300), [300, 300, 300]);
    }

    #[test]
    fn a_margin_is_at_most_a_quarter_of_the_time_and_the_way_at_most_half() {
        assert_eq!(reserve(1000, 2000, 0), [250, 125, 62]);
        assert_eq!(reserve(1000, 2000, 30_000), [687, 625, 562]);
        assert_eq!(reserve(0, 500, 300), [0, 0, 0]);
    }
}
