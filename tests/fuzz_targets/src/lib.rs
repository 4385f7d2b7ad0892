//! What must hold for any bytes that come from outside: one file for each kind of input, each with a function that panics where a promise is broken,
//! and real examples to start from.
//!
//! The same functions run in two places: `fuzz/` gives them what libFuzzer finds by coverage, for hours; `tests/mutated.rs` gives them the examples with
//! random mistakes, in every `cargo test`. A new kind of input is a file here, a line in [`TARGETS`], and a file of three lines in `fuzz/fuzz_targets`.

mod any_position;
pub mod book;
pub mod csa_server;
mod error_text;
pub mod network;
pub mod record;
pub mod settings;
pub mod sfen;
pub mod sigma;
pub mod usi;

/// A kind of input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its program in `fuzz/`.
    pub name: &'static str,
    /// Panics if a promise is broken.
    pub check: fn(&[u8]),
    /// Real examples.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All kinds of input.
pub const TARGETS: [Target; 15] = [
    Target { name: "usi", check: usi::check, seeds: usi::seeds },
    Target { name: "sfen", check: sfen::check, seeds: sfen::seeds },
    Target { name: "csa", check: record::check_csa, seeds: record::csa_seeds },
    Target { name: "kif", check: record::check_kif, seeds: record::kif_seeds },
    Target { name: "ki2", check: record::check_ki2, seeds: record::ki2_seeds },
    Target { name: "jkf", check: record::check_jkf, seeds: record::jkf_seeds },
    Target { name: "usi_list", check: record::check_usi_list, seeds: record::usi_list_seeds },
    Target { name: "pgn", check: record::check_pgn, seeds: record::pgn_seeds },
    Target { name: "csa_server", check: csa_server::check, seeds: csa_server::seeds },
    Target { name: "book", check: book::check, seeds: book::seeds },
    Target { name: "network", check: network::check, seeds: network::seeds },
    Target { name: "sigma", check: sigma::check, seeds: sigma::seeds },
    Target { name: "engine_options", check: settings::check_engine_options, seeds: settings::engine_options_seeds },
    Target { name: "csa_settings", check: settings::check_csa_settings, seeds: settings::csa_settings_seeds },
    Target {
        name: "council_settings",
        check: settings::check_council_settings,
        seeds: settings::council_settings_seeds,
    },
];

/// Words with which programs that read text may have trouble: numbers beyond their range, parts of other forms, letters of several bytes.
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
