//! `kiki-lab intrinsic test`.

use std::path::PathBuf;

use crate::model::{ChoiceModel, ChoiceTest, fit};
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::json;

use super::report::PositionArgs;
use crate::{Judging, PlayerMoves, players_of};
use kiki_run::numbers::print_json;
use kiki_run::say;

/// How far are a player's moves from those of another player, or of a model?
#[derive(Args, Debug)]
pub(super) struct TestArgs {
    /// The folder of what was judged
    folder: PathBuf,
    /// The player whose moves are tested
    #[arg(long)]
    player: String,
    /// The player whose fitted model they are tested against
    #[arg(long, value_name = "PLAYER", required_unless_present = "model")]
    like: Option<String>,
    /// The model that they are tested against
    #[arg(long, value_name = "S,C", value_delimiter = ',', conflicts_with = "like")]
    model: Option<Vec<f64>>,
    #[command(flatten)]
    positions: PositionArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What every test is told with.
const CAVEAT: &str = "Moves of a game are not independent, and positions of one player are not those of another: these are no probabilities. They say \
                      how unusual moves are under a model, and nothing about how they were found.";

pub(super) fn run(arguments: &TestArgs) -> Result<()> {
    let judging = Judging::read(&arguments.folder)?;
    let players = players_of(&judging, &arguments.positions.settings(0, 0))?;
    let model = match (&arguments.like, arguments.model.as_deref()) {
        (Some(name), _) => fit(&find(&players, name)?.choices)?.model,
        (None, Some(&[s, c])) => ChoiceModel::new(s, c)?,
        (None, _) => return Err(anyhow!("--model takes two numbers, S,C")),
    };
    let player = find(&players, &arguments.player)?;
    let test = ChoiceTest::new(&model, &player.choices)?;
    if arguments.json {
        return print_json(&json!({
            "positions": player.choices.len(),
            "model": { "s": model.sensitivity(), "c": model.consistency() },
            "matches": test.matches,
            "expected_matches": test.expected_matches,
            "z_match": test.z_match,
            "z_error": test.z_error,
            "caveat": CAVEAT,
        }));
    }
    let z = |z: Option<f64>| z.map_or_else(|| "-".to_owned(), |z| format!("{z:+.2}"));
    say!(
        "{}: {} positions against s {:.4}, c {:.4}",
        player.name,
        player.choices.len(),
        model.sensitivity(),
        model.consistency()
    );
    say!("best moves  {} of {:.1} expected, z {}", test.matches, test.expected_matches, z(test.z_match));
    say!("errors      z {} (above 0: smaller than expected)", z(test.z_error));
    say!("{CAVEAT}");
    Ok(())
}

fn find<'a>(players: &'a [PlayerMoves], name: &str) -> Result<&'a PlayerMoves> {
    players.iter().find(|player| player.name == name).ok_or_else(|| {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        anyhow!("`{name}` is none of the players {}", names.join(", "))
    })
}
