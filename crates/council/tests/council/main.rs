//! The program `kiki-council` with members that are shell scripts, each test named by the promise
//! that it keeps.
#![cfg(unix)]

mod conversation;
mod deciding;
mod failing;
mod options;
mod restarting;
mod searches;
mod talking;
