//! What the search learns about moves while it runs: storage in `tables`, policy in `update`.

mod correction;
mod tables;
mod update;

pub(crate) use correction::Traits;
pub(crate) use tables::{Histories, MoveSlot};
pub(crate) use update::Tried;
