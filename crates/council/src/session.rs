//! The conversation with a GUI, and what follows from the events of members.

use std::collections::VecDeque;
use std::io::{self, BufRead as _};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, at, never, select, unbounded};
use kiki_board::Position;
use kiki_driver::EngineIdentity;
use kiki_platform::{SystemMemory, all_but_some, on_interruption, prefer_short_time_slices};
use kiki_usi::{Command, CommandError, InfoString, OptionSet, PositionSpec};

use crate::member::{LONGEST_QUIT, MemberSlot, Readiness};
use crate::message::{MemberCommand, MemberEvent, MemberReport, SearchNumber};
use crate::options::{self, USUAL_HASH};
use crate::replies::{PendingReplies, PendingReply, print_line};
use crate::search::{CouncilSearch, MemberState};
use crate::settings::CouncilSettings;
use crate::times::SearchStep;

pub(crate) const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// A line of input, or the reason why it is not a command.
pub(crate) type ParsedLine = Result<Command, CommandError>;

/// Speaks USI on standard input and output until `quit`, the end of the input, Ctrl-C or SIGTERM.
/// Each of them ends the members.
pub fn run(settings: CouncilSettings) -> io::Result<()> {
    let (lines, input) = unbounded();
    let interrupted = lines.clone();
    on_interruption(move || end_input(&interrupted))?;
    // Ends with the process: reading cannot be interrupted.
    prefer_short_time_slices();
    thread::spawn(move || {
        prefer_short_time_slices();
        for text in io::stdin().lock().split(b'\n').map_while(Result::ok) {
            if lines.send(text).is_err() {
                return;
            }
        }
        end_input(&lines);
    });
    CouncilSession::new(settings).run(&input);
    Ok(())
}

/// Acts as if the GUI had sent `quit`.
fn end_input(lines: &Sender<Vec<u8>>) {
    let _ = lines.send(b"quit".to_vec());
}

/// Memory that all members may use together, in MiB.
fn memory_left() -> i64 {
    let available = SystemMemory::now().map_or(usize::MAX, |memory| memory.available);
    i64::try_from(all_but_some(available)).unwrap_or(i64::MAX)
}

pub(crate) struct CouncilSession {
    pub(crate) settings: CouncilSettings,
    pub(crate) options: OptionSet,
    /// `USI_Hash` in MiB; all members share it.
    pub(crate) hash: i64,
    /// Free memory before any member ran, in MiB.
    pub(crate) memory: i64,
    /// `USI_Ponder`, for all members.
    pub(crate) ponder: bool,
    pub(crate) slots: Vec<Option<MemberSlot>>,
    /// Number of members that have had a slot.
    pub(crate) generations: u64,
    /// Threads of replaced members that are ending.
    pub(crate) ending_threads: Vec<JoinHandle<()>>,
    pub(crate) event_sender: Sender<MemberReport>,
    pub(crate) events: Receiver<MemberReport>,
    pub(crate) replies: PendingReplies,
    /// Lines of input to execute, with the time of their arrival. A `go` may have to wait, and the
    /// lines behind it wait too.
    pub(crate) pending: VecDeque<(Instant, ParsedLine)>,
    pub(crate) position: Position,
    pub(crate) spec: PositionSpec,
    /// Why the last position was refused, if it was.
    pub(crate) refused_position: Option<String>,
    /// A resignation because there is no position: it waits for `stop` or, if `true`, for
    /// `ponderhit`.
    pub(crate) held_resignation: Option<bool>,
    pub(crate) search: Option<CouncilSearch>,
    pub(crate) searches: SearchNumber,
    pub(crate) next_report: Instant,
    /// When to print the next empty line while members get ready.
    next_sign: Instant,
}

impl CouncilSession {
    pub(crate) fn new(settings: CouncilSettings) -> Self {
        let (event_sender, events) = unbounded();
        let mut session = Self {
            options: OptionSet::default(),
            hash: USUAL_HASH,
            memory: memory_left(),
            ponder: false,
            slots: Vec::new(),
            generations: 0,
            ending_threads: Vec::new(),
            event_sender,
            events,
            replies: PendingReplies::default(),
            pending: VecDeque::new(),
            position: Position::startpos(),
            spec: PositionSpec::startpos(),
            refused_position: None,
            held_resignation: None,
            search: None,
            searches: 0,
            next_report: Instant::now(),
            next_sign: Instant::now(),
            settings,
        };
        for member in 0..session.settings.members.len() {
            session.fill_slot(member);
        }
        session.declare_options();
        session
    }

    fn run(mut self, input: &Receiver<Vec<u8>>) {
        loop {
            let timer = self.next_moment().map_or_else(never, at);
            let events = self.events.clone();
            select! {
                recv(input) -> text => match text.map(|text| Command::parse(&text)) {
                    Ok(Ok(Command::Quit)) | Err(_) => break,
                    Ok(command) => self.pending.push_back((Instant::now(), command)),
                },
                recv(events) -> report => if let Ok(report) = report { self.handle(report) },
                recv(timer) -> _ => {}
            }
            self.handle_due();
            self.execute_pending();
        }
        self.end();
    }

