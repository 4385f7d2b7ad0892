//! Game records: what is known about a finished game ([`Game`]), written as CSA ([`to_csa`]) or as the result stub that rating
//! programs read ([`to_pgn`]), and read back from files of any origin ([`read_csa`], [`read_pgn`]); and single moves and positions as people
//! write them ([`japanese_move`], [`western_moves`], [`japanese_diagram`]).
//!
//! Nothing here opens files or panics, whatever bytes arrive. Readers are lenient where real files are odd and name the line and
//! the token where they give up; a result that a record does not tell is [`GameOutcome::Unknown`], never a guess.
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

pub use csa::{CsaGames, csa_comment, csa_move, read_csa, read_csa_move, to_csa};
pub use diagram::japanese_diagram;
pub use ending::{EndReason, Ending, GameEnd, GameOutcome};
pub use error::{ReadError, ReadProblem, WriteError};
pub use form::{RecordForm, read_moves, read_records};
pub use game::{Game, MoveScore, PlayedMove, Variation};
pub use japanese::{JapaneseLine, japanese_move, read_japanese_move};
pub use lost::{LostPart, lost_parts};
pub use pgn::{PgnGame, PgnMoves, read_pgn, to_pgn};
pub use text::TextEncoding;
pub use western::western_moves;
