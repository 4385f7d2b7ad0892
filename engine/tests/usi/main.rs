//! Conversations with the real engine over its standard input and output, each named by the promise that it keeps.

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
