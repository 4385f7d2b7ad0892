//! `setoption`: options of the council, the members, and the options that all members share.

use std::thread;

use kiki_usi::InfoString;

use crate::member::{Member, MemberSlot};
use crate::message::{MemberCommand, MemberReporter, ProgramOption};
use crate::options;
use crate::replies::{PendingReply, print_line};
use crate::search::MemberState;
use crate::session::CouncilSession;
use crate::settings::{MOST_MEMBERS, MemberSettings};

/// Options that all members share: memory, pondering, number of lines.
const HASH: &str = "USI_Hash";
const PONDER: &str = "USI_Ponder";
const MULTI_PV: &str = "MultiPV";

/// Memory that a member needs beside its table, in MiB.
const BESIDE_THE_TABLE: i64 = 128;

fn is_shared(name: &str) -> bool {
    [HASH, PONDER, MULTI_PV].iter().any(|shared| shared.eq_ignore_ascii_case(name))
}

impl CouncilSession {
    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        let Some((member, rest)) = options::of_member(name) else { return self.set_council_option(name, value) };
        match (options::member_setting(rest), self.slots.get_mut(member)) {
            (Some(what), _) if member < MOST_MEMBERS => self.change_member(member, what, value),
            (None, Some(Some(slot))) => {
                let is_choice = slot.set_own(rest, value);
                // A GUI that sends back the default of a shared option does not take this member's
                // share away.
                if is_choice || !is_shared(rest) {
                    let option = ProgramOption { name: rest.to_owned(), value: value.to_owned(), shared: false };
                    slot.member.tell(MemberCommand::SetOption(option));
                }
                self.share_options();
            }
            _ => print_line(InfoString(format_args!("there is no such member: {name}"))),
        }
    }

    fn set_council_option(&mut self, name: &str, value: &str) {
        let set = self.options.set(name, Some(value)).and_then(|change| {
            options::apply(&self.options, &change, &mut self.settings)?;
            match change.name.as_str() {
                HASH => self.hash = self.options.spin(HASH)?,
                PONDER => self.ponder = self.options.check(PONDER)?,
                _ => {}
            }
            Ok(())
        });
        match set {
            Ok(()) => self.share_options(),
            Err(error) => print_line(InfoString(error)),
        }
    }

    fn change_member(&mut self, member: usize, what: &str, value: &str) {
        let mut settings = self.settings.members.get(member).cloned().unwrap_or_default();
        let before = (settings.command.clone(), settings.directory.clone());
        if let Err(error) = options::change_member(&mut settings, what, value) {
            return print_line(InfoString(format_args!("m{}: {error}", member + 1)));
        }
        let is_another_program = (&settings.command, &settings.directory) != (&before.0, &before.1);
        if is_another_program && self.is_searching() {
            let number = member + 1;
            return print_line(InfoString(format_args!(
                "m{number}.{what} cannot be set during a search: stop comes first"
            )));
        }
        let count = self.settings.members.len().max(member + 1);
        self.settings.members.resize_with(count, MemberSettings::default);
        self.settings.members[member] = settings.clone();
        if is_another_program {
            self.fill_slot(member);
        } else if let Some(Some(slot)) = self.slots.get_mut(member) {
            slot.member.settings = settings;
        }
    }

    /// Starts the thread of a member, or a new one after its program has changed. Only the new
    /// thread waits for the end of the old.
    pub(crate) fn fill_slot(&mut self, member: usize) {
        let Some(settings) = self.settings.members.get(member).cloned() else { return };
        self.slots.resize_with(self.slots.len().max(member + 1), || None);
        let old = self.slots[member].take().map(|slot| slot.member);
        // The old member's answer is unused.
        if let Some(search) = &mut self.search {
            search.lost(member, MemberState::Out);
        }
        if settings.command.trim().is_empty() {
            self.replies.release(member, None);
            self.ending_threads.retain(|thread| !thread.is_finished());
            self.ending_threads.extend(old.map(|old| thread::spawn(move || drop(old))));
            return;
        }
        self.generations += 1;
        let reporter = MemberReporter { member, generation: self.generations, sender: self.event_sender.clone() };
        self.slots[member] = Some(MemberSlot::new(Member::new(reporter, settings, old)));
        self.share_options();
        // The new member takes over the requests of the old one.
        let Some(Some(slot)) = self.slots.get(member) else { return };
        for (request, answer) in self.replies.awaited_from(member) {
            slot.member.tell(match answer {
                PendingReply::UsiOk(_) => MemberCommand::Start(request),
                PendingReply::ReadyOk => MemberCommand::Ready(Some(request)),
            });
        }
    }

    /// Sends every member the shared options: its part of the memory, pondering, number of lines.
    /// Its own values take precedence.
    pub(super) fn share_options(&self) {
        for (name, value) in [(PONDER, self.ponder.to_string()), (MULTI_PV, self.settings.multi_pv.to_string())] {
            for slot in self.slots.iter().flatten().filter(|slot| !slot.has_own(name)) {
                slot.share(name, value.clone());
            }
        }
        self.share_memory();
    }

    /// Divides the memory: subtracts what members have of their own, and shares the rest among the
    /// others. Together they use at most what the machine had left.
    fn share_memory(&self) {
        let (own, others): (Vec<&MemberSlot>, Vec<&MemberSlot>) =
            self.slots.iter().flatten().partition(|slot| slot.has_own(HASH));
        let taken: i64 = own.iter().filter_map(|slot| slot.own_number(HASH)).map(i64::from).sum();
        let left = self.memory - BESIDE_THE_TABLE * (own.len() + others.len()) as i64;
        for (slot, part) in others.iter().zip(parts(self.hash.min(left) - taken, others.len())) {
            slot.share(HASH, part.to_string());
        }
    }
}

/// Divides a whole into parts that differ by at most one, each of at least one.
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
