//! Properties that hold for any bytes from outside. Each kind of input has a function that panics
//! if a property is broken, and real examples.
//!
//! The same functions run in two places. `fuzz/` gives them the inputs that libFuzzer finds by
//! coverage, for hours. `tests/mutated.rs` gives them the examples with random mistakes, in every
//! `cargo test`. A new kind of input needs two functions here, a line in [`TARGETS`], a word in
//! `tests/mutated.rs` and a program in `fuzz/Cargo.toml`.

mod common;
mod csa_server;
mod evaluation;
mod record;
mod settings;
mod training;
mod usi;

use kiki_record::RecordForm::{Jkf, Ki2, Kif, Usi};

use crate::record::{check_form, form_seeds};

#[derive(Clone, Copy, Debug)]
pub struct InputKind {
    /// The name of its program in `fuzz/`.
    pub name: &'static str,
    /// Panics if a property is broken.
    pub check: fn(&[u8]),
    /// Real examples.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: [InputKind; 16] = [
    InputKind { name: "usi", check: usi::check_usi, seeds: usi::usi_seeds },
    InputKind { name: "sfen", check: usi::check_sfen, seeds: usi::sfen_seeds },
    InputKind { name: "csa", check: record::check_csa, seeds: record::csa_seeds },
    InputKind { name: "kif", check: |bytes| check_form(Kif, bytes), seeds: || form_seeds(Kif) },
    InputKind { name: "ki2", check: |bytes| check_form(Ki2, bytes), seeds: || form_seeds(Ki2) },
    InputKind { name: "jkf", check: |bytes| check_form(Jkf, bytes), seeds: || form_seeds(Jkf) },
    InputKind { name: "usi_list", check: |bytes| check_form(Usi, bytes), seeds: record::usi_list_seeds },
    InputKind { name: "pgn", check: record::check_pgn, seeds: record::pgn_seeds },
    InputKind { name: "csa_server", check: csa_server::check, seeds: csa_server::seeds },
    InputKind { name: "book", check: record::check_book, seeds: record::book_seeds },
    InputKind { name: "network", check: evaluation::check_network, seeds: evaluation::network_seeds },
    InputKind { name: "sigma", check: evaluation::check_sigma, seeds: evaluation::sigma_seeds },
    InputKind { name: "engine_options", check: settings::check_engine_options, seeds: settings::engine_options_seeds },
    InputKind { name: "csa_settings", check: settings::check_csa_settings, seeds: settings::csa_settings_seeds },
    InputKind {
        name: "council_settings",
        check: settings::check_council_settings,
        seeds: settings::council_settings_seeds,
    },
    InputKind { name: "training_games", check: training::check_games, seeds: training::games_seeds },
];

/// Words that text readers may have trouble with: numbers out of range, parts of other forms,
/// multi-byte letters.
pub const AWKWARD_WORDS: [&str; 17] = [
    "99999999999999999999",
    "-1",
    "0",
    "1e400",
    "nan",
    "-inf",
    "2147483648",
    "340282350000000000000000000000000000000",
    "+",
    "K",
    "k",
    "18P",
    "\u{6b69}",
    "\u{feff}",
    "%TORYO",
    "sfen",
    "moves",
];
