//! The laboratory as a command: each test starts the program itself.
// Tests with signals and `/proc` are left out there, and what only they need.
#![cfg_attr(windows, allow(dead_code, unused_imports))]

mod ablation;
mod analyze;
mod any_settings;
mod book;
mod calculators;
mod contest;
mod council;
mod documentation;
mod extreme_numbers;
mod fit;
mod formula;
mod game_lengths;
mod golden;
mod intrinsic;
mod json_keys;
mod laboratory;
mod named_files;
mod quality;
mod records;
mod repeats;
mod sigma;
mod training;
mod training_data;
mod tuning;
mod usi_check;
