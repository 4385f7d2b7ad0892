//! One game of a contest, move by move: `kiki-lab show --game`.

use std::path::Path;

use anyhow::{Result, ensure};
use kiki_board::printable;
use kiki_play::game::{MATE, PlayedGame};
use kiki_record::GameOutcome;
use shogi_core::Color;

use crate::runner::Contest;
use kiki_run::numbers::{milliseconds, table};
use kiki_run::{numbers, say};

/// Prints a game of a folder by its number; if it was voided and played again, all of its games.
///
/// # Errors
/// The folder holds no match, or no such game was played.
pub(crate) fn print(folder: &Path, number: usize, as_json: bool) -> Result<()> {
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
        contest.standings.scheduled()
    );
    if as_json {
        return numbers::print_json(&found);
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
    // The last row may have no move: resignation, declaration, an illegal move, no answer.
    let rows = (0..game.times.len()).map(|column| {
        let ply = game.opening_plies + column;
        let of_white = game.columns_of(Color::White).any(|of_white| of_white == column);
        let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        vec![
            game.moves.get(ply).cloned().unwrap_or_else(|| "(no move)".to_owned()),
            (ply + 1).to_string(),
            if of_white { "White" } else { "Black" }.to_owned(),
            text(game.scores[column].map(score)),
            text(game.depths[column].map(|depth| depth.to_string())),
            text(game.nodes[column].map(|nodes| nodes.to_string())),
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

/// Lines with words from the journal, which may come from anywhere.
fn printable_of(lines: &[String]) -> String {
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

/// `+35`, `mate in 5`, `mated in 4`: plies.
fn score(score: i32) -> String {
    const MATES: i32 = MATE - 2000;
    match score {
        _ if score >= MATES => format!("mate in {}", MATE - score),
        _ if score <= -MATES => format!("mated in {}", MATE + score),
        _ => format!("{score:+}"),
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
