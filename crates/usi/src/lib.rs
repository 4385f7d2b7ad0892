//! USI, the protocol between shogi programs, as types: what a GUI says ([`Command`]) and what an engine says ([`Reply`]), each
//! from text and to text.
//!
//! Nothing here reads, prints or looks at a clock, and nothing here panics, whatever bytes arrive: lines may be megabytes long, hold
//! NULs or be no UTF-8. Parsers either read leniently or return an error that names the token at fault, shortened and in ASCII,
//! ready for an [`InfoString`].
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
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod arguments;
mod clocks;
mod command;
mod command_error;
mod go;
mod info;
mod option_check;
mod option_set;
mod option_value;
mod options;
mod parse_info;
mod parse_option;
mod parse_reply;
mod position;
mod reply;
mod set_up;
mod settings_file;
mod text;

pub use arguments::command_lines;
pub use clocks::{Clocks, LONGEST_MILLISECONDS};
pub use command::{Command, GameResult};
pub use command_error::CommandError;
pub use go::{GoSpec, MateLimit};
pub use info::{Info, InfoString, ScoreBound, ScoreValue, UNKNOWN_MATE_PLIES, UsiScore};
pub use option_check::DeclarationError;
pub use option_set::{OptionChange, OptionEffect, OptionSet};
pub use option_value::{OptionError, OptionValue};
pub use options::{OptionDeclaration, OptionKind};
pub use parse_reply::Reply;
pub use position::{PositionRoot, PositionSpec};
pub use reply::{BestMove, CheckmateReply};
pub use set_up::{PositionError, set_up};
pub use settings_file::{OptionSetting, SettingError, settings};
pub use text::decode;
