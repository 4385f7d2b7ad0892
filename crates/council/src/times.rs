//! When the members of a search are stopped, and when the council answers.

use std::time::{Duration, Instant};

use kiki_board::Color;
use kiki_usi::GoSpec;

use crate::allowance::{allowance, longest_silence};

/// How much longer than the first one a member may search where no clock runs.
const PATIENCE_WITHOUT_CLOCK: Duration = Duration::from_mins(1);

/// How long members may take to answer `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The least that they may take where nobody uses the answer: a clock may run already.
const LEAST_STOP_TIMEOUT: Duration = Duration::from_millis(100);

/// Times that a search keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waiting {
    /// How long before the end of the time for a move the council answers; at most a quarter of that time.
    pub margin: Duration,
    /// How much later than the first a member may answer.
    pub patience: Duration,
}

/// What a search needs now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextStep {
    /// Nothing before this moment, if there is one.
    Wait(Option<Instant>),
    /// Members are to stop.
    Stop,
    /// An answer is due; members that still search are late.
    Answer,
}

/// The times of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchTimes {
    /// When it began, or when the expected move was played.
    since: Instant,
    /// No answer before `stop` or `ponderhit`.
    held_back: bool,
    /// It ponders: if it is stopped now its answer is ignored.
    ponders: bool,
    /// Nobody uses the answer.
    unused: bool,
    stopped: Option<Instant>,
    first_answer: Option<Instant>,
    allowance: Option<Duration>,
    longest_silence: Option<Duration>,
    waiting: Waiting,
}

impl SearchTimes {
    /// Of a search for this side whose clock runs since this moment.
    #[must_use]
    pub fn new(go: &GoSpec, side: Color, waiting: Waiting, since: Instant) -> Self {
        // A search that is stopped while pondering, or has no limits, has no clock of its own.
        let held_back = go.ponder || go.infinite;
        let (allowance, longest_silence) =
            if held_back { (None, None) } else { (allowance(go, side), longest_silence(go, side)) };
        Self {
            since,
            held_back,
            ponders: go.ponder,
            unused: false,
            stopped: None,
            first_answer: None,
            allowance,
            longest_silence,
            waiting,
        }
    }

    /// The expected move was played: the clock runs since this moment.
    pub fn ponder_hit(&mut self, go: &GoSpec, side: Color, since: Instant) {
        let new = Self::new(go, side, self.waiting, since);
        let first_answer = self.first_answer.map(|_| new.since);
        *self = Self { unused: self.unused, stopped: self.stopped, first_answer, ..new };
    }

    /// An answer is wanted now. `true`: members have to be told, since it was not wanted before.
    pub fn stop(&mut self) -> bool {
        self.held_back = false;
        self.unused |= self.ponders;
        let is_news = self.stopped.is_none();
        self.stopped.get_or_insert_with(Instant::now);
        is_news
    }

    /// Nobody uses the answer, since another search waits for it to be given.
    pub fn make_way(&mut self) {
        self.unused = true;
    }

