//! Each game counts once: a match is read in all its written forms.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::laboratory::{Arguments as _, Folder, MOCK};

/// Plays a match of the mock against an engine, in the folder `m`.
fn play(folder: &Folder, options: &str, other: &str) {
    let options = format!("match --each nodes=1 --output m {options}");
    let engine = format!("name=a cmd='{MOCK} name=a'");
    folder.succeed(&[&options.words()[..], &["--engine", &engine, "--engine", other]].concat());
}

fn rate(folder: &Folder, paths: &[&str]) -> Value {
    folder.json(&[&["rate", "--replicates", "0"], paths].concat())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(path, target).unwrap();
        }
    }
}

#[test]
fn a_match_that_is_named_twice_counts_once() {
    let folder = Folder::new();
    // Six equal games, started within a moment: engines without chance, one opening.
    play(&folder, "--games 6 --max-plies 40", &format!("name=b cmd='{MOCK} name=b'"));
    copy(&folder.join("m"), &folder.join("copy"));
    let once = rate(&folder, &["m"]);
    assert_eq!(once["games"], 6.0, "games that repeat each other are still six");
    assert_eq!(once["repeated"], serde_json::json!({ "games": 0, "files": 0, "covered_files": 0, "alike": 0 }));
    for (paths, repeated) in [
        (&["m", "m"][..], serde_json::json!({ "games": 0, "files": 1, "covered_files": 0, "alike": 0 })),
        (&["m", "m/csa"], serde_json::json!({ "games": 6, "files": 0, "covered_files": 0, "alike": 0 })),
        (&["m/csa", "m"], serde_json::json!({ "games": 6, "files": 0, "covered_files": 0, "alike": 0 })),
        (&["m/csa", "./m/csa"], serde_json::json!({ "games": 0, "files": 6, "covered_files": 0, "alike": 0 })),
        (&["m/games.pgn", "m/csa"], serde_json::json!({ "games": 0, "files": 0, "covered_files": 6, "alike": 0 })),
        (&["m/games.pgn", "m"], serde_json::json!({ "games": 0, "files": 0, "covered_files": 1, "alike": 0 })),
        (&["m", "copy"], serde_json::json!({ "games": 6, "files": 0, "covered_files": 0, "alike": 0 })),
        (&["copy/csa", "m", "m/csa"], serde_json::json!({ "games": 12, "files": 0, "covered_files": 0, "alike": 0 })),
    ] {
        let value = rate(&folder, paths);
        assert_eq!((&value["games"], &value["players"]), (&once["games"], &once["players"]), "{paths:?}");
        assert_eq!(value["repeated"], repeated, "{paths:?}");
    }
    let text = folder.succeed("rate m m/csa");
    assert!(text.contains("warning: records of games that were read before, each of which counts once: 6"), "{text}");
}

#[test]
fn other_games_between_the_same_players_count() {
    let folder = Folder::new();
    let game = |start: &str| format!("V2\nN+a\nN-b\n{start}PI\n+\n+7776FU\nT0\n-3334FU\nT0\n%TORYO\n");
    for (name, start) in [("x", "$START_TIME:2026/01/02 10:00:00\n"), ("y", "$START_TIME:2026/01/02 10:00:01\n")] {
        folder.write(format!("{name}.csa"), game(start));
    }
    assert_eq!(rate(&folder, &["x.csa", "y.csa"])["games"], 2.0);
    // A copy under another name in the same folder. Games without a time count, with a note.
    fs::copy(folder.join("x.csa"), folder.join("x (copy).csa")).unwrap();
    assert_eq!(rate(&folder, &["."])["games"], 2.0);
    folder.write("u.csa", game(""));
    folder.write("v.csa", game(""));
    let value = rate(&folder, &["."]);
    assert_eq!((&value["games"], &value["repeated"]["alike"]), (&4.0.into(), &1.into()));
}

/// An engine that does not get ready loses without a move; such a game still has a start.
#[cfg(unix)]
#[test]
fn games_without_moves_count_once_too() {
    let folder = Folder::new();
    // The engine passes the check before the first game and is never ready after it.
    let script = folder.join("later-unready.sh");
    let text = format!("if mkdir {0}/checked; then exec {MOCK}; else exec {MOCK} unready; fi", folder.display());
    fs::write(&script, text).unwrap();
    play(&folder, "--games 2 --ready-timeout 3 --max-plies 9", &format!("name=b cmd='sh {}'", script.display()));
    copy(&folder.join("m"), &folder.join("copy"));
    let once = rate(&folder, &["m"]);
    assert_eq!(once["games"], 2.0);
    for paths in [&["m", "m/csa"][..], &["m", "copy"]] {
        let value = rate(&folder, paths);
        assert_eq!((&value["games"], &value["repeated"]["games"]), (&once["games"], &2.into()), "{paths:?}");
    }
}
