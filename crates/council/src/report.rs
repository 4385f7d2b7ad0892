//! What is told about a search.

use std::time::Duration;

use kiki_usi::{Info, ScoreBound, ScoreValue, UsiScore};

use crate::ballot::{Ballot, centipawns};
use crate::decision::{Candidate, Decision, Reason};
use crate::rule::Rule;

/// So many lines of play, or fewer if members have told of fewer moves: one for each candidate, in their order, then further moves.
pub(crate) fn lines_of_play(
    decision: &Decision,
    ballots: &[Ballot],
    most: u32,
    nodes: u64,
    elapsed: Duration,
) -> Vec<Info> {
    let time = elapsed.as_millis() as u64;
    let candidates = decision.candidates.iter().filter_map(|candidate| candidate_line(candidate, ballots));
    let told = candidates.chain(further_lines(decision, ballots)).take(most as usize);
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

/// The line of play of a candidate's strongest member, with the mean as the score if nobody names the move.
fn candidate_line(candidate: &Candidate, ballots: &[Ballot]) -> Option<Info> {
    let ballot = ballots.get(candidate.ballot)?;
    let told = || ballot.lines.iter().find(|line| line.best == candidate.best).map(|line| &line.info);
    let (info, score) = match candidate.mean {
        Some(mean) => (told()?, Some(UsiScore::cp(mean.round() as i32))),
        None => (&ballot.info, shared_score(ballot)),
    };
    Some(Info { score, ..info.clone() })
}

/// The lines of moves that are no candidates, those of the strongest member first, each move once.
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

/// The lines before an answer: what was decided with is told as a value, since GUIs take the last score for it. A mate that a bound does not
/// prove is told in centipawns.
pub(crate) fn without_bounds(mut lines: Vec<Info>) -> Vec<Info> {
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

/// What a member says: its move, its value, how deep it searched, what its vote weighs, and the posterior of its move.
pub(crate) fn member_line(name: &str, ballot: &Ballot, weight: f64, decision: &Decision) -> String {
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

/// What was decided and why, and what the other rules would have chosen.
pub(crate) fn decision_line(decision: &Decision, others: &[(Rule, String)]) -> String {
    let reason = match decision.reason {
        Reason::Mate { member, plies } => format!("m{} mates in {plies} plies", member + 1),
        Reason::Rule(rule) => rule.name().to_owned(),
    };
    let others: Vec<String> = others.iter().map(|(rule, best)| format!("{} {best}", rule.name())).collect();
    format!("{} by {reason}; {}", decision.best, others.join(", "))
}
