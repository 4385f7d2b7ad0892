//! Properties of the statistics, and values computed by other programs.

mod few_games;
mod golden;
mod matches;
