//! Standard output, and the replies that the GUI gets once all members have reported.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::time::Instant;

use crate::message::RequestNumber;

/// Prints one line and flushes. If standard output is closed, nothing happens.
pub(crate) fn print_line(text: impl Display) {
    let text = format!("{text}\n");
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PendingReply {
    /// `usiok`, which is printed at this time even if members have not reported.
    UsiOk(Instant),
    ReadyOk,
}

/// The replies that the GUI still awaits, in the order of its commands.
#[derive(Debug, Default)]
pub(crate) struct PendingReplies {
    queue: VecDeque<AwaitedReply>,
    requests: RequestNumber,
}

#[derive(Debug)]
struct AwaitedReply {
    number: RequestNumber,
    reply: PendingReply,
    awaited: Vec<usize>,
}

impl PendingReplies {
    /// Adds a reply that becomes due once these members have reported the request whose number is
    /// returned.
    pub(crate) fn add(&mut self, reply: PendingReply, awaited: Vec<usize>) -> RequestNumber {
        self.requests += 1;
        self.queue.push_back(AwaitedReply { number: self.requests, reply, awaited });
        self.requests
    }

    /// Stops waiting for a member: it has finished a request, or will finish none.
    pub(crate) fn release(&mut self, member: usize, finished: Option<RequestNumber>) {
        for request in self.queue.iter_mut().filter(|request| finished.is_none_or(|number| number == request.number)) {
            request.awaited.retain(|&awaited| awaited != member);
        }
    }

    pub(crate) fn awaited_from(&self, member: usize) -> Vec<(RequestNumber, PendingReply)> {
        let awaited = self.queue.iter().filter(|request| request.awaited.contains(&member));
        awaited.map(|request| (request.number, request.reply)).collect()
    }

    pub(crate) fn next_due(&mut self, now: Instant) -> Option<PendingReply> {
        let first = self.queue.front()?;
        let too_late = matches!(first.reply, PendingReply::UsiOk(until) if until <= now);
        if first.awaited.is_empty() || too_late { self.queue.pop_front().map(|first| first.reply) } else { None }
    }

    pub(crate) fn awaits_ready_ok(&self) -> bool {
        self.queue.iter().any(|request| request.reply == PendingReply::ReadyOk)
    }

    /// When the first reply is printed even if members have not reported.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self.queue.front()?.reply {
            PendingReply::UsiOk(until) => Some(until),
            PendingReply::ReadyOk => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn replies_come_in_order_once_all_have_reported() {
        let (mut replies, now) = (PendingReplies::default(), Instant::now());
        let usi_ok = PendingReply::UsiOk(now + Duration::from_secs(8));
        let usi = replies.add(usi_ok, vec![0, 1]);
        let ready = replies.add(PendingReply::ReadyOk, vec![0, 1]);
        assert_eq!((replies.next_due(now), replies.deadline()), (None, Some(now + Duration::from_secs(8))));
        assert_eq!(replies.awaited_from(1), [(usi, usi_ok), (ready, PendingReply::ReadyOk)]);
        // The second is done before the first: it waits for its turn.
        for member in [0, 1] {
            replies.release(member, Some(ready));
        }
        replies.release(0, Some(usi));
        assert_eq!(replies.next_due(now), None);
        replies.release(1, None);
        assert_eq!((replies.next_due(now), replies.next_due(now)), (Some(usi_ok), Some(PendingReply::ReadyOk)));
        assert_eq!((replies.next_due(now), replies.deadline()), (None, None));
    }

    #[test]
    fn only_usiok_comes_without_all_members() {
        let (mut replies, now) = (PendingReplies::default(), Instant::now());
        replies.add(PendingReply::UsiOk(now), vec![0]);
        replies.add(PendingReply::ReadyOk, vec![0]);
        assert_eq!(replies.next_due(now), Some(PendingReply::UsiOk(now)));
        assert_eq!(replies.next_due(now + Duration::from_hours(1)), None);
        // A report of something else does not count.
        replies.release(0, Some(1));
        assert_eq!(replies.next_due(now), None);
    }
}
