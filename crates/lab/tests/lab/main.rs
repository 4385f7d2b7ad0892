//! The laboratory as a command: each test starts the program itself. Each crate holds the tests of
//! its commands; they are built here with the program.
// Windows omits tests with signals and `/proc`, and so leaves their helpers unused.
#![cfg_attr(windows, allow(dead_code, unused_imports))]

mod any_settings;
mod documentation;
mod extreme_numbers;
mod golden;
mod json_keys;
mod laboratory;
mod named_files;
mod resume;

/// Declares the command tests of other crates: `crates/CRATE/tests/command/FILE.rs`.
macro_rules! room_tests {
    ($($module:ident = $path:literal),* $(,)?) => { $(#[path = $path] mod $module;)* };
}
room_tests! {
    ablation = "../../../contest/tests/command/ablation.rs",
    analyze = "../../../analysis/tests/command/analyze.rs",
    book = "../../../makebook/tests/command/book.rs",
    calculators = "../../../rating/tests/command/calculators.rs",
    contest = "../../../contest/tests/command/contest/mod.rs",
    council = "../../../council/tests/command/council.rs",
    fit = "../../../tuning/tests/command/fit.rs",
    formula = "../../../tuning/tests/command/formula.rs",
    game_lengths = "../../../lengths/tests/command/game_lengths.rs",
    intrinsic = "../../../intrinsic/tests/command/intrinsic.rs",
    learning = "../../../learn/tests/command/learning.rs",
    machines = "../../../machines/tests/command/machines.rs",
    networks = "../../../train/tests/command/networks.rs",
    player = "../../../player/tests/command/player.rs",
    quality = "../../../tuning/tests/command/quality.rs",
    records = "../../../games/tests/command/records.rs",
    repeats = "../../../contest/tests/command/repeats.rs",
    sigma = "../../../sigma/tests/command/sigma.rs",
    training = "../../../train/tests/command/training.rs",
    training_data = "../../../train/tests/command/training_data.rs",
    tuning = "../../../tuning/tests/command/tuning.rs",
    usi_check = "../../../conformance/tests/command/usi_check.rs",
}
