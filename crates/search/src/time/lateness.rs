//! How much later than planned answers are given on this machine, learned from the answers of this process.

use std::time::Duration;

/// An estimate of the lateness to be expected: the second greatest that was seen, and slowly less if it is not seen again. The greatest alone may be an
/// outlier, as when the machine stood still: a margin against that would cost more games than it saves. A machine of which nothing is known may be
/// busy; that assumption is given up faster, as every punctual answer speaks against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    assumed: Duration,
    greatest: Duration,
    second: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { assumed: Duration::from_millis(4), greatest: Duration::ZERO, second: Duration::ZERO }
    }
}

impl Lateness {
    /// A part of this size of the assumption is given up with every answer: half of it after 44.
    const ASSUMED_FORGOTTEN: u32 = 64;

    /// A part of this size of what was seen is forgotten with every answer: half of it after 355, some six games. What a machine does a few times in a
    /// thousand answers would otherwise be met unprepared every time.
    const SEEN_FORGOTTEN: u32 = 512;

    /// An answer was given so much after the moment planned for it.
    pub(crate) fn observe(&mut self, late: Duration) {
        self.assumed -= self.assumed / Self::ASSUMED_FORGOTTEN;
        let less = |seen: Duration| seen - seen / Self::SEEN_FORGOTTEN;
        self.second = less(self.second).max(late.min(self.greatest));
        self.greatest = less(self.greatest).max(late);
    }

    /// What may pass unseen on both sides of the clock: the answer's way out has been measured, the command's way in is as long.
    pub(crate) fn margin(self) -> Duration {
        2 * self.assumed.max(self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut lateness: Lateness, answers: usize, late: Duration) -> Lateness {
        (0..answers).for_each(|_| lateness.observe(late));
        lateness
    }

    #[test]
    fn what_was_seen_twice_counts_at_once_and_is_forgotten_over_games() {
        let ms = Duration::from_millis;
        let seen = after(Lateness::default(), 2, ms(10));
        assert!((ms(19)..=ms(20)).contains(&seen.margin()), "{seen:?}");
        assert!(after(seen, 60, ms(1)).margin() > ms(17), "a game later");
        assert!((ms(9)..ms(11)).contains(&after(seen, 355, ms(1)).margin()), "six games later");
        assert_eq!(after(seen, 3000, ms(1)).margin(), ms(2));
    }

    #[test]
    fn one_outlier_does_not_count_and_a_second_one_a_game_later_does() {
        let ms = Duration::from_millis;
        let usual = after(Lateness::default(), 500, ms(3));
        assert_eq!(usual.margin(), ms(6));
        let outlier = after(after(usual, 1, ms(90)), 100, ms(3));
        assert_eq!(outlier.margin(), ms(6));
        assert!(after(outlier, 1, ms(90)).margin() > ms(140));
        assert!(after(outlier, 1, ms(40)).margin() >= ms(80), "as late as it was this time");
    }

    #[test]
    fn what_is_assumed_of_an_unknown_machine_is_forgotten_within_games() {
        let ms = Duration::from_millis;
        assert_eq!(Lateness::default().margin(), ms(8));
        assert!((ms(3)..ms(5)).contains(&after(Lateness::default(), 44, ms(0)).margin()));
        assert!(after(Lateness::default(), 300, ms(0)).margin() < Duration::from_micros(100));
    }
}
