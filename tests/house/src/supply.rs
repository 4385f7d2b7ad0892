//! Rules for external crates and actions: workflows and scripts name them by content, not by a name
//! that can move, and a crate names none that it does not use.

use std::collections::BTreeSet;

use crate::source::{Texts, refuse, rust_sources, sources};

/// Cargo commands that choose crate versions unless they must keep to the lock. (`fuzz` has no such
/// option.)
const RESOLVING: [&str; 12] =
    ["bench", "build", "check", "clippy", "doc", "fetch", "install", "metadata", "miri", "run", "test", "tree"];

/// Whether a file is a workflow or a shell script.
fn is_script(name: &str) -> bool {
    name.starts_with(".github/workflows/")
        || name.ends_with(".sh")
        || name.strip_prefix(".ci/").is_some_and(|name| !name.contains('.'))
}

/// Whether a line has a cargo command that chooses versions without `--locked`.
fn is_unlocked(line: &str) -> bool {
    line.split(['&', '|', ';']).any(|statement| {
        let words = statement.split(|letter: char| letter.is_whitespace() || "\"'`(){}".contains(letter));
        let words: Vec<&str> = words.filter(|word| !word.is_empty() && !word.starts_with('+')).collect();
        let is_cargo = |word: &str| ["cargo", "cargo[@]"].contains(&word) || word.ends_with(":-cargo");
        let resolves = words.windows(2).any(|pair| is_cargo(pair[0]) && RESOLVING.contains(&pair[1]));
        resolves && !words.contains(&"--locked")
    })
}

/// Whether an action is pinned: `owner/name@COMMIT # VERSION`, or a folder of this repository.
fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # ") else { return action.starts_with("./") };
    let commit = name.split_once('@').map_or("", |(_, commit)| commit);
    commit.len() == 40
        && commit.chars().all(|letter| letter.is_ascii_digit() || ('a'..='f').contains(&letter))
        && version.starts_with('v')
}

/// The test programs that a line asks for.
fn named_tests(line: &str) -> impl Iterator<Item = &str> {
    line.split("--test ").skip(1).filter_map(|rest| rest.split([' ', '\'', '"']).next())
}

#[test]
fn scripts_keep_to_the_lock_and_name_tests_and_commits_that_exist() {
    let scripts = sources(is_script);
    assert!(
        [".ci/run", ".github/workflows/ci.yml", "scripts/reliability.sh"]
            .iter()
            .all(|&name| scripts.contains_key(name))
    );
    let rust = rust_sources();
    let is_test = |test: &str| {
        let ends = [format!("/tests/{test}.rs"), format!("/tests/{test}/main.rs")];
        rust.keys().any(|file| ends.iter().any(|end| file.ends_with(end)))
    };
    let mut found = Vec::new();
    for (name, text) in &scripts {
        let joined = text.replace("\\\n", "");
        for line in joined.lines().filter(|line| !line.trim_start().starts_with('#')) {
            if is_unlocked(line) {
                found.push(format!("{name}: without --locked: {line}"));
            }
            for test in named_tests(line).filter(|test| !is_test(test)) {
                found.push(format!("{name}: no test {test}: {line}"));
            }
            let action = line.trim_start().trim_start_matches("- ").strip_prefix("uses:").map(str::trim);
            if action.is_some_and(|action| !is_pinned(action)) {
                found.push(format!("{name}: no commit with its version behind it: {line}"));
            }
        }
    }
    refuse(&found);
}

#[test]
fn every_way_to_call_cargo_is_seen() {
    for line in [
        "cargo build --release",
        "      - run: cargo +nightly install cargo-fuzz",
        "rustup default stable && cargo test --workspace",
        "cargo test --locked --lib && cargo test --doc",
        "x=$(cargo run --quiet --release -- bench | tail)",
        "read -ra miri <<< \"${MIRI:-cargo +nightly miri test}\"",
        "\"${cargo[@]}\" build -p kiki",
        "RUSTFLAGS='-C debuginfo=0' cargo check",
    ] {
        assert!(is_unlocked(line), "{line}");
    }
    for line in [
        "cargo fmt --all --check",
        "nice -n 19 cargo +nightly fuzz run target",
        "command=$(grep -m1 -oE '^cargo test --workspace$' README.md)",
        "read -ra miri <<< \"${MIRI:-cargo +nightly miri test --locked}\"",
        "\"${cargo[@]}\" build --locked -p kiki",
    ] {
        assert!(!is_unlocked(line), "{line}");
    }
    assert!(
        is_pinned("owner/name@0123456789abcdef0123456789abcdef01234567 # v1.2.3") && is_pinned("./.github/actions/own")
    );
    for action in
        ["owner/name@v2", "owner/name@0123456789abcdef0123456789abcdef01234567", "owner/name@main # v2", "owner/name"]
    {
        assert!(!is_pinned(action), "{action}");
    }
}

/// The packages under every `dependencies`, `dev-dependencies` and `build-dependencies`, also those of
/// a target.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let of = |(key, value): (&String, &toml::Value)| match value.as_table() {
        Some(table) if key.ends_with("dependencies") => table.keys().cloned().collect(),
        Some(table) if key != "workspace" => dependencies(table),
        _ => Vec::new(),
    };
    manifest.iter().flat_map(of).collect()
}

/// Names of packages that no source file of the crate in a folder has as a word. Tests of commands
/// stand in the rooms and belong to the laboratory.
fn unused(manifest: &toml::Table, folder: &str, rust: &Texts) -> Vec<String> {
    let is_own = |name: &str| match name.contains("/tests/command/") {
        true => folder == "crates/lab/",
        false => name.starts_with(folder),
    };
    let texts = rust.iter().filter(|(name, _)| is_own(name)).map(|(_, text)| text);
    let is_part = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    let words: BTreeSet<&str> = texts.flat_map(|text| text.split(is_part)).collect();
    dependencies(manifest).into_iter().filter(|name| !words.contains(name.replace('-', "_").as_str())).collect()
}

#[test]
fn every_dependency_is_used() {
    let rust = rust_sources();
    let mut found = Vec::new();
    for (name, text) in sources(|name| name.ends_with("/Cargo.toml")) {
        let folder = name.trim_end_matches("Cargo.toml");
        let unused = unused(&text.parse().expect("a manifest"), folder, &rust);
        found.extend(unused.into_iter().map(|package| format!("{name}: nothing names {package}")));
    }
    refuse(&found);
    let manifest = "[dependencies]\na-b = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\nc = \"1\"\nd = \"1\"\n";
    let source = ("x/src/lib.rs".to_owned(), "use a_b::c_d;\nuse d;".to_owned());
    assert_eq!(unused(&manifest.parse().unwrap(), "x/", &Texts::from([source])), ["c"]);
}
