//! A calibration as text.

use crate::study::{CalibrationSummary, MoveAccuracy};
use kiki_run::output::{percent, table};
use kiki_run::say;

pub(super) fn print(summary: &CalibrationSummary) {
    let members = summary.members.iter().map(|member| {
        let cells = [member.name.clone(), format!("{:.3}", member.scale), format!("{:.0}", member.noise)];
        cells.into_iter().chain(move_cells(&member.moves)).collect()
    });
    say!("{}", table(&["member", "scale", "noise", "best move", "loss"], members));
    let pairs = summary.pairs.iter().map(|pair| {
        let [p, q] = pair.rates;
        let independent = |candidates: f64| format!("{:.3}", p * q + (1.0 - p) * (1.0 - q) / (candidates - 1.0));
        vec![pair.members.join(" and "), format!("{:.3}", pair.agreement), independent(2.0), independent(3.0)]
    });
    say!("\n{}", table(&["pair", "same move", "if independent, 2 candidates", "3"], pairs));
    let rules = summary.rules.iter().map(|rule| {
        let more = format!("{:+.1} ± {:.1}", rule.against_strongest.mean, rule.against_strongest.error);
        [rule.rule.clone()].into_iter().chain(move_cells(&rule.moves)).chain([more]).collect()
    });
    say!("\n{}", table(&["rule", "best move", "loss", "more than the strongest member"], rules));
    let loss = summary.loss.map_or_else(|| "none".to_owned(), |loss| format!("{loss:.0}"));
    say!(
        "{} positions; {} left out, where the game is decided (beyond 3000) or somebody told no value. A wrong move loses {loss} on average. Losses and noises in centipawns of \
         the reference, ±: standard errors",
        summary.positions,
        summary.left_out
    );
}

fn move_cells(moves: &MoveAccuracy) -> [String; 2] {
    [percent(moves.rate), format!("{:.1} ± {:.1}", moves.loss.mean, moves.loss.error)]
}
