//! How long to wait before the next attempt to log in.

use std::time::Duration;

/// Waits that double from the shortest to the longest.
#[derive(Clone, Copy, Debug)]
pub struct BackOff {
    shortest: Duration,
    longest: Duration,
    next: Duration,
}

impl BackOff {
    /// The shortest and the longest wait.
    #[must_use]
    pub fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest: longest.max(shortest), next: shortest }
    }

    /// How long to wait now.
    pub fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (2 * wait).min(self.longest);
        wait
    }

    /// All is well again.
    pub fn reset(&mut self) {
        self.next = self.shortest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_until_all_is_well() {
        let mut back_off = BackOff::new(Duration::from_secs(10), Duration::from_secs(60));
        let waits: Vec<u64> = (0..5).map(|_| back_off.wait().as_secs()).collect();
        assert_eq!(waits, [10, 20, 40, 60, 60]);
        back_off.reset();
        assert_eq!(back_off.wait(), Duration::from_secs(10));
    }
}
