//! `kiki-lab show`: the overview of a match in its folder, or one of its games move by move.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use kiki_play::game::PlayedGame;
use kiki_play::player::PlayerSpec;
use kiki_record::{EndReason, GameOutcome, ScoreValue};
use kiki_run::output::{milliseconds, or_dash, points, table};
use kiki_run::{output, say};
use kiki_text::printable;
use serde_json::{Map, Value, json};
use shogi_core::Color;

use crate::runner::{Contest, ContestEnd};
use crate::standings::Standings;
use crate::{export, report};

const EXAMPLE: &str = "\
Example:
  kiki-lab show results/fairy
  kiki-lab show results/fairy --game 17

The folder is only read, also while the match is being played.";

/// Show a finished or interrupted match: settings, standings, how games ended, faults; or one game
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct ShowArgs {
    /// The folder of a match
    folder: PathBuf,
    /// Show this game move by move, with scores
    #[arg(long, value_name = "NUMBER")]
    game: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ShowArgs) -> Result<()> {
    match arguments.game {
        Some(number) => print_game(&arguments.folder, number, arguments.json),
        None => print_overview(&arguments.folder, arguments.json),
    }
}

/// Lengths, ends and longest times of games, which the standings do not keep.
#[derive(Debug, Default)]
struct GameStatistics {
    /// Lengths of the games that count, in plies.
    lengths: Vec<usize>,
    /// Number of games by reason and result: Black won, White won, draw.
    endings: BTreeMap<EndReason, [u64; 3]>,
    /// Longest time for a move, by the name of the engine.
    longest: BTreeMap<String, Duration>,
}

impl GameStatistics {
    fn add(&mut self, game: &PlayedGame) {
        if game.voided {
            return;
        }
        self.lengths.push(game.moves.len());
        let column = match game.outcome {
            GameOutcome::BlackWins => 0,
            GameOutcome::WhiteWins => 1,
            GameOutcome::Draw | GameOutcome::Unknown => 2,
        };
        self.endings.entry(game.reason).or_default()[column] += 1;
        for (side, name) in [(Color::Black, &game.black), (Color::White, &game.white)] {
            let longest = self.longest.entry(name.clone()).or_default();
            *longest = game.columns_of(side).map(|column| game.times[column]).fold(*longest, Duration::max);
        }
    }

    /// Shortest, median, mean and longest game; `None` without games.
    fn length(&self) -> Option<(usize, usize, f64, usize)> {
        let mut sorted = self.lengths.clone();
        sorted.sort_unstable();
        let mean = sorted.iter().sum::<usize>() as f64 / sorted.len() as f64;
        Some((*sorted.first()?, sorted[sorted.len() / 2], mean, *sorted.last()?))
    }
}

fn print_overview(folder: &Path, as_json: bool) -> Result<()> {
    let mut games = GameStatistics::default();
    let (contest, end) = Contest::read(folder, |game| games.add(game))?;
    if as_json {
        return output::print_json(&value(&contest, &end, &games)?);
    }
    say!("{}", settings(&contest));
    say!("{}", report::engines(&contest));
    say!("{}", speeds(&contest, &games));
    if contest.standings.names.len() > 2 {
        say!("{}", crosstable(&contest.standings));
    }
    say!("{}", report::pairings(&contest));
    say!("{}", endings(&games));
    if let Some((shortest, median, mean, longest)) = games.length() {
        say!("plies: shortest {shortest}, median {median}, mean {mean:.1}, longest {longest}");
    }
    if let Some(run) = &contest.sprt {
        say!("{}", report::sprt_text(run));
    }
    say!("{}", report::summary(&contest, &end));
    Ok(())
}

