//! The conversation with a GUI.

use std::io::{self, BufRead as _};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, at, never, select, unbounded};
use kiki_board::Position;
use kiki_driver::EngineIdentity;
use kiki_usi::{CheckmateReply, Command, GoSpec, InfoString, OptionSet, PositionError, PositionSpec};

use crate::member::{Member, MemberCommand, MemberEvent};
use crate::output::line;
use crate::search::{CouncilSearch, MemberState, NextStep, Waiting};
use crate::settings::CouncilSettings;

/// How often the members' lines are told during a search.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Speaks USI on standard input and output until `quit` or the end of the input.
pub fn run(settings: CouncilSettings) {
    let (lines, input) = unbounded();
    // Ends with the process: reading cannot be interrupted.
    thread::spawn(move || {
        for text in io::stdin().lock().split(b'\n') {
            if text.is_err() || text.is_ok_and(|text| lines.send(text).is_err()) {
                return;
            }
        }
    });
    CouncilSession::new(settings).run(&input);
}

/// A seat of the council: a member and what is known of it.
pub(crate) struct Seat {
    pub(crate) member: Member,
    pub(crate) identity: Option<EngineIdentity>,
    /// Whether it can be asked: it is not being started again.
    pub(crate) available: bool,
    /// Whether an answer to `usi` or `isready` is still awaited from it.
    pub(crate) awaited: bool,
}

/// An answer that is owed to the GUI once all members have reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owed {
    Nothing,
    UsiOk { until: Instant },
    ReadyOk,
}

/// The state of the conversation.
pub(crate) struct CouncilSession {
    pub(crate) settings: CouncilSettings,
    pub(crate) options: OptionSet,
    pub(crate) seats: Vec<Option<Seat>>,
    pub(crate) event_sender: Sender<(usize, MemberEvent)>,
    pub(crate) events: Receiver<(usize, MemberEvent)>,
    pub(crate) owed: Owed,
    pub(crate) position: Position,
    pub(crate) spec: PositionSpec,
    pub(crate) search: Option<CouncilSearch>,
    pub(crate) searches: u64,
    pub(crate) next_report: Instant,
}

impl CouncilSession {
    fn new(settings: CouncilSettings) -> Self {
        let (event_sender, events) = unbounded();
        let mut session = Self {
            options: OptionSet::default(),
            seats: Vec::new(),
            event_sender,
            events,
            owed: Owed::Nothing,
            position: Position::startpos(),
            spec: PositionSpec::startpos(),
            search: None,
            searches: 0,
            next_report: Instant::now(),
            settings,
        };
        for member in 0..session.settings.members.len() {
            session.seat(member);
        }
        session.declare_options();
        session
    }

    /// Gives a member a thread, or a new one after its program has changed.
    pub(crate) fn seat(&mut self, member: usize) {
        let Some(settings) = self.settings.members.get(member).cloned() else { return };
        while self.seats.len() <= member {
            self.seats.push(None);
        }
        // The old one has ended before the new one begins.
        self.seats[member] = None;
        if !settings.command.trim().is_empty() {
            let member_thread = Member::new(member, settings, self.event_sender.clone());
            self.seats[member] = Some(Seat { member: member_thread, identity: None, available: true, awaited: false });
        }
    }

    fn run(mut self, input: &Receiver<Vec<u8>>) {
        loop {
            let timer = self.next_moment().map_or_else(never, at);
            let events = self.events.clone();
            select! {
                recv(input) -> text => match text {
                    Ok(text) => if self.execute(&text) { break },
                    Err(_) => break,
                },
                recv(events) -> event => if let Ok((member, event)) = event { self.handle(member, event) },
                recv(timer) -> _ => {}
            }
            self.go_on();
        }
        for seat in self.seats.iter().flatten() {
            seat.member.tell(MemberCommand::Quit);
        }
    }

    /// When something is to be done even if nobody says anything.
    fn next_moment(&self) -> Option<Instant> {
        let owed = if let Owed::UsiOk { until } = self.owed { Some(until) } else { None };
        let search = self.search.as_ref().map(|search| match search.next_step(Instant::now()) {
            NextStep::Wait(moment) => moment.map_or(self.next_report, |moment| moment.min(self.next_report)),
            NextStep::Stop | NextStep::Answer => Instant::now(),
        });
        [owed, search].into_iter().flatten().min()
    }

    /// Does what one line of input says. `true`: the conversation is over.
    fn execute(&mut self, text: &[u8]) -> bool {
        match Command::parse(text) {
            Ok(Command::Usi) => self.usi(),
            Ok(Command::IsReady) => self.is_ready(),
            Ok(Command::SetOption { name, value }) => self.set_option(&name, value.as_deref().unwrap_or_default()),
            Ok(Command::UsiNewGame) => self.tell_all(&MemberCommand::NewGame),
            Ok(Command::Position(spec)) => self.set_position(spec),
            Ok(Command::Go(go)) => self.go(go),
            Ok(Command::Stop) => self.stop(),
            Ok(Command::PonderHit(_)) => self.ponder_hit(),
            Ok(Command::GameOver(result)) => {
                if let Some(search) = &mut self.search {
                    search.muted = true;
                }
                self.stop();
                self.tell_all(&MemberCommand::GameOver(result));
            }
            Ok(Command::Quit) => return true,
            Ok(Command::Blank) => {}
            Ok(other) => line(InfoString(format_args!("a council does not know `{other}`"))),
            Err(error) => line(InfoString(error)),
        }
        false
    }

