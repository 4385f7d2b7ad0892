//! What `match`, `sprt` and `show` print about a contest: tables for people, JSON for programs
//! (docs/match.md has the keys).

use anyhow::Result;
use kiki_play::game::PlayedGame;
use kiki_run::interrupt::how_to_resume;
use kiki_run::output::{
    interval, json_interval, json_or_reason, milliseconds, or_dash, percent, points, print_json, signed, table,
};
use kiki_run::say;
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::sprt::{SprtDecision, remaining_games};
use kiki_text::printable;
use serde_json::{Value, json};

use crate::runner::{Contest, ContestEnd, ContestStatus};
use crate::sprt::{SprtRun, decision_name, estimates_value, normalized};
use crate::standings::{EngineStatistics, LEVEL, PairingScore, Standings};

pub(crate) fn print(contest: &Contest, end: &ContestEnd, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&value(contest, end));
    }
    say!("{}", engines(contest));
    say!("{}", pairings(contest));
    if let Some(run) = &contest.sprt {
        say!("{}", sprt_text(run));
    }
    say!("{}", summary(contest, end));
    Ok(())
}

pub(crate) fn engines(contest: &Contest) -> String {
    let standings = &contest.standings;
    let mean = |sum: u64, count: u64| or_dash((count > 0).then(|| format!("{:.1}", sum as f64 / count as f64)));
    let row = |(name, engine): (&String, &EngineStatistics)| {
        let tally = engine.tally;
        let gained = tally.wins as f64 + tally.draws as f64 / 2.0;
        let share = gained / tally.games().max(1) as f64;
        let cells = vec![
            name.clone(),
            tally.games().to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            points(gained),
            percent(share),
            mean(engine.depths.0, engine.depths.1),
            mean(engine.nodes, engine.moves),
            or_dash(engine.mean_time().map(milliseconds)),
            engine.faults.values().sum::<u64>().to_string(),
        ];
        (share, cells)
    };
    let mut rows: Vec<(f64, Vec<String>)> = standings.names.iter().zip(&standings.engines).map(row).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let header =
        ["engine", "games", "won", "drawn", "lost", "points", "score", "depth", "nodes/move", "ms/move", "faults"];
    table(&header, rows.into_iter().map(|(_, row)| row)).to_string()
}

