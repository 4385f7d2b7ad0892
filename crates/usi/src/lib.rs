//! USI, the protocol between shogi programs, as types: the commands of a GUI ([`Command`]) and the
//! replies of an engine ([`Reply`]), each read from text and written as text.
//!
//! Nothing here does I/O, reads a clock or panics, whatever bytes arrive: lines may be megabytes
//! long, contain NULs or not be UTF-8. Parsers either read leniently or return an error that names
//! the token at fault, shortened, ready for an [`InfoString`], which makes it ASCII.
//!
//! ```
//! use kiki_usi::{BestMove, Command, set_up};
//!
//! let Command::Position(spec) = Command::parse(b"position startpos moves 7g7f\r\n")? else { unreachable!() };
//! let position = set_up(&spec)?;
//! assert_eq!(position.ply(), 2);
//! assert_eq!(BestMove::new("3c3d").to_string(), "bestmove 3c3d");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod command;
mod go;
mod info;
mod option_declaration;
mod option_set;
mod position;
mod reply;
mod text;

pub use command::{Command, GameResult, command_lines};
pub use go::{Clocks, GoSpec, LONGEST_MILLISECONDS, MateLimit};
pub use info::{Info, InfoString, ScoreBound, ScoreValue, UNKNOWN_MATE_PLIES, UsiScore};
pub use option_declaration::{DeclarationError, OptionDeclaration, OptionError, OptionKind, OptionValue};
pub use option_set::{OptionChange, OptionEffect, OptionSet, OptionSetting, SettingError, settings};
pub use position::{PositionError, PositionRoot, PositionSpec, set_up};
pub use reply::{BestMove, CheckmateReply, Reply};
pub use text::{CommandError, GREATEST_INTEGER, ascii_excerpt, decode};
