//! `kiki-lab records move`: moves in Japanese notation and in USI.

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_board::Position;
use kiki_record::{RecordForm, japanese_move, read_japanese_move};

use kiki_run::say;

const EXAMPLE: &str = "\
Examples:
  kiki-lab records move --sfen 'startpos moves 7g7f' 3c3d '▲２二角成' 同銀
  kiki-lab records move --sfen 'l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75' ▲３五角

An ambiguous text is an error that names all its moves.";

/// Print moves in Japanese notation and in USI
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct MoveArgs {
    /// The first position: an SFEN or `startpos`, with or without moves
    #[arg(long, value_name = "SFEN", default_value = "startpos")]
    sfen: String,
    /// The moves, each in either notation
    #[arg(required = true, value_name = "MOVE")]
    moves: Vec<String>,
}

pub(super) fn run(arguments: &MoveArgs) -> Result<()> {
    let games = RecordForm::Usi.read(arguments.sfen.as_bytes());
    let game = games.into_iter().next().context("--sfen: there is no position")?.context("--sfen")?;
    let mut position = game.root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_diagram)?;
    game.moves.iter().for_each(|played| {
        position.make(played.mv);
    });
    for text in &arguments.moves {
        let mv = match position.parse_move(text) {
            Ok(mv) => mv,
            Err(illegal @ kiki_board::MoveError::Illegal { .. }) => return Err(illegal.into()),
            Err(_) => read_japanese_move(text, &position)?,
        };
        say!("{}  {mv}", japanese_move(&position, mv));
        position.make(mv);
    }
    Ok(())
}