pub(crate) fn pairings(contest: &Contest) -> String {
    let names = &contest.standings.names;
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

const METHODS: &str =
    "method: normal, or Gaffke's bounds where the results are too few (below 30 pairs) or too lopsided for it";

fn elo_columns(pairing: &PairingScore) -> [String; 5] {
    let Ok(estimates) = pairing.counts().estimates(LEVEL) else { return ["-"; 5].map(str::to_owned) };
    [
        signed(estimates.elo),
        interval(estimates.elo_interval),
        estimates.method.name().to_owned(),
        or_dash(normalized(&estimates).ok()),
        percent(estimates.superiority),
    ]
}

pub(crate) fn sprt_text(run: &SprtRun) -> String {
    let (elo0, elo1) = (run.settings.elo0, run.settings.elo1);
    let decision = match run.decision() {
        SprtDecision::AcceptH0 => format!("H0 accepted: not stronger by {elo1}"),
        SprtDecision::AcceptH1 => format!("H1 accepted: stronger by more than {elo0}"),
        SprtDecision::Continue => match remaining_games(&run.sprt, &run.counts) {
            Ok(remaining) => format!("undecided; about {:.0} more games at this rate", remaining.games),
            Err(_) => "undecided".to_owned(),
        },
    };
    format!(
        "SPRT elo0 {elo0}, elo1 {elo1}: LLR {:.3} ({:.3}, {:.3}) after {} games; {decision}",
        run.llr,
        run.bounds().lower,
        run.bounds().upper,
        run.counts.games()
    )
}

/// Number and ends of games, faults, warnings, and how to continue.
pub(crate) fn summary(contest: &Contest, end: &ContestEnd) -> String {
    let standings = &contest.standings;
    let reasons = standings.reasons.iter().map(|(reason, count)| format!("{} {count}", reason.json_name()));
    let mut lines = vec![format!(
        "{} of {} games, {:.1} plies on average; {}",
        standings.played(),
        standings.schedule.games,
        standings.mean_plies(),
        reasons.collect::<Vec<_>>().join(", ")
    )];
    lines.extend(unpaired(standings));
    lines.extend(voided(standings));
    for game in contest.faulty.iter().take(MAX_FAULTS) {
        let Some(fault) = &game.fault else { continue };
        let lost = if game.voided { "voided by" } else { "lost by" };
        lines.push(format!(
            "game {}: {} {lost} {}: {}",
            game.game,
            fault.engine,
            game.reason.json_name(),
            fault.detail
        ));
        lines.extend(fault.last_lines.iter().map(|line| format!("    {line}")));
    }
    if contest.faulty.len() > MAX_FAULTS {
        let more = contest.faulty.len() - MAX_FAULTS;
        lines.push(format!("and {more} more games with faults; the journal has them"));
    }
    lines.extend(handshake(contest));
    lines.extend(end.killed.iter().map(|name| format!("{name} kept running after `quit` and was killed")));
    lines.extend(warnings(contest));
    let folder = contest.journal.folder().display();
    lines.push(match end.status {
        ContestStatus::Complete => format!("complete; records in {folder}"),
        ContestStatus::Decided => format!("decided; records in {folder}"),
        ContestStatus::Running => "another process is playing it".to_owned(),
        ContestStatus::Interrupted => how_to_resume(contest.journal.folder(), &end.resume_options),
    });
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

fn handshake(contest: &Contest) -> impl Iterator<Item = String> {
    let engines = contest.journal.settings.engines.iter().map(|engine| &engine.name);
    let said = engines.filter_map(|name| contest.journal.settings.handshake.get_key_value(name));
    said.flat_map(|(name, texts)| texts.iter().map(move |text| format!("{name} said when it was started: {text}")))
}

/// Number of replayed games by the engine that failed.
fn voided(standings: &Standings) -> Option<String> {
    let total: u64 = standings.engines.iter().map(|engine| engine.voided).sum();
    let by = standings.names.iter().zip(&standings.engines).filter(|(_, engine)| engine.voided > 0);
    let by: Vec<String> = by.map(|(name, engine)| format!("{name} {}", engine.voided)).collect();
    (total > 0).then(|| format!("games voided for a fault and played again: {total} ({})", by.join(", ")))
}

/// Which games the numbers count, if a pair of games is incomplete.
fn unpaired(standings: &Standings) -> Option<String> {
    let pairings = || standings.pairings().map(|(_, pairing)| pairing).filter(|pairing| pairing.unpaired() > 0);
    let single: u64 = pairings().filter(|pairing| !pairing.has_pairs()).map(|pairing| pairing.tally.games()).sum();
    let left_out: u64 = pairings().filter(|pairing| pairing.has_pairs()).map(PairingScore::unpaired).sum();
    let played = standings.played() as u64;
    let paired = played - left_out - single;
    match (left_out, single) {
        (0, 0) => None,
        _ if single == played => {
            Some("no pair of games is complete: Elo and what follows it count single games".to_owned())
        }
        (_, 0) => Some(format!(
            "won, drawn and lost count all {played} games; Elo and what follows it count the {paired} games of complete pairs"
        )),
        _ => Some(format!(
            "won, drawn and lost count all {played} games; Elo and what follows it count the {paired} games of complete \
             pairs, and single games where a pairing has none ({single})"
        )),
    }
}

const MAX_FAULTS: usize = 5;

/// Reasons why the results are weaker than their numbers suggest.
fn warnings(contest: &Contest) -> Vec<String> {
    let mut warnings = Vec::new();
    if contest.standings.duplicates > 0 {
        warnings.push(format!(
            "warning: games that repeat an earlier one move by move, so that not all are independent: {}",
            contest.standings.duplicates
        ));
    }
    if contest.repeats_openings() {
        warnings.push("warning: there are fewer openings than pairs of games, so some were played again".to_owned());
    }
    for name in &contest.standings.impossible_counts {
        warnings
            .push(format!("warning: numbers of nodes or milliseconds of {name} that no search reaches are left out"));
    }
    warnings
}

pub(crate) fn value(contest: &Contest, end: &ContestEnd) -> Value {
    let standings = &contest.standings;
    let names = &standings.names;
    let engine =
        |(name, engine): (&String, _)| engine_value(name, engine, contest.journal.settings.handshake.get(name));
    let pairing =
        |((first, second), pairing): ((usize, usize), _)| pairing_value(&names[first], &names[second], pairing);
    let fault = |game: &PlayedGame| json!({ "game": game.game, "reason": game.reason, "fault": game.fault, "voided": game.voided });
    json!({
        "folder": contest.journal.folder(),
        "ending": end.status,
        "games": standings.played(),
        "scheduled": standings.schedule.games,
        "engines": names.iter().zip(&standings.engines).map(engine).collect::<Vec<_>>(),
        "pairings": standings.pairings().map(pairing).collect::<Vec<_>>(),
        "sprt": contest.sprt.as_ref().map(sprt_value),
        "reasons": standings.reasons,
        "voided": standings.engines.iter().map(|engine| engine.voided).sum::<u64>(),
        "mean_plies": standings.mean_plies(),
        "duplicates": standings.duplicates,
        "faults": contest.faulty.iter().map(fault).collect::<Vec<_>>(),
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
        "faults": faults,
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
    let score = tally.score();
    let clopper_pearson = score.and_then(|score| score.elo_interval(IntervalMethod::ClopperPearson, LEVEL));
    json!({
        "first": first,
        "second": second,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "pairs": pairs,
        "unpaired": pairing.unpaired(),
        "estimates": json_or_reason(&pairing.counts().estimates(LEVEL), estimates_value),
        "elo_interval_clopper_pearson": clopper_pearson.ok().map(json_interval),
    })
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
