//! `learning.html`: the generations so far and what the run does now. It reloads itself.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use kiki_page::{escaped_html, reloading};
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::files::write_atomically;
use kiki_run::output::time_in_words;

use crate::state::{Generation, LearnState};

pub(crate) const PAGE: &str = "learning.html";

/// Writes the page. `stage` is the HTML of the stage in progress, `None` when the run has ended or
/// stopped.
pub(crate) fn write(folder: &Path, state: &LearnState, stage: Option<&str>) -> Result<()> {
    let mut page = String::new();
    let best = state.best().0;
    let name = if best == 0 { "none yet".to_owned() } else { format!("generation {best}") };
    let is_used_up = state.seconds >= 3600.0 * state.hours;
    let [worked, all] = [state.seconds, 3600.0 * state.hours].map(time_in_words);
    write!(page, "<p>Best network: <b>{name}</b>. Worked {worked} of {all}.</p>")?;
    match stage {
        Some(stage) => page.push_str(stage),
        None if state.is_at_end() => write!(page, "<p>The run has ended: the last generations brought little.</p>")?,
        None if is_used_up => write!(page, "<p>The time is up. The same command with more --hours goes on.</p>")?,
        None => write!(page, "<p>The run has stopped. The same command goes on.</p>")?,
    }
    write_generations(&mut page, state)?;
    if state.generations.len() > 1 {
        for picture in [losses(state), strength(state)] {
            let path = folder.join("picture.svg");
            picture.write(&path)?;
            let svg = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            std::fs::remove_file(&path)?;
            write!(page, "<figure>{svg}</figure>")?;
        }
    }
    let commit =
        state.commit.as_deref().map_or_else(String::new, |commit| format!(", commit {}", escaped_html(commit)));
    write!(page, "<p class=\"quiet\">{}{commit}. Settings: learn.json.</p>", state.program)?;
    write_atomically(&folder.join(PAGE), reloading("Kiki learns", 20, &page).as_bytes())
}

fn write_generations(page: &mut String, state: &LearnState) -> Result<()> {
    write!(
        page,
        "<h2>Generations</h2><table><thead><tr><th>generation</th><th>games of</th><th>new positions</th><th>learned from</th>\
         <th>held-out loss</th><th>of results</th><th>won, drawn, lost</th><th>Elo, 95 %</th><th>time</th></tr></thead><tbody>"
    )?;
    for generation in &state.generations {
        let class = if generation.number == state.best().0 { " class=\"best\"" } else { "" };
        let Generation { number, parent, games, positions, loss, result_loss, test, seconds, .. } = generation;
        let by = if *parent == 0 { "start".to_owned() } else { parent.to_string() };
        let new: u64 = games.data.iter().map(|file| file.positions).sum();
        let elo = generation.elo_text().unwrap_or_default();
        let [new, learned] = [new, *positions].map(|count| format!("{:.2} million", count as f64 / 1e6));
        let result = format!("{}, {}, {}", test.wins, test.draws, test.losses);
        write!(
            page,
            "<tr{class}><td>{number}</td><td>{by}</td><td>{new}</td><td>{learned}</td><td>{loss:.5}</td><td>{result_loss:.5}</td>\
             <td>{result}</td><td>{elo}</td><td>{}</td></tr>",
            time_in_words(*seconds)
        )?;
    }
    write!(page, "</tbody></table>")?;
    Ok(())
}

fn line(name: &str, color: usize, points: Vec<(f64, f64)>) -> ChartLine {
    ChartLine::new(name, points, CurveStyle::Solid, color)
}

fn chart(title: &str, y_label: &str, lines: Vec<ChartLine>) -> LineChart {
    LineChart::new(title.to_owned(), "generation", y_label.to_owned(), lines)
}

fn losses(state: &LearnState) -> LineChart {
    let points = |value: fn(&Generation) -> f64| {
        state.generations.iter().map(|generation| (generation.number as f64, value(generation))).collect()
    };
    let lines = vec![
        line("to the returns", 0, points(|generation| generation.loss)),
        line("to the results alone", 1, points(|generation| generation.result_loss)),
    ];
    chart("Losses on held-out games of each generation", "cross entropy, nats", lines)
}

/// Cap on the gain of one generation, in Elo: winning all games would give infinity.
const MOST_GAIN: f64 = 800.0;

/// The rating of the best network after each generation: the sum of the gains so far.
fn strength(state: &LearnState) -> LineChart {
    let mut rating = 0.0;
    let mut points = vec![(0.0, 0.0)];
    for generation in &state.generations {
        let gained = generation.elo().filter(|_| generation.is_better());
        rating += gained.map_or(0.0, |elo| elo.min(MOST_GAIN));
        points.push((generation.number as f64, rating));
    }
    let title = "The best network, in Elo above the start (sum of the test games)";
    chart(title, "Elo", vec![line("", 2, points)])
}
