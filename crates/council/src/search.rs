//! One search of all members.

use std::time::{Duration, Instant};

use kiki_board::{DeclarationRule, DeclarationVerdict, Position};
use kiki_usi::{BestMove, GoSpec, PositionSpec};

use crate::allowance::allowance;

/// How much longer than the first one a member may search where no clock runs.
const PATIENCE_WITHOUT_CLOCK: Duration = Duration::from_mins(1);

/// How long members may take to answer `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// What a member has come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberState {
    /// It was not asked, or has failed.
    Out,
    /// It searches.
    Searching,
    /// It has answered.
    Answered(BestMove),
}

/// Times that a search keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// How long before the end of the time for a move the council answers.
    pub margin: Duration,
    /// How much later than the first a member may answer.
    pub patience: Duration,
}

/// A search of all members.
pub struct CouncilSearch {
    /// Its number.
    pub number: u64,
    /// The position.
    pub position: Position,
    /// The position as it is told to members.
    pub spec: PositionSpec,
    /// What was asked for.
    pub go: GoSpec,
    /// What each member has come to.
    pub members: Vec<MemberState>,
    /// When it began, or when the expected move was played.
    since: Instant,
    /// No answer before `stop` or `ponderhit`.
    held_back: bool,
    /// Nobody waits for an answer any more.
    pub muted: bool,
    stopped: Option<Instant>,
    first_answer: Option<Instant>,
    waiting: Waiting,
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

impl CouncilSearch {
    /// A search that begins now; `members` says who is asked.
    pub fn new(
        number: u64,
        (position, spec): (Position, PositionSpec),
        go: GoSpec,
        members: Vec<MemberState>,
        waiting: Waiting,
    ) -> Self {
        let held_back = go.ponder || go.infinite;
        let since = Instant::now();
        Self {
            number,
            position,
            spec,
            go,
            members,
            since,
            held_back,
            muted: false,
            stopped: None,
            first_answer: None,
            waiting,
        }
    }

