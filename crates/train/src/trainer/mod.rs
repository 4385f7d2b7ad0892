//! A trainer for networks: records in, a network file's numbers out.
//!
//! A step takes a batch of records and changes the numbers of a [`Model`] so that its value agrees better with their scores and results. The
//! files in the order of the data: `settings` (what is asked for), `blocks` (which records make which batch), `sample` (a record as features
//! and target), `model` (the network in floating point: `table` the transformer, `dense` the layers behind it), `batch` (all that one step
//! needs), `adam` (how numbers follow gradients), `performance` (losses), `learner` (the steps), `quantize` (the integers of a network file), `checkpoint`.
//!
//! Results do not depend on the number of threads: a batch is divided into parts of a fixed size, and sums are made in a fixed order.

mod adam;
mod batch;
mod blocks;
mod checkpoint;
pub mod command;
mod dense;
mod learner;
mod model;
mod performance;
mod quantize;
mod sample;
mod settings;
mod table;
#[cfg(test)]
mod tests;

pub use blocks::BlockOrder;
pub use checkpoint::CheckpointError;
pub use learner::Learner;
pub use model::Model;
pub use performance::Performance;
pub use sample::TrainingError;
pub use settings::{TrainingSettings, TrainingSettingsError};
