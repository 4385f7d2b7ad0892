//! The conversation with a GUI.

use std::collections::VecDeque;
use std::io::{self, BufRead as _};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, at, never, select, unbounded};
use kiki_board::Position;
use kiki_platform::prefer_short_time_slices;
use kiki_platform::{SystemMemory, all_but_some};
use kiki_usi::{Command, CommandError, InfoString, OptionSet, PositionSpec};

use crate::member::LONGEST_QUIT;
use crate::message::{MemberCommand, MemberReport};
use crate::options::USUAL_HASH;
use crate::output::line;
use crate::owed::{Owed, OwedAnswer};
use crate::search::CouncilSearch;
use crate::seat::Seat;
use crate::settings::CouncilSettings;
use crate::times::NextStep;

/// How often the members' lines are told during a search.
pub(crate) const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// A line of input, or why it is no command.
pub(crate) type ParsedLine = Result<Command, CommandError>;

/// Speaks USI on standard input and output until `quit`, the end of the input, Ctrl-C or a request to terminate (SIGTERM): members are ended by any of them.
///
/// # Errors
/// If the system refuses to tell of the last two.
pub fn run(settings: CouncilSettings) -> Result<(), ctrlc::Error> {
    let (lines, input) = unbounded();
    let interrupted = lines.clone();
    ctrlc::set_handler(move || end_input(&interrupted))?;
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

/// As if the GUI had said `quit`.
fn end_input(lines: &Sender<Vec<u8>>) {
    let _ = lines.send(b"quit".to_vec());
}

/// What members may take together, in MiB.
fn memory_left() -> i64 {
    let available = SystemMemory::now().map_or(usize::MAX, |memory| memory.available);
    i64::try_from(all_but_some(available)).unwrap_or(i64::MAX)
}

/// The state of the conversation.
pub(crate) struct CouncilSession {
    pub(crate) settings: CouncilSettings,
    pub(crate) options: OptionSet,
    /// `USI_Hash` in MiB; all members share it.
    pub(crate) hash: i64,
    /// What the machine had left before any member ran, in MiB.
    pub(crate) memory: i64,
    /// `USI_Ponder`, for all members.
    pub(crate) ponder: bool,
    pub(crate) seats: Vec<Option<Seat>>,
    /// How many members have had a seat.
    pub(crate) generations: u64,
    /// Members that have lost their seats and are ending.
    pub(crate) leaving: Vec<JoinHandle<()>>,
    pub(crate) event_sender: Sender<MemberReport>,
    pub(crate) events: Receiver<MemberReport>,
    pub(crate) owed: Owed,
    /// Lines of input that are still to be executed, and when they came: a `go` may have to wait, and what is behind it waits too.
    pub(crate) pending: VecDeque<(Instant, ParsedLine)>,
    pub(crate) position: Position,
    pub(crate) spec: PositionSpec,
    /// Why the last position was refused, if it was.
    pub(crate) refused_position: Option<String>,
    /// The resignation without a position that waits for `stop` or, if it is true, for `ponderhit`.
    pub(crate) held_resignation: Option<bool>,
    pub(crate) search: Option<CouncilSearch>,
    pub(crate) searches: u64,
    pub(crate) next_report: Instant,
}

impl CouncilSession {
    pub(crate) fn new(settings: CouncilSettings) -> Self {
        let (event_sender, events) = unbounded();
        let mut session = Self {
            options: OptionSet::default(),
            hash: USUAL_HASH,
            memory: memory_left(),
            ponder: false,
            seats: Vec::new(),
            generations: 0,
            leaving: Vec::new(),
            event_sender,
            events,
            owed: Owed::default(),
            pending: VecDeque::new(),
            position: Position::startpos(),
            spec: PositionSpec::startpos(),
            refused_position: None,
            held_resignation: None,
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
            self.go_on();
            self.execute_pending();
        }
        self.end();
    }

    /// Ends all members at once.
    fn end(mut self) {
        self.tell_all(&MemberCommand::Quit);
        let deadline = Instant::now() + LONGEST_QUIT;
        for seat in self.seats.iter_mut().flatten() {
            seat.member.end(deadline);
        }
        for thread in self.leaving {
            let _ = thread.join();
        }
    }

    /// When something is to be done even if nobody says anything.
    fn next_moment(&self) -> Option<Instant> {
        let search = self.search.as_ref().map(|search| match search.next_step(Instant::now()) {
            NextStep::Wait(moment) => moment.map_or(self.next_report, |moment| moment.min(self.next_report)),
            NextStep::Stop | NextStep::Answer => Instant::now(),
        });
        [self.owed.deadline(), search].into_iter().flatten().min()
    }

    /// Does what one line of input says, which came at this moment, but for `quit`, which does not wait for its turn.
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
            Ok(other) => line(InfoString(format_args!("a council does not know `{other}`"))),
            Err(error @ CommandError::NoPosition { .. }) => self.refuse_position(error),
            Err(error) => line(InfoString(error)),
        }
    }

    pub(crate) fn tell_all(&self, command: &MemberCommand) {
        for seat in self.seats.iter().flatten() {
            seat.member.tell(command.clone());
        }
    }

    /// A position that cannot be set up is refused: until the next one nothing is told about the one before.
    fn set_position(&mut self, spec: PositionSpec) {
        match kiki_usi::set_up(&spec) {
            Ok(position) => (self.position, self.spec, self.refused_position) = (position, spec, None),
            Err(error) => self.refuse_position(error),
        }
    }

    fn refuse_position(&mut self, reason: impl std::fmt::Display) {
        line(InfoString(&reason));
        self.refused_position = Some(reason.to_string());
    }

    /// What a member is called.
    pub(crate) fn name(&self, member: usize) -> String {
        let seat = self.seats.get(member).and_then(Option::as_ref);
        let given = seat.and_then(|seat| seat.member.settings.name.clone());
        let own = || seat.and_then(|seat| seat.identity.as_ref().map(|identity| identity.name.clone()));
        given.or_else(own).unwrap_or_default()
    }

    /// Does what is due now. What members have done by now counts.
    pub(crate) fn go_on(&mut self) {
        while let Ok(report) = self.events.try_recv() {
            self.handle(report);
        }
        while let Some(answer) = self.owed.next_due(Instant::now()) {
            match answer {
                OwedAnswer::UsiOk { .. } => self.say_usi_ok(),
                OwedAnswer::ReadyOk => {
                    line("readyok");
                    self.restart_pending_clocks();
                }
            }
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

#[cfg(test)]
mod tests {
    use kiki_usi::{BestMove, GoSpec};

    use super::*;
    use crate::message::MemberEvent;
    use crate::search::MemberState;
    use crate::seat::Readiness;
    use crate::settings::MemberSettings;
    use crate::times::Waiting;

    /// A council of one that has been asked, and whose time is up.
    fn due() -> CouncilSession {
        let members = vec![MemberSettings::of_command("no-such-engine-anywhere")];
        let mut session = CouncilSession::new(CouncilSettings { members, ..CouncilSettings::default() });
        session.seats[0].as_mut().unwrap().readiness = Readiness::Available;
        session.searches = 1;
        let (root, waiting) = ((Position::startpos(), PositionSpec::startpos()), Waiting::default());
        let go = GoSpec { movetime: Some(1), ..GoSpec::default() };
        session.search = Some(CouncilSearch::new(1, root, go, vec![MemberState::Searching], (waiting, Instant::now())));
        thread::sleep(Duration::from_millis(5));
        session
    }

    fn report(session: &CouncilSession, generation: u64, search: u64) {
        let event = MemberEvent::Answered { search, best: BestMove::new("7g7f") };
        session.event_sender.send(MemberReport { member: 0, generation, event }).unwrap();
    }

    fn readiness(session: &CouncilSession) -> Readiness {
        session.seats[0].as_ref().unwrap().readiness
    }

    #[test]
    fn an_answer_that_has_come_counts_before_the_time_is_found_to_be_up() {
        let mut session = due();
        report(&session, 1, 1);
        session.go_on();
        assert!(session.search.is_none());
        assert_eq!(readiness(&session), Readiness::Available, "its answer counts, so that it is not started again");
    }

    #[test]
    fn answers_of_another_member_or_search_do_not_count() {
        for (generation, search) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
            let mut session = due();
            report(&session, generation, search);
            session.go_on();
            assert!(session.search.is_none());
            assert_eq!(readiness(&session), Readiness::GettingReady, "{generation} {search}");
        }
    }
}
