//! Reference records computed by an independent program, each with its tolerance
//! (tests/fixtures/README.md).

use serde_json::Value;

/// A record: an id, inputs and expected outputs.
pub struct GoldenRecord {
    pub id: String,
    /// The subject, one for all its records.
    pub system: String,
    pub input: Value,
    pub output: Value,
}

fn all() -> impl Iterator<Item = GoldenRecord> {
    let text = include_str!("../fixtures/lab-values.json");
    let file: Value = serde_json::from_str(text).expect("the fixture is JSON");
    let word = |value: &Value| value.as_str().expect("a record has an id and a system").to_owned();
    file["records"].as_array().expect("the fixture has records").clone().into_iter().map(move |record| GoldenRecord {
        id: word(&record["id"]),
        system: word(&record["system"]),
        input: record["in"].clone(),
        output: record["out"].clone(),
    })
}

pub fn records(system: &str) -> Vec<GoldenRecord> {
    all().filter(|record| record.system == system).collect()
}

pub fn record(id: &str) -> GoldenRecord {
    all().find(|record| record.id == id).unwrap_or_else(|| panic!("no record {id}"))
}

/// The systems with records in the fixture.
pub fn systems() -> Vec<String> {
    all().map(|record| record.system).collect()
}

/// Runs `check` on every record of a system, and fails for a record unknown to it.
pub fn check_all(system: &str, check: impl Fn(&GoldenRecord) -> bool) {
    let records = records(system);
    assert!(!records.is_empty(), "there are no records of {system}");
    for record in records {
        assert!(check(&record), "no check covers the record {} of {system}", record.id);
    }
}

/// A number; "inf" and "-inf" are infinities.
pub fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(text) => panic!("{text} is no number"),
        None => value.as_f64().unwrap_or_else(|| panic!("{value} is no number")),
    }
}

/// A list of numbers, up to the first value that is not a number.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map_while(Value::as_f64).collect()
}

/// Entries of an object whose keys are numbers.
pub fn by_number(value: &Value) -> Vec<(f64, &Value)> {
    let object = value.as_object().expect("an object");
    object.iter().map(|(key, value)| (key.parse().expect("a key that is a number"), value)).collect()
}

/// Checks that `actual` is within an absolute tolerance of the record, and equal if that is
/// infinite.
#[track_caller]
pub fn close(what: &str, actual: f64, expected: &Value, tolerance: f64) {
    let expected = number(expected);
    let fits = actual == expected || (actual - expected).abs() <= tolerance;
    assert!(fits, "{what}: {actual}, the record says {expected} (tolerance {tolerance:e})");
}

/// Checks that `actual` is within a relative tolerance.
#[track_caller]
pub fn relative(what: &str, actual: f64, expected: &Value, tolerance: f64) {
    close(what, actual, expected, tolerance * number(expected).abs().max(1e-12));
}
