//! Every reference record of the specification, at its own tolerance.

mod record;

mod ab_test;
mod alpha_beta;
mod binomial_coverage;
mod bradley_terry;
mod council;
mod gamble;
mod intrinsic;
mod match_error;
mod probcut;
mod random_walk;
mod sigma;
mod sprt;

use record::{GoldenRecord, records};

/// Runs the check of every record of a system, and fails for a record that none knows.
fn check_all(system: &str, check: impl Fn(&GoldenRecord) -> bool) {
    let records = records(system);
    assert!(!records.is_empty(), "there are no records of {system}");
    for record in records {
        assert!(check(&record), "no check covers the record {} of {system}", record.id);
    }
}

#[test]
fn every_system_of_the_fixture_is_checked() {
    let known = [
        "ab-test",
        "alpha-beta",
        "binomial-coverage",
        "bradley-terry",
        "council",
        "gamble",
        "intrinsic-rating",
        "match-error",
        "probcut",
        "random-walk",
        "sigma",
        "sprt",
    ];
    for system in record::systems() {
        assert!(known.contains(&system.as_str()), "no check covers the system {system}");
    }
}
