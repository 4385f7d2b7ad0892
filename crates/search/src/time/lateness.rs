//! How much later than planned answers are given on this machine, learned from the answers of this process.

use std::time::Duration;

/// An estimate of the greatest lateness to be expected: the greatest that was seen, and slowly less if it is not seen again. A machine of which
/// nothing is known may be busy; that assumption goes faster, as every punctual answer speaks against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    assumed: Duration,
    seen: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { assumed: Duration::from_millis(4), seen: Duration::ZERO }
    }
}

impl Lateness {
    /// A part of this size of the assumption is given up with every answer: half of it after 44.
    const ASSUMED_FORGOTTEN: u32 = 64;

    /// A part of this size of what was seen is forgotten with every answer: half of it after 355, some six games. What a machine does once
    /// in a thousand answers would otherwise be met unprepared every time.
    const SEEN_FORGOTTEN: u32 = 512;

    /// An answer was given so much after the moment planned for it.
    pub(crate) fn observe(&mut self, late: Duration) {
        self.assumed -= self.assumed / Self::ASSUMED_FORGOTTEN;
        self.seen = late.max(self.seen - self.seen / Self::SEEN_FORGOTTEN);
    }

    /// What may pass unseen on both sides of the clock: the answer's way out has been measured, the command's way in is as long.
    pub(crate) fn margin(self) -> Duration {
        2 * self.assumed.max(self.seen)
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
    fn the_worst_lateness_counts_at_once_and_is_forgotten_over_games() {
        let ms = Duration::from_millis;
        let worst = after(Lateness::default(), 1, ms(10));
        assert_eq!(worst.margin(), ms(20));
        assert!(after(worst, 60, ms(1)).margin() > ms(17), "a game later");
        assert!((ms(9)..ms(11)).contains(&after(worst, 355, ms(1)).margin()), "six games later");
        assert_eq!(after(worst, 3000, ms(1)).margin(), ms(2));
    }

    #[test]
    fn what_is_assumed_of_an_unknown_machine_is_forgotten_within_games() {
        let ms = Duration::from_millis;
        assert_eq!(Lateness::default().margin(), ms(8));
        assert!((ms(3)..ms(5)).contains(&after(Lateness::default(), 44, ms(0)).margin()));
        assert!(after(Lateness::default(), 300, ms(0)).margin() < Duration::from_micros(100));
    }
}
