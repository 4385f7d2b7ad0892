//! Ablation: what each step of the search is worth. Each is switched off in turn, and the whole engine plays against the one without it.
//!
//! [`list`] names the steps and the options that switch them off. A [`runner`] counts nodes to a fixed depth ([`node_counts`]) and plays one
//! contest for each step, in a folder of its own; [`rows`] are what both say.

pub mod command;
pub mod list;
mod node_counts;
mod picture;
pub mod rows;
pub mod runner;
pub mod settings;
