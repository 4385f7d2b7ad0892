//! Files of settings with random mistakes: they are read, or refused for a reason, and nothing
//! panics.

use kiki_tests::networks::SplitMix64;

use crate::laboratory::Folder;

const PARAMETERS: &str = "late_move_base = { start = 5, min = 2, max = 30, step = 2.5 }\n# a remark\nprobcut_margin = { start = -60, min = -100, max = 0, step = 15 }\n";
/// Replacements: numbers at the ends of ranges, and pieces of TOML syntax.
const WORDS: [&[u8]; 12] =
    [b"9223372036854775808", b"-2147483649", b"nan", b"inf", b"1e400", b"{", b"}", b"=", b"\"", b"\n", b"\xff", b"[a]"];

/// The text with one to four mistakes.
fn mutated(text: &str, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let mut below = |limit: usize| random.number(1 << 30).unsigned_abs() as usize % limit.max(1);
    for _ in 0..=below(4) {
        let at = below(bytes.len());
        let end = (at + below(8)).min(bytes.len());
        bytes.splice(at..end, WORDS[below(WORDS.len())].iter().copied());
    }
    bytes
}

/// Runs the program with mutated files as the last argument. It never crashes.
fn check(text: &str, command: &str, cases: u64) {
    let folder = Folder::new();
    let mut refused = 0;
    for seed in 0..cases {
        let bytes = mutated(text, &mut SplitMix64(seed));
        folder.write("settings.toml", &bytes);
        let (status, _, said) = folder.run(&format!("{command} settings.toml"));
        let shown = String::from_utf8_lossy(&bytes);
        let is_told = ["settings.toml", "engine", "--"].iter().any(|part| said.contains(part));
        assert!(status == Some(0) || matches!(status, Some(1 | 2)) && is_told, "{status:?}: {shown}: {said}");
        assert!(!said.contains("panicked"), "{shown}: {said}");
        refused += u64::from(status != Some(0));
    }
    assert!(refused > cases / 4, "most mistakes are told: {refused} of {cases}");
}

#[test]
fn parameters_of_a_tuning() {
    check(PARAMETERS, "spsa --as-options", 60);
}

#[test]
fn a_tournament() {
    let text = include_str!("../../../../examples/round-robin.toml")
        .replace("target/release/kiki", "no/such/engine")
        .replace("openings = \"tests/fixtures/openings.sfen\"\n", "");
    check(&text, "match --output out --config", 40);
}
