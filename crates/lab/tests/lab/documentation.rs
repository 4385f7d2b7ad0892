//! What the documentation tells about JSON.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// All keys of the values.
pub(crate) fn keys_of(values: &[Value]) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    values.iter().for_each(|value| collect(value, false, &mut keys));
    keys
}

/// Fails if docs/lab.md does not tell of a key.
pub(crate) fn assert_documented(keys: &BTreeSet<String>) {
    assert_documented_in("docs/lab.md", keys);
}

/// Fails if a page of the documentation does not tell of a key.
pub(crate) fn assert_documented_in(page: &str, keys: &BTreeSet<String>) {
    let documentation = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page)).unwrap();
    let missing: Vec<&String> = keys.iter().filter(|key| !documentation.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{page} does not tell: {missing:?}");
}

/// Adds all keys. Below `options`, and below `parameters` that are no list, keys are names that people gave.
fn collect(value: &Value, are_names: bool, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, below) in map {
                if !are_names {
                    keys.insert(key.clone());
                }
                collect(below, below.is_object() && matches!(key.as_str(), "options" | "parameters"), keys);
            }
        }
        Value::Array(list) => list.iter().for_each(|below| collect(below, false, keys)),
        _ => {}
    }
}
