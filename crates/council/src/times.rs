//! How long a move may take, when the members of a search are stopped, and when the council
//! answers.

use std::time::{Duration, Instant};

use kiki_board::Color;
use kiki_usi::GoSpec;

/// Time for a move where the clock shows 0 and nothing else limits it, in milliseconds.
const WITHOUT_TIME: i64 = 100;

/// The clock of the side to move, in milliseconds.
struct OwnClock {
    left: i64,
    byoyomi: i64,
    increment: i64,
}

impl OwnClock {
    /// `None` if no time was sent.
    fn of(go: &GoSpec, side: Color) -> Option<Self> {
        let clocks = &go.clocks;
        let (left, increment) = match side {
            Color::Black => (clocks.btime, clocks.binc),
            Color::White => (clocks.wtime, clocks.winc),
        };
        let [left, byoyomi, increment] = [left, clocks.byoyomi, increment].map(|time| time.unwrap_or(0));
        (!clocks.is_empty()).then_some(Self { left, byoyomi, increment })
    }

    /// Time until the flag falls. Senders differ in whether the time left includes the increment;
    /// if less than the increment is left, it does not.
    fn until_flag(&self) -> i64 {
        let holds_increment = self.left + self.byoyomi >= self.increment;
        let left = if holds_increment { self.left } else { self.left + self.increment };
        self.byoyomi + left.max(0)
    }
}

/// The time until the flag falls. `None` without a clock; a clock of 0 beside another limit does
/// not count as one.
fn allowance(go: &GoSpec, side: Color) -> Option<Duration> {
    let by_clock = OwnClock::of(go, side).map(|clock| clock.until_flag());
    let times = [go.movetime, by_clock];
    // Both may be sent; the shorter one holds.
    let least = times.into_iter().flatten().filter(|&time| time > 0).min();
    let is_limited = go.nodes.is_some() || go.depth.is_some();
    let has_run_out = !is_limited && times.iter().any(Option::is_some);
    least.or(has_run_out.then_some(WITHOUT_TIME)).map(milliseconds)
}

/// The longest wait while no member answers: the byoyomi plus the greatest of a third of the time
/// left, an increment and three byoyomi, but not beyond the fall of the flag. The rest is kept for
/// later moves. `None` without a clock, or if it shows 0.
fn longest_silence(go: &GoSpec, side: Color) -> Option<Duration> {
    let clock = OwnClock::of(go, side).filter(|clock| clock.left > 0)?;
    let spent = (clock.left / 3).max(clock.increment).max(3 * clock.byoyomi);
    Some(milliseconds(clock.until_flag().min(clock.byoyomi + spent)))
}

fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// How much longer than the first member others may search without a clock.
const PATIENCE_WITHOUT_CLOCK: Duration = Duration::from_mins(1);

