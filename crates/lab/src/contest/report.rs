//! What a contest came to.

use anyhow::Result;
use kiki_stats::Interval;
use kiki_stats::match_error::{IntervalMethod, MatchEstimate};
use kiki_stats::sprt::{Decision, Estimates};
use kiki_stats::tally::DrawPolicy;
use serde_json::{Map, Value, json};

use super::standings::{Habits, LEVEL, Pairing, Standings};
use super::trial::Trial;
use super::{Contest, Ending, EndingKind};
use crate::estimates::normalized;
use crate::numbers::{self, interval, json_interval, json_or_reason, percent, points, say, signed, table};

/// Prints the result of a contest, as a table or as JSON.
pub(crate) fn print(contest: &Contest, ending: &Ending, as_json: bool) -> Result<()> {
    if as_json {
        return numbers::print_json(&value(contest, ending));
    }
    say!("{}", engines(contest));
    say!("{}", pairings(contest));
    if let Some(trial) = &contest.trial {
        say!("{}", verdict(trial));
    }
    say!("{}", summary(contest, ending));
    Ok(())
}

pub(super) fn engines(contest: &Contest) -> String {
    let standings = &contest.standings;
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for (index, habits) in standings.habits().iter().enumerate() {
        let Habits { tally, faults, .. } = habits;
        let gained = tally.wins as f64 + tally.draws as f64 / 2.0;
        let share = if tally.games() == 0 { 0.0 } else { gained / tally.games() as f64 };
        let mean = |sum: u64, count: u64| {
            if count == 0 { "-".to_owned() } else { format!("{:.1}", sum as f64 / count as f64) }
        };
        rows.push((
            share,
            vec![
                standings.names()[index].clone(),
                tally.games().to_string(),
                tally.wins.to_string(),
                tally.draws.to_string(),
                tally.losses.to_string(),
                points(gained),
                percent(share),
                mean(habits.depths.0, habits.depths.1),
                mean(habits.nodes, habits.moves),
                mean(habits.milliseconds, habits.moves),
                faults.values().sum::<u64>().to_string(),
            ],
        ));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let header =
        ["engine", "games", "won", "drawn", "lost", "points", "score", "depth", "nodes/move", "ms/move", "faults"];
    table(&header, rows.into_iter().map(|(_, row)| row)).to_string()
}

pub(super) fn pairings(contest: &Contest) -> String {
    let names = contest.standings.names();
    let rows = contest.standings.pairings().map(|((first, second), pairing)| {
        let tally = pairing.tally;
        let mut row = vec![
            format!("{} - {}", names[first], names[second]),
            format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses),
            pairing.pairs.map(|count| count.to_string()).join(" "),
        ];
        row.extend(elo_columns(pairing));
        row
    });
    let headers = ["pairing", "all games", "complete pairs 0 .. 2 points", "Elo", "95 %", "method", "nElo", "superior"];
    format!("{}\n{METHODS}", table(&headers, rows))
}

/// What the column `method` says.
const METHODS: &str =
    "method: normal, or Gaffke's bounds where the results are too few (below 30 pairs) or too lopsided for it";

fn elo_columns(pairing: &Pairing) -> [String; 5] {
    let missing = || "-".to_owned();
    let Ok(estimates) = pairing.counts().estimates(LEVEL) else { return std::array::from_fn(|_| missing()) };
    [
        signed(estimates.elo),
        interval(estimates.elo_interval),
        estimates.method.name().to_owned(),
        normalized(&estimates).unwrap_or_else(|_| missing()),
        percent(estimates.superiority),
    ]
}

/// The Clopper-Pearson interval of a pairing's games.
fn one_sided(pairing: &Pairing) -> Option<Interval> {
    let score = pairing.tally.score(DrawPolicy::Half).ok()?;
    MatchEstimate::from(score).elo_interval(IntervalMethod::ClopperPearson, LEVEL).ok()
}

pub(super) fn verdict(trial: &Trial) -> String {
    let (elo0, elo1) = (trial.settings.elo0, trial.settings.elo1);
    let decision = match trial.decision() {
        Decision::AcceptH0 => format!("H0 accepted: not stronger by {elo1}"),
        Decision::AcceptH1 => format!("H1 accepted: stronger by more than {elo0}"),
        Decision::Continue => match trial.sprt.remaining(&trial.counts) {
            Ok(remaining) => format!("undecided; about {:.0} more games at this rate", remaining.games),
            Err(_) => "undecided".to_owned(),
        },
    };
    format!(
        "SPRT elo0 {elo0}, elo1 {elo1}: LLR {:.3} ({:.3}, {:.3}) after {} games; {decision}",
        trial.llr,
        trial.bounds().lower,
        trial.bounds().upper,
        trial.counts.games()
    )
}

pub(super) fn summary(contest: &Contest, ending: &Ending) -> String {
    let standings = &contest.standings;
    let reasons = standings.reasons().iter().map(|(reason, count)| format!("{} {count}", reason.name()));
    let mut lines = vec![format!(
        "{} of {} games, {:.1} plies on average; {}",
        standings.played(),
        standings.scheduled(),
        standings.mean_plies(),
        reasons.collect::<Vec<_>>().join(", ")
    )];
    lines.extend(unpaired(standings));
    lines.extend(voided(standings));
    for game in contest.faulty.iter().take(MOST_FAULTS) {
        let Some(fault) = &game.fault else { continue };
        let lost = if game.voided { "voided by" } else { "lost by" };
        lines.push(format!("game {}: {} {lost} {}: {}", game.game, fault.engine, game.reason.name(), fault.detail));
        lines.extend(fault.said.iter().map(|line| format!("    {line}")));
    }
    if contest.faulty.len() > MOST_FAULTS {
        let more = contest.faulty.len() - MOST_FAULTS;
        lines.push(format!("and {more} more games with faults; the journal has them"));
    }
    lines.extend(ending.stayed.iter().map(|name| format!("{name} kept running after `quit` and was killed")));
    lines.extend(warnings(contest));
    let folder = contest.folder().display();
    lines.push(match ending.kind {
        EndingKind::Complete => format!("complete; records in {folder}"),
        EndingKind::Decided => format!("decided; records in {folder}"),
        EndingKind::Running => "another process is playing it".to_owned(),
        EndingKind::Interrupted => {
            format!("interrupted; go on with: kiki-lab match --resume {folder} --concurrency {}", ending.concurrency)
        }
    });
    lines.join("\n")
}

