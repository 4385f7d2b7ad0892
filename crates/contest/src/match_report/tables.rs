//! The tables and lines of a contest, for people.

use kiki_board::printable;
use kiki_stats::sprt::{Decision, remaining_games};

use super::warnings::warnings;
use crate::estimates::normalized;
use crate::runner::{Contest, ContestEnd, ContestStatus};
use crate::sprt_run::SprtRun;
use crate::standings::{EngineStatistics, LEVEL, PairingScore, Standings};
use kiki_run::numbers::{interval, milliseconds, percent, points, signed, table};
use kiki_run::shell_word::shell_word;

/// The results and search statistics of the engines.
pub(super) fn engines(contest: &Contest) -> String {
    let standings = &contest.standings;
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for (index, engine) in standings.engines().iter().enumerate() {
        let EngineStatistics { tally, faults, .. } = engine;
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
                mean(engine.depths.0, engine.depths.1),
                mean(engine.nodes, engine.moves),
                engine.mean_time().map_or_else(|| "-".to_owned(), milliseconds),
                faults.values().sum::<u64>().to_string(),
            ],
        ));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let header =
        ["engine", "games", "won", "drawn", "lost", "points", "score", "depth", "nodes/move", "ms/move", "faults"];
    table(&header, rows.into_iter().map(|(_, row)| row)).to_string()
}

/// The results of the pairings with their estimates.
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

fn elo_columns(pairing: &PairingScore) -> [String; 5] {
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

/// The sequential test in one line.
pub(super) fn sprt_text(run: &SprtRun) -> String {
    let (elo0, elo1) = (run.settings.elo0, run.settings.elo1);
    let decision = match run.decision() {
        Decision::AcceptH0 => format!("H0 accepted: not stronger by {elo1}"),
        Decision::AcceptH1 => format!("H1 accepted: stronger by more than {elo0}"),
        Decision::Continue => match remaining_games(&run.sprt, &run.counts) {
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

/// How many games there are and how they ended, faults, warnings, and how to go on.
pub(super) fn summary(contest: &Contest, end: &ContestEnd) -> String {
    let standings = &contest.standings;
    let reasons = standings.reasons().iter().map(|(reason, count)| format!("{} {count}", reason.json_name()));
    let mut lines = vec![format!(
        "{} of {} games, {:.1} plies on average; {}",
        standings.played(),
        standings.scheduled(),
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
    let folder = contest.folder().display();
    lines.push(match end.status {
        ContestStatus::Complete => format!("complete; records in {folder}"),
        ContestStatus::Decided => format!("decided; records in {folder}"),
        ContestStatus::Running => "another process is playing it".to_owned(),
        ContestStatus::Interrupted => {
            format!(
                "interrupted; go on with: kiki-lab resume {} --concurrency {}",
                shell_word(contest.folder()),
                end.concurrency
            )
        }
    });
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

/// What the engines said when they were started, in the order of the engines.
fn handshake(contest: &Contest) -> impl Iterator<Item = String> {
    let engines = contest.settings.engines.iter().map(|engine| &engine.name);
    let said = engines.filter_map(|name| contest.settings.handshake.get_key_value(name));
    said.flat_map(|(name, texts)| texts.iter().map(move |text| format!("{name} said when it was started: {text}")))
}

/// How many games were played again, by the engine that failed.
fn voided(standings: &Standings) -> Option<String> {
    let total: u64 = standings.engines().iter().map(|engine| engine.voided).sum();
    let by = standings.names().iter().zip(standings.engines()).filter(|(_, engine)| engine.voided > 0);
    let by: Vec<String> = by.map(|(name, engine)| format!("{name} {}", engine.voided)).collect();
    (total > 0).then(|| format!("games voided for a fault and played again: {total} ({})", by.join(", ")))
}

/// Which games the numbers count, if not all of them: in the middle of a pair of games.
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

/// Most games with faults that are listed.
const MAX_FAULTS: usize = 5;
