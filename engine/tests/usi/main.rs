//! Conversations with the real engine over its standard input and output, each named by the promise that it keeps.

mod background;
mod bad_input;
mod book;
mod conversation;
mod mates;
mod protocol;
mod thinking;
