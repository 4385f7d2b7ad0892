//! The report for a terminal.

use kiki_run::output::table;
use kiki_run::say;

use crate::groups::{MeanReport, PlayReport};
use crate::report::PlayerReport;
use crate::words::{Bilingual, percent};

const COLUMNS: [&str; 8] = ["moves", "judged", "games", "accuracy", "mean loss", "opponents", "best", "?"];

pub(crate) fn print(report: &PlayerReport) {
    let names: Vec<String> = report.names.iter().map(|found| format!("{} ({})", found.name, found.games)).collect();
    say!("{}: {} games; {}", report.name, report.games, names.join(", "));
    for (number, subject) in (1..).zip(&report.subjects) {
        say!("study {number}: {}. {}", subject.words.en, subject.sentence.en);
    }
    if let Some(play) = &report.play {
        let all = row("all".to_owned(), play, report.opponents.as_ref().map(|found| &found.play.mean_loss));
        let rows = report.groupings.iter().flat_map(|grouping| {
            let name = |words: &Bilingual| format!("{}: {}", grouping.words.en, words.en);
            let groups = grouping.groups.iter().filter(|group| group.play.games > 1);
            groups.map(move |group| row(name(&group.words), &group.play, group.opponents_mean_loss.as_ref()))
        });
        say!("{}", table(&COLUMNS, [all].into_iter().chain(rows)));
    }
    if let Some(comparison) = report.opponents.as_ref().and_then(|found| found.comparison.as_ref()) {
        say!("{}", comparison.sentence.en);
    }
    let findings = &report.findings;
    for finding in findings.findings.iter().chain(&report.costly.findings) {
        say!("{}: {}", finding.kind, finding.sentence.en);
    }
    match findings.comparisons {
        0 => say!("too few moves to compare groups with those of opponents"),
        count if findings.findings.is_empty() => say!("none of {count} comparisons with opponents is beyond chance"),
        _ => {}
    }
    let change = report.progress.as_ref().and_then(|found| found.change.as_ref());
    let sentences = [
        report.spread.as_ref().map(|found| &found.sentence),
        report.mates.as_ref().map(|found| &found.sentence),
        change.map(|found| &found.sentence),
    ];
    sentences.into_iter().flatten().for_each(|sentence| say!("{}", sentence.en));
    say!("{} positions to study", report.questions.iter().filter(|question| !question.only_practice).count());
    let rating = &report.rating;
    match (rating.rating, rating.interval) {
        (Some(number), Some([low, high])) => {
            say!("rating by moves {number:.0}, 95 % interval {low:.0} to {high:.0}\n{}", rating.scale.en);
        }
        (Some(number), None) => say!("rating by moves {number:.0}, without an interval"),
        (None, _) => say!("no rating by moves"),
    }
    if let Some((number, [low, high])) = report.opponents.as_ref().and_then(|found| found.rating.zip(found.interval)) {
        say!("opponents in the same games {number:.0}, 95 % interval {low:.0} to {high:.0}");
    }
    say!("{}", rating.worth.en);
    say!("{}", report.caveat.en);
}

fn row(name: String, play: &PlayReport, opponents: Option<&MeanReport>) -> Vec<String> {
    vec![
        name,
        play.moves.to_string(),
        play.games.to_string(),
        with_error(&play.accuracy, |value| format!("{value:.1}")),
        with_error(&play.mean_loss, percent),
        opponents.map_or_else(String::new, |mean| percent(mean.value)),
        play.best_moves.to_string(),
        play.mistakes.to_string(),
    ]
}

fn with_error(mean: &MeanReport, text: fn(f64) -> String) -> String {
    let value = text(mean.value);
    mean.interval.map_or_else(|| value.clone(), |[low, high]| format!("{value} ± {}", text((high - low) / 2.0)))
}
