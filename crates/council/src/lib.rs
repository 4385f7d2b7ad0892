//! Several USI engines decide together, as one USI engine.
//!
//! Every member searches the same position in a process of its own, and a rule chooses among the
//! moves that they name. [`model`] has the rules and their theory. A member that crashes, hangs or
//! names an illegal move loses its vote for that move and is started again. The council answers in
//! time whatever its members do.
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | who the members are and how they decide: a file |
//! | `decision` | what members say, on a common scale, and the move that follows |
//! | `search` | one search of all members |
//! | `times` | how long a move may take, when members are stopped, when the council answers |
//! | `options`, `set_option` | options of the council and of its members |
//! | `session`, `go`, `answer`, `replies` | the conversation with a GUI |
//! | `member`, `message`, `worker` | a member, its thread, and what both exchange |
//! | [`model`], `study`, [`command`] | the theory of councils, their calibration, and `kiki-lab council` |

mod answer;
pub mod command;
mod decision;
mod go;
mod member;
mod message;
pub mod model;
mod options;
mod replies;
mod search;
mod session;
mod set_option;
pub mod settings;
mod study;
mod times;
mod worker;

pub use session::run;
