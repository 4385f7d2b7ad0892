//! What is told about a search.

use std::time::Duration;

use kiki_usi::{Info, UsiScore};

use crate::ballot::Ballot;
use crate::decision::{Candidate, Decision, Reason};
use crate::rule::Rule;

/// A line for each candidate, in their order, as `MultiPV`: the line of play of its strongest member, with the mean as the score if nobody names
/// the move.
pub(crate) fn lines_of_play(decision: &Decision, ballots: &[Ballot], nodes: u64, elapsed: Duration) -> Vec<Info> {
    let time = elapsed.as_millis() as u64;
    let line = |(index, candidate): (usize, &Candidate)| {
        let ballot = ballots.get(candidate.ballot)?;
        let told = || ballot.lines.iter().find(|line| line.best == candidate.best).map(|line| &line.info);
        let (info, score) = match candidate.mean {
            Some(mean) => (told()?, Some(UsiScore::cp(mean.round() as i32))),
            None => (&ballot.info, shared_score(ballot)),
        };
        Some(Info {
            multipv: Some(index as u32 + 1),
            score,
            nodes: Some(nodes),
            nps: nodes.checked_mul(1000).and_then(|nodes| nodes.checked_div(time)),
            time_ms: Some(time),
            hashfull: None,
            currmove: None,
            string: None,
            ..info.clone()
        })
    };
    decision.candidates.iter().enumerate().filter_map(line).collect()
}

/// The score on the scale that all members share.
fn shared_score(ballot: &Ballot) -> Option<UsiScore> {
    let told = ballot.info.score?;
    Some(match (told.value, ballot.value) {
        (kiki_usi::ScoreValue::Cp(_), Some(value)) => UsiScore::cp(value.round() as i32).with_bound(told.bound),
        _ => told,
    })
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
