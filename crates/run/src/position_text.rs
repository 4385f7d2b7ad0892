//! The position of the options `--sfen` and `--moves`.

use anyhow::{Context as _, Result};
use kiki_board::Position;
use kiki_usi::{PositionSpec, set_up};

/// A position: `startpos` or an SFEN, with or without the word `sfen` and `moves ..`, then further
/// moves. Without an SFEN, the start of a game. Does not check moves.
pub fn position_spec(sfen: Option<&str>, moves: Option<&str>) -> Result<PositionSpec> {
    let sfen = sfen.unwrap_or("startpos").trim();
    let mut spec: PositionSpec = sfen.parse().with_context(|| format!("--sfen {sfen}"))?;
    spec.moves.extend(moves.unwrap_or_default().split_whitespace().map(str::to_owned));
    Ok(spec)
}

/// The same as a [`Position`]; refuses illegal moves.
pub fn position(sfen: Option<&str>, moves: Option<&str>) -> Result<Position> {
    let option =
        || if moves.is_some() { "--sfen, --moves".to_owned() } else { format!("--sfen {}", sfen.unwrap_or_default()) };
    set_up(&position_spec(sfen, moves)?).with_context(option)
}
