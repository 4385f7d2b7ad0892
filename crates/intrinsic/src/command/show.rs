//! `kiki-lab intrinsic show`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::report::PositionArgs;
use crate::{JudgedMove, Judging, PlayerRating, moves_of_game, players_of, rate_player, write_strip};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

/// Shows the judged moves of one game
#[derive(Args, Debug)]
pub(super) struct ShowArgs {
    /// The folder of what was judged
    folder: PathBuf,
    /// The game; games count from 0, in the order in which they were read
    #[arg(long)]
    game: u64,
    #[command(flatten)]
    positions: PositionArgs,
    /// Draw the errors as a strip (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ShowArgs) -> Result<()> {
    let judging = Judging::read(&arguments.folder)?;
    let settings = arguments.positions.settings(0, 0);
    let moves = players_of(&judging, &settings)?;
    let players: Vec<PlayerRating> = moves.into_iter().map(|moves| rate_player(moves, &settings)).collect();
    let moves = moves_of_game(&judging, arguments.game, &players, &settings)?;
    if let Some(path) = &arguments.plot {
        write_strip(path, arguments.game, &moves)?;
    }
    if arguments.json {
        return print_json(&json!({ "game": arguments.game, "moves": moves.iter().map(as_json).collect::<Vec<_>>() }));
    }
    say!("{}", table(&["ply", "player", "move", "best", "value", "error", "finds the best"], moves.iter().map(cells)));
    Ok(())
}

fn cells(judged: &JudgedMove) -> Vec<String> {
    let mut cells = vec![judged.ply.to_string(), judged.player.clone(), judged.played.clone()];
    match &judged.outcome {
        Ok(numbers) => {
            cells.extend([numbers.best.to_string(), numbers.value.to_string(), format!("{:.3}", numbers.error)]);
            cells.push(numbers.probability_of_best.map_or_else(|| "-".to_owned(), |p| format!("{:.0} %", 100.0 * p)));
        }
        Err(reason) => cells.extend(["-", "-", "-", reason].map(str::to_owned)),
    }
    cells
}

fn as_json(judged: &JudgedMove) -> Value {
    json!({
        "ply": judged.ply,
        "player": judged.player,
        "move": judged.played,
        "left_out": judged.outcome.as_ref().err(),
        "judged": judged.outcome.as_ref().ok().map(|numbers| json!({
            "best": numbers.best,
            "value": numbers.value,
            "error": numbers.error,
            "probability_of_best": numbers.probability_of_best,
        })),
    })
}
