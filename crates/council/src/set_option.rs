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

/// The options that all members share: the memory, whether the game is played with pondering, and for how many lines they are asked.
const HASH: &str = "USI_Hash";
const PONDER: &str = "USI_Ponder";
const MULTI_PV: &str = "MultiPV";

/// What a member is taken to need beside its table, in MiB.
const BESIDE_THE_TABLE: i64 = 128;

fn is_shared(name: &str) -> bool {
    [HASH, PONDER, MULTI_PV].iter().any(|shared| shared.eq_ignore_ascii_case(name))
}

impl CouncilSession {
    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        match options::target(name) {
            Target::Council => self.set_council_option(name, value),
            Target::Settings { member, what } if member < MOST_MEMBERS => self.change_member(member, &what, value),
            Target::Program { member, name } if self.seats.get(member).is_some_and(Option::is_some) => {
                if let Some(Some(seat)) = self.seats.get_mut(member) {
                    let is_choice = seat.set_own(&name, value);
                    // A GUI that sends back the default of a shared option does not take this member's share away.
                    if is_choice || !is_shared(&name) {
                        let option = ProgramOption { name, value: value.to_owned(), shared: false };
                        seat.member.tell(MemberCommand::SetOption(option));
                    }
                    self.share_options();
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
                HASH => self.hash = self.options.spin(HASH)?,
                PONDER => self.ponder = self.options.check(PONDER)?,
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
        for (name, value) in [(PONDER, self.ponder.to_string()), (MULTI_PV, self.settings.multi_pv.to_string())] {
            for seat in self.seats.iter().flatten().filter(|seat| !seat.has_own(name)) {
                seat.share(name, value.clone());
            }
        }
        self.share_memory();
    }

    /// Divides the memory: what members have of their own is taken off the whole, and the rest is for the others. Together they have no
    /// more than the machine had left.
    fn share_memory(&self) {
        let (own, others): (Vec<&Seat>, Vec<&Seat>) = self.seats.iter().flatten().partition(|seat| seat.has_own(HASH));
        let taken: i64 = own.iter().filter_map(|seat| seat.own_number(HASH)).map(i64::from).sum();
        let left = self.memory - BESIDE_THE_TABLE * (own.len() + others.len()) as i64;
        for (seat, part) in others.iter().zip(parts(self.hash.min(left) - taken, others.len())) {
            seat.share(HASH, part.to_string());
        }
    }
}

/// So many parts of a whole that differ by no more than one, each of at least one.
fn parts(whole: i64, count: usize) -> impl Iterator<Item = i64> {
    let (whole, count) = (whole.max(0), count as i64);
    (0..count).map(move |number| (whole / count + i64::from(number < whole % count)).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        for (whole, count, expected) in
            [(256, 3, vec![86, 85, 85]), (64, 1, vec![64]), (-7, 2, vec![1, 1]), (9, 0, vec![])]
        {
            assert_eq!(parts(whole, count).collect::<Vec<_>>(), expected);
        }
    }
}
