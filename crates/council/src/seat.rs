//! A seat of the council: a member and what is known of it.

use std::collections::BTreeMap;

use kiki_driver::EngineIdentity;

use crate::member::Member;
use crate::message::MemberCommand;
use crate::options::{is_default, value_of};
use crate::program_options::ProgramOption;

/// Whether a member can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Readiness {
    /// It is ready.
    Available,
    /// It is starting, or getting ready; it will tell when it is.
    GettingReady,
    /// It has not been started, or could not be.
    Unavailable,
}

/// A seat that is taken.
pub(crate) struct Seat {
    pub(crate) member: Member,
    pub(crate) identity: Option<EngineIdentity>,
    pub(crate) readiness: Readiness,
    /// Options of its program, their names in small letters, that were set for this member alone.
    own_options: BTreeMap<String, String>,
}

impl Seat {
    pub(crate) fn new(member: Member) -> Self {
        Self { member, identity: None, readiness: Readiness::Unavailable, own_options: BTreeMap::new() }
    }

    pub(crate) fn is_available(&self) -> bool {
        self.readiness == Readiness::Available
    }

    /// An option is set for this member alone. `false`: it has the program's default, which is no choice, because GUIs send all options back
    /// as they were declared. Where a file says something else it is one.
    pub(crate) fn set_own(&mut self, name: &str, value: &str) -> bool {
        let mut declared = self.identity.iter().flat_map(|identity| &identity.options);
        let declared = declared.find(|option| option.is_named(name));
        let is_choice = self.member.settings.fixes(name) || !declared.is_some_and(|option| is_default(option, value));
        let name = name.to_ascii_lowercase();
        if !is_choice {
            self.own_options.remove(&name);
        } else if declared.is_none_or(|option| value_of(option, value).is_some()) {
            self.own_options.insert(name, value.to_owned());
        }
        is_choice
    }

    /// Whether this option is this member's own: what all members are given does not count.
    pub(crate) fn has_own(&self, name: &str) -> bool {
        self.member.settings.fixes(name) || self.own_options.contains_key(&name.to_ascii_lowercase())
    }

    /// The number that this member has of its own for an option. `None` if that is no number, or more than any table takes.
    pub(crate) fn own_number(&self, name: &str) -> Option<u32> {
        let set = self.own_options.get(&name.to_ascii_lowercase()).cloned();
        let of_file = || self.member.settings.option_texts().find(|(known, _)| known.eq_ignore_ascii_case(name));
        set.or_else(|| of_file().map(|(_, value)| value))?.parse().ok()
    }

    /// Gives it what all members are given.
    pub(crate) fn share(&self, name: &str, value: String) {
        let option = ProgramOption { name: name.to_owned(), value, shared: true };
        self.member.tell(MemberCommand::SetOption(option));
    }
}
