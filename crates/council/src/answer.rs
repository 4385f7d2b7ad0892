//! The answer to `go`, and what is told before it.

use kiki_usi::{BestMove, Info, InfoString};

use crate::ballot::Ballot;
use crate::decision::decide;
use crate::member::MemberCommand;
use crate::output::line;
use crate::report::{decision_line, lines_of_play, member_line};
use crate::rule::Rule;
use crate::search::{CouncilSearch, MemberState};
use crate::session::CouncilSession;

impl CouncilSession {
    /// The ballots of members that have answered, or else of those that have told a line of play.
    pub(super) fn ballots(&self, search: &CouncilSearch, answered: bool) -> Vec<Ballot> {
        let ballot = |(member, state): (usize, &MemberState)| {
            let seat = self.seats.get(member)?.as_ref()?;
            let lines = seat.member.lines.lock();
            let (best, ponder) = match state {
                MemberState::Answered(BestMove::Move { best, ponder }) => (best.clone(), ponder.clone()),
                MemberState::Searching if !answered => {
                    let mut moves = lines.ranked().first()?.pv.iter();
                    (moves.next()?.clone(), moves.next().cloned())
                }
                _ => return None,
            };
            search.position.parse_move(&best).ok()?;
            // A rule may choose any move that a line begins with.
            let is_legal =
                |info: &&Info| info.pv.first().is_some_and(|first| search.position.parse_move(first).is_ok());
            let told: Vec<Info> = lines.ranked().iter().filter(is_legal).cloned().collect();
            Some(Ballot::new(member, &seat.member.settings, best, ponder, &told))
        };
        search.members.iter().enumerate().filter_map(ballot).collect()
    }

    pub(super) fn nodes(&self) -> u64 {
        self.seats.iter().flatten().map(|seat| seat.member.lines.lock().nodes()).sum()
    }

    pub(super) fn report_progress(&self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.muted) else { return };
        let ballots = self.ballots(search, false);
        let Some(decision) = decide(self.settings.rule, &ballots, self.settings.loss) else { return };
        for info in lines_of_play(&decision, &ballots, self.nodes(), search.elapsed()) {
            line(info);
        }
    }

    /// Ends the search with the best answer there is.
    pub(super) fn answer(&mut self) {
        let Some(search) = self.search.take() else { return };
        for (member, (seat, state)) in self.seats.iter_mut().zip(&search.members).enumerate() {
            if let (Some(seat), MemberState::Searching) = (seat, state) {
                seat.available = false;
                seat.member.tell(MemberCommand::Restart);
                line(InfoString(format_args!("m{}: left out, it does not answer", member + 1)));
            }
        }
        if search.muted {
            return;
        }
        let all = |wanted: BestMove| {
            let answers = search.members.iter().filter(|state| **state != MemberState::Out);
            let mut answers = answers.peekable();
            answers.peek().is_some() && answers.all(|state| *state == MemberState::Answered(wanted.clone()))
        };
        if search.members.contains(&MemberState::Answered(BestMove::Win)) {
            return line(BestMove::Win);
        }
        if all(BestMove::Resign) {
            return line(BestMove::Resign);
        }
        let mut ballots = self.ballots(&search, true);
        if ballots.is_empty() {
            ballots = self.ballots(&search, false);
        }
        line(self.best_move(&search, &ballots));
    }

    /// Decides and tells how.
    pub(super) fn best_move(&self, search: &CouncilSearch, ballots: &[Ballot]) -> BestMove {
        let Some(decision) = decide(self.settings.rule, ballots, self.settings.loss) else {
            let Some(any) = search.position.legal_moves().iter().next().copied() else { return BestMove::Resign };
            line(InfoString("no member has an answer: any legal move"));
            return BestMove::new(any);
        };
        for (ballot, weight) in ballots.iter().zip(&decision.weights) {
            line(InfoString(member_line(&self.name(ballot.member), ballot, *weight, &decision)));
        }
        let others: Vec<(Rule, String)> = Rule::ALL
            .into_iter()
            .filter_map(|rule| Some((rule, decide(rule, ballots, self.settings.loss)?.best)))
            .collect();
        line(InfoString(decision_line(&decision, &others)));
        for info in lines_of_play(&decision, ballots, self.nodes(), search.elapsed()) {
            line(info);
        }
        let expected = ballots.iter().filter(|ballot| ballot.best == decision.best);
        let expected = expected.min_by(|a, b| a.noise.total_cmp(&b.noise)).and_then(|ballot| ballot.ponder.clone());
        let is_legal = |ponder: &String| {
            let mut after = search.position.clone();
            let Ok(best) = after.parse_move(&decision.best) else { return false };
            after.make(best);
            after.parse_move(ponder).is_ok()
        };
        match expected.filter(is_legal) {
            Some(ponder) => BestMove::with_ponder(&decision.best, ponder),
            None => BestMove::new(&decision.best),
        }
    }
}
