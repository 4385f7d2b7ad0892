//! How long games last: lengths out of records, and their picture.

pub mod command;
pub mod game_length;
pub mod game_tree;
pub(crate) mod games;
pub(crate) mod picture;
pub mod tree_command;