    /// Whether nobody uses the answer: members are not waited for as long.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.unused
    }

    /// Whether an answer is wanted now.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// A member has answered.
    pub fn answered(&mut self) {
        self.first_answer.get_or_insert_with(Instant::now);
    }

    /// The time since it began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// What to do at this moment; `all_done`: no member searches any more.
    #[must_use]
    pub fn next_step(&self, all_done: bool, now: Instant) -> NextStep {
        if self.held_back {
            return NextStep::Wait(None);
        }
        let (stop_at, answer_at) = (self.stop_at(), self.answer_at());
        if all_done || answer_at.is_some_and(|at| at <= now) {
            NextStep::Answer
        } else if self.stopped.is_none() && stop_at.is_some_and(|at| at <= now) {
            NextStep::Stop
        } else {
            let stop_at = if self.stopped.is_none() { stop_at } else { None };
            NextStep::Wait([stop_at, answer_at].into_iter().flatten().min())
        }
    }

    /// When members that still search are stopped: twice the margin before the end of the time, when the first has waited long enough, or when
    /// none has answered for long.
    fn stop_at(&self) -> Option<Instant> {
        let by_clock = self.allowance.map(|time| self.since + time.saturating_sub(2 * self.margin(time)));
        let by_first = self.first_answer.map(|first| {
            let taken = first.saturating_duration_since(self.since);
            let patience = if by_clock.is_some() { self.waiting.patience } else { PATIENCE_WITHOUT_CLOCK };
            first + taken.max(patience)
        });
        let by_silence = self.longest_silence.filter(|_| by_first.is_none()).map(|time| self.since + time);
        [by_clock, by_first, by_silence].into_iter().flatten().min()
    }

    /// When the council answers whatever its members do.
    fn answer_at(&self) -> Option<Instant> {
        let by_clock = self.allowance.map(|time| self.since + time.saturating_sub(self.margin(time)));
        let after_stop = self.stopped.map(|stopped| stopped + self.stop_timeout());
        [by_clock, after_stop].into_iter().flatten().min()
    }

    fn stop_timeout(&self) -> Duration {
        if self.unused { self.waiting.margin.clamp(LEAST_STOP_TIMEOUT, STOP_TIMEOUT) } else { STOP_TIMEOUT }
    }

    /// Of a short time members have half, and a quarter to answer `stop`.
    fn margin(&self, time: Duration) -> Duration {
        self.waiting.margin.min(time / 4)
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::{Clocks, Command};

    use super::*;

    fn go(text: &str) -> GoSpec {
        let Ok(Command::Go(go)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        go
    }

    fn times(text: &str) -> SearchTimes {
        let waiting = Waiting { margin: Duration::from_millis(30), patience: Duration::from_millis(200) };
        SearchTimes::new(&go(text), Color::Black, waiting, Instant::now())
    }

    fn after(times: &SearchTimes, milliseconds: u64) -> NextStep {
        times.next_step(false, times.since + Duration::from_millis(milliseconds))
    }

    fn wait(times: &SearchTimes, milliseconds: u64) -> NextStep {
        NextStep::Wait(Some(times.since + Duration::from_millis(milliseconds)))
    }

    #[test]
    fn the_council_stops_and_answers_before_its_flag_falls() {
        let times = times("go byoyomi 1000");
        assert_eq!(after(&times, 0), wait(&times, 940));
        assert_eq!(after(&times, 940), NextStep::Stop);
        assert_eq!(after(&times, 970), NextStep::Answer);
    }

    #[test]
    fn members_are_asked_however_short_the_time_is() {
        for (go, stop, answer) in [("go byoyomi 40", 20, 30), ("go movetime 8", 4, 6), ("go btime 0 wtime 0", 50, 75)] {
            let times = times(go);
            assert_eq!(after(&times, 0), wait(&times, stop), "{go}");
            assert_eq!(after(&times, stop), NextStep::Stop, "{go}");
            assert_eq!(after(&times, answer), NextStep::Answer, "{go}");
        }
        assert_eq!(after(&times("go btime 0 wtime 0 nodes 1000"), 1_000_000), NextStep::Wait(None));
    }

    #[test]
    fn late_members_are_waited_for_as_long_as_the_patience() {
        let mut times = times("go btime 600000 wtime 600000");
        times.answered();
        assert!(matches!(after(&times, 100), NextStep::Wait(_)));
        assert_eq!(after(&times, 300), NextStep::Stop);
        assert!(times.stop() && !times.stop());
        assert_eq!(after(&times, 1500), NextStep::Answer);
    }

    #[test]
    fn where_all_are_silent_the_clock_is_not_used_up() {
        let mut times = times("go btime 600000 wtime 600000");
        assert_eq!(after(&times, 0), wait(&times, 200_000));
        assert_eq!(after(&times, 200_000), NextStep::Stop);
        // One that has answered late is waited with as long as it took.
        times.first_answer = Some(times.since + Duration::from_secs(150));
        assert_eq!(after(&times, 200_000), wait(&times, 300_000));
    }

    #[test]
    fn nothing_is_answered_before_stop_or_ponderhit() {
        let asked = go("go ponder byoyomi 1000");
        let mut pondering = times("go ponder byoyomi 1000");
        assert_eq!(pondering.next_step(true, pondering.since + Duration::from_secs(5)), NextStep::Wait(None));
        let hit = |byoyomi| GoSpec { ponder: false, clocks: Clocks { byoyomi, ..Clocks::default() }, ..asked.clone() };
        pondering.ponder_hit(&hit(Some(200)), Color::Black, Instant::now());
        assert_eq!(after(&pondering, 0), wait(&pondering, 140));
        assert_eq!(pondering.next_step(true, pondering.since), NextStep::Answer);
        let mut infinite = times("go infinite");
        assert_eq!(after(&infinite, 100_000), NextStep::Wait(None));
        infinite.stop();
        assert_eq!(after(&infinite, 2000), NextStep::Answer);
    }

    #[test]
    fn members_have_time_to_answer_after_a_long_ponder_is_stopped() {
        for go in ["go ponder byoyomi 100", "go infinite"] {
            let mut times = times(go);
            times.since -= Duration::from_secs(5);
            times.stop();
            assert!(matches!(times.next_step(false, Instant::now()), NextStep::Wait(Some(_))), "{go}");
        }
    }

    #[test]
    fn members_that_are_stopped_are_waited_for_as_long_as_the_answer_is_used() {
        let wait_after = |go: &str, makes_way: bool, margin: u64| {
            let mut times = times(go);
            times.waiting.margin = Duration::from_millis(margin);
            times.stop();
            if makes_way {
                times.make_way();
            }
            times.answer_at().unwrap() - times.stopped.unwrap()
        };
        let cases = [
            ("go infinite", false, 30, 1000),
            ("go infinite", true, 30, 100),
            ("go infinite", true, 300, 300),
            ("go ponder byoyomi 9000", false, 30, 100),
            ("go ponder byoyomi 9000", false, 5000, 1000),
        ];
        for (go, makes_way, margin, expected) in cases {
            assert_eq!(wait_after(go, makes_way, margin), Duration::from_millis(expected), "{go} {makes_way} {margin}");
        }
        // After ponderhit the answer is used.
        let mut hit = times("go ponder");
        hit.ponder_hit(&go("go byoyomi 9000"), Color::Black, Instant::now());
        hit.stop();
        assert!(!hit.is_unused());
    }

    #[test]
    fn the_clock_runs_since_the_search_was_asked_for() {
        let asked = Instant::now() - Duration::from_millis(400);
        let times = SearchTimes::new(&go("go byoyomi 1000"), Color::Black, times("go infinite").waiting, asked);
        assert_eq!(times.next_step(false, asked + Duration::from_millis(939)), wait(&times, 940));
        assert_eq!(times.next_step(false, asked + Duration::from_millis(940)), NextStep::Stop);
    }
}
