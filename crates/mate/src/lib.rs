//! Forced mates: depth-first proof-number search for shogi.
//!
//! [`Solver`] tells whether the side to move can mate by giving check with every move, and how; or that it cannot. It prints nothing
//! and reads no clock.
//!
//! # Methods
//!
//! - Depth-first proof-number search (Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002), with the
//!   1 + epsilon trick (Pawlewicz and Lew, *Improving depth-first pn-search*, 2006). It runs on a stack of its own, without recursion.
//! - Dominance of hands: with every proof goes the smallest hand of the attacker for which it holds, with every disproof the
//!   largest, and they are used for all hands beyond (Nagai 2002; Seo, Iida and Uiterwijk, *The PN\*-search algorithm*, 2001).
//! - Weak proof numbers against counting one position many times, on the side where checks lead to the same positions by different
//!   ways (Ueda, Hashimoto, Hashimoto and Iida, *Weak proof-number search*, 2008).
//! - A recurrence on the line is no mate, on that line. Disproofs that rest on one are remembered with the beginning of the line
//!   that they need and used on no other, until the position they rest on is itself disproven: Kishimoto and Müller's answer to graph
//!   history interaction (*A general solution to the graph history interaction problem*, 2004), with the beginning of the line in the
//!   place of their simulation. Proofs never rest on a recurrence.
//! - Of pieces dropped on one square to block a check, one is looked at after the other: when the first does not help, the proof
//!   against it usually serves against the rest.
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

mod cooks;
mod mate_line;
mod proof;
mod search;
mod solver;
mod table;

pub use cooks::{Alternative, AlternativeKind, Cooks};
pub use mate_line::is_mate;
pub use solver::{MateResult, Solver};