/// Settings in the words of the command line.
fn settings(contest: &Contest) -> String {
    let settings = &contest.journal.settings;
    let rules = &settings.rules;
    let mut lines = vec![format!(
        "{}: games for each pairing {}, openings {}, drawn after {} plies, tolerance {} ms, replays of a fault {}",
        settings.event,
        // A number of rounds that overflows here could not be played either.
        settings.rounds.saturating_mul(2),
        contest.journal.list.len(),
        rules.max_plies,
        rules.tolerance,
        settings.replay_faults
    )];
    lines.extend(rules.resign.map(|rule| format!("a side loses after {} own scores of -{}", rule.moves, rule.score)));
    lines.extend(
        rules.draw.map(|rule| {
            format!("a draw from ply {} after {} scores a side within {}", rule.from, rule.moves, rule.score)
        }),
    );
    lines.extend(settings.engines.iter().map(engine));
    printable_of(&lines)
}

fn engine(spec: &PlayerSpec) -> String {
    let quoted = |word: &String| {
        if word.is_empty() || word.contains(char::is_whitespace) { format!("'{word}'") } else { word.clone() }
    };
    let command = spec.command.iter().map(quoted).collect::<Vec<_>>().join(" ");
    let mut parts = vec![command, spec.limits.to_string()];
    parts.extend(spec.ponder.then(|| "ponders".to_owned()));
    parts.extend(spec.restart.then(|| "starts anew for every game".to_owned()));
    parts.extend(spec.directory.as_ref().map(|folder| format!("works in {}", folder.display())));
    let options = spec.options.iter().map(|(name, value)| format!("{name}={value}"));
    parts.extend((!spec.options.is_empty()).then(|| options.collect::<Vec<_>>().join(" ")));
    format!("{}: {}", spec.name, parts.join("; "))
}

fn speeds(contest: &Contest, games: &GameStatistics) -> String {
    let standings = &contest.standings;
    let rows = standings.names.iter().zip(&standings.engines).enumerate().map(|(index, (name, engine))| {
        let longest = games.longest.get(name).copied().unwrap_or_default();
        vec![name.clone(), engine.moves.to_string(), milliseconds(longest), or_dash(speed(contest, index))]
    });
    table(&["engine", "moves", "longest ms", "nodes/s"], rows).to_string()
}

/// Nodes per second; `None` for an engine that ponders, as the times begin at `ponderhit` and the
/// nodes before it.
fn speed(contest: &Contest, engine: usize) -> Option<u64> {
    contest.standings.engines[engine].speed().filter(|_| !contest.journal.settings.engines[engine].ponder)
}

fn crosstable(standings: &Standings) -> String {
    let names = &standings.names;
    let mut cells = vec![vec!["-".to_owned(); names.len()]; names.len()];
    for ((first, second), pairing) in standings.pairings() {
        let tally = pairing.tally;
        let gained = |wins: u64| points(wins as f64 + tally.draws as f64 / 2.0);
        cells[first][second] = format!("{}/{}", gained(tally.wins), tally.games());
        cells[second][first] = format!("{}/{}", gained(tally.losses), tally.games());
    }
    let header: Vec<&str> = [""].into_iter().chain(names.iter().map(String::as_str)).collect();
    let rows = names.iter().zip(cells).map(|(name, cells)| [vec![name.clone()], cells].concat());
    table(&header, rows).to_string()
}

fn endings(games: &GameStatistics) -> String {
    let rows = games.endings.iter().map(|(reason, results)| {
        let [black, white, draws] = results.map(|count| count.to_string());
        vec![reason.json_name().to_owned(), results.iter().sum::<u64>().to_string(), black, white, draws]
    });
    table(&["ended by", "games", "Black won", "White won", "drawn"], rows).to_string()
}

