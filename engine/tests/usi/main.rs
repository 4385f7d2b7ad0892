//! Conversations with the real engine over standard input and output. Each test is named by what it
//! verifies.

mod book;
mod clocks;
mod conversation;
mod listening;
mod mates;
mod options;
mod protocol;
#[cfg(unix)]
mod resources;
mod thinking;
