//! A board for people: one page in the browser, served by the engine itself. People play, analyze
//! and solve mating problems there.
//!
//! | part | what it has |
//! |---|---|
//! | `server` | the address, connections, who may use them |
//! | `tab` | one tab of a browser: its socket and the thread that answers it |
//! | `session` | what a tab asks for, and the answers |
//! | `thinking` | the searches of a tab |
//! | `opening` | moves of the opening book |
//! | `outgoing`, `settings` | the queue of replies to a tab; what all tabs share |
//! | `problem` | mates, and the defence against them |
//! | `protocol` | requests and replies |
//! | `refusal` | why a request is refused |
//! | `facts` | positions and moves in the form of replies |
//! | `record` | game records, as the page holds them |
//! | `page` | the page |
//! | `why` | why a move is bad, or good |
//! | `token` | the secret part of the address |
//!
//! The page keeps the game and its variations. The server knows the rules, the engine and the forms
//! of records, and keeps nothing of a tab but its search. So every request names its position by a
//! first position and moves.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod facts;
mod opening;
mod outgoing;
mod page;
mod problem;
mod protocol;
mod record;
mod refusal;
mod server;
mod session;
mod settings;
mod tab;
mod thinking;
mod token;
mod why;

pub use server::{ServeError, Server};
pub use settings::Settings;
