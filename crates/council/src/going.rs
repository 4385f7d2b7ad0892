//! `go` and what ends it.

use std::time::{Duration, Instant};

use kiki_usi::{BestMove, CheckmateReply, Clocks, Command, GameResult, GoSpec, InfoString};

use crate::message::MemberCommand;
use crate::output::line;
use crate::search::{CouncilSearch, MemberState};
use crate::seat::Readiness;
use crate::session::{CouncilSession, ParsedLine, REPORT_INTERVAL};
use crate::times::Waiting;

impl CouncilSession {
    /// Executes commands in their order, up to a `go` that has to wait.
    pub(super) fn execute_pending(&mut self) {
        while self.pending.front().is_some_and(|(_, command)| !self.has_to_wait(command))
            && let Some((came, command)) = self.pending.pop_front()
        {
            self.execute(came, command);
            self.go_on();
        }
        // The clock of the search that waits runs, and who asks for it uses no other answer.
        if !self.pending.is_empty()
            && let Some(search) = &mut self.search
        {
            search.make_way();
        }
    }

    /// What is sent without waiting for `readyok` comes from a script rather than a game with a clock: its time begins with `readyok`.
    pub(super) fn restart_pending_clocks(&mut self) {
        let now = Instant::now();
        for (came, _) in &mut self.pending {
            *came = now;
        }
    }

    /// Whether a command is a `go` that has to wait: for the answer to `stop`, which may come in one burst with it, or for `readyok`.
    fn has_to_wait(&self, command: &ParsedLine) -> bool {
        let is_busy = match self.search.as_ref().filter(|search| !search.muted) {
            Some(search) => search.is_stopped(),
            None => self.owed.owes_ready_ok(),
        };
        is_busy && matches!(command, Ok(Command::Go(_)))
    }

    /// `came`: when it was asked for; the clock runs since then.
    pub(super) fn go(&mut self, go: GoSpec, came: Instant) {
        if go.mate.is_some() {
            return line(CheckmateReply::NotImplemented);
        }
        if go.perft.is_some() {
            return line(InfoString("a council does not count positions: go perft is for its members alone"));
        }
        if self.is_searching() || self.held_resignation.is_some() {
            return line(InfoString("a search is going on: stop comes before another go"));
        }
        if !go.warnings.is_empty() {
            line(InfoString(format_args!("go: not understood and left out: {}", go.warnings.join(", "))));
        }
        if let Some(reason) = &self.refused_position {
            line(InfoString(format_args!("no position is set up: {reason}")));
            if go.infinite || go.ponder {
                self.held_resignation = Some(!go.infinite);
            } else {
                line(BestMove::Resign);
            }
            return;
        }
        // Nobody waits for the search before this one any more.
        if let Some(search) = &self.search {
            self.tell_searching(&MemberCommand::Forget { search: search.number });
        }
        self.searches += 1;
        let members = self.ask_members(&go);
        let [margin, patience] =
            [self.settings.margin, self.settings.patience].map(|time| Duration::from_millis(u64::from(time)));
        let root = (self.position.clone(), self.spec.clone());
        let waiting = Waiting { margin, patience };
        self.search = Some(CouncilSearch::new(self.searches, root, go, members, (waiting, came)));
        self.next_report = Instant::now() + REPORT_INTERVAL;
    }

    /// Whether there is a search whose answer is awaited.
    pub(super) fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.muted)
    }

    /// Asks the members that are ready. Others get ready for the next time; if none is ready, all are asked.
    fn ask_members(&mut self, go: &GoSpec) -> Vec<MemberState> {
        let some_available = self.seats.iter().flatten().any(|seat| seat.is_available());
        let mut states = Vec::with_capacity(self.seats.len());
        for seat in &mut self.seats {
            let Some(seat) = seat else {
                states.push(MemberState::Out);
                continue;
            };
            let is_asked = seat.is_available() || !some_available;
            if is_asked {
                let (search, position) = (self.searches, self.spec.clone());
                seat.member.tell(MemberCommand::Search { search, position, go: Box::new(go.clone()) });
            } else if seat.readiness == Readiness::Unavailable {
                seat.member.tell(MemberCommand::Ready { request: None });
            }
            if seat.readiness == Readiness::Unavailable {
                seat.readiness = Readiness::GettingReady;
            }
            states.push(if is_asked { MemberState::Searching } else { MemberState::Out });
        }
        states
    }

    pub(super) fn stop(&mut self) {
        if self.held_resignation.take().is_some() {
            line(BestMove::Resign);
        }
        let Some(search) = &mut self.search else { return };
        let search_number = search.number;
        if search.stop() {
            self.tell_searching(&MemberCommand::Stop { search: search_number });
        }
    }

    /// Where nobody ponders it means nothing.
    pub(super) fn ponder_hit(&mut self, clocks: Option<Clocks>, came: Instant) {
        if self.held_resignation == Some(true) {
            return self.stop();
        }
        let Some(search) = self.search.as_mut().filter(|search| search.go.ponder) else { return };
        search.ponder_hit(clocks, came);
        let search = search.number;
        self.tell_searching(&MemberCommand::PonderHit { search, clocks });
    }

    pub(super) fn game_over(&mut self, result: GameResult) {
        self.held_resignation = None;
        if let Some(search) = &mut self.search {
            search.muted = true;
        }
        self.stop();
        self.tell_all(&MemberCommand::GameOver(result));
    }

    fn tell_searching(&self, command: &MemberCommand) {
        let Some(search) = &self.search else { return };
        for (seat, state) in self.seats.iter().zip(&search.members) {
            if let (Some(seat), MemberState::Searching) = (seat, state) {
                seat.member.tell(command.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{CouncilSettings, MemberSettings};

    #[test]
    fn a_go_that_waits_keeps_its_time_and_makes_the_search_before_it_unused() {
        let members = vec![MemberSettings::of_command("no-such-engine-anywhere")];
        let mut session = CouncilSession::new(CouncilSettings { members, ..CouncilSettings::default() });
        let go = |session: &mut CouncilSession, text: &[u8], ago: Duration| {
            session.pending.push_back((Instant::now() - ago, Command::parse(text)));
            session.execute_pending();
            session.search.as_ref().map(|search| (search.elapsed() >= ago, search.is_unused()))
        };
        let ago = Duration::from_millis(400);
        assert_eq!(go(&mut session, b"go infinite", ago), Some((true, false)));
        session.stop();
        assert_eq!(go(&mut session, b"go byoyomi 9000", ago), Some((true, true)));
        session.search = None;
        session.execute_pending();
        let search = session.search.as_ref().map(|search| (search.elapsed() >= ago, search.is_unused()));
        assert_eq!((search, session.searches), (Some((true, false)), 2));
    }
}
