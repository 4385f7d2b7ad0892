//! `usi`, `isready` and options.

use std::time::{Duration, Instant};

use kiki_driver::EngineIdentity;
use kiki_usi::InfoString;

use crate::member::MemberCommand;
use crate::options::{self, Target};
use crate::output::line;
use crate::session::{CouncilSession, Owed};
use crate::settings::MemberSettings;

/// How long `usi` waits for members that are starting: a GUI wants to know their options, but not to wait for ever.
const LONGEST_START: Duration = Duration::from_secs(8);

/// The option for several lines of play.
const MULTI_PV: &str = "MultiPV";

/// The most members.
const MOST_MEMBERS: usize = 64;

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
        self.tell_all(&MemberCommand::Start);
        self.await_all();
        self.owed = Owed::UsiOk { until: Instant::now() + LONGEST_START };
    }

    pub(super) fn is_ready(&mut self) {
        let multi_pv = self.settings.multi_pv.to_string();
        for seat in self.seats.iter().flatten() {
            let declared = seat.identity.iter().flat_map(|known| &known.options);
            let has_it = declared.into_iter().any(|option| option.is_named(MULTI_PV));
            // What its file says about it holds.
            if has_it && !seat.member.settings.fixes(MULTI_PV) {
                let (name, value) = (MULTI_PV.to_owned(), multi_pv.clone());
                seat.member.tell(MemberCommand::SetOption { name, value });
            }
        }
        self.tell_all(&MemberCommand::Ready);
        self.await_all();
        self.owed = Owed::ReadyOk;
    }

    pub(super) fn await_all(&mut self) {
        for seat in self.seats.iter_mut().flatten() {
            seat.awaited = true;
        }
    }

    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        match options::target(name) {
            Target::Council => {
                let set = self.options.set(name, Some(value)).map(|_| ());
                if let Err(error) = set.and_then(|()| options::take_over(&self.options, &mut self.settings)) {
                    line(InfoString(error));
                } else if name.eq_ignore_ascii_case("USI_Hash") {
                    self.share_hash();
                } else if name.eq_ignore_ascii_case("USI_Ponder") {
                    self.tell_all(&MemberCommand::SetOption { name: name.to_owned(), value: value.to_owned() });
                }
            }
            Target::Settings { member, what } if member < MOST_MEMBERS => {
                while self.settings.members.len() <= member {
                    self.settings.members.push(MemberSettings::of_command(""));
                }
                let settings = &mut self.settings.members[member];
                let before = settings.clone();
                if let Err(error) = options::change(settings, &what, value) {
                    line(InfoString(format_args!("m{}: {error}", member + 1)));
                }
                let settings = settings.clone();
                if (&settings.command, &settings.directory) != (&before.command, &before.directory) {
                    self.seat(member);
                } else if let Some(Some(seat)) = self.seats.get_mut(member) {
                    seat.member.settings = settings;
                }
            }
            Target::Program { member, name } if self.seats.get(member).is_some_and(Option::is_some) => {
                if let Some(Some(seat)) = self.seats.get(member) {
                    seat.member.tell(MemberCommand::SetOption { name, value: value.to_owned() });
                }
            }
            Target::Settings { .. } | Target::Program { .. } => {
                line(InfoString(format_args!("there is no such member: {name}")));
            }
        }
    }

    /// Gives every member its part of the memory, but for those whose file says how much they take.
    fn share_hash(&self) {
        let members = self.seats.iter().flatten();
        let each = self.options.spin("USI_Hash").unwrap_or(1) / members.clone().count().max(1) as i64;
        let value = each.max(1).to_string();
        for seat in members {
            if !seat.member.settings.fixes("USI_Hash") {
                seat.member.tell(MemberCommand::SetOption { name: "USI_Hash".to_owned(), value: value.clone() });
            }
        }
    }

    pub(super) fn say_usi_ok(&mut self) {
        self.owed = Owed::Nothing;
        self.await_none();
        self.declare_options();
        line(format_args!("id name Kiki council {}", env!("CARGO_PKG_VERSION")));
        line("id author the Kiki developers");
        for declaration in self.options.declarations() {
            line(declaration);
        }
        line("usiok");
    }

    pub(super) fn await_none(&mut self) {
        for seat in self.seats.iter_mut().flatten() {
            seat.awaited = false;
        }
    }
}
