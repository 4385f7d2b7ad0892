//! The report for a terminal.

use kiki_run::output::table;
use kiki_run::say;

use crate::groups::{MeanReport, PlayReport};
use crate::report::PlayerReport;
use crate::words::percent;

const COLUMNS: [&str; 7] = ["moves", "judged", "games", "accuracy", "mean loss", "best", "?"];

pub(crate) fn print(report: &PlayerReport) {
    let names: Vec<String> = report.names.iter().map(|found| format!("{} ({})", found.name, found.games)).collect();
    say!("{}: {} games; {}", report.name, report.games, names.join(", "));
    let rating = &report.rating;
    match (rating.rating, rating.interval) {
        (Some(number), Some([low, high])) => {
            say!("rating by moves {number:.0}, 95 % interval {low:.0} to {high:.0}\n{}", rating.scale.en);
        }
        (Some(number), None) => say!("rating by moves {number:.0}, without an interval"),
        (None, _) => say!("no rating by moves"),
    }
    say!("{}", rating.worth.en);
    if let Some(play) = &report.play {
        let all = row("all".to_owned(), play);
        let rows = report.groupings.iter().flat_map(|grouping| {
            grouping.groups.iter().map(|group| row(format!("{}: {}", grouping.words.en, group.words.en), &group.play))
        });
        say!("{}", table(&COLUMNS, [all].into_iter().chain(rows)));
    }
    let findings = &report.findings;
    for finding in &findings.findings {
        say!("{}: {}", if finding.is_strength { "strength" } else { "weakness" }, finding.sentence.en);
    }
    match findings.comparisons {
        0 => say!("too few moves to compare groups"),
        count if findings.findings.is_empty() => say!("none of {count} comparisons of groups is beyond chance"),
        _ => {}
    }
    let sentences =
        [report.spread.as_ref().map(|found| &found.sentence), report.mates.as_ref().map(|found| &found.sentence)];
    sentences.into_iter().flatten().for_each(|sentence| say!("{}", sentence.en));
    say!("{} positions to study", report.questions.len());
    say!("{}", report.caveat.en);
}

fn row(name: String, play: &PlayReport) -> Vec<String> {
    vec![
        name,
        play.moves.to_string(),
        play.games.to_string(),
        with_error(&play.accuracy, |value| format!("{value:.1}")),
        with_error(&play.mean_loss, percent),
        play.best_moves.to_string(),
        play.mistakes.to_string(),
    ]
}

fn with_error(mean: &MeanReport, text: fn(f64) -> String) -> String {
    let value = text(mean.value);
    mean.interval.map_or_else(|| value.clone(), |[low, high]| format!("{value} ± {}", text((high - low) / 2.0)))
}