    pub(crate) fn tell_all(&self, command: &MemberCommand) {
        for seat in self.seats.iter().flatten() {
            seat.member.tell(command.clone());
        }
    }

    /// An unreadable position changes nothing; an illegal move leaves the position before it.
    fn set_position(&mut self, spec: PositionSpec) {
        match kiki_usi::set_up(&spec) {
            Ok(position) => (self.position, self.spec) = (position, spec),
            Err(error) => {
                line(InfoString(&error));
                if let PositionError::IllegalMove { ply, reached, .. } = error {
                    self.position = *reached;
                    self.spec = spec;
                    self.spec.moves.truncate(ply.saturating_sub(1));
                }
            }
        }
    }

    fn go(&mut self, go: GoSpec) {
        if go.mate.is_some() {
            return line(CheckmateReply::NotImplemented);
        }
        // Of a search that nobody waits for any more the members take leave by themselves.
        if self.search.as_ref().is_some_and(|search| !search.muted) {
            return line(InfoString("a search is going on: stop comes before another go"));
        }
        self.searches += 1;
        let some_available = self.seats.iter().flatten().any(|seat| seat.available);
        let mut members = Vec::with_capacity(self.seats.len());
        for seat in &self.seats {
            let asked = seat.as_ref().filter(|seat| seat.available || !some_available);
            if let Some(seat) = asked {
                let (search, position) = (self.searches, self.spec.clone());
                seat.member.tell(MemberCommand::Search { search, position, go: Box::new(go.clone()) });
            }
            members.push(if asked.is_some() { MemberState::Searching } else { MemberState::Out });
        }
        let [margin, patience] =
            [self.settings.margin, self.settings.patience].map(|time| Duration::from_millis(u64::from(time)));
        let root = (self.position.clone(), self.spec.clone());
        self.search = Some(CouncilSearch::new(self.searches, root, go, members, Waiting { margin, patience }));
        self.next_report = Instant::now() + REPORT_INTERVAL;
    }

    fn stop(&mut self) {
        let Some(search) = &mut self.search else { return };
        search.stop();
        self.tell_searching(&MemberCommand::Stop);
    }

    fn ponder_hit(&mut self) {
        let Some(search) = &mut self.search else { return };
        search.ponder_hit();
        self.tell_searching(&MemberCommand::PonderHit);
    }

    fn tell_searching(&self, command: &MemberCommand) {
        let Some(search) = &self.search else { return };
        for (seat, state) in self.seats.iter().zip(&search.members) {
            if let (Some(seat), MemberState::Searching) = (seat, state) {
                seat.member.tell(command.clone());
            }
        }
    }

    fn handle(&mut self, member: usize, event: MemberEvent) {
        let name = self.name(member);
        let Some(Some(seat)) = self.seats.get_mut(member) else { return };
        let tell = |what: &str| line(InfoString(format_args!("m{} {name}: {what}", member + 1)));
        match event {
            MemberEvent::Started(identity) => {
                seat.identity = Some(identity);
                seat.awaited &= self.owed == Owed::ReadyOk;
            }
            MemberEvent::Ready => (seat.available, seat.awaited) = (true, false),
            MemberEvent::Unavailable { reason } => {
                (seat.available, seat.awaited) = (false, false);
                tell(&reason);
                if let Some(search) = &mut self.search {
                    search.failed(member);
                }
            }
            MemberEvent::Refused { reason } => tell(&reason),
            MemberEvent::Failed { search, reason } => {
                seat.available = false;
                tell(&format!("left out, {reason}"));
                if let Some(running) = self.search.as_mut().filter(|running| Some(running.number) == search) {
                    running.failed(member);
                }
            }
            MemberEvent::Answered { search, best } => {
                if let Some(running) = self.search.as_mut().filter(|running| running.number == search)
                    && let Err(reason) = running.answered(member, best)
                {
                    tell(&format!("left out, {reason}"));
                    seat.available = false;
                    seat.member.tell(MemberCommand::Restart);
                }
            }
        }
    }

    /// What a member is called.
    pub(crate) fn name(&self, member: usize) -> String {
        let seat = self.seats.get(member).and_then(Option::as_ref);
        let given = seat.and_then(|seat| seat.member.settings.name.clone());
        let own = || seat.and_then(|seat| seat.identity.as_ref().map(|identity| identity.name.clone()));
        given.or_else(own).unwrap_or_default()
    }

    /// Does what is due now.
    fn go_on(&mut self) {
        let all_reported = !self.seats.iter().flatten().any(|seat| seat.awaited);
        match self.owed {
            Owed::UsiOk { until } if all_reported || until <= Instant::now() => self.say_usi_ok(),
            Owed::ReadyOk if all_reported => {
                self.owed = Owed::Nothing;
                line("readyok");
            }
            _ => {}
        }
        let Some(search) = &self.search else { return };
        let now = Instant::now();
        match search.next_step(now) {
            NextStep::Answer => self.answer(),
            NextStep::Stop => self.stop(),
            NextStep::Wait(_) if self.next_report <= now => {
                self.next_report = now + REPORT_INTERVAL;
                self.report_progress();
            }
            NextStep::Wait(_) => {}
        }
    }
}
