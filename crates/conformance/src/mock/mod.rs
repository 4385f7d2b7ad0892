//! An engine that keeps to the protocol, or breaks one rule on purpose: the proof that the cases can fail.
//!
//! It knows its answer at once, a move that depends on the position alone, so that all it has to do is to hold the answer back where the
//! protocol asks for it. A word of [`FAULTS`] on its command line makes it break that rule, and as far as possible nothing else: faults
//! look for the very commands of their case.

mod conversation;
mod faults;
mod moves;
mod search;
mod set_option;
mod solve;
mod state;

pub use conversation::run;
pub use faults::{FAULTS, Fault};
