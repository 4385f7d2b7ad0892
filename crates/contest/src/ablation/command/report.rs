//! The report of an ablation study: a table for people, Markdown for documents, JSON.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use crate::ablation::rows::{AblationRow, MatchResult, NodeRatio};
use crate::ablation::runner::AblationStudy;
use crate::estimates::estimates_value;
use kiki_run::files::{write_atomically, write_json};
use kiki_run::numbers::{interval, json_interval, json_or_reason, print_json, signed, table};
use kiki_run::say;
use kiki_run::shell_word::shell_word;

const HEADER: [&str; 8] =
    ["step", "group", "games", "+ = -", "Elo it brings", "95 % interval", "nodes without", "95 %"];

/// Writes `table.md` and `table.json` into the folder.
pub(super) fn write(study: &AblationStudy, rows: &[AblationRow<'_>]) -> Result<()> {
    write_atomically(&study.folder().join("table.md"), markdown(rows).as_bytes())?;
    write_json(&study.folder().join("table.json"), &value(study, rows))
}

/// Prints the table.
pub(super) fn print(study: &AblationStudy, rows: &[AblationRow<'_>], concurrency: usize, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&value(study, rows));
    }
    say!("{}", table(&HEADER, rows.iter().map(cells)));
    say!("Elo: of the whole engine against the one without the step; {}.", study.settings.engine.limits);
    if let Some(nodes) = study.whole_nodes() {
        let (depth, positions) = (study.settings.depth, study.settings.positions.len());
        say!("Nodes: to depth {depth} at {positions} positions, as a multiple of the whole engine's {nodes}.");
    }
    let folder = study.folder().display();
    say!("{folder}/table.md, table.json, elo.svg, nodes.svg");
    if !study.is_complete(rows) {
        say!("interrupted; go on with: kiki-lab resume {} --concurrency {concurrency}", shell_word(study.folder()));
    }
    Ok(())
}

/// The cells of a row, in the order of [`HEADER`].
fn cells(row: &AblationRow<'_>) -> Vec<String> {
    let none = || "-".to_owned();
    let games = |text: &dyn Fn(&MatchResult) -> String| row.games.as_ref().map_or_else(none, text);
    let nodes = |text: &dyn Fn(&NodeRatio) -> String| row.nodes.as_ref().map_or_else(none, text);
    vec![
        row.ablation.name.clone(),
        row.ablation.group.clone(),
        games(&|result| result.tally.games().to_string()),
        games(&|MatchResult { tally, .. }| format!("{} {} {}", tally.wins, tally.draws, tally.losses)),
        games(&|result| result.elo().map_or_else(none, |(elo, _)| signed(elo))),
        games(&|result| result.elo().map_or_else(none, |(_, ends)| interval(ends))),
        nodes(&|nodes| format!("x {:.2}", nodes.ratio)),
        nodes(&|nodes| format!("[{:.2}, {:.2}]", nodes.interval.low, nodes.interval.high)),
    ]
}

/// The table as Markdown, with the meaning of each step.
fn markdown(rows: &[AblationRow<'_>]) -> String {
    let mut text = String::from("| step | what it does | games | Elo it brings | 95 % | nodes without it | 95 % |\n");
    text += "|---|---|--:|--:|---|--:|---|\n";
    for row in rows {
        let cells = cells(row);
        let [_, _, games, _, elo, elo_ends, ratio, ratio_ends] = &cells[..] else { continue };
        let AblationRow { ablation, .. } = row;
        let _ = writeln!(
            text,
            "| {} | {} | {games} | {elo} | {elo_ends} | {ratio} | {ratio_ends} |",
            ablation.name, ablation.meaning
        );
    }
    text
}

fn value(study: &AblationStudy, rows: &[AblationRow<'_>]) -> Value {
    let row = |row: &AblationRow<'_>| {
        let games = row.games.as_ref().map(|MatchResult { tally, estimates }| {
            json!({
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "estimates": json_or_reason(estimates, estimates_value),
            })
        });
        let nodes = row.nodes.map(|nodes| {
            json!({ "nodes": nodes.nodes, "ratio": nodes.ratio, "ratio_interval": json_interval(nodes.interval) })
        });
        let ablation = row.ablation;
        json!({
            "name": ablation.name,
            "group": ablation.group,
            "meaning": ablation.meaning,
            "options": ablation.options,
            "games": games,
            "nodes_to_depth": nodes,
        })
    };
    json!({
        "ending": if study.is_complete(rows) { "complete" } else { "interrupted" },
        "folder": study.folder().display().to_string(),
        "depth": study.settings.depth,
        "positions": study.settings.positions.len(),
        "whole_nodes": study.whole_nodes(),
        "ablations": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
