//! Training data: its records, and the games that it comes from.

mod golden_records;
mod selfplay_games;
