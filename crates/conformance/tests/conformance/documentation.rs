//! The list of cases in docs/usi-check.md is that of the program.

use std::fs;
use std::path::Path;

use kiki_conformance::{NOT_TESTED, cases};

#[test]
fn the_page_lists_every_case_as_it_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/usi-check.md");
    let page = fs::read_to_string(&path).unwrap_or_default();
    let rows: Vec<String> = cases()
        .iter()
        .map(|case| format!("| `{}` | {} | {} | {} | {} |", case.name, case.severity, case.row, case.promise, case.why))
        .collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !page.lines().any(|line| line == row.as_str())).collect();
    assert!(missing.is_empty(), "docs/usi-check.md lacks these rows:\n{}", rows.join("\n"));
    let listed = page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 4).count();
    assert_eq!(listed, rows.len(), "a row of docs/usi-check.md is of no case");
    // Its lines of prose are wrapped.
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (what, reason) in NOT_TESTED {
        assert!(page.contains(&format!("- {what}: {reason}")), "docs/usi-check.md lacks: {what}: {reason}");
    }
}
