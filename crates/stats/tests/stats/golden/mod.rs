//! Every reference record of the specification, at its own tolerance.

mod match_error;
mod sprt;

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
    for system in kiki_tests::golden::systems() {
        assert!(known.contains(&system.as_str()), "no check covers the system {system}");
    }
}