/// Time allowed to answer `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The least time to answer `stop` if the answer is unused: the next clock may run already.
const LEAST_STOP_TIMEOUT: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Waiting {
    /// How long before the end of its time the council answers; at most a quarter of that time.
    pub(crate) margin: Duration,
    /// How much later than the first member others may answer.
    pub(crate) patience: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchStep {
    /// No action until this moment, or until an event if it is `None`.
    Wait(Option<Instant>),
    Stop,
    /// Answer now; members that still search are late.
    Answer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SearchTimes {
    /// When it began, or when the expected move was played.
    pub(crate) since: Instant,
    /// No answer before `stop` or `ponderhit`.
    held_back: bool,
    /// It ponders, so that `stop` makes its answer unused.
    ponders: bool,
    /// The answer is unused: another search waits, or the search was stopped while it pondered.
    /// Late members get less time.
    pub(crate) unused: bool,
    /// When an answer was requested.
    pub(crate) stopped: Option<Instant>,
    first_answer: Option<Instant>,
    allowance: Option<Duration>,
    longest_silence: Option<Duration>,
    waiting: Waiting,
}

impl SearchTimes {
    pub(crate) fn new(go: &GoSpec, side: Color, waiting: Waiting, since: Instant) -> Self {
        // A search without limits, or one stopped while pondering, has no clock of its own.
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
    pub(crate) fn ponder_hit(&mut self, go: &GoSpec, side: Color, since: Instant) {
        let new = Self::new(go, side, self.waiting, since);
        let first_answer = self.first_answer.map(|_| new.since);
        *self = Self { unused: self.unused, stopped: self.stopped, first_answer, ..new };
    }

    /// Requests an answer now. Returns whether the members must be stopped: true only the first
    /// time.
    pub(crate) fn stop(&mut self) -> bool {
        self.held_back = false;
        self.unused |= self.ponders;
        let is_news = self.stopped.is_none();
        self.stopped.get_or_insert_with(Instant::now);
        is_news
    }

    /// Notes the time of the first answer.
    pub(crate) fn answered(&mut self) {
        self.first_answer.get_or_insert_with(Instant::now);
    }

    /// What the search needs at this moment; `all_done` if no member still searches.
    pub(crate) fn next_step(&self, all_done: bool, now: Instant) -> SearchStep {
        if self.held_back {
            return SearchStep::Wait(None);
        }
        let (stop_at, answer_at) = (self.stop_at(), self.answer_at());
        if all_done || answer_at.is_some_and(|at| at <= now) {
            SearchStep::Answer
        } else if self.stopped.is_none() && stop_at.is_some_and(|at| at <= now) {
            SearchStep::Stop
        } else {
            let stop_at = if self.stopped.is_none() { stop_at } else { None };
            SearchStep::Wait([stop_at, answer_at].into_iter().flatten().min())
        }
    }

    /// When late members are stopped: twice the margin before the end of the time, when the first
    /// answer has waited long enough, or when no member has answered for long.
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

    /// When the council answers without waiting for members.
    fn answer_at(&self) -> Option<Instant> {
        let by_clock = self.allowance.map(|time| self.since + time.saturating_sub(self.margin(time)));
        let after_stop = self.stopped.map(|stopped| stopped + self.stop_timeout());
        [by_clock, after_stop].into_iter().flatten().min()
    }

    fn stop_timeout(&self) -> Duration {
        if self.unused { self.waiting.margin.clamp(LEAST_STOP_TIMEOUT, STOP_TIMEOUT) } else { STOP_TIMEOUT }
    }

    /// At most a quarter of the time: members then search for half of it and get a quarter to
    /// answer `stop`.
    fn margin(&self, time: Duration) -> Duration {
        self.waiting.margin.min(time / 4)
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::{Clocks, Command};

    use super::*;

    fn of(time: fn(&GoSpec, Color) -> Option<Duration>, text: &str, side: Color) -> Option<u64> {
        let Ok(Command::Go(go)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        time(&go, side).map(|time| time.as_millis() as u64)
    }

    #[test]
    fn every_form_of_time_is_understood() {
        let cases = [
            ("go byoyomi 1000", Some(1000)),
            ("go btime 60000 wtime 5000 byoyomi 1000", Some(61_000)),
            ("go btime 0 wtime 0 binc 2000 winc 3000", Some(2000)),
            ("go btime 7000 wtime 0 binc 2000 winc 3000", Some(7000)),
            ("go btime 2000 wtime 0 binc 2000 winc 3000", Some(2000)),
            ("go btime 500 wtime 500 binc 5000 winc 5000", Some(5500)),
            ("go btime -2000 wtime -2000 binc 5000 winc 5000", Some(3000)),
            ("go btime -5000 wtime -2000 binc 5000 winc 5000", Some(100)),
            ("go btime -300 wtime -300 byoyomi 200", Some(200)),
            ("go movetime 500", Some(500)),
            ("go btime 100 movetime 500", Some(100)),
            ("go nodes 1000", None),
            ("go infinite", None),
            // A clock that shows 0.
            ("go btime 0 wtime 0", Some(100)),
            ("go movetime 0", Some(100)),
            ("go btime 0 wtime 0 byoyomi 0", Some(100)),
            ("go btime 0 wtime 0 nodes 1000", None),
            ("go btime 0 wtime 0 depth 5", None),
            ("go btime 0 wtime 0 movetime 500", Some(500)),
            ("go btime 3000 wtime 0 nodes 1000", Some(3000)),
        ];
        for (text, expected) in cases {
            assert_eq!(of(allowance, text, Color::Black), expected, "{text}");
        }
        assert_eq!(of(allowance, "go btime 60000 wtime 5000 byoyomi 1000", Color::White), Some(6000));
    }

    #[test]
    fn silence_does_not_use_up_a_clock() {
        let cases = [
            ("go btime 60000 wtime 60000", Some(20_000)),
            ("go btime 60000 wtime 60000 byoyomi 1000", Some(21_000)),
            ("go btime 60000 wtime 60000 byoyomi 10000", Some(40_000)),
            ("go btime 5000 wtime 5000 byoyomi 10000", Some(15_000)),
            ("go btime 60000 wtime 60000 binc 30000 winc 1000", Some(30_000)),
            ("go btime 500 wtime 500 binc 5000 winc 5000", Some(5000)),
            ("go btime 0 wtime 9 byoyomi 1000", None),
            ("go movetime 500", None),
            ("go nodes 1000", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(longest_silence, text, Color::Black), expected, "{text}");
        }
    }

    fn go(text: &str) -> GoSpec {
        let Ok(Command::Go(go)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        go
    }

    fn times(text: &str) -> SearchTimes {
        let waiting = Waiting { margin: Duration::from_millis(30), patience: Duration::from_millis(200) };
        SearchTimes::new(&go(text), Color::Black, waiting, Instant::now())
    }

    fn after(times: &SearchTimes, milliseconds: u64) -> SearchStep {
        times.next_step(false, times.since + Duration::from_millis(milliseconds))
    }

    fn wait(times: &SearchTimes, milliseconds: u64) -> SearchStep {
        SearchStep::Wait(Some(times.since + Duration::from_millis(milliseconds)))
    }

    #[test]
    fn the_council_stops_and_answers_before_its_flag_falls_however_short_the_time_is() {
        for (go, stop, answer) in [
            ("go byoyomi 1000", 940, 970),
            ("go byoyomi 40", 20, 30),
            ("go movetime 8", 4, 6),
            ("go btime 0 wtime 0", 50, 75),
        ] {
            let times = times(go);
            assert_eq!(after(&times, 0), wait(&times, stop), "{go}");
            assert_eq!(after(&times, stop), SearchStep::Stop, "{go}");
            assert_eq!(after(&times, answer), SearchStep::Answer, "{go}");
        }
        assert_eq!(after(&times("go btime 0 wtime 0 nodes 1000"), 1_000_000), SearchStep::Wait(None));
    }

    #[test]
    fn late_members_are_waited_for_as_long_as_the_patience() {
        let mut times = times("go btime 600000 wtime 600000");
        times.answered();
        assert!(matches!(after(&times, 100), SearchStep::Wait(_)));
        assert_eq!(after(&times, 300), SearchStep::Stop);
        assert!(times.stop() && !times.stop());
        assert_eq!(after(&times, 1500), SearchStep::Answer);
    }

    #[test]
    fn where_all_are_silent_the_clock_is_not_used_up() {
        let mut times = times("go btime 600000 wtime 600000");
        assert_eq!(after(&times, 0), wait(&times, 200_000));
        assert_eq!(after(&times, 200_000), SearchStep::Stop);
        // A member that has answered late gets as much time as it took.
        times.first_answer = Some(times.since + Duration::from_secs(150));
        assert_eq!(after(&times, 200_000), wait(&times, 300_000));
    }

    #[test]
    fn nothing_is_answered_before_stop_or_ponderhit() {
        let asked = go("go ponder byoyomi 1000");
        let mut pondering = times("go ponder byoyomi 1000");
        assert_eq!(pondering.next_step(true, pondering.since + Duration::from_secs(5)), SearchStep::Wait(None));
        let hit = |byoyomi| GoSpec { ponder: false, clocks: Clocks { byoyomi, ..Clocks::default() }, ..asked.clone() };
        pondering.ponder_hit(&hit(Some(200)), Color::Black, Instant::now());
        assert_eq!(after(&pondering, 0), wait(&pondering, 140));
        assert_eq!(pondering.next_step(true, pondering.since), SearchStep::Answer);
        let mut infinite = times("go infinite");
        assert_eq!(after(&infinite, 100_000), SearchStep::Wait(None));
        infinite.stop();
        assert_eq!(after(&infinite, 2000), SearchStep::Answer);
    }

    #[test]
    fn members_have_time_to_answer_after_a_long_ponder_is_stopped() {
        for go in ["go ponder byoyomi 100", "go infinite"] {
            let mut times = times(go);
            times.since -= Duration::from_secs(5);
            times.stop();
            assert!(matches!(times.next_step(false, Instant::now()), SearchStep::Wait(Some(_))), "{go}");
        }
    }

    #[test]
    fn members_that_are_stopped_are_waited_for_as_long_as_the_answer_is_used() {
        let wait_after = |go: &str, makes_way: bool, margin: u64| {
            let mut times = times(go);
            times.waiting.margin = Duration::from_millis(margin);
            times.stop();
            if makes_way {
                times.unused = true;
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
        assert!(!hit.unused);
    }

    #[test]
    fn the_clock_runs_since_the_search_was_asked_for() {
        let asked = Instant::now() - Duration::from_millis(400);
        let times = SearchTimes::new(&go("go byoyomi 1000"), Color::Black, times("go infinite").waiting, asked);
        assert!(matches!(after(&times, 939), SearchStep::Wait(_)));
        assert_eq!(times.next_step(false, asked + Duration::from_millis(940)), SearchStep::Stop);
    }
}
