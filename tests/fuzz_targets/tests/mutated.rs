//! No kind of input breaks a property: real examples with random mistakes, and noise.
//! `PROPTEST_CASES` sets how many of each; few by default.

use kiki_fuzz_targets::{AWKWARD_WORDS, TARGETS};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Number of inputs by default. The slowest kinds take some ten milliseconds for each.
const CASES: u32 = 48;

/// One mistake in a text.
#[derive(Clone, Debug)]
enum Mistake {
    Change(Index, u8),
    Insert(Index, Vec<u8>),
    /// Place, and number of bytes.
    Delete(Index, usize),
    /// A part is written again at another place.
    Copy(Index, usize, Index),
    CutOff(Index),
}

fn mistake() -> impl Strategy<Value = Mistake> {
    let byte = || prop_oneof![select(b"\n\r\t ,'+-*%#/=\"[]{}()\\0159abKk\xe6\xff\x00".to_vec()), any::<u8>()];
    let word = select(AWKWARD_WORDS.map(|word| word.as_bytes().to_vec()).to_vec());
    prop_oneof![
        4 => (any::<Index>(), byte()).prop_map(|(at, byte)| Mistake::Change(at, byte)),
        2 => (any::<Index>(), vec(byte(), 1..4)).prop_map(|(at, bytes)| Mistake::Insert(at, bytes)),
        2 => (any::<Index>(), word).prop_map(|(at, word)| Mistake::Insert(at, word)),
        2 => (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Mistake::Delete(at, length)),
        1 => (any::<Index>(), 1..200_usize, any::<Index>()).prop_map(|(at, length, to)| Mistake::Copy(at, length, to)),
        1 => any::<Index>().prop_map(Mistake::CutOff),
    ]
}

fn make(mistake: &Mistake, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let part = |at: usize, length: usize| at..(at + length).min(bytes.len());
    match mistake {
        Mistake::Change(at, byte) => *at.get_mut(bytes) = *byte,
        Mistake::Insert(at, word) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, word.iter().copied());
        }
        Mistake::Delete(at, length) => {
            bytes.drain(part(at.index(bytes.len()), *length));
        }
        Mistake::Copy(at, length, to) => {
            let copied = bytes[part(at.index(bytes.len()), *length)].to_vec();
            let to = to.index(bytes.len());
            bytes.splice(to..to, copied);
        }
        Mistake::CutOff(at) => bytes.truncate(at.index(bytes.len())),
    }
}

/// Examples with up to five mistakes, whole ones, and noise.
fn input(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let mutated = (select(seeds), vec(mistake(), 0..6)).prop_map(|(mut bytes, mistakes)| {
        mistakes.iter().for_each(|mistake| make(mistake, &mut bytes));
        bytes
    });
    prop_oneof![9 => mutated, 1 => vec(any::<u8>(), 0..300)]
}

/// Runs one kind of input.
fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a kind of input");
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { CASES };
    // A failure shows its input; a found fault gets its own test.
    let config = ProptestConfig { cases, failure_persistence: None, ..default };
    proptest!(config, |(bytes in input((target.seeds)()))| (target.check)(&bytes));
}

/// A test for each kind, so that they run in parallel.
macro_rules! tests {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        #[test]
        fn every_kind_of_input_has_a_test_and_a_program() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(TARGETS.map(|target| target.name), tested);
            let programs = include_str!("../../../fuzz/Cargo.toml");
            for name in tested {
                assert!(programs.contains(&format!("\nname = \"{name}\"\n")), "{name}");
            }
        }

        #[test]
        fn examples_break_no_promise() {
            for target in TARGETS {
                (target.seeds)().iter().for_each(|seed| (target.check)(seed));
            }
        }
    };
}

tests! { usi sfen csa kif ki2 jkf usi_list pgn csa_server book network sigma engine_options csa_settings council_settings training_games }
