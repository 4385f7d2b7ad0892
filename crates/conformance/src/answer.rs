//! What is said in USI: the handshake, searches and their answers.

use std::time::{Duration, Instant};

use kiki_usi::{BestMove, Reply};

use crate::pipes::Line;
use crate::placement::Placement;
use crate::problem::{Outcome, Problem};
use crate::session::{Session, milliseconds};

/// A search that every engine knows and that is over soon.
pub(crate) const SHORT: &str = "go btime 0 wtime 0 byoyomi 100";

/// A search that has time enough on a machine that has other work.
pub(crate) const LONGER: &str = "go btime 0 wtime 0 byoyomi 3000";

/// Pondering by a clock that would soon have run down.
pub(crate) const PONDER: &str = "go ponder btime 1000 wtime 1000 byoyomi 100";

/// The answer to `go`.
pub(crate) struct Answer {
    pub(crate) best: BestMove,
    /// The line itself.
    pub(crate) line: Line,
    /// What was said before it.
    pub(crate) before: Vec<Line>,
}

impl Answer {
    /// The move, if it is one.
    pub(crate) fn mv(&self) -> Option<&str> {
        match &self.best {
            BestMove::Move { best, .. } => Some(best),
            BestMove::Resign | BestMove::Win => None,
        }
    }
}

impl Session {
    /// Sends `usi` and waits for `usiok`: all lines. As patient as for `readyok`: whether it comes soon is a case of its own.
    pub(crate) fn handshake(&mut self) -> Result<Vec<Line>, Problem> {
        self.say("usi");
        self.until("usiok", self.settings().ready_timeout)
    }

    /// Sends an option; an empty value is told as USI tells it.
    pub(crate) fn set_option(&mut self, name: &str, value: &str) {
        let value = if value.is_empty() { "<empty>" } else { value };
        self.say(&format!("setoption name {name} value {value}"));
    }

    /// Sends `isready` and waits for `readyok`: all lines.
    pub(crate) fn ready(&mut self) -> Result<Vec<Line>, Problem> {
        self.say("isready");
        self.until("readyok", self.settings().ready_timeout)
    }

    /// Sends a position and a search.
    pub(crate) fn go(&mut self, placement: &Placement, go: &str) {
        self.say(&placement.command);
        self.say(go);
    }

    /// Waits for `bestmove`.
    pub(crate) fn answer(&mut self) -> Result<Answer, Problem> {
        let mut before = self.until("bestmove", self.settings().timeout)?;
        let Some(line) = before.pop() else { return Err(self.failed("no `bestmove`")) };
        match Reply::parse(line.text.as_bytes()) {
            Reply::BestMove(best) => Ok(Answer { best, line, before }),
            _ => Err(self.failed(format!("`{}` names no move", line.quoted()))),
        }
    }

    /// A search with its answer.
    pub(crate) fn think(&mut self, placement: &Placement, go: &str) -> Result<Answer, Problem> {
        self.go(placement, go);
        self.answer()
    }

    /// A search whose answer is legal.
    pub(crate) fn think_legally(&mut self, placement: &Placement, go: &str) -> Result<Answer, Problem> {
        let answer = self.think(placement, go)?;
        self.is_legal(placement, &answer)?;
        Ok(answer)
    }

    /// Sends lines that are answered by a legal move in this position: the time until the answer.
    pub(crate) fn timed_answer(&mut self, placement: &Placement, lines: &str) -> Result<Duration, Problem> {
        let (took, answer) = self.answer_to(lines)?;
        self.is_legal(placement, &answer)?;
        Ok(took)
    }

    /// Sends lines and waits for their answer: how long it took, and the answer.
    ///
    /// # Errors
    /// It came before they were sent: it answers something else.
    pub(crate) fn answer_to(&mut self, lines: &str) -> Result<(Duration, Answer), Problem> {
        let asked = Instant::now();
        self.say(lines);
        let answer = self.answer()?;
        match answer.line.at.checked_duration_since(asked) {
            Some(took) => Ok((took, answer)),
            None => {
                let first = lines.lines().next().unwrap_or_default();
                Err(self.failed(format!("`{}` came before `{first}` was sent", answer.line.quoted())))
            }
        }
    }

    /// The time that something took as a remark; `event` says what happened then.
    ///
    /// # Errors
    /// It took longer than the limit and the tolerance.
    pub(crate) fn in_time(&self, event: &str, took: Duration, limit: Duration) -> Outcome {
        self.in_time_with(event, took, limit, self.settings().tolerance)
    }

    /// The same for the best or the median of several times. A busy machine spoils few of them, so that less is added: a limit of 100 ms
    /// says nothing beside a tolerance of 1 s.
    pub(crate) fn mostly_in_time(&self, event: &str, took: Duration, limit: Duration) -> Outcome {
        self.in_time_with(event, took, limit, self.settings().tolerance / 5)
    }

    fn in_time_with(&self, event: &str, took: Duration, limit: Duration, tolerance: Duration) -> Outcome {
        let [took_text, limit_text] = [took, limit].map(milliseconds);
        if took > limit + tolerance {
            return Err(self.failed(format!("{event} after {took_text}, not within {limit_text}")));
        }
        Ok(Some(format!("{took_text} of {limit_text}")))
    }

    /// # Errors
    /// The answer is no legal move, and neither gives up nor declares with right.
    pub(crate) fn is_legal(&self, placement: &Placement, answer: &Answer) -> Result<(), Problem> {
        let legal = match &answer.best {
            BestMove::Move { best, .. } => placement.is_legal(best),
            BestMove::Resign if !placement.may_be_lost => {
                let position = placement.position.to_sfen();
                return Err(self.failed(format!("`{}` in `{position}`, which is not lost", answer.line.quoted())));
            }
            BestMove::Resign => true,
            BestMove::Win => placement.may_declare(),
        };
        if legal {
            return Ok(());
        }
        let position = placement.position.to_sfen();
        Err(self.failed(format!("`{}` is illegal in `{position}`", answer.line.quoted())))
    }

    /// Nothing is answered any more: a round trip of `isready` comes back without another `bestmove` or `checkmate`.
    pub(crate) fn is_through(&mut self) -> Result<(), Problem> {
        for line in self.ready()? {
            self.none_of(&["bestmove", "checkmate"], &line, "came although no search was going on")?;
        }
        Ok(())
    }

    /// Stops a search that is not to end by itself: how long it took, and the answer.
    ///
    /// # Errors
    /// It had ended by itself.
    pub(crate) fn stop(&mut self) -> Result<(Duration, Answer), Problem> {
        self.answer_to("stop")
    }

    /// Nothing is answered for a while in a search that is not to end by itself.
    pub(crate) fn holds(&mut self, when: &str) -> Result<Vec<Line>, Problem> {
        self.without(&["bestmove", "checkmate"], self.settings().silence, when)
    }
}
