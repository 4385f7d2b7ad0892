//! The answer to `go`, and the lines printed before it.

use clap::ValueEnum as _;
use kiki_usi::{BestMove, Info, InfoString, ScoreBound, ScoreValue, UsiScore};

use crate::decision::{Ballot, Candidate, Decision, Reason, centipawns, decide, strongest_that};
use crate::member::Readiness;
use crate::message::MemberCommand;
use crate::replies::print_line;
use crate::search::{CouncilSearch, MemberState};
use crate::session::CouncilSession;
use crate::settings::Rule;

/// Whose ballots count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voters {
    /// Members that have answered.
    Answered,
    /// Also members that still search, by their lines of play.
    Searching,
    /// Also members that have failed after printing a line of play.
    Failed,
}

impl CouncilSession {
    fn ballots(&self, search: &CouncilSearch, voters: Voters) -> Vec<Ballot> {
        let ballot = |(member, state): (usize, &MemberState)| {
            let slot = self.slots.get(member)?.as_ref()?;
            let lines = slot.member.lines.lock();
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
            Some(Ballot::new(member, &slot.member.settings, best, ponder, &told))
        };
        search.members.iter().enumerate().filter_map(ballot).collect()
    }

    /// At most as many lines of play as `MultiPV` requests: one for each candidate, in their order,
    /// then those of further moves.
    fn lines_of_play(&self, search: &CouncilSearch, decision: &Decision, ballots: &[Ballot]) -> Vec<Info> {
        let nodes: u64 = self.slots.iter().flatten().map(|slot| slot.member.lines.lock().nodes(search.number)).sum();
        let time = search.times.since.elapsed().as_millis() as u64;
        let candidates = decision.candidates.iter().filter_map(|candidate| candidate_line(candidate, ballots));
        let told = candidates.chain(further_lines(decision, ballots)).take(self.settings.multi_pv as usize);
        told.enumerate()
            .map(|(index, info)| Info {
                multipv: Some(index as u32 + 1),
                nodes: Some(nodes),
                nps: nodes.checked_mul(1000).and_then(|nodes| nodes.checked_div(time)),
                time_ms: Some(time),
                hashfull: None,
                currmove: None,
                string: None,
                ..info
            })
            .collect()
    }

    pub(super) fn report_progress(&self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.muted) else { return };
        let ballots = self.ballots(search, Voters::Searching);
        let Some(decision) = decide(self.settings.rule, &ballots, self.settings.loss) else { return };
        for info in self.lines_of_play(search, &decision, &ballots) {
            print_line(info);
        }
    }

    pub(super) fn answer(&mut self) {
        let Some(search) = self.search.take() else { return };
        self.leave_out_late(&search);
        if search.muted {
            return;
        }
        let answers = || search.members.iter().filter(|state| !matches!(state, MemberState::Out | MemberState::Failed));
        if search.members.contains(&MemberState::Answered(BestMove::Win)) {
            return print_line(BestMove::Win);
        }
        let resigned = MemberState::Answered(BestMove::Resign);
        if answers().next().is_some() && answers().all(|state| *state == resigned) {
            return print_line(BestMove::Resign);
        }
        let voters = [Voters::Answered, Voters::Searching, Voters::Failed];
        let mut ballots = voters.into_iter().map(|voters| self.ballots(&search, voters));
        let ballots = ballots.find(|ballots| !ballots.is_empty()).unwrap_or_default();
        // No member has named or printed a move.
        if ballots.is_empty() && search.members.contains(&resigned) {
            return print_line(BestMove::Resign);
        }
        print_line(self.best_move(&search, &ballots));
    }

    /// Leaves late members out. Restarts a ready process whose answer was wanted; the others go on,
    /// and are asked again when they are done.
    fn leave_out_late(&mut self, ended: &CouncilSearch) {
        let search = ended.number;
        for (member, (slot, state)) in self.slots.iter_mut().zip(&ended.members).enumerate() {
            let (Some(slot), MemberState::Searching) = (slot, state) else { continue };
            let reason = if slot.is_available() && ended.times.unused {
                slot.member.tell(MemberCommand::Forget(search));
                "it has not ended its search yet"
            } else if slot.is_available() {
                slot.readiness = Readiness::GettingReady;
                slot.member.tell(MemberCommand::Restart(search));
                "it does not answer"
            } else {
                slot.member.tell(MemberCommand::Forget(search));
                "it is not ready yet"
            };
            print_line(InfoString(format_args!("m{}: left out, {reason}", member + 1)));
        }
    }

    fn best_move(&self, search: &CouncilSearch, ballots: &[Ballot]) -> BestMove {
        let Some(decision) = decide(self.settings.rule, ballots, self.settings.loss) else {
            return any_move(search);
        };
        for (ballot, weight) in ballots.iter().zip(&decision.weights) {
            print_line(InfoString(member_line(&self.name(ballot.member), ballot, *weight, &decision)));
        }
        let by_each = |rule: Rule| Some(format!("{} {}", rule.name(), decide(rule, ballots, self.settings.loss)?.best));
        let others: Vec<String> = Rule::value_variants().iter().copied().filter_map(by_each).collect();
        let reason = match decision.reason {
            Reason::Mate { member, plies } => format!("m{} mates in {plies} plies", member + 1),
            Reason::Rule(rule) => rule.name(),
        };
        print_line(InfoString(format_args!("{} by {reason}; {}", decision.best, others.join(", "))));
        let lines = without_bounds(self.lines_of_play(search, &decision, ballots));
        for info in &lines {
            print_line(info);
        }
        match expected_answer(search, &decision, ballots, &lines) {
            Some(ponder) => BestMove::with_ponder(&decision.best, ponder),
            None => BestMove::new(&decision.best),
        }
    }
}