/// How many games were played again, and for whose faults.
fn voided(standings: &Standings) -> Option<String> {
    let total: u64 = standings.habits().iter().map(|habits| habits.voided).sum();
    let by = standings.names().iter().zip(standings.habits()).filter(|(_, habits)| habits.voided > 0);
    let by: Vec<String> = by.map(|(name, habits)| format!("{name} {}", habits.voided)).collect();
    (total > 0).then(|| format!("games voided for a fault and played again: {total} ({})", by.join(", ")))
}

/// What the numbers count, where that is not the same: in the middle of a pair.
fn unpaired(standings: &Standings) -> Option<String> {
    let unpaired: u64 = standings.pairings().map(|(_, pairing)| pairing.unpaired()).sum();
    let played = standings.played() as u64;
    match unpaired {
        0 => None,
        _ if unpaired == played => {
            Some("no pair of games is complete: Elo and what follows it count single games".to_owned())
        }
        _ => Some(format!(
            "won, drawn and lost count all {played} games; Elo and what follows it count the {} games of complete pairs",
            played - unpaired
        )),
    }
}

/// Games with faults that are shown; a list of thousands helps nobody.
const MOST_FAULTS: usize = 5;

/// What makes the numbers worth less than they look.
fn warnings(contest: &Contest) -> Vec<String> {
    let mut warnings = Vec::new();
    if contest.standings.duplicates() > 0 {
        warnings.push(format!(
            "warning: games that repeat an earlier one move by move, so that not all are independent: {}",
            contest.standings.duplicates()
        ));
    }
    if contest.repeats_openings() {
        warnings.push("warning: there are fewer openings than pairs of games, so some were played again".to_owned());
    }
    warnings
}

pub(super) fn value(contest: &Contest, ending: &Ending) -> Value {
    let standings = &contest.standings;
    let names = standings.names();
    let engines: Vec<Value> =
        standings.habits().iter().zip(names).map(|(habits, name)| engine_value(name, habits)).collect();
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
        "ending": match ending.kind {
            EndingKind::Complete => "complete",
            EndingKind::Decided => "decided",
            EndingKind::Interrupted => "interrupted",
            EndingKind::Running => "running",
        },
        "games": standings.played(),
        "scheduled": standings.scheduled(),
        "engines": engines,
        "pairings": pairings,
        "sprt": contest.trial.as_ref().map(trial_value),
        "reasons": standings.reasons().iter().map(|(reason, count)| (reason.name(), json!(count))).collect::<Map<_, _>>(),
        "voided": standings.habits().iter().map(|habits| habits.voided).sum::<u64>(),
        "mean_plies": standings.mean_plies(),
        "duplicates": standings.duplicates(),
        "faults": faults,
        "stayed": ending.stayed,
        "warnings": warnings(contest),
    })
}

fn engine_value(name: &str, habits: &Habits) -> Value {
    let Habits { tally, faults, voided, moves, milliseconds, nodes, depths } = habits;
    let mean = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
    json!({
        "name": name,
        "games": tally.games(),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "faults": faults.iter().map(|(reason, count)| (reason.name(), json!(count))).collect::<Map<_, _>>(),
        "voided": voided,
        "moves": moves,
        "mean_depth": mean(depths.0, depths.1),
        "mean_nodes": mean(*nodes, *moves),
        "mean_milliseconds": mean(*milliseconds, *moves),
    })
}

fn pairing_value(first: &str, second: &str, pairing: &Pairing) -> Value {
    let Pairing { tally, pairs } = pairing;
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

/// The estimates of a pairing; also what `kiki-lab llr` tells.
pub(crate) fn estimates_value(estimates: &Estimates) -> Value {
    json!({
        "score": estimates.score,
        "variance": estimates.variance,
        "elo": numbers::json(estimates.elo),
        "standard_error": estimates.standard_error,
        "elo_standard_error": json_or_reason(&estimates.elo_standard_error, |value| json!(value)),
        "method": estimates.method.name(),
        "elo_interval": json_interval(estimates.elo_interval),
        "elo_interval_normal": json_or_reason(&estimates.elo_interval_normal, |ends| json_interval(*ends)),
        "normalized_elo": json_or_reason(&estimates.normalized_elo, |value| numbers::json(*value)),
        "normalized_elo_half_width": json_or_reason(&estimates.normalized_elo_half_width, |value| json!(value)),
        "superiority": estimates.superiority,
    })
}

fn trial_value(trial: &Trial) -> Value {
    json!({
        "llr": trial.llr,
        "lower": trial.bounds().lower,
        "upper": trial.bounds().upper,
        "decision": decision_name(trial.decision()),
        "games": trial.counts.games(),
        "kind": trial.settings.counts,
        "counts": trial.counts.as_slice(),
    })
}

/// As it is written in JSON.
pub(crate) fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::AcceptH0 => "h0",
        Decision::AcceptH1 => "h1",
        Decision::Continue => "continue",
    }
}
