//! How little static evaluations change along best play: the difference between the static value of a position and that at the end of its
//! principal variation.
//!
//! A [`line_search`] searches a position in this process; [`measure`] does so for many on several threads; [`summary`] makes numbers with
//! errors of what they find.

pub mod command;
pub(crate) mod line_search;
pub(crate) mod measure;
pub(crate) mod summary;
