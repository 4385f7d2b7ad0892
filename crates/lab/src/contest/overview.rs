//! What a finished or interrupted contest was about and what it came to: more than the report at its end, and read from its folder alone.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::game::{Game, Reason, Verdict};
use super::spec::EngineSpec;
use super::standings::Standings;
use super::{Contest, Ending, report};
use crate::numbers::{self, points, say, table};

/// What the standings do not keep of the games.
#[derive(Debug, Default)]
struct Overview {
    /// Lengths of the games that count, in plies.
    lengths: Vec<usize>,
    /// How often games ended for a reason, by their result: Black won, White won, draw.
    endings: BTreeMap<Reason, [u64; 3]>,
    /// The longest times of the engines for a move, by their names, in milliseconds.
    longest: BTreeMap<String, u64>,
}

impl Overview {
    fn add(&mut self, game: &Game) {
        if game.voided {
            return;
        }
        self.lengths.push(game.moves.len());
        let column = match game.result {
            Verdict::Black => 0,
            Verdict::White => 1,
            Verdict::Draw => 2,
        };
        self.endings.entry(game.reason).or_default()[column] += 1;
        for (side, name) in [&game.black, &game.white].into_iter().enumerate() {
            let longest = self.longest.entry(name.clone()).or_default();
            *longest = game.columns_of(side).map(|column| game.times[column]).max().unwrap_or(0).max(*longest);
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
    let mut overview = Overview::default();
    let (contest, ending) = Contest::read(folder, |game| overview.add(game))?;
    if as_json {
        return numbers::print_json(&value(&contest, &ending, &overview)?);
    }
    say!("{}", settings(&contest));
    say!("{}", report::engines(&contest));
    say!("{}", thinking(&contest.standings, &overview));
    if contest.standings.names().len() > 2 {
        say!("{}", crosstable(&contest.standings));
    }
    say!("{}", report::pairings(&contest));
    say!("{}", endings(&overview));
    if let Some((shortest, median, mean, longest)) = overview.length() {
        say!("plies: shortest {shortest}, median {median}, mean {mean:.1}, longest {longest}");
    }
    if let Some(trial) = &contest.trial {
        say!("{}", report::verdict(trial));
    }
    say!("{}", report::summary(&contest, &ending));
    Ok(())
}

/// The settings as people wrote them.
fn settings(contest: &Contest) -> String {
    let settings = &contest.settings;
    let rules = &settings.rules;
    let mut lines = vec![format!(
        "{}: games for each pairing {}, openings {}, drawn after {} plies, tolerance {} ms, replays of a fault {}",
        settings.event,
        // What could not be counted could not be played.
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
    lines.join("\n")
}

fn engine(spec: &EngineSpec) -> String {
    let quoted = |word: &String| {
        if word.is_empty() || word.contains(char::is_whitespace) { format!("'{word}'") } else { word.clone() }
    };
    let command = spec.command.iter().map(quoted).collect::<Vec<_>>().join(" ");
    let mut parts = vec![command, spec.limit.to_string()];
    parts.extend(spec.ponder.then(|| "ponders".to_owned()));
    parts.extend(spec.restart.then(|| "starts anew for every game".to_owned()));
    parts.extend(spec.directory.as_ref().map(|folder| format!("works in {}", folder.display())));
    let options = spec.options.iter().map(|(name, value)| format!("{name}={value}"));
    parts.extend((!spec.options.is_empty()).then(|| options.collect::<Vec<_>>().join(" ")));
    format!("{}: {}", spec.name, parts.join("; "))
}

fn thinking(standings: &Standings, overview: &Overview) -> String {
    let rows = standings.names().iter().zip(standings.habits()).map(|(name, habits)| {
        let speed = if habits.milliseconds == 0 { "-".to_owned() } else { speed(habits).to_string() };
        let longest = overview.longest.get(name).copied().unwrap_or(0);
        vec![name.clone(), habits.moves.to_string(), longest.to_string(), speed]
    });
    table(&["engine", "moves", "longest ms", "nodes/s"], rows).to_string()
}

/// Nodes a second of the time that was measured from outside.
fn speed(habits: &super::standings::Habits) -> u128 {
    1000 * u128::from(habits.nodes) / u128::from(habits.milliseconds.max(1))
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

fn endings(overview: &Overview) -> String {
    let rows = overview.endings.iter().map(|(reason, [black, white, draws])| {
        vec![
            reason.name(),
            (black + white + draws).to_string(),
            black.to_string(),
            white.to_string(),
            draws.to_string(),
        ]
    });
    table(&["ended by", "games", "Black won", "White won", "drawn"], rows).to_string()
}

fn value(contest: &Contest, ending: &Ending, overview: &Overview) -> Result<Value> {
    let mut value = report::value(contest, ending);
    let ended = |(reason, [black, white, draws]): (&Reason, &[u64; 3])| {
        (reason.name(), json!({ "black": black, "white": white, "draw": draws }))
    };
    value["settings"] = serde_json::to_value(&contest.settings)?;
    value["openings"] = contest.openings().into();
    value["endings"] = overview.endings.iter().map(ended).collect::<Map<_, _>>().into();
    value["plies"] = overview.length().map_or(Value::Null, |(shortest, median, mean, longest)| {
        json!({ "shortest": shortest, "median": median, "mean": mean, "longest": longest })
    });
    for (index, name) in contest.standings.names().iter().enumerate() {
        let habits = &contest.standings.habits()[index];
        value["engines"][index]["longest_milliseconds"] = overview.longest.get(name).copied().into();
        let speed = (habits.milliseconds > 0).then(|| speed(habits) as u64);
        value["engines"][index]["nodes_per_second"] = speed.into();
    }
    Ok(value)
}
