//! The order of moves: the search stack, histories, and the picker that gives moves one by one.

pub(crate) mod hanging;
pub(crate) mod history;
mod picker;
mod score;
mod sources;
mod stack;

pub(crate) use picker::{MovePicker, Purpose, check_info};
pub(crate) use sources::{MoveLists, MoveSources};
pub(crate) use stack::Stack;
