//! Trains networks: records in, the numbers of a network file out.
//!
//! A step takes a batch of records and changes the numbers of a [`Model`] so that its value agrees
//! better with their scores and results.
//!
//! | file | what |
//! |---|---|
//! | `settings` | what a training depends on |
//! | `samples` | which records make which batch; a record as features and target; losses |
//! | `table`, `index` | the transformer: a row for each feature; which features a batch has |
//! | `head`, `classic`, `sfnn` | the layers after it: what all forms have, and each form |
//! | `stacks` | the numbers of these layers, a row for each stack |
//! | `adam` | how numbers change |
//! | `model` | the whole network, and its file |
//! | `batch` | the outputs of the model for a batch, and the gradients |
//! | `learner`, `checkpoint` | the steps, and how they resume |
//!
//! Results do not depend on the number of threads: a batch is divided into parts of a fixed size,
//! and sums are made in a fixed order.

mod adam;
mod batch;
mod checkpoint;
mod classic;
pub mod command;
mod head;
mod index;
mod learner;
mod model;
mod samples;
mod settings;
mod sfnn;
mod stacks;
mod table;
#[cfg(test)]
mod tests;

pub use learner::Learner;
pub use model::Model;
pub use samples::Performance;
pub use settings::TrainingSettings;
