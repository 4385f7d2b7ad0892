//! What the statistics promise: their properties, and values that other programs found.

mod draws_and_anchors;
mod few_games;
mod golden;
mod matches;
mod table;
