//! Forced mates: depth-first proof-number search for shogi.
//!
//! [`Solver`] finds whether the side to move can mate by checks alone, and how. It prints nothing
//! and reads no clock.
//!
//! # Methods
//!
//! - Depth-first proof-number search (Nagai, *Df-pn algorithm for searching AND/OR trees and its
//!   applications*, 2002), with the 1 + epsilon trick (Pawlewicz and Lew, *Improving depth-first
//!   pn-search*, 2006). It runs on a stack of its own, without recursion.
//! - Dominance of hands: a proof keeps the smallest attacker's hand for which it holds, a disproof
//!   the largest. Both then serve for all hands beyond (Nagai 2002; Seo, Iida and Uiterwijk, *The
//!   PN\*-search algorithm*, 2001).
//! - Weak proof numbers, on the side where checks transpose, so that one position is not counted
//!   many times (Ueda, Hashimoto, Hashimoto and Iida, *Weak proof-number search*, 2008).
//! - A repetition is no mate on its own line. A disproof that depends on one is stored with the
//!   beginning of its line and used on no other, until the repeated position is itself disproven.
//!   This is Kishimoto and Müller's treatment of graph history interaction (*A general solution to
//!   the graph history interaction problem*, 2004), with the beginning of the line instead of their
//!   simulation. Proofs never depend on a repetition.
//! - Pieces dropped on one square to block a check are searched one by one. When the first does not
//!   help, the proof against it usually refutes the rest.
//!
//! ```
//! use kiki_board::Position;
//! use kiki_mate::{Solver, MateResult};
//!
//! let mut position = Position::from_sfen("ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S3+r2/9 b BNLsn4p 107")?;
//! match Solver::new(16).solve(&mut position, &mut |nodes| nodes < 100_000) {
//!     MateResult::Mate(line) => assert!(kiki_mate::is_mate(&mut position, &line)),
//!     result => panic!("{result:?}"),
//! }
//! # Ok::<(), kiki_board::SfenError>(())
//! ```

#![warn(missing_docs)]

mod cooks;
mod mate_line;
mod proof;
mod search;
mod solver;
mod table;

pub use cooks::{Alternative, AlternativeKind, Cooks};
pub use mate_line::is_mate;
pub use solver::{MateResult, Solver};