fn value(contest: &Contest, end: &ContestEnd, games: &GameStatistics) -> Result<Value> {
    let mut value = report::value(contest, end);
    let ended = |(reason, [black, white, draws]): (&EndReason, &[u64; 3])| {
        (reason.json_name().to_owned(), json!({ "black": black, "white": white, "draw": draws }))
    };
    value["settings"] = serde_json::to_value(&contest.journal.settings)?;
    value["openings"] = contest.journal.list.len().into();
    value["endings"] = games.endings.iter().map(ended).collect::<Map<_, _>>().into();
    value["plies"] = games.length().map_or(Value::Null, |(shortest, median, mean, longest)| {
        json!({ "shortest": shortest, "median": median, "mean": mean, "longest": longest })
    });
    for (index, name) in contest.standings.names.iter().enumerate() {
        let longest = games.longest.get(name).map(|longest| 1000.0 * longest.as_secs_f64());
        value["engines"][index]["longest_milliseconds"] = longest.into();
        value["engines"][index]["nodes_per_second"] = speed(contest, index).into();
    }
    Ok(value)
}

/// Prints every game of this number, with the voided ones that were replayed.
fn print_game(folder: &Path, number: usize, as_json: bool) -> Result<()> {
    let mut found = Vec::new();
    let (contest, _) = Contest::read(folder, |game| {
        if game.game == number {
            found.push(game.clone());
        }
    })?;
    ensure!(
        !found.is_empty(),
        "game {number} has not been played: {} of {} games have",
        contest.standings.played(),
        contest.standings.schedule.games
    );
    if as_json {
        return output::print_json(&found);
    }
    for game in &found {
        say!("{}", text(game));
    }
    Ok(())
}

/// The game with a line for each move. Scores are those of the side that moved, in centipawns.
fn text(game: &PlayedGame) -> String {
    let mut lines = vec![
        format!("game {}: {} (Black) against {} (White), {}", game.game, game.black, game.white, game.started),
        format!("opening {}: {}", game.opening, game.root),
    ];
    if game.opening_plies > 0 {
        lines.push(format!("opening moves: {}", game.moves[..game.opening_plies.min(game.moves.len())].join(" ")));
    }
    // A resignation, a declaration, an illegal move or a missing answer ends with a row without a
    // move.
    let rows = (0..game.times.len()).map(|column| {
        let ply = game.opening_plies + column;
        let of_white = game.columns_of(Color::White).any(|of_white| of_white == column);
        vec![
            game.moves.get(ply).cloned().unwrap_or_else(|| "(no move)".to_owned()),
            (ply + 1).to_string(),
            if of_white { "White" } else { "Black" }.to_owned(),
            or_dash(game.scores[column].map(score)),
            or_dash(game.depths[column]),
            or_dash(game.nodes[column]),
            milliseconds(game.times[column]),
            game.pvs.get(column).cloned().flatten().unwrap_or_default(),
        ]
    });
    let head = printable_of(&lines);
    let mut lines = Vec::new();
    let moves = table(&["move", "ply", "by", "score", "depth", "nodes", "ms", "expected"], rows);
    let result = match game.outcome {
        GameOutcome::BlackWins => "Black wins",
        GameOutcome::WhiteWins => "White wins",
        GameOutcome::Draw => "a draw",
        GameOutcome::Unknown => "no result",
    };
    let voided = if game.voided { "; voided and played again" } else { "" };
    lines.push(format!("{result}: {}{voided}", game.reason.json_name()));
    if let Some(fault) = &game.fault {
        lines.push(format!("{}: {}", fault.engine, fault.detail));
        lines.extend(fault.last_lines.iter().map(|line| format!("    {line}")));
    }
    [head, moves.to_string(), printable_of(&lines)].join("\n")
}

/// Lines with texts of the journal, which engines wrote.
fn printable_of(lines: &[String]) -> String {
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

/// `+35` centipawns, `mate in 5` plies, `mated in 4` plies.
fn score(score: i32) -> String {
    match export::score(score) {
        ScoreValue::Cp(centipawns) => format!("{centipawns:+}"),
        ScoreValue::Mate(plies) if plies.is_positive() => format!("mate in {plies}"),
        ScoreValue::Mate(plies) => format!("mated in {}", plies.abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_mates_are_told_apart() {
        assert_eq!([score(35), score(-7), score(0)], ["+35", "-7", "+0"]);
        assert_eq!([score(99_995), score(-99_996)], ["mate in 5", "mated in 4"]);
    }
}
