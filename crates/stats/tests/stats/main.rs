//! What the statistics promise: their properties, and values that other programs found.

mod few_games;
mod golden;
mod matches;
