//! Rules for external crates and actions: workflows and scripts name them by content, not by a name
//! that can move.

use crate::source::{files, name_of};

/// Cargo commands that choose crate versions unless they must keep to the lock. (`fuzz` has no such
/// option.)
const RESOLVING: [&str; 12] =
    ["bench", "build", "check", "clippy", "doc", "fetch", "install", "metadata", "miri", "run", "test", "tree"];

/// Workflows and shell scripts: name and numbered lines, without comments and with continued lines
/// joined.
fn scripts() -> Vec<(String, Vec<(usize, String)>)> {
    let is_script = |name: &str| {
        let is_bare = |name: &str| !name.rsplit('/').next().unwrap_or_default().contains('.');
        name.starts_with(".github/workflows/") || name.ends_with(".sh") || (name.starts_with(".ci/") && is_bare(name))
    };
    let mut found = Vec::new();
    for path in files() {
        let name = name_of(&path);
        if !is_script(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a script is text");
        let mut lines: Vec<(usize, String)> = Vec::new();
        let mut is_continued = false;
        for (number, line) in text.lines().enumerate() {
            let (line, continues) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
            match lines.last_mut() {
                Some((_, last)) if is_continued => last.push_str(line),
                _ => lines.push((number + 1, line.to_owned())),
            }
            is_continued = continues;
        }
        lines.retain(|(_, line)| !line.trim_start().starts_with('#'));
        found.push((name, lines));
    }
    found
}

/// The cargo commands in a line that choose versions without `--locked`.
fn unlocked(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for statement in line.split(['&', '|', ';']) {
        for caller in ["cargo ", "cargo[@]}\" "] {
            for (at, _) in statement.match_indices(caller) {
                let is_word = |before: char| before.is_alphanumeric() || "._-/^{".contains(before);
                if caller == "cargo " && statement[..at].ends_with(is_word) && !statement[..at].ends_with(":-") {
                    continue;
                }
                let mut words = statement[at + caller.len()..].split_whitespace().filter(|word| !word.starts_with('+'));
                let command = words.next().unwrap_or_default();
                if RESOLVING.contains(&command)
                    && !words.any(|word| word.trim_end_matches(['}', ')', '"']) == "--locked")
                {
                    found.push(statement.trim());
                }
            }
        }
    }
    found
}

/// Whether an action is pinned: `owner/name@COMMIT # VERSION`, or a folder of this repository.
fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # ") else { return action.starts_with("./") };
    let commit = name.split_once('@').map_or("", |(_, commit)| commit);
    commit.len() == 40
        && commit.chars().all(|letter| letter.is_ascii_digit() || ('a'..='f').contains(&letter))
        && version.starts_with('v')
}

#[test]
fn scripts_keep_to_the_lock_and_actions_to_a_commit() {
    let scripts = scripts();
    assert!(
        [".ci/run", ".github/workflows/ci.yml", "scripts/reliability.sh"]
            .iter()
            .all(|name| scripts.iter().any(|(found, _)| found == name))
    );
    let mut found = Vec::new();
    for (name, lines) in &scripts {
        for (number, line) in lines {
            found.extend(unlocked(line).iter().map(|command| format!("{name}:{number}: without --locked: {command}")));
            let action = line.trim_start().trim_start_matches("- ").strip_prefix("uses:").map(str::trim);
            if action.is_some_and(|action| !is_pinned(action)) {
                found.push(format!("{name}:{number}: no commit with its version behind it:{line}"));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
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
        assert_eq!(unlocked(line).len(), 1, "{line}");
    }
    for line in [
        "cargo fmt --all --check",
        "nice -n 19 cargo +nightly fuzz run target",
        "command=$(grep -m1 -oE '^cargo test --workspace$' README.md)",
        "read -ra miri <<< \"${MIRI:-cargo +nightly miri test --locked}\"",
        "\"${cargo[@]}\" build --locked -p kiki",
    ] {
        assert!(unlocked(line).is_empty(), "{line}");
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
