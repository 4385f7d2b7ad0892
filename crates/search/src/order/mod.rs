//! The order of moves: the search stack, histories, scores, and the picker that gives moves one by
//! one.

pub(crate) mod history;
mod picker;
mod score;
mod stack;

pub(crate) use picker::{MovePicker, Purpose, check_info};
pub(crate) use score::{MoveLists, MoveSources};
pub(crate) use stack::Stack;
