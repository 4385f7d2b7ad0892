//! What the documentation says about JSON.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::laboratory::Folder;

pub(crate) fn keys_of(values: &[Value]) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    values.iter().for_each(|value| collect(value, false, &mut keys));
    keys
}

/// The pages that name the keys of `kiki-lab`.
const PAGES: [&str; 11] = [
    "docs/runs.md",
    "docs/match.md",
    "docs/rate.md",
    "docs/tuning.md",
    "docs/quality.md",
    "docs/formula.md",
    "docs/sigma.md",
    "docs/council.md",
    "docs/intrinsic.md",
    "docs/lengths.md",
    "docs/tree.md",
];

/// Fails if no page on the laboratory describes a key.
pub(crate) fn assert_documented(keys: &BTreeSet<String>) {
    assert_named_in(&PAGES, keys);
}

/// Fails if a page of the documentation does not describe a key.
pub(crate) fn assert_documented_in(page: &str, keys: &BTreeSet<String>) {
    assert_named_in(&[page], keys);
}

pub(crate) fn assert_named_in(pages: &[&str], keys: &BTreeSet<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let documentation: String = pages.iter().map(|page| fs::read_to_string(root.join(page)).unwrap()).collect();
    let missing: Vec<&String> = keys.iter().filter(|key| !documentation.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{pages:?} do not tell: {missing:?}");
}

/// Every command in the table of docs/lab.md has `--json`; of a group, every subcommand.
#[test]
fn commands_have_the_option_that_the_documentation_promises() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documentation = fs::read_to_string(here.join("../../docs/lab.md")).unwrap();
    let rows = documentation.lines().skip_while(|line| *line != "|---|---|").skip(1);
    let rows = rows.take_while(|line| line.starts_with('|')).map(|line| line.split('|').nth(1).unwrap());
    // Code words in the first cell: commands, or subcommands of the first. Arguments follow.
    let mut calls = BTreeSet::new();
    for row in rows {
        let words: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let first: Vec<&str> = words[0].split(' ').collect();
        let group = first[0];
        calls.insert(group.to_owned());
        if first.len() > 1 && first[1].chars().all(|letter| letter.is_ascii_lowercase()) {
            calls.insert(format!("{group} {}", first[1]));
            calls.extend(words[1..].iter().filter(|word| !word.contains(' ')).map(|word| format!("{group} {word}")));
        }
    }
    assert!(calls.len() > 20 && calls.contains("sigma fit"), "{calls:?}");
    let (folder, mut without) = (Folder::new(), Vec::new());
    for call in calls {
        let help = folder.succeed(&format!("{call} --help"));
        if let Some((_, list)) = help.split_once("\nCommands:\n") {
            let names =
                list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
            for name in names.filter(|name| *name != "help") {
                let help = folder.succeed(&format!("{call} {name} --help"));
                without.extend((!help.contains("--json")).then(|| format!("{call} {name}")));
            }
        } else if !help.contains("--json") {
            without.push(call);
        }
    }
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn every_command_says_what_it_does() {
    let folder = Folder::new();
    let commands = |help: &str| -> Vec<(String, bool)> {
        let list = help.split_once("\nCommands:\n").map_or("", |(_, list)| list);
        let lines = list.lines().take_while(|line| !line.is_empty());
        let parts = lines.filter_map(|line| line.trim().split_once(' ').or(Some((line.trim(), ""))));
        parts.map(|(name, words)| (name.to_owned(), !words.trim().is_empty())).collect()
    };
    let mut found = commands(&folder.succeed("help"));
    assert!(found.len() > 20, "{found:?}");
    for (name, _) in found.clone().into_iter().filter(|(name, _)| name != "help") {
        let below = commands(&folder.succeed(&format!("{name} --help")));
        found.extend(below.into_iter().map(|(below, is_told)| (format!("{name} {below}"), is_told)));
    }
    let untold: Vec<_> = found.into_iter().filter(|(_, is_told)| !is_told).collect();
    assert!(untold.is_empty(), "{untold:?}");
}

/// Adds all keys but those that users chose, in `options` and `parameters` objects.
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
