//! The overview of a contest in its folder: settings, standings, how games ended. `kiki-lab show`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use kiki_board::printable;
use kiki_play::game::PlayedGame;
use kiki_play::player::PlayerSpec;
use kiki_record::{EndReason, GameOutcome};
use kiki_run::numbers::{self, milliseconds, points, table};
use kiki_run::say;
use serde_json::{Map, Value, json};
use shogi_core::Color;

use super::{json, tables};
use crate::runner::{Contest, ContestEnd};
use crate::standings::Standings;

/// What the standings do not keep: lengths, ends and longest times of games.
#[derive(Debug, Default)]
struct GameStatistics {
    /// Lengths of the games that count, in plies.
    lengths: Vec<usize>,
    /// How often games ended for a reason, by their result: Black won, White won, draw.
    endings: BTreeMap<EndReason, [u64; 3]>,
    /// The longest times of the engines for a move, by their names.
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

    /// The shortest, the median, the mean and the longest game; none without games.
    fn length(&self) -> Option<(usize, usize, f64, usize)> {
        let mut sorted = self.lengths.clone();
        sorted.sort_unstable();
        let mean = sorted.iter().sum::<usize>() as f64 / sorted.len() as f64;
        Some((*sorted.first()?, sorted[sorted.len() / 2], mean, *sorted.last()?))
    }
}

/// Prints the overview of a folder, as text or as JSON.
///
/// # Errors
/// The folder holds no match, or one that cannot be read.
pub(crate) fn print(folder: &Path, as_json: bool) -> Result<()> {
    let mut games = GameStatistics::default();
    let (contest, end) = Contest::read(folder, |game| games.add(game))?;
    if as_json {
        return numbers::print_json(&value(&contest, &end, &games)?);
    }
    say!("{}", settings(&contest));
    say!("{}", tables::engines(&contest));
    say!("{}", speeds(&contest.standings, &games));
    if contest.standings.names().len() > 2 {
        say!("{}", crosstable(&contest.standings));
    }
    say!("{}", tables::pairings(&contest));
    say!("{}", endings(&games));
    if let Some((shortest, median, mean, longest)) = games.length() {
        say!("plies: shortest {shortest}, median {median}, mean {mean:.1}, longest {longest}");
    }
    if let Some(run) = &contest.sprt {
        say!("{}", tables::sprt_text(run));
    }
    say!("{}", tables::summary(&contest, &end));
    Ok(())
}

/// The settings in the words of the command line.
fn settings(contest: &Contest) -> String {
    let settings = &contest.settings;
    let rules = &settings.rules;
    let mut lines = vec![format!(
        "{}: games for each pairing {}, openings {}, drawn after {} plies, tolerance {} ms, replays of a fault {}",
        settings.event,
        // A number of rounds that overflows here could not be played either.
        settings.rounds.saturating_mul(2),
        contest.openings(),
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
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
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

/// Times and speeds of the engines.
fn speeds(standings: &Standings, games: &GameStatistics) -> String {
    let rows = standings.names().iter().zip(standings.engines()).map(|(name, engine)| {
        let speed = engine.speed().map_or_else(|| "-".to_owned(), |speed| speed.to_string());
        let longest = games.longest.get(name).copied().unwrap_or_default();
        vec![name.clone(), engine.moves.to_string(), milliseconds(longest), speed]
    });
    table(&["engine", "moves", "longest ms", "nodes/s"], rows).to_string()
}

/// The points of each engine against each other.
fn crosstable(standings: &Standings) -> String {
    let names = standings.names();
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
    let rows = games.endings.iter().map(|(reason, [black, white, draws])| {
        vec![
            reason.json_name().to_owned(),
            (black + white + draws).to_string(),
            black.to_string(),
            white.to_string(),
            draws.to_string(),
        ]
    });
    table(&["ended by", "games", "Black won", "White won", "drawn"], rows).to_string()
}

fn value(contest: &Contest, end: &ContestEnd, games: &GameStatistics) -> Result<Value> {
    let mut value = json::value(contest, end);
    let ended = |(reason, [black, white, draws]): (&EndReason, &[u64; 3])| {
        (reason.json_name().to_owned(), json!({ "black": black, "white": white, "draw": draws }))
    };
    value["settings"] = serde_json::to_value(&contest.settings)?;
    value["openings"] = contest.openings().into();
    value["endings"] = games.endings.iter().map(ended).collect::<Map<_, _>>().into();
    value["plies"] = games.length().map_or(Value::Null, |(shortest, median, mean, longest)| {
        json!({ "shortest": shortest, "median": median, "mean": mean, "longest": longest })
    });
    for (index, name) in contest.standings.names().iter().enumerate() {
        let engine = &contest.standings.engines()[index];
        let longest = games.longest.get(name).map(|longest| 1000.0 * longest.as_secs_f64());
        value["engines"][index]["longest_milliseconds"] = longest.into();
        value["engines"][index]["nodes_per_second"] = engine.speed().into();
    }
    Ok(value)
}
