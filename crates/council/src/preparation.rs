//! `usi` and `isready`.

use std::time::{Duration, Instant};

use kiki_driver::EngineIdentity;
use kiki_usi::InfoString;

use crate::message::MemberCommand;
use crate::options;
use crate::output::line;
use crate::owed::OwedAnswer;
use crate::search::MemberState;
use crate::seat::Readiness;
use crate::session::CouncilSession;

/// How long `usi` waits for members that are starting: a GUI wants to know their options, but not to wait for ever.
const LONGEST_START: Duration = Duration::from_secs(8);

impl CouncilSession {
    pub(super) fn declare_options(&mut self) {
        let programs: Vec<Option<EngineIdentity>> =
            self.seats.iter().map(|seat| seat.as_ref().and_then(|seat| seat.identity.clone())).collect();
        match options::declare(&self.settings, &programs) {
            Ok(options) => self.options = options,
            Err(error) => line(InfoString(error)),
        }
    }

    pub(super) fn usi(&mut self) {
        let members = self.seats.iter().enumerate().filter(|(_, seat)| seat.is_some()).map(|(member, _)| member);
        let request = self.owed.ask(OwedAnswer::UsiOk { until: Instant::now() + LONGEST_START }, members.collect());
        self.tell_all(&MemberCommand::Start { request });
    }

    /// Members that search are not waited for: a GUI may ask during a search whether the council lives.
    pub(super) fn is_ready(&mut self) {
        self.share_options();
        let searches = |member: usize| {
            let search = self.search.as_ref().filter(|search| !search.muted);
            search.is_some_and(|search| search.members.get(member) == Some(&MemberState::Searching))
        };
        let asked = |(member, seat): (usize, &Option<_>)| (seat.is_some() && !searches(member)).then_some(member);
        let members: Vec<usize> = self.seats.iter().enumerate().filter_map(asked).collect();
        let request = self.owed.ask(OwedAnswer::ReadyOk, members.clone());
        for member in members {
            let Some(Some(seat)) = self.seats.get_mut(member) else { continue };
            seat.member.tell(MemberCommand::Ready { request: Some(request) });
            if seat.readiness == Readiness::Unavailable {
                seat.readiness = Readiness::GettingReady;
            }
        }
    }

    pub(super) fn say_usi_ok(&mut self) {
        self.declare_options();
        line(format_args!("id name Kiki council {}", env!("CARGO_PKG_VERSION")));
        line("id author the Kiki developers");
        for declaration in self.options.declarations() {
            line(declaration);
        }
        line("usiok");
    }
}
