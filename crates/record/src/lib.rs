//! Game records: [`Game`] has what is known about a finished game. Records of every form are read
//! ([`read_records`]) and written ([`RecordForm::write`]), and so are results for rating programs
//! ([`read_pgn`], [`to_pgn`]). Single moves and positions are written in human notation
//! ([`japanese_move`], [`western_moves`], [`japanese_diagram`]).
//!
//! Nothing here opens files or panics, whatever bytes arrive. Readers accept the oddities of real
//! files. An error names the line and the token. A result that a record does not give is
//! [`GameOutcome::Unknown`], never a guess.
//!
//! ```
//! use kiki_record::{Game, GameOutcome, EndReason, read_csa, to_csa};
//!
//! let text = "N+alice\nN-bob\nPI\n+\n+7776FU,T3\n-3334FU,T5\n%TORYO\n";
//! let games: Vec<Game> = read_csa(text.as_bytes()).collect::<Result<_, _>>()?;
//! assert_eq!(games[0].black, "alice");
//! assert_eq!(games[0].moves[1].mv.to_string(), "3c3d");
//! assert_eq!((games[0].outcome, games[0].reason), (GameOutcome::WhiteWins, Some(EndReason::Resignation)));
//! assert_eq!(read_csa(to_csa(&games[0])?.as_bytes()).next(), Some(Ok(games[0].clone())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod comments;
mod csa;
mod diagram;
mod ending;
mod error;
mod form;
mod game;
mod header;
mod japanese;
mod jkf;
mod kif;
mod lost;
mod pgn;
mod stated_result;
mod text;
mod usi;
mod western;

pub use csa::{CsaGames, csa_comment, csa_move, csa_server_reason, read_csa, read_csa_move, to_csa};
pub use diagram::japanese_diagram;
pub use ending::{EndReason, Ending, GameEnd, GameOutcome};
pub use error::{ReadError, ReadProblem, WriteError};
pub use form::{RecordForm, read_moves, read_records};
pub use game::{Game, PlayedMove, Variation};
pub use header::{handicap_names, handicaps};
pub use japanese::{japanese_move, japanese_moves, japanese_piece, japanese_square, kanji_moves, read_japanese_move};
pub use kiki_usi::ScoreValue;
pub use lost::{LostPart, lost_parts, text_of_lost};
pub use pgn::{PgnGame, PgnMoves, read_pgn, to_pgn};
pub use text::TextEncoding;
pub use western::western_moves;
