//! A calibration as text and as JSON.

use serde_json::{Value, json};

use crate::study::{CalibrationSummary, MemberNumbers, MoveNumbers, RuleNumbers};
use kiki_run::output::{percent, table};
use kiki_run::say;

pub(super) fn print(summary: &CalibrationSummary) {
    let member = |member: &MemberNumbers| {
        let mut cells = vec![member.name.clone(), format!("{:.3}", member.scale), format!("{:.0}", member.noise)];
        cells.extend(move_cells(&member.moves));
        cells
    };
    say!("{}", table(&["member", "scale", "noise", "best move", "loss"], summary.members.iter().map(member)));
    let pairs = summary.agreements.iter().map(|&(first, second, rate)| {
        let [a, b] = [first, second].map(|index| &summary.members[index]);
        let independent = |candidates: f64| {
            let [p, q] = [a.moves.rate, b.moves.rate];
            format!("{:.3}", p * q + (1.0 - p) * (1.0 - q) / (candidates - 1.0))
        };
        vec![format!("{} and {}", a.name, b.name), format!("{rate:.3}"), independent(2.0), independent(3.0)]
    });
    say!("\n{}", table(&["pair", "same move", "if independent, 2 candidates", "3"], pairs));
    let rule = |rule: &RuleNumbers| {
        let mut cells = vec![rule.name.to_owned()];
        cells.extend(move_cells(&rule.moves));
        let (more, error) = rule.against_strongest;
        cells.push(format!("{more:+.1} ± {error:.1}"));
        cells
    };
    say!(
        "\n{}",
        table(&["rule", "best move", "loss", "more than the strongest member"], summary.rules.iter().map(rule))
    );
    let loss = summary.loss.map_or_else(|| "none".to_owned(), |loss| format!("{loss:.0}"));
    say!(
        "{} positions; {} left out, where the game is decided (beyond 3000) or somebody told no value. A wrong move loses {loss} on average. Losses and noises in centipawns of \
         the reference, ±: standard errors",
        summary.positions,
        summary.left_out
    );
}

fn move_cells(moves: &MoveNumbers) -> [String; 2] {
    [percent(moves.rate), format!("{:.1} ± {:.1}", moves.loss, moves.loss_error)]
}

pub(super) fn as_json(summary: &CalibrationSummary) -> Value {
    let moves = |moves: &MoveNumbers| json!({ "rate": moves.rate, "loss": moves.loss, "loss_error": moves.loss_error });
    let member = |member: &MemberNumbers| json!({ "name": member.name, "scale": member.scale, "noise": member.noise, "moves": moves(&member.moves) });
    let pair = |&(first, second, rate): &(usize, usize, f64)| json!({ "members": [summary.members[first].name, summary.members[second].name], "agreement": rate });
    let rule = |rule: &RuleNumbers| {
        json!({
            "rule": rule.name,
            "moves": moves(&rule.moves),
            "against_strongest": { "loss": rule.against_strongest.0, "loss_error": rule.against_strongest.1 },
        })
    };
    json!({
        "positions": summary.positions,
        "left_out": summary.left_out,
        "loss": summary.loss,
        "members": summary.members.iter().map(member).collect::<Vec<_>>(),
        "pairs": summary.agreements.iter().map(pair).collect::<Vec<_>>(),
        "rules": summary.rules.iter().map(rule).collect::<Vec<_>>(),
    })
}
