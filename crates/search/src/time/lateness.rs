//! How much later than planned answers are given on this machine, learned from the answers of this process.

use std::time::Duration;

/// An estimate of the greatest lateness to be expected: the greatest that was seen, and slowly less if it is not seen again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    expected: Duration,
}

impl Default for Lateness {
    /// Of a machine of which nothing is known yet: it may be busy.
    fn default() -> Self {
        Self { expected: Duration::from_millis(4) }
    }
}

impl Lateness {
    /// A part of this size of the estimate is forgotten with every answer: half of it after 44.
    const FORGOTTEN: u32 = 64;

    /// An answer was given so much after the moment planned for it.
    pub(crate) fn observe(&mut self, late: Duration) {
        self.expected = late.max(self.expected - self.expected / Self::FORGOTTEN);
    }

    /// What may pass unseen on both sides of the clock: the answer's way out has been measured, the command's way in is as long.
    pub(crate) fn margin(self) -> Duration {
        2 * self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_lateness_counts_at_once_and_is_forgotten_slowly() {
        let ms = Duration::from_millis;
        let mut lateness = Lateness::default();
        assert_eq!(lateness.margin(), ms(8));
        lateness.observe(ms(1));
        lateness.observe(ms(10));
        assert_eq!(lateness.margin(), ms(20));
        for _ in 0..44 {
            lateness.observe(ms(1));
        }
        assert!((ms(9)..ms(11)).contains(&lateness.margin()), "{lateness:?}");
        for _ in 0..400 {
            lateness.observe(ms(1));
        }
        assert_eq!(lateness.margin(), ms(2));
    }
}
