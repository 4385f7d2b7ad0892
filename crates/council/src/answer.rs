//! The answer to `go`, and what is told before it.

use kiki_usi::{BestMove, Info, InfoString};

use crate::ballot::Ballot;
use crate::decision::{Decision, decide};
use crate::message::MemberCommand;
use crate::output::line;
use crate::report::{decision_line, lines_of_play, member_line, without_bounds};
use crate::rule::Rule;
use crate::search::{CouncilSearch, MemberState};
use crate::seat::Readiness;
use crate::session::CouncilSession;

/// Whose ballots count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voters {
    /// Members that have answered.
    Answered,
    /// Members that search as well, by their lines of play.
    Searching,
    /// All that have told a line of play, also those that have failed since.
    Failed,
}

impl CouncilSession {
    fn ballots(&self, search: &CouncilSearch, voters: Voters) -> Vec<Ballot> {
        let ballot = |(member, state): (usize, &MemberState)| {
            let seat = self.seats.get(member)?.as_ref()?;
            let lines = seat.member.lines.lock();
            // A rule may choose any move that a line begins with.
            let told: Vec<Info> = lines.ranked(search.number).iter().filter_map(|info| search.playable(info)).collect();
            let (best, ponder) = match (state, voters) {
                (MemberState::Answered(BestMove::Move { best, ponder }), _) => (best.clone(), ponder.clone()),
                (MemberState::Searching, Voters::Searching | Voters::Failed)
                | (MemberState::Failed, Voters::Failed) => {
                    let mut moves = told.first()?.pv.iter();
                    (moves.next()?.clone(), moves.next().cloned())
                }
                _ => return None,
            };
            search.position.parse_move(&best).ok()?;
            Some(Ballot::new(member, &seat.member.settings, best, ponder, &told))
        };
        search.members.iter().enumerate().filter_map(ballot).collect()
    }

    fn nodes(&self, search: &CouncilSearch) -> u64 {
        self.seats.iter().flatten().map(|seat| seat.member.lines.lock().nodes(search.number)).sum()
    }

    /// As many lines as `MultiPV` asks for.
    fn lines_of_play(&self, search: &CouncilSearch, decision: &Decision, ballots: &[Ballot]) -> Vec<Info> {
        lines_of_play(decision, ballots, self.settings.multi_pv, self.nodes(search), search.elapsed())
    }

    pub(super) fn report_progress(&self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.muted) else { return };
        let ballots = self.ballots(search, Voters::Searching);
        let Some(decision) = decide(self.settings.rule, &ballots, self.settings.loss) else { return };
        for info in self.lines_of_play(search, &decision, &ballots) {
            line(info);
        }
    }

    /// Ends the search with the best answer there is.
    pub(super) fn answer(&mut self) {
        let Some(search) = self.search.take() else { return };
        self.leave_out_late(&search);
        if search.muted {
            return;
        }
        let answers = || search.members.iter().filter(|state| !matches!(state, MemberState::Out | MemberState::Failed));
        if search.members.contains(&MemberState::Answered(BestMove::Win)) {
            return line(BestMove::Win);
        }
        let resigned = MemberState::Answered(BestMove::Resign);
        if answers().next().is_some() && answers().all(|state| *state == resigned) {
            return line(BestMove::Resign);
        }
        let voters = [Voters::Answered, Voters::Searching, Voters::Failed];
        let mut ballots = voters.into_iter().map(|voters| self.ballots(&search, voters));
        let ballots = ballots.find(|ballots| !ballots.is_empty()).unwrap_or_default();
        // Nobody has told of a move.
        if ballots.is_empty() && search.members.contains(&resigned) {
            return line(BestMove::Resign);
        }
        line(self.best_move(&search, &ballots));
    }

    /// Members that still search are late. A process that was ready is started again; one that was not is left to get ready, and one that
    /// had less time than a late one has is asked again when it has ended its search.
    fn leave_out_late(&mut self, ended: &CouncilSearch) {
        let search = ended.number;
        for (member, (seat, state)) in self.seats.iter_mut().zip(&ended.members).enumerate() {
            let (Some(seat), MemberState::Searching) = (seat, state) else { continue };
            let reason = if seat.is_available() && ended.is_unused() {
                seat.member.tell(MemberCommand::Forget { search });
                "it has not ended its search yet"
            } else if seat.is_available() {
                seat.readiness = Readiness::GettingReady;
                seat.member.tell(MemberCommand::Restart { search });
                "it does not answer"
            } else {
                seat.member.tell(MemberCommand::Forget { search });
                "it is not ready yet"
            };
            line(InfoString(format_args!("m{}: left out, {reason}", member + 1)));
        }
    }

    /// Decides and tells how.
    fn best_move(&self, search: &CouncilSearch, ballots: &[Ballot]) -> BestMove {
        let Some(decision) = decide(self.settings.rule, ballots, self.settings.loss) else {
            return any_move(search);
        };
        for (ballot, weight) in ballots.iter().zip(&decision.weights) {
            line(InfoString(member_line(&self.name(ballot.member), ballot, *weight, &decision)));
        }
        let others: Vec<(Rule, String)> = Rule::ALL
            .into_iter()
            .filter_map(|rule| Some((rule, decide(rule, ballots, self.settings.loss)?.best)))
            .collect();
        line(InfoString(decision_line(&decision, &others)));
        let lines = without_bounds(self.lines_of_play(search, &decision, ballots));
        for info in &lines {
            line(info);
        }
        match expected_answer(search, &decision, ballots, &lines) {
            Some(ponder) => BestMove::with_ponder(&decision.best, ponder),
            None => BestMove::new(&decision.best),
        }
    }
}

/// The answer that the strongest member which names the move expects, or the line of a move that nobody names; if it is legal.
fn expected_answer(search: &CouncilSearch, decision: &Decision, ballots: &[Ballot], lines: &[Info]) -> Option<String> {
    let naming = ballots.iter().filter(|ballot| ballot.best == decision.best);
    let expected = match naming.min_by(|a, b| a.noise.total_cmp(&b.noise)) {
        Some(ballot) => ballot.ponder.clone()?,
        None => lines.first()?.pv.get(1)?.clone(),
    };
    let mut after = search.position.clone();
    after.make(after.parse_move(&decision.best).ok()?);
    after.parse_move(&expected).is_ok().then_some(expected)
}

/// A move where no member has an answer: one of those that are to be searched, or else any legal one.
fn any_move(search: &CouncilSearch) -> BestMove {
    let Some(any) = search.asked().first().or(search.position.legal_moves().iter().next()).copied() else {
        return BestMove::Resign;
    };
    line(InfoString("no member has an answer: any legal move"));
    BestMove::new(any)
}
