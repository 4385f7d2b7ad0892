//! The program of every kind of input; its own name says which.
#![no_main]

use std::sync::LazyLock;

static CHECK: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = env!("CARGO_BIN_NAME");
    let kind = kiki_fuzz_targets::TARGETS.into_iter().find(|kind| kind.name == name);
    kind.expect("a program is named after a kind of input").check
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| CHECK(bytes));
