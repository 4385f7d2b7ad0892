//! `go` and what ends it.

use std::time::{Duration, Instant};

use kiki_usi::{BestMove, CheckmateReply, Clocks, Command, GameResult, GoSpec, InfoString};

use crate::member::{MemberSlot, Readiness};
use crate::message::MemberCommand;
use crate::replies::print_line;
use crate::search::{CouncilSearch, MemberState};
use crate::session::{CouncilSession, ParsedLine, REPORT_INTERVAL};
use crate::times::{SearchTimes, Waiting};

impl CouncilSession {
    /// Executes commands in their order, up to a `go` that has to wait.
    pub(super) fn execute_pending(&mut self) {
        while self.pending.front().is_some_and(|(_, command)| !self.has_to_wait(command))
            && let Some((came, command)) = self.pending.pop_front()
        {
            self.execute(came, command);
            self.handle_due();
        }
        // The clock of the waiting search runs, and the GUI ignores the answer to the search before
        // it.
        if !self.pending.is_empty()
            && let Some(search) = &mut self.search
        {
            search.times.unused = true;
        }
    }

    /// Restarts the clocks of waiting commands at `readyok`: only scripts send `go` before it.
    pub(super) fn restart_pending_clocks(&mut self) {
        let now = Instant::now();
        for (came, _) in &mut self.pending {
            *came = now;
        }
    }

    /// Whether a command is a `go` that waits: for `readyok`, or for the answer to a `stop` that
    /// came in the same burst.
    fn has_to_wait(&self, command: &ParsedLine) -> bool {
        let is_busy = match self.search.as_ref().filter(|search| !search.muted) {
            Some(search) => search.times.stopped.is_some(),
            None => self.replies.awaits_ready_ok(),
        };
        is_busy && matches!(command, Ok(Command::Go(_)))
    }

    /// Starts a search. Its clock runs since `came`, the arrival of the command.
    pub(super) fn go(&mut self, go: GoSpec, came: Instant) {
        if go.mate.is_some() {
            return print_line(CheckmateReply::NotImplemented);
        }
        if go.perft.is_some() {
            return print_line(InfoString("a council does not count positions: go perft is for its members alone"));
        }
        if self.is_searching() || self.held_resignation.is_some() {
            return print_line(InfoString("a search is going on: stop comes before another go"));
        }
        if !go.warnings.is_empty() {
            print_line(InfoString(format_args!("go: not understood and left out: {}", go.warnings.join(", "))));
        }
        if let Some(reason) = &self.refused_position {
            print_line(InfoString(format_args!("no position is set up: {reason}")));
            if go.infinite || go.ponder {
                self.held_resignation = Some(!go.infinite);
            } else {
                print_line(BestMove::Resign);
            }
            return;
        }
        if let Some(search) = &self.search {
            self.tell_searching(&MemberCommand::Forget(search.number));
        }
        self.searches += 1;
        let members = self.ask_members(&go);
        let [margin, patience] =
            [self.settings.margin, self.settings.patience].map(|time| Duration::from_millis(u64::from(time)));
        let times = SearchTimes::new(&go, self.position.side_to_move(), Waiting { margin, patience }, came);
        self.search = Some(CouncilSearch::new(self.searches, self.position.clone(), go, members, times));
        self.next_report = Instant::now() + REPORT_INTERVAL;
    }

    /// Whether the GUI awaits the answer of a search.
    pub(super) fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.muted)
    }

    /// Asks the members that are ready, or all if no member is. Others get ready for the next
    /// search.
    fn ask_members(&mut self, go: &GoSpec) -> Vec<MemberState> {
        let some_available = self.slots.iter().flatten().any(|slot| slot.is_available());
        let (search, position) = (self.searches, &self.spec);
        let ask = |slot: &mut Option<MemberSlot>| {
            let Some(slot) = slot else { return MemberState::Out };
            let is_asked = slot.is_available() || !some_available;
            if is_asked {
                slot.member.tell(MemberCommand::Search(search, position.clone(), Box::new(go.clone())));
            } else if slot.readiness == Readiness::Unavailable {
                slot.member.tell(MemberCommand::Ready(None));
            }
            if slot.readiness == Readiness::Unavailable {
                slot.readiness = Readiness::GettingReady;
            }
            if is_asked { MemberState::Searching } else { MemberState::Out }
        };
        self.slots.iter_mut().map(ask).collect()
    }

    pub(super) fn stop(&mut self) {
        if self.held_resignation.take().is_some() {
            print_line(BestMove::Resign);
        }
        let Some(search) = &mut self.search else { return };
        let search_number = search.number;
        if search.times.stop() {
            self.tell_searching(&MemberCommand::Stop(search_number));
        }
    }

    /// Ignored unless a search ponders.
    pub(super) fn ponder_hit(&mut self, clocks: Option<Clocks>, came: Instant) {
        if self.held_resignation == Some(true) {
            return self.stop();
        }
        let Some(search) = self.search.as_mut().filter(|search| search.go.ponder) else { return };
        search.ponder_hit(clocks, came);
        let search = search.number;
        self.tell_searching(&MemberCommand::PonderHit(search, clocks));
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
        for (slot, state) in self.slots.iter().zip(&search.members) {
            if let (Some(slot), MemberState::Searching) = (slot, state) {
                slot.member.tell(command.clone());
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
            session.search.as_ref().map(|search| (search.times.since.elapsed() >= ago, search.times.unused))
        };
        let ago = Duration::from_millis(400);
        assert_eq!(go(&mut session, b"go infinite", ago), Some((true, false)));
        session.stop();
        assert_eq!(go(&mut session, b"go byoyomi 9000", ago), Some((true, true)));
        session.search = None;
        session.execute_pending();
        let search = session.search.as_ref().map(|search| (search.times.since.elapsed() >= ago, search.times.unused));
        assert_eq!((search, session.searches), (Some((true, false)), 2));
    }
}
