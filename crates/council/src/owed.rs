//! Answers that are owed to the GUI until all members have reported.

use std::collections::VecDeque;
use std::time::Instant;

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwedAnswer {
    /// `usiok`, at this moment at the latest.
    UsiOk { until: Instant },
    /// `readyok`.
    ReadyOk,
}

/// The answers that are owed, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    queue: VecDeque<Request>,
    requests: u64,
}

#[derive(Debug)]
struct Request {
    number: u64,
    answer: OwedAnswer,
    /// The members that have not reported yet.
    awaited: Vec<usize>,
}

impl Owed {
    /// An answer is owed once these members have reported that they have done the request with the number that is returned.
    pub(crate) fn ask(&mut self, answer: OwedAnswer, awaited: Vec<usize>) -> u64 {
        self.requests += 1;
        self.queue.push_back(Request { number: self.requests, answer, awaited });
        self.requests
    }

    /// A member has done a request.
    pub(crate) fn reported(&mut self, member: usize, number: u64) {
        for request in self.queue.iter_mut().filter(|request| request.number == number) {
            request.awaited.retain(|&awaited| awaited != member);
        }
    }

    /// What is awaited from a member.
    pub(crate) fn awaited_from(&self, member: usize) -> Vec<(u64, OwedAnswer)> {
        let awaited = self.queue.iter().filter(|request| request.awaited.contains(&member));
        awaited.map(|request| (request.number, request.answer)).collect()
    }

    /// Nothing is awaited from a member any more.
    pub(crate) fn release(&mut self, member: usize) {
        for request in &mut self.queue {
            request.awaited.retain(|&awaited| awaited != member);
        }
    }

    /// The first answer, if it can be given now.
    pub(crate) fn next_due(&mut self, now: Instant) -> Option<OwedAnswer> {
        let first = self.queue.front()?;
        let too_late = matches!(first.answer, OwedAnswer::UsiOk { until } if until <= now);
        if first.awaited.is_empty() || too_late { self.queue.pop_front().map(|first| first.answer) } else { None }
    }

    /// Whether a `readyok` is owed.
    pub(crate) fn owes_ready_ok(&self) -> bool {
        self.queue.iter().any(|request| request.answer == OwedAnswer::ReadyOk)
    }

    /// When the first answer is given whoever has reported.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self.queue.front()?.answer {
            OwedAnswer::UsiOk { until } => Some(until),
            OwedAnswer::ReadyOk => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn answers_come_in_order_once_all_have_reported() {
        let (mut owed, now) = (Owed::default(), Instant::now());
        let usi_ok = OwedAnswer::UsiOk { until: now + Duration::from_secs(8) };
        let usi = owed.ask(usi_ok, vec![0, 1]);
        let ready = owed.ask(OwedAnswer::ReadyOk, vec![0, 1]);
        assert_eq!((owed.next_due(now), owed.deadline()), (None, Some(now + Duration::from_secs(8))));
        assert_eq!(owed.awaited_from(1), [(usi, usi_ok), (ready, OwedAnswer::ReadyOk)]);
        // The second is done before the first: it waits for its turn.
        for member in [0, 1] {
            owed.reported(member, ready);
        }
        owed.reported(0, usi);
        assert_eq!(owed.next_due(now), None);
        owed.release(1);
        assert_eq!((owed.next_due(now), owed.next_due(now)), (Some(usi_ok), Some(OwedAnswer::ReadyOk)));
        assert_eq!((owed.next_due(now), owed.deadline()), (None, None));
    }

    #[test]
    fn only_usiok_is_given_without_all_members() {
        let (mut owed, now) = (Owed::default(), Instant::now());
        owed.ask(OwedAnswer::UsiOk { until: now }, vec![0]);
        owed.ask(OwedAnswer::ReadyOk, vec![0]);
        assert_eq!(owed.next_due(now), Some(OwedAnswer::UsiOk { until: now }));
        assert_eq!(owed.next_due(now + Duration::from_hours(1)), None);
        // A report of something else does not count.
        owed.reported(0, 1);
        assert_eq!(owed.next_due(now), None);
    }
}