    fn end(mut self) {
        self.tell_all(&MemberCommand::Quit);
        let deadline = Instant::now() + LONGEST_QUIT;
        for slot in self.slots.iter_mut().flatten() {
            slot.member.end(deadline);
        }
        for thread in self.ending_threads {
            let _ = thread.join();
        }
    }

    /// The next moment at which the session must act even without input or events.
    fn next_moment(&self) -> Option<Instant> {
        let search = self.search.as_ref().map(|search| match search.next_step(Instant::now()) {
            SearchStep::Wait(moment) => moment.map_or(self.next_report, |moment| moment.min(self.next_report)),
            SearchStep::Stop | SearchStep::Answer => Instant::now(),
        });
        let sign = self.replies.awaits_ready_ok().then_some(self.next_sign);
        [self.replies.deadline(), search, sign].into_iter().flatten().min()
    }

    /// Executes one line of input that arrived at this moment. `quit` is handled before, as it does
    /// not wait for its turn.
    pub(super) fn execute(&mut self, came: Instant, command: ParsedLine) {
        match command {
            Ok(Command::Usi) => self.usi(),
            Ok(Command::IsReady) => self.is_ready(),
            Ok(Command::SetOption { name, value }) => self.set_option(&name, value.as_deref().unwrap_or_default()),
            Ok(Command::UsiNewGame) => self.tell_all(&MemberCommand::NewGame),
            Ok(Command::Position(spec)) => self.set_position(spec),
            Ok(Command::Go(go)) => self.go(go, came),
            Ok(Command::Stop) => self.stop(),
            Ok(Command::PonderHit(clocks)) => self.ponder_hit(clocks, came),
            Ok(Command::GameOver(result)) => self.game_over(result),
            Ok(Command::Blank | Command::Quit) => {}
            Ok(other) => print_line(InfoString(format_args!("a council does not know `{other}`"))),
            Err(error @ CommandError::NoPosition { .. }) => self.refuse_position(error),
            Err(error) => print_line(InfoString(error)),
        }
    }

    pub(crate) fn tell_all(&self, command: &MemberCommand) {
        for slot in self.slots.iter().flatten() {
            slot.member.tell(command.clone());
        }
    }

    /// Sets up a position, or refuses it; no answer then refers to the position before.
    fn set_position(&mut self, spec: PositionSpec) {
        match kiki_usi::set_up(&spec) {
            Ok(position) => (self.position, self.spec, self.refused_position) = (position, spec, None),
            Err(error) => self.refuse_position(error),
        }
    }

    fn refuse_position(&mut self, reason: impl std::fmt::Display) {
        print_line(InfoString(&reason));
        self.refused_position = Some(reason.to_string());
    }

    /// The name of a member: that of the file, or of its program.
    pub(crate) fn name(&self, member: usize) -> String {
        let slot = self.slots.get(member).and_then(Option::as_ref);
        let given = slot.and_then(|slot| slot.member.settings.name.clone());
        let own = || slot.and_then(|slot| slot.identity.as_ref().map(|identity| identity.name.clone()));
        given.or_else(own).unwrap_or_default()
    }

    /// Handles waiting events first, then everything that is due now.
    pub(crate) fn handle_due(&mut self) {
        while let Ok(report) = self.events.try_recv() {
            self.handle(report);
        }
        while let Some(answer) = self.replies.next_due(Instant::now()) {
            match answer {
                PendingReply::UsiOk(_) => self.say_usi_ok(),
                PendingReply::ReadyOk => {
                    print_line("readyok");
                    self.restart_pending_clocks();
                }
            }
        }
        let now = Instant::now();
        if self.replies.awaits_ready_ok() && now >= self.next_sign {
            print_line("");
            self.next_sign = now + KEEP_ALIVE;
        }
        let Some(search) = &self.search else { return };
        match search.next_step(now) {
            SearchStep::Answer => self.answer(),
            SearchStep::Stop => self.stop(),
            SearchStep::Wait(_) if self.next_report <= now => {
                self.next_report = now + REPORT_INTERVAL;
                self.report_progress();
            }
            SearchStep::Wait(_) => {}
        }
    }
}

