//! The order of moves: the search stack, histories, scores, and the picker that gives moves one by one.

pub(crate) mod history;
mod picker;
mod score;
mod stack;

pub(crate) use picker::{MoveLists, MovePicker, MoveSources, Purpose, check_info};
pub(crate) use stack::Stack;
