//! A member: the handle of its thread, and its state as the council knows it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Sender, unbounded};
use kiki_driver::{CancellationSource, EngineIdentity};
use kiki_platform::prefer_short_time_slices;
use parking_lot::Mutex;

use crate::message::{MemberCommand, MemberReporter, ProgramOption, SearchLines};
use crate::options::{is_default, value_of};
use crate::settings::MemberSettings;
use crate::worker::MemberWorker;

/// Time allowed for a member to end: a little more than its program has.
pub(crate) const LONGEST_QUIT: Duration = Duration::from_millis(850);

/// A member. Dropping it ends its process, which takes up to [`LONGEST_QUIT`].
pub(crate) struct Member {
    pub(crate) settings: MemberSettings,
    /// Its lines of play in the search in progress.
    pub(crate) lines: Arc<Mutex<SearchLines>>,
    /// Counts the members that have had a slot, to distinguish late events of a predecessor from
    /// its own.
    pub(crate) generation: u64,
    commands: Sender<MemberCommand>,
    cancel: CancellationSource,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    /// Starts the thread of a member. Its predecessor in the slot ends first, so that two programs
    /// never run for one slot.
    pub(crate) fn new(reporter: MemberReporter, settings: MemberSettings, predecessor: Option<Self>) -> Self {
        let (commands, received) = unbounded();
        let (lines, cancel) = (Arc::new(Mutex::new(SearchLines::default())), CancellationSource::new());
        let (generation, token) = (reporter.generation, cancel.token().clone());
        let (own_settings, own_lines) = (settings.clone(), Arc::clone(&lines));
        let thread = thread::spawn(move || {
            prefer_short_time_slices();
            drop(predecessor);
            MemberWorker::run(own_settings, own_lines, received, reporter, token);
        });
        Self { settings, lines, generation, commands, cancel, thread: Some(thread) }
    }

    pub(crate) fn tell(&self, command: MemberCommand) {
        // Its thread ends only after `Quit`.
        let _ = self.commands.send(command);
    }

    /// Ends its process; whatever is unfinished at the deadline is cancelled.
    pub(crate) fn end(&mut self, deadline: Instant) {
        self.tell(MemberCommand::Quit);
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        // The engine may be starting or getting ready.
        self.cancel.cancel();
        let _ = thread.join();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.end(Instant::now() + LONGEST_QUIT);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Readiness {
    Available,
    /// It is starting or getting ready, and will report.
    GettingReady,
    /// It has not been started, or could not be.
    Unavailable,
}

pub(crate) struct MemberSlot {
    pub(crate) member: Member,
    pub(crate) identity: Option<EngineIdentity>,
    pub(crate) readiness: Readiness,
    /// Options of its program that were set for this member alone, by name in lower case.
    own_options: BTreeMap<String, String>,
}

impl MemberSlot {
    pub(crate) fn new(member: Member) -> Self {
        Self { member, identity: None, readiness: Readiness::Unavailable, own_options: BTreeMap::new() }
    }

    pub(crate) fn is_available(&self) -> bool {
        self.readiness == Readiness::Available
    }

    /// Records an option set for this member alone. Returns `false` for the program's default,
    /// which GUIs send back with all options; it is a choice only if the file sets the option.
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

    pub(crate) fn has_own(&self, name: &str) -> bool {
        self.member.settings.fixes(name) || self.own_options.contains_key(&name.to_ascii_lowercase())
    }

    /// The number set for this member alone. `None` if it is not a number, or larger than any
    /// table.
    pub(crate) fn own_number(&self, name: &str) -> Option<u32> {
        let set = self.own_options.get(&name.to_ascii_lowercase()).cloned();
        let of_file = || self.member.settings.option_texts().find(|(known, _)| known.eq_ignore_ascii_case(name));
        set.or_else(|| of_file().map(|(_, value)| value))?.parse().ok()
    }

    pub(crate) fn share(&self, name: &str, value: String) {
        let option = ProgramOption { name: name.to_owned(), value, shared: true };
        self.member.tell(MemberCommand::SetOption(option));
    }
}
