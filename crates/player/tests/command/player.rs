//! The page of a player on the command line.

use crate::documentation::{assert_documented_in, keys_of};
use crate::laboratory::{Folder, MOCK, assert_loads_nothing};
use serde_json::Value;

const SETTINGS: [&str; 6] = ["--played", "next", "--lines", "3", "--output", "out"];

fn engine(words: &str) -> String {
    format!("cmd='{MOCK} multipv {words}' nodes=1 name=mock")
}

/// Two games of Alice with both colours in folders, and one of others.
fn write_games(folder: &Folder) {
    let moves = "PI\n+\n+7776FU,T3\n-3334FU,T8\n+8822UM,T40\n-3122GI,T1\n+2726FU,T200\n%TORYO\n";
    let games = [
        ("black.csa", format!("N+Alice\nN-Bob </script>\n{moves}")),
        ("more/white.csa", format!("N+Carol\nN-alice\n{}", moves.replace("2726FU", "1716FU"))),
        ("more/others.csa", format!("N+Alicia\nN-Bob\n{}", moves.replace("2726FU", "9796FU"))),
    ];
    for (name, text) in games {
        folder.write(format!("games/{name}"), text);
    }
}

fn report(folder: &Folder) -> Value {
    folder.value("out/Alice.json")
}

#[test]
fn a_players_games_become_json_and_a_page_that_loads_nothing() {
    let folder = Folder::new();
    write_games(&folder);
    let words = engine("score=40");
    let ask = [&["player", "Alice", "games", "--engine", &words][..], &SETTINGS].concat();
    let said = folder.succeed(&ask);
    assert!(said.contains("Alice: 2 games; Alice (1), alice (1)") && said.contains("no verdict on cheating"), "{said}");
    let found = report(&folder);
    assert_documented_in("docs/player.md", &keys_of(std::slice::from_ref(&found)));
    assert_eq!(
        (&found["format"], &found["games"], &found["complete"]),
        (&Value::from("kiki-player"), &Value::from(2), &Value::from(true))
    );
    // Three moves as Black and two as White.
    assert_eq!(found["play"]["moves"], 5);
    assert_eq!((&found["rating"]["rating"], &found["rating"]["left_out"]["opening"]), (&Value::Null, &Value::from(5)));
    let groups = |grouping: usize| -> Vec<(&str, u64)> {
        let groups = found["groupings"][grouping]["groups"].as_array().unwrap();
        groups.iter().map(|group| (group["key"].as_str().unwrap(), group["moves"].as_u64().unwrap())).collect()
    };
    assert_eq!(groups(0), [("unnamed", 5)]);
    assert_eq!(groups(2), [("black", 3), ("white", 2)]);
    // Carol's three moves as Black and Bob's two count as those of Alice's opponents, each under
    // the colour of Alice.
    assert_eq!(found["opponents"]["play"]["moves"], 5);
    let of_opponents =
        |place: usize| found["groupings"][2]["groups"][place]["opponents_mean_loss"]["value"].is_number();
    assert!(of_opponents(0) && of_opponents(1), "{found}");
    assert_eq!(groups(3), [("from-0", 2), ("from-5", 1), ("from-30", 1), ("from-120", 1)]);

    let page = folder.text("out/Alice.html");
    assert_eq!(page.matches("</script>").count(), 2, "a name ends no script");
    assert_loads_nothing(&page);
}

#[test]
fn questions_tell_their_groups_and_the_line_after_every_move() {
    let folder = Folder::new();
    write_games(&folder);
    let words = engine("score=40");
    // The engine tells lines of all moves, each worse than the one before: what was played is a
    // mistake.
    let losses = ["--lines", "600", "--losses", "0.001,0.002,0.003", "--output", "out"];
    folder.succeed(&[&["player", "Alice", "games", "--engine", &words][..], &losses].concat());
    let found = report(&folder);
    let questions = found["questions"].as_array().unwrap();
    assert!(!questions.is_empty());
    for question in questions {
        let candidates = question["candidates"].as_array().unwrap();
        assert_eq!(candidates.iter().filter(|candidate| candidate["played"] == true).count(), 1, "{question}");
        assert!(candidates.iter().all(|candidate| candidate["pv"][0] == candidate["move"]), "{question}");
        let groups = question["groups"].as_array().unwrap();
        let color = if question["sfen"].as_str().unwrap().contains(" b ") { "black" } else { "white" };
        assert!(groups.iter().any(|group| group["grouping"] == "color" && group["group"] == color), "{question}");
    }
}

#[test]
fn what_was_searched_is_not_searched_again() {
    let folder = Folder::new();
    write_games(&folder);
    let words = engine("seed=5");
    folder.succeed(&[&["player", "Alice", "games", "--engine", &words][..], &SETTINGS].concat());
    let whole = report(&folder);
    let journal = folder.text("out/searches.jsonl");
    let half: String = journal.split_inclusive('\n').take(3).collect();
    folder.write("out/searches.jsonl", half);
    let printed = folder.json("resume out");
    assert_eq!((&printed, &report(&folder)), (&whole, &whole));
    assert_eq!(folder.text("out/searches.jsonl").lines().count(), journal.lines().count());
}

#[test]
fn names_that_are_not_found_and_broken_records_are_told() {
    let folder = Folder::new();
    write_games(&folder);
    folder.write("games/broken.csa", "PI\n+\n+7775FU\n");
    let words = engine("");
    let ask = |name| [&["player", name, "games", "--engine", &words][..], &SETTINGS].concat();
    let error = folder.fail(&ask("Alise"));
    assert!(error.contains("no game is by `Alise`") && error.contains("`Alice` (1)"), "{error}");
    assert!(!folder.join("out").exists());
    let (status, said, errors) = folder.run(&[&ask("lic")[..], &["--part"]].concat());
    assert_eq!(status, Some(1), "a record is broken");
    assert!(said.contains("lic: 3 games") && errors.contains("broken.csa"), "{said} {errors}");
}
