//! What is said to an engine, and the wait for what it says.

use std::io;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, TryRecvError, after, never, select_biased};
use kiki_usi::Reply;

use crate::answer::AcceptedOr;
use crate::answer_queue::AnswerLine;
use crate::engine::UsiEngine;
use crate::error::EngineError;
use crate::line_logger::LineDirection;
use crate::process::{INPUT_PART, describe};

/// How often a process is checked while its answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long an engine may leave so much input unread that no more can be sent.
const INPUT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to go on reading the output of a process that has ended. No process holds its pipes any more, so only a busy machine needs
/// the time.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A waiting thread looks at its clock every [`POLL_INTERVAL`]. If it could not for so long, this process was stopped or had no processor, and
/// when a line arrived meanwhile is not known.
const STANDSTILL: Duration = Duration::from_millis(100);

/// When a line arrived that was read `at` some moment by a caller who `looked` for it before and found nothing. A caller that could not look
/// when the deadline passed finds what has arrived meanwhile, and that counts as in time, whichever of the two threads woke first.
fn arrival(at: Instant, looked: Instant, deadline: Option<Instant>) -> Instant {
    let at = if at.saturating_duration_since(looked) > STANDSTILL { looked } else { at };
    deadline.map_or(at, |deadline| at.min(deadline))
}

impl UsiEngine {
    pub(crate) fn request(&mut self, lines: &str, awaited: &str) -> Result<(), EngineError> {
        let began = Instant::now();
        self.send(lines).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => self.timed_out(awaited, began),
            io::ErrorKind::Interrupted => EngineError::Cancelled,
            _ => self.ended(awaited),
        })
    }

    pub(crate) fn send(&mut self, lines: &str) -> io::Result<()> {
        if let Some(logger) = &self.logger {
            lines.lines().for_each(|line| logger(LineDirection::ToEngine, line.as_bytes()));
        }
        let deadline = Instant::now() + INPUT_TIMEOUT;
        for part in lines.as_bytes().chunks(INPUT_PART) {
            while !self.process.takes_input(POLL_INTERVAL)? {
                if self.cancel.is_cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                if deadline <= Instant::now() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            self.process.send(part)?;
        }
        Ok(())
    }

    /// Sends what begins a search, whose time counts from here on.
    pub(crate) fn begin_search(&mut self, lines: &str) -> Result<(), EngineError> {
        let before = Instant::now();
        self.request(lines, "bestmove")?;
        let after = Instant::now();
        // That this program stood still in between is not the engine's fault.
        self.since = if after - before > STANDSTILL { after } else { before };
        Ok(())
    }

    /// Waits for a reply that `accept` makes something of, and tells when that arrived. All others are dropped.
    pub(crate) fn wait<T>(
        &mut self,
        deadline: Option<Instant>,
        awaited: &str,
        accept: impl FnMut(Reply) -> Result<Option<T>, EngineError>,
    ) -> Result<(T, Instant), EngineError> {
        match self.wait_or(deadline, awaited, &never::<()>(), accept)? {
            AcceptedOr::Accepted(accepted, at) => Ok((accepted, at)),
            // Nobody can send one.
            AcceptedOr::Message(()) => Err(EngineError::Cancelled),
        }
    }

    /// The same, or a message if that comes first. No flood of other lines makes the wait longer.
    pub(crate) fn wait_or<T, M>(
        &mut self,
        deadline: Option<Instant>,
        awaited: &str,
        messages: &Receiver<M>,
        mut accept: impl FnMut(Reply) -> Result<Option<T>, EngineError>,
    ) -> Result<AcceptedOr<T, M>, EngineError> {
        let began = Instant::now();
        let mut until = deadline;
        let mut ended = false;
        loop {
            let looked = Instant::now();
            let mut accepted = |line: &AnswerLine| {
                let accepted = accept(Reply::parse(&line.text))?;
                Ok(accepted.map(|accepted| AcceptedOr::Accepted(accepted, arrival(line.at, looked, deadline))))
            };
            let left = until.map(|until| until.saturating_duration_since(looked));
            let poll = after(left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL)));
            select_biased! {
                recv(self.cancel.receiver()) -> _ => return Err(EngineError::Cancelled),
                recv(self.reader.answers) -> line => {
                    let line = line.map_err(|_| self.ended(awaited))?;
                    if let Some(accepted) = accepted(&line)? {
                        return Ok(accepted);
                    }
                    // A flood of other lines holds no message up.
                    match messages.try_recv() {
                        Ok(message) => return Ok(AcceptedOr::Message(message)),
                        Err(TryRecvError::Disconnected) => return Err(EngineError::Cancelled),
                        Err(TryRecvError::Empty) => {}
                    }
                },
                recv(messages) -> message => {
                    return message.map(AcceptedOr::Message).map_err(|_| EngineError::Cancelled);
                },
                recv(poll) -> _ => {}
            }
            if !ended && self.process.has_ended() {
                // Its children may hold its pipes open, so that these would never end. Lines printed before the end still count.
                self.process.end();
                ended = true;
                until = Some(Instant::now() + DRAIN_TIMEOUT);
            } else if until.is_some_and(|until| until <= Instant::now()) {
                for line in self.reader.unread_answers() {
                    if let Some(accepted) = accepted(&line)? {
                        return Ok(accepted);
                    }
                }
                return Err(if ended { self.ended(awaited) } else { self.timed_out(awaited, began) });
            }
        }
    }

    fn timed_out(&self, awaited: &str, began: Instant) -> EngineError {
        EngineError::TimedOut { awaited: awaited.to_owned(), waited: began.elapsed(), last_lines: self.last_lines() }
    }

    /// The error of an engine that has ended. Its last lines may still have to be read.
    fn ended(&mut self, awaited: &str) -> EngineError {
        // A process that closes its streams usually ends at once.
        let has_ended = self.process.wait(DRAIN_TIMEOUT);
        let status = if has_ended { self.process.end() } else { None };
        let how = status.map_or_else(|| "closed its streams".to_owned(), describe);
        let _ = self.reader.end.recv_timeout(if has_ended { DRAIN_TIMEOUT } else { Duration::ZERO });
        EngineError::Ended { awaited: awaited.to_owned(), how, last_lines: self.last_lines() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_after_a_standstill_was_in_time() {
        let looked = Instant::now();
        let after = |milliseconds| looked + Duration::from_millis(milliseconds);
        let deadline = Some(after(50));
        assert_eq!(arrival(after(15), looked, deadline), after(15));
        assert_eq!(arrival(after(60), looked, deadline), after(50), "the caller itself was late by a little");
        assert_eq!(arrival(after(3000), looked, deadline), looked, "nothing is known of the time between");
        assert_eq!(arrival(after(3000), looked, Some(after(5000))), looked);
        assert_eq!(arrival(looked, after(15), None), looked, "read before the caller asked");
    }
}