/// The legal reply that the strongest naming member expects, or that the line of an unnamed move
/// has.
fn expected_answer(search: &CouncilSearch, decision: &Decision, ballots: &[Ballot], lines: &[Info]) -> Option<String> {
    let expected = match strongest_that(ballots, |ballot| ballot.best == decision.best) {
        Some(ballot) => ballots[ballot].ponder.clone()?,
        None => lines.first()?.pv.get(1)?.clone(),
    };
    let mut after = search.position.clone();
    after.make(after.parse_move(&decision.best).ok()?);
    after.parse_move(&expected).is_ok().then_some(expected)
}

/// A move if no member has an answer: the first of `searchmoves`, or else any legal one.
fn any_move(search: &CouncilSearch) -> BestMove {
    let Some(any) = search.searchmoves.first().or(search.position.legal_moves().iter().next()).copied() else {
        return BestMove::Resign;
    };
    print_line(InfoString("no member has an answer: any legal move"));
    BestMove::new(any)
}

/// The line of a candidate's strongest member; its score is the mean if no member names the move.
fn candidate_line(candidate: &Candidate, ballots: &[Ballot]) -> Option<Info> {
    let ballot = ballots.get(candidate.ballot)?;
    let told = || ballot.lines.iter().find(|line| line.best == candidate.best).map(|line| &line.info);
    let (info, score) = match candidate.mean {
        Some(mean) => (told()?, Some(UsiScore::cp(mean.round() as i32))),
        None => (&ballot.info, shared_score(ballot)),
    };
    Some(Info { score, ..info.clone() })
}

/// The lines of moves that are not candidates, each move once, the strongest member first.
fn further_lines(decision: &Decision, ballots: &[Ballot]) -> Vec<Info> {
    let mut strongest: Vec<&Ballot> = ballots.iter().collect();
    strongest.sort_by(|a, b| a.noise.total_cmp(&b.noise));
    let mut known: Vec<&str> = decision.candidates.iter().map(|candidate| candidate.best.as_str()).collect();
    let mut further = Vec::new();
    for line in strongest.into_iter().flat_map(|ballot| &ballot.lines) {
        if !known.contains(&line.best.as_str()) {
            known.push(&line.best);
            further.push(Info { score: Some(UsiScore::cp(line.value.round() as i32)), ..line.info.clone() });
        }
    }
    further
}

/// The score on the scale that all members share.
fn shared_score(ballot: &Ballot) -> Option<UsiScore> {
    let told = ballot.info.score?;
    Some(match (told.value, ballot.value) {
        (ScoreValue::Cp(_), Some(value)) => UsiScore::cp(value.round() as i32).with_bound(told.bound),
        _ => told,
    })
}

/// The lines before an answer, without bounds, because GUIs take the last score as the value of the
/// move. A mate that a bound does not prove becomes a score in centipawns.
fn without_bounds(mut lines: Vec<Info>) -> Vec<Info> {
    for score in lines.iter_mut().filter_map(|info| info.score.as_mut()) {
        *score = match (score.value, score.bound) {
            (ScoreValue::Mate(plies), ScoreBound::Upper) if plies.get() > 0 => decided_with(score.value),
            (ScoreValue::Mate(plies), ScoreBound::Lower) if plies.get() < 0 => decided_with(score.value),
            _ => score.with_bound(ScoreBound::Exact),
        };
    }
    lines
}

fn decided_with(value: ScoreValue) -> UsiScore {
    UsiScore::cp(centipawns(value, 1.0) as i32)
}

/// What a member says: its move, its value, how deep it searched, what its vote weighs, and the
/// posterior of its move.
fn member_line(name: &str, ballot: &Ballot, weight: f64, decision: &Decision) -> String {
    let value = ballot.value.map_or_else(|| "none".to_owned(), |value| format!("{value:.0}"));
    let depth = ballot.info.depth.map_or_else(|| "none".to_owned(), |depth| depth.to_string());
    let posterior = decision.candidates.iter().find(|candidate| candidate.best == ballot.best);
    let posterior = posterior.map_or(0.0, |candidate| candidate.posterior);
    format!(
        "m{} {name}: {} value {value} depth {depth} weight {weight:.3} posterior {posterior:.3}",
        ballot.member + 1,
        ballot.best
    )
}
