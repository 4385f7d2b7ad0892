#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (kiki_fuzz::target("kif").check)(bytes));