impl CouncilSession {
    pub(super) fn handle(&mut self, report: MemberReport) {
        let MemberReport { member, generation, event } = report;
        let name = self.name(member);
        let Some(Some(slot)) = self.slots.get_mut(member) else { return };
        if slot.member.generation != generation {
            // The member has been replaced.
            return;
        }
        let tell = |what: &str| print_line(InfoString(format_args!("m{} {name}: {what}", member + 1)));
        match event {
            MemberEvent::Started(identity) => slot.identity = Some(identity),
            MemberEvent::Ready => slot.readiness = Readiness::Available,
            MemberEvent::Reported(request) => self.replies.release(member, Some(request)),
            MemberEvent::Unavailable(reason) => {
                slot.readiness = Readiness::Unavailable;
                tell(&reason);
            }
            MemberEvent::Problem(reason) => tell(&reason),
            MemberEvent::Failed { search, reason, starts_again } => {
                slot.readiness = if starts_again { Readiness::GettingReady } else { Readiness::Unavailable };
                if let Some(running) = self.search.as_mut().filter(|running| Some(running.number) == search) {
                    running.lost(member, MemberState::Failed);
                    tell(&format!("left out, {reason}"));
                } else if starts_again {
                    tell(&format!("started again, {reason}"));
                }
            }
            MemberEvent::Answered(search, best) => {
                if let Some(running) = self.search.as_mut().filter(|running| running.number == search)
                    && let Err(refusal) = running.answered(member, best)
                {
                    tell(&format!("left out, {}", refusal.reason));
                    if refusal.is_fault {
                        slot.readiness = Readiness::GettingReady;
                        slot.member.tell(MemberCommand::Restart(search));
                    }
                }
            }
        }
    }
}

/// Interval of empty lines while members get ready: clients give up on a silent engine.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Time that `usi` waits for starting members: a GUI wants their options, but does not wait
/// forever.
const LONGEST_START: Duration = Duration::from_secs(8);

impl CouncilSession {
    pub(super) fn declare_options(&mut self) {
        let programs: Vec<Option<EngineIdentity>> =
            self.slots.iter().map(|slot| slot.as_ref().and_then(|slot| slot.identity.clone())).collect();
        match options::declare(&self.settings, &programs) {
            Ok(options) => self.options = options,
            Err(error) => print_line(InfoString(error)),
        }
    }

    pub(super) fn usi(&mut self) {
        let members = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(member, _)| member);
        let request = self.replies.add(PendingReply::UsiOk(Instant::now() + LONGEST_START), members.collect());
        self.tell_all(&MemberCommand::Start(request));
    }

    /// Does not wait for members that search: a GUI may ask during a search whether the council is
    /// alive.
    pub(super) fn is_ready(&mut self) {
        self.share_options();
        self.next_sign = Instant::now() + KEEP_ALIVE;
        let searches = |member: usize| {
            let search = self.search.as_ref().filter(|search| !search.muted);
            search.is_some_and(|search| search.members.get(member) == Some(&MemberState::Searching))
        };
        let asked = |(member, slot): (usize, &Option<_>)| (slot.is_some() && !searches(member)).then_some(member);
        let members: Vec<usize> = self.slots.iter().enumerate().filter_map(asked).collect();
        let request = self.replies.add(PendingReply::ReadyOk, members.clone());
        for member in members {
            let Some(Some(slot)) = self.slots.get_mut(member) else { continue };
            slot.member.tell(MemberCommand::Ready(Some(request)));
            if slot.readiness == Readiness::Unavailable {
                slot.readiness = Readiness::GettingReady;
            }
        }
    }

    pub(super) fn say_usi_ok(&mut self) {
        self.declare_options();
        print_line(format_args!("id name Kiki council {}", env!("CARGO_PKG_VERSION")));
        print_line("id author the Kiki developers");
        for declaration in self.options.declarations() {
            print_line(declaration);
        }
        print_line("usiok");
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::{BestMove, GoSpec};

    use super::*;
    use crate::settings::MemberSettings;
    use crate::times::{SearchTimes, Waiting};

    /// A council of one that has been asked, and whose time is up.
    fn due() -> CouncilSession {
        let members = vec![MemberSettings::of_command("no-such-engine-anywhere")];
        let mut session = CouncilSession::new(CouncilSettings { members, ..CouncilSettings::default() });
        session.slots[0].as_mut().unwrap().readiness = Readiness::Available;
        session.searches = 1;
        let (position, go) = (Position::startpos(), GoSpec { movetime: Some(1), ..GoSpec::default() });
        let since = Instant::now() - Duration::from_millis(5);
        let times = SearchTimes::new(&go, position.side_to_move(), Waiting::default(), since);
        session.search = Some(CouncilSearch::new(1, position, go, vec![MemberState::Searching], times));
        session
    }

    fn report(session: &CouncilSession, generation: u64, search: SearchNumber) {
        let event = MemberEvent::Answered(search, BestMove::new("7g7f"));
        session.event_sender.send(MemberReport { member: 0, generation, event }).unwrap();
    }

    fn readiness(session: &CouncilSession) -> Readiness {
        session.slots[0].as_ref().unwrap().readiness
    }

    #[test]
    fn an_answer_that_has_come_counts_before_the_time_is_found_to_be_up() {
        let mut session = due();
        report(&session, 1, 1);
        session.handle_due();
        assert!(session.search.is_none());
        assert_eq!(readiness(&session), Readiness::Available, "its answer counts, so that it is not started again");
    }

    #[test]
    fn answers_of_another_member_or_search_do_not_count() {
        for (generation, search) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
            let mut session = due();
            report(&session, generation, search);
            session.handle_due();
            assert!(session.search.is_none());
            assert_eq!(readiness(&session), Readiness::GettingReady, "{generation} {search}");
        }
    }
}
