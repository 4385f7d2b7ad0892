//! The board of Kiki: positions that know, at every moment, how many pieces of each side attack
//! each square.
//!
//! This crate knows the rules of shogi, and nothing about playing well: positions with
//! [`Position::make`] and [`Position::unmake`], legal moves, static exchange evaluation, mate in
//! one, repetition, the entering-king declaration, SFEN and packed SFEN both ways, and perft.
//!
//! Colours and kinds of pieces are those of the crate `shogi_core` ([`Color`], [`PieceKind`]).
//! Squares are indices ([`Sq`]), the contents of a square one byte ([`Cell`]) and moves sixteen
//! bits ([`Move`]).
//!
//! ```
//! use kiki_board::Position;
//!
//! let mut position = Position::startpos();
//! assert_eq!(position.legal_moves().len(), 30);
//! let mv = position.parse_move("7g7f")?;
//! position.make(mv);
//! assert_eq!(position.to_sfen(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2");
//! # Ok::<(), kiki_board::MoveError>(())
//! ```

#![warn(missing_docs)]

mod broken_rule;
mod checks;
mod hand;
mod legal;
mod mate1;
mod movegen;
mod moves;
mod packed;
mod perft;
mod piece;
mod position;
mod see;
mod squares;
mod tables;

pub use broken_rule::BrokenRule;
pub use checks::CheckInfo;
pub use hand::HandCounts;
pub use movegen::PromotionChoice;
pub use moves::{Move, MoveError, MoveList};
pub use packed::{PackError, PackedSfen, UnpackError};
pub use perft::{PerftCount, divide, perft, perft_by_making, perft_until};
pub use piece::{ALL_KINDS, ByColor, ByKind, COLORS, Cell, HAND_KINDS, kanji, opponent, pieces_in_set, unpromoted};
pub use position::{
    DeclarationRule, DeclarationVerdict, Delta, Effects, GameRepetition, PieceOn, Placement, Position,
    SearchRepetition, SfenError,
};
pub use see::exchange_value;
pub use shogi_core::{Color, PieceKind};
pub use squares::{Bitboard, Sq, Squares};
pub use tables::{mix, piece_key};
