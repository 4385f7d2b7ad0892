//! `examples/tuning.toml` is what `kiki-lab spsa --list` prints for Kiki built with the feature `tune`.

use std::fs;

use kiki_search::params::{ALL, Tunable};
use kiki_tests::source::root;

#[test]
fn the_example_of_a_tuning_has_the_numbers_of_the_search() {
    let text = fs::read_to_string(root().join("examples/tuning.toml")).unwrap();
    let found: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let line = |parameter: &Tunable| {
        let Tunable { name, default, min, max, step, .. } = parameter;
        format!("{name} = {{ start = {default}, min = {min}, max = {max}, step = {step} }}")
    };
    let expected: Vec<String> = ALL.iter().map(line).collect();
    assert_eq!(found, expected, "make it again: kiki-lab spsa --list --engine KIKI > examples/tuning.toml");
}
