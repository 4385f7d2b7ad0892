//! The position of the options `--sfen` and `--moves`.

use anyhow::{Context as _, Result, bail};
use kiki_usi::{Command, PositionSpec};

/// A position, `startpos` or an SFEN, with or without the word `sfen`, and `moves ..`, with further moves after them. Without an SFEN, the start
/// of a game.
///
/// # Errors
/// If the text is not a position. Moves are not checked.
pub fn position_spec(sfen: Option<&str>, moves: Option<&str>) -> Result<PositionSpec> {
    let sfen = sfen.unwrap_or("startpos").trim();
    let command = Command::parse(format!("position {sfen}").as_bytes()).with_context(|| format!("--sfen {sfen}"))?;
    let Command::Position(PositionSpec { root, moves: mut line }) = command else {
        bail!("--sfen {sfen}: this is no position")
    };
    line.extend(moves.unwrap_or_default().split_whitespace().map(str::to_owned));
    Ok(PositionSpec { root, moves: line })
}