    /// Takes a member's answer over. An error says why it does not count.
    ///
    /// # Errors
    /// If the move is illegal, or a declaration that no rule knows.
    pub fn answered(&mut self, member: usize, best: BestMove) -> Result<(), String> {
        let legal = match &best {
            BestMove::Move { best, .. } => self.position.parse_move(best).is_ok(),
            BestMove::Resign => true,
            BestMove::Win => may_declare(&self.position),
        };
        let Some(state) = self.members.get_mut(member) else { return Ok(()) };
        if !legal {
            *state = MemberState::Out;
            return Err(format!("`{best}` is illegal"));
        }
        *state = MemberState::Answered(best);
        self.first_answer.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// A member has failed.
    pub fn failed(&mut self, member: usize) {
        if let Some(state) = self.members.get_mut(member) {
            *state = MemberState::Out;
        }
    }

    /// The expected move was played: the clock runs from now.
    pub fn ponder_hit(&mut self) {
        self.since = Instant::now();
        self.held_back = self.go.infinite;
        self.go.ponder = false;
        self.first_answer = self.first_answer.map(|_| self.since);
    }

    /// An answer is wanted now.
    pub fn stop(&mut self) {
        self.held_back = false;
        self.stopped.get_or_insert_with(Instant::now);
    }

    /// What to do at this moment.
    pub fn next_step(&self, now: Instant) -> NextStep {
        let all_done = !self.members.contains(&MemberState::Searching);
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

    /// When members that still search are stopped: twice the margin before the end of the time, or when the first has waited long enough.
    fn stop_at(&self) -> Option<Instant> {
        let by_clock = self.allowance().map(|time| self.since + time.saturating_sub(2 * self.waiting.margin));
        let by_first = self.first_answer.map(|first| {
            let taken = first.saturating_duration_since(self.since);
            let patience = if by_clock.is_some() { self.waiting.patience } else { PATIENCE_WITHOUT_CLOCK };
            first + taken.max(patience)
        });
        [by_clock, by_first].into_iter().flatten().min()
    }

    /// When the council answers whatever its members do.
    fn answer_at(&self) -> Option<Instant> {
        let by_clock = self.allowance().map(|time| self.since + time.saturating_sub(self.waiting.margin));
        let after_stop = self.stopped.map(|stopped| stopped + STOP_TIMEOUT);
        [by_clock, after_stop].into_iter().flatten().min()
    }

    fn allowance(&self) -> Option<Duration> {
        // A search that was stopped while pondering, or without limits, had no clock of its own.
        if self.go.ponder || self.go.infinite { None } else { allowance(&self.go, self.position.side_to_move()) }
    }

    /// The time since it began.
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

/// Whether the side to move may declare by any rule that members may be set to.
fn may_declare(position: &Position) -> bool {
    let rules = [
        DeclarationRule::Points27,
        DeclarationRule::Points24,
        DeclarationRule::Points27Handicap,
        DeclarationRule::Points24Handicap,
    ];
    rules.into_iter().any(|rule| position.declaration(rule) == DeclarationVerdict::Win)
}

#[cfg(test)]
mod tests {
    use kiki_usi::Command;

    use super::*;

    const MARGIN: Duration = Duration::from_millis(30);

    fn search(go: &str) -> CouncilSearch {
        let Ok(Command::Go(go)) = Command::parse(go.as_bytes()) else { panic!("{go}") };
        let waiting = Waiting { margin: MARGIN, patience: Duration::from_millis(200) };
        let root = (Position::startpos(), PositionSpec::startpos());
        CouncilSearch::new(1, root, go, vec![MemberState::Searching; 2], waiting)
    }

    fn after(search: &CouncilSearch, milliseconds: u64) -> NextStep {
        search.next_step(search.since + Duration::from_millis(milliseconds))
    }

    #[test]
    fn the_council_stops_and_answers_before_its_flag_falls() {
        let search = search("go byoyomi 1000");
        assert_eq!(after(&search, 0), NextStep::Wait(Some(search.since + Duration::from_millis(940))));
        assert_eq!(after(&search, 940), NextStep::Stop);
        assert_eq!(after(&search, 970), NextStep::Answer);
    }

    #[test]
    fn it_answers_when_all_have_answered_or_failed() {
        let mut search = search("go nodes 1000");
        assert_eq!(after(&search, 1_000_000), NextStep::Wait(None));
        search.answered(0, BestMove::new("7g7f")).unwrap();
        assert!(matches!(after(&search, 0), NextStep::Wait(Some(_))));
        search.failed(1);
        assert_eq!(after(&search, 0), NextStep::Answer);
    }

    #[test]
    fn late_members_are_waited_for_as_long_as_the_patience() {
        let mut search = search("go btime 600000 wtime 600000");
        assert_eq!(after(&search, 5000), NextStep::Wait(Some(search.since + Duration::from_millis(599_940))));
        search.answered(0, BestMove::new("7g7f")).unwrap();
        assert!(matches!(after(&search, 100), NextStep::Wait(_)));
        assert_eq!(after(&search, 300), NextStep::Stop);
        search.stop();
        assert_eq!(after(&search, 1500), NextStep::Answer);
    }

    #[test]
    fn nothing_is_answered_before_stop_or_ponderhit() {
        let mut pondering = search("go ponder byoyomi 1000");
        pondering.answered(0, BestMove::new("7g7f")).unwrap();
        pondering.answered(1, BestMove::new("7g7f")).unwrap();
        assert_eq!(after(&pondering, 5000), NextStep::Wait(None));
        pondering.ponder_hit();
        assert_eq!(after(&pondering, 0), NextStep::Answer);
        let mut infinite = search("go infinite");
        assert_eq!(after(&infinite, 100_000), NextStep::Wait(None));
        infinite.stop();
        assert_eq!(after(&infinite, 2000), NextStep::Answer);
    }

    #[test]
    fn members_have_time_to_answer_after_a_long_ponder_is_stopped() {
        for go in ["go ponder byoyomi 100", "go infinite"] {
            let mut search = search(go);
            search.since -= Duration::from_secs(5);
            search.stop();
            assert!(matches!(search.next_step(Instant::now()), NextStep::Wait(Some(_))), "{go}");
        }
    }

    #[test]
    fn illegal_answers_do_not_count() {
        let mut search = search("go nodes 1000");
        assert!(search.answered(0, BestMove::new("7g7c")).unwrap_err().contains("7g7c"));
        assert!(search.answered(1, BestMove::Win).is_err());
        assert_eq!(search.members, [MemberState::Out, MemberState::Out]);
        assert_eq!(after(&search, 0), NextStep::Answer);
    }
}
