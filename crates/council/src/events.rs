//! What follows from what members have done.

use kiki_usi::InfoString;

use crate::message::{MemberCommand, MemberEvent, MemberReport};
use crate::output::line;
use crate::seat::Readiness;
use crate::session::CouncilSession;

impl CouncilSession {
    pub(super) fn handle(&mut self, report: MemberReport) {
        let MemberReport { member, generation, event } = report;
        let name = self.name(member);
        let Some(Some(seat)) = self.seats.get_mut(member) else { return };
        if seat.member.generation != generation {
            // It has lost its seat.
            return;
        }
        let tell = |what: &str| line(InfoString(format_args!("m{} {name}: {what}", member + 1)));
        match event {
            MemberEvent::Started(identity) => seat.identity = Some(identity),
            MemberEvent::Ready => seat.readiness = Readiness::Available,
            MemberEvent::Reported { request } => self.owed.reported(member, request),
            MemberEvent::Unavailable { reason } => {
                seat.readiness = Readiness::Unavailable;
                tell(&reason);
            }
            MemberEvent::Problem { reason } => tell(&reason),
            MemberEvent::Failed { search, reason, starts_again } => {
                seat.readiness = if starts_again { Readiness::GettingReady } else { Readiness::Unavailable };
                if let Some(running) = self.search.as_mut().filter(|running| Some(running.number) == search) {
                    running.failed(member);
                    tell(&format!("left out, {reason}"));
                } else if starts_again {
                    tell(&format!("started again, {reason}"));
                }
            }
            MemberEvent::Answered { search, best } => {
                if let Some(running) = self.search.as_mut().filter(|running| running.number == search)
                    && let Err(refusal) = running.answered(member, best)
                {
                    tell(&format!("left out, {}", refusal.reason));
                    if refusal.is_fault {
                        seat.readiness = Readiness::GettingReady;
                        seat.member.tell(MemberCommand::Restart { search });
                    }
                }
            }
        }
    }
}
