//! `setoption`: options of the council, who its members are, and what all of them share.

use std::thread;

use kiki_usi::InfoString;

use crate::member::Member;
use crate::message::MemberCommand;
use crate::options::{self, Target};
use crate::output::line;
use crate::owed::OwedAnswer;
use crate::program_options::ProgramOption;
use crate::seat::Seat;
use crate::session::CouncilSession;
use crate::settings::{MOST_MEMBERS, MemberSettings};

/// The option for several lines of play.
const MULTI_PV: &str = "MultiPV";

impl CouncilSession {
    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        match options::target(name) {
            Target::Council => self.set_council_option(name, value),
            Target::Settings { member, what } if member < MOST_MEMBERS => self.change_member(member, &what, value),
            Target::Program { member, name } if self.seats.get(member).is_some_and(Option::is_some) => {
                if let Some(Some(seat)) = self.seats.get_mut(member) {
                    seat.set_own(&name, value);
                    let option = ProgramOption { name, value: value.to_owned(), shared: false };
                    seat.member.tell(MemberCommand::SetOption(option));
                }
            }
            Target::Settings { .. } | Target::Program { .. } => {
                line(InfoString(format_args!("there is no such member: {name}")));
            }
        }
    }

    fn set_council_option(&mut self, name: &str, value: &str) {
        let set = self.options.set(name, Some(value)).and_then(|change| {
            options::take_over(&self.options, &change, &mut self.settings)?;
            match change.name.as_str() {
                "USI_Hash" => self.hash = Some(self.options.spin("USI_Hash")?),
                "USI_Ponder" => self.ponder = Some(self.options.check("USI_Ponder")?.to_string()),
                _ => {}
            }
            Ok(())
        });
        match set {
            Ok(()) => self.share_options(),
            Err(error) => line(InfoString(error)),
        }
    }

    fn change_member(&mut self, member: usize, what: &str, value: &str) {
        let mut settings = self.settings.members.get(member).cloned().unwrap_or_else(|| MemberSettings::of_command(""));
        let before = (settings.command.clone(), settings.directory.clone());
        if let Err(error) = options::change(&mut settings, what, value) {
            return line(InfoString(format_args!("m{}: {error}", member + 1)));
        }
        let is_another_program = (&settings.command, &settings.directory) != (&before.0, &before.1);
        if is_another_program && self.is_searching() {
            let number = member + 1;
            return line(InfoString(format_args!("m{number}.{what} cannot be set during a search: stop comes first")));
        }
        while self.settings.members.len() <= member {
            self.settings.members.push(MemberSettings::of_command(""));
        }
        self.settings.members[member] = settings.clone();
        if is_another_program {
            self.seat(member);
        } else if let Some(Some(seat)) = self.seats.get_mut(member) {
            seat.member.settings = settings;
        }
    }

    /// Gives a member a thread, or a new one after its program has changed. Nothing waits for the end of the old one but the new one.
    pub(crate) fn seat(&mut self, member: usize) {
        let Some(settings) = self.settings.members.get(member).cloned() else { return };
        while self.seats.len() <= member {
            self.seats.push(None);
        }
        let old = self.seats[member].take().map(|seat| seat.member);
        // It is one whose answer nobody awaits.
        if let Some(search) = &mut self.search {
            search.left(member);
        }
        if settings.command.trim().is_empty() {
            self.owed.release(member);
            self.leaving.retain(|thread| !thread.is_finished());
            self.leaving.extend(old.map(|old| thread::spawn(move || drop(old))));
            return;
        }
        self.generations += 1;
        let new = Member::new((member, self.generations), settings, self.event_sender.clone(), old);
        self.seats[member] = Some(Seat::new(new));
        self.share_options();
        // What the old one owed, the new one owes.
        let Some(Some(seat)) = self.seats.get(member) else { return };
        for (request, answer) in self.owed.awaited_from(member) {
            seat.member.tell(match answer {
                OwedAnswer::UsiOk { .. } => MemberCommand::Start { request },
                OwedAnswer::ReadyOk => MemberCommand::Ready { request: Some(request) },
            });
        }
    }

    /// Tells every member the options that all share, but for what is its own: its part of the memory, whether the game is played with
    /// pondering, and how many lines it is asked for.
    pub(super) fn share_options(&self) {
        let members = self.seats.iter().flatten().count().max(1) as i64;
        let hash = self.hash.map(|hash| (hash / members).max(1).to_string());
        let multi_pv = Some(self.settings.multi_pv.to_string());
        for (name, value) in [("USI_Hash", hash), ("USI_Ponder", self.ponder.clone()), (MULTI_PV, multi_pv)] {
            let Some(value) = value else { continue };
            for seat in self.seats.iter().flatten().filter(|seat| !seat.has_own(name)) {
                let option = ProgramOption { name: name.to_owned(), value: value.clone(), shared: true };
                seat.member.tell(MemberCommand::SetOption(option));
            }
        }
    }
}
