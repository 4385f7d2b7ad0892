//! The report of a contest as JSON; docs/match.md documents the keys.

use kiki_stats::Interval;
use kiki_stats::match_error::{IntervalMethod, MatchEstimate};
use kiki_stats::tally::DrawPolicy;
use serde_json::{Map, Value, json};

use super::warnings::warnings;
use crate::estimates::{decision_name, estimates_value};
use crate::runner::{Contest, ContestEnd, ContestStatus};
use crate::sprt_run::SprtRun;
use crate::standings::{EngineStatistics, LEVEL, PairingScore};
use kiki_run::numbers::{json_interval, json_or_reason};

/// The whole report.
pub(super) fn value(contest: &Contest, end: &ContestEnd) -> Value {
    let standings = &contest.standings;
    let names = standings.names();
    let engines: Vec<Value> = standings
        .engines()
        .iter()
        .zip(names)
        .map(|(engine, name)| engine_value(name, engine, contest.settings.handshake.get(name)))
        .collect();
    let pairings: Vec<Value> = standings
        .pairings()
        .map(|((first, second), pairing)| pairing_value(&names[first], &names[second], pairing))
        .collect();
    let faults: Vec<Value> = contest
        .faulty
        .iter()
        .map(|game| json!({ "game": game.game, "reason": game.reason, "fault": game.fault, "voided": game.voided }))
        .collect();
    json!({
        "folder": contest.folder(),
        "ending": match end.status {
            ContestStatus::Complete => "complete",
            ContestStatus::Decided => "decided",
            ContestStatus::Interrupted => "interrupted",
            ContestStatus::Running => "running",
        },
        "games": standings.played(),
        "scheduled": standings.scheduled(),
        "engines": engines,
        "pairings": pairings,
        "sprt": contest.sprt.as_ref().map(sprt_value),
        "reasons": standings.reasons().iter().map(|(reason, count)| (reason.json_name().to_owned(), json!(count))).collect::<Map<_, _>>(),
        "voided": standings.engines().iter().map(|engine| engine.voided).sum::<u64>(),
        "mean_plies": standings.mean_plies(),
        "duplicates": standings.duplicates(),
        "faults": faults,
        "stayed": end.killed,
        "warnings": warnings(contest),
    })
}

fn engine_value(name: &str, engine: &EngineStatistics, handshake: Option<&Vec<String>>) -> Value {
    let EngineStatistics { tally, faults, voided, moves, nodes, depths, .. } = engine;
    let mean = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
    json!({
        "name": name,
        "games": tally.games(),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "faults": faults.iter().map(|(reason, count)| (reason.json_name().to_owned(), json!(count))).collect::<Map<_, _>>(),
        "voided": voided,
        "moves": moves,
        "mean_depth": mean(depths.0, depths.1),
        "mean_nodes": mean(*nodes, *moves),
        "mean_milliseconds": engine.mean_time().map(|mean| 1000.0 * mean.as_secs_f64()),
        "handshake": handshake.map_or(&[][..], Vec::as_slice),
    })
}

fn pairing_value(first: &str, second: &str, pairing: &PairingScore) -> Value {
    let PairingScore { tally, pairs } = pairing;
    json!({
        "first": first,
        "second": second,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "pairs": pairs,
        "unpaired": pairing.unpaired(),
        "estimates": json_or_reason(&pairing.counts().estimates(LEVEL), estimates_value),
        "elo_interval_clopper_pearson": one_sided(pairing).map(json_interval),
    })
}

/// The Clopper-Pearson interval of a pairing's games.
fn one_sided(pairing: &PairingScore) -> Option<Interval> {
    let score = pairing.tally.score(DrawPolicy::Half).ok()?;
    MatchEstimate::from(score).elo_interval(IntervalMethod::ClopperPearson, LEVEL).ok()
}

fn sprt_value(run: &SprtRun) -> Value {
    json!({
        "llr": run.llr,
        "lower": run.bounds().lower,
        "upper": run.bounds().upper,
        "decision": decision_name(run.decision()),
        "games": run.counts.games(),
        "kind": run.settings.counts,
        "counts": run.counts.as_slice(),
    })
}
