//! What is said to an engine, and the wait for what it says.

use std::io;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, after, never, select_biased};
use kiki_usi::Reply;

use crate::answer::ReplyOr;
use crate::engine::UsiEngine;
use crate::error::EngineError;
use crate::line_logger::LineDirection;
use crate::process::describe;

/// How often a process is checked while its answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long to go on reading the output of a process that has ended. No process holds its pipes any more, so only a busy machine needs
/// the time.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

impl UsiEngine {
    pub(crate) fn request(&mut self, lines: &str, awaited: &str) -> Result<(), EngineError> {
        self.send(lines).map_err(|_| self.ended(awaited))
    }

    pub(crate) fn send(&mut self, lines: &str) -> io::Result<()> {
        if let Some(logger) = &self.logger {
            lines.lines().for_each(|line| logger(LineDirection::ToEngine, line.as_bytes()));
        }
        self.process.send(lines)
    }

    /// The next answer of any kind and when it was read.
    pub(crate) fn wait(&mut self, deadline: Option<Instant>, awaited: &str) -> Result<(Reply, Instant), EngineError> {
        loop {
            if let ReplyOr::Reply(reply, at) = self.wait_or(deadline, awaited, &never::<()>())? {
                return Ok((reply, at));
            }
        }
    }

    /// The next answer or message.
    pub(crate) fn wait_or<T>(
        &mut self,
        mut deadline: Option<Instant>,
        awaited: &str,
        messages: &Receiver<T>,
    ) -> Result<ReplyOr<T>, EngineError> {
        let began = Instant::now();
        let mut ended = false;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let poll = after(left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL)));
            select_biased! {
                recv(self.cancel.receiver()) -> _ => return Err(EngineError::Cancelled),
                recv(self.reader.answers) -> line => {
                    let line = line.map_err(|_| self.ended(awaited))?;
                    return Ok(ReplyOr::Reply(Reply::parse(&line.text), line.at));
                },
                recv(messages) -> message => {
                    return message.map(ReplyOr::Message).map_err(|_| EngineError::Cancelled);
                },
                recv(poll) -> _ => {}
            }
            if !ended && self.process.has_ended() {
                // Its children may hold its pipes open, so that these would never end. Lines printed before the end still count.
                self.process.end();
                ended = true;
                deadline = Some(Instant::now() + DRAIN_TIMEOUT);
            } else if let Some(deadline) = deadline.filter(|&deadline| deadline <= Instant::now()) {
                if let Some(line) = self.reader.unread_answer() {
                    return Ok(ReplyOr::Reply(Reply::parse(&line.text), line.at.min(deadline)));
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
