//! Several USI engines decide together, as one USI engine.
//!
//! Every member searches the same position in a process of its own, and a rule chooses among the moves that they name
//! ([`crate::model`] has the rules and what they are worth). A member that crashes, hangs or names an illegal move is left out of that move
//! and started again; the council answers in time whatever its members do.
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | who the members are and how they decide: a file |
//! | [`rule`] | the rules by name |
//! | [`ballot`] | what a member says, on a scale that all share |
//! | [`decision`] | the move that follows |
//! | [`allowance`] | how long a move may take |
//! | [`search`] | one search of all members |
//! | [`times`] | when its members are stopped, and when the council answers |
//! | [`options`] | options of the council and of its members |
//! | [`session`] | the conversation with a GUI |

pub mod allowance;
mod answer;
pub mod ballot;
pub mod command;
pub mod decision;
mod events;
mod going;
mod lines;
mod member;
mod member_search;
mod message;
pub mod model;
pub mod options;
mod output;
mod owed;
mod preparation;
mod program_options;
mod report;
pub mod rule;
pub mod search;
mod seat;
pub mod session;
mod set_option;
pub mod settings;
mod study;
pub mod times;
mod worker;

pub use session::run;
