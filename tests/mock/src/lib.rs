//! The engine that tests play with, in three roles.
//!
//! | module | what |
//! |---|---|
//! | [`faulty`], [`faults`] | keeps to the protocol, or breaks the rules that its arguments name |
//! | [`player`] | plays games, and fails in them as its arguments say |
//! | [`strict`] | checks its input, and exits at the first violation of the protocol |
//!
//! [`processes`] is for the tests that start it or other programs.
//!
//! Tests need it as a program, and Cargo gives a test only the programs of its own package. So each
//! package whose tests start it has a one-line program in `src/bin`, which calls the `main` of a
//! module here. These programs require a feature `mock`, which the package enables for itself among
//! its dev-dependencies. So `cargo test` builds them, with `-p` and `--test` too, and `cargo build
//! --workspace` does not.

pub mod faults;
pub mod faulty;
mod moves;
pub mod player;
pub mod processes;
pub mod strict;
