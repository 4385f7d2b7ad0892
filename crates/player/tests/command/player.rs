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
    let losses = ["--lines", "600", "--losses", "0.001,0.002,0.003", "--no-reasons", "--output", "out"];
    folder.succeed(&[&["player", "Alice", "games", "--engine", &words][..], &losses].concat());
    let found = report(&folder);
    let questions = found["questions"].as_array().unwrap();
    assert!(!questions.is_empty());
    for question in questions {
        let candidates = question["candidates"].as_array().unwrap();
        assert_eq!(candidates.iter().filter(|candidate| candidate["played"] == true).count(), 1, "{question}");
        assert!(candidates.iter().all(|candidate| candidate["pv"][0] == candidate["move"]), "{question}");
        assert!(candidates.len() > 20 && candidates[0]["right"] == true, "all lines, the best one first: {question}");
        let groups = question["groups"].as_array().unwrap();
        let color = if question["sfen"].as_str().unwrap().contains(" b ") { "black" } else { "white" };
        assert!(groups.iter().any(|group| group["grouping"] == "color" && group["group"] == color), "{question}");
        assert!(question["reason"].is_null(), "nobody has asked");
        // The whole game has a page.
        let page = folder.text(format!("out/{}", question["page"].as_str().unwrap()));
        assert!(page.contains("kiki-analysis") && page.contains(question["sfen"].as_str().unwrap()), "{question}");
        assert_loads_nothing(&page);
    }
    // Of a journal that was cut, the rest is searched again.
    let journal = folder.text("out/searches.jsonl");
    folder.write("out/searches.jsonl", journal.split_inclusive('\n').take(3).collect::<String>());
    assert_eq!((&folder.json("resume out"), &report(&folder)), (&found, &found));
    assert_eq!(folder.text("out/searches.jsonl").lines().count(), journal.lines().count());
}

/// Four games on days of two months, in which Alice gives her bishop away.
fn write_dated_games(folder: &Folder) {
    for (number, month) in (1..).zip(["2026/01", "2026/01", "2026/02", "2026/02"]) {
        // The first pawn moves differ, so that no game is a copy.
        let first = ["9796FU", "1716FU", "4746FU", "2726FU"][number - 1];
        let text = format!(
            "N+Alice\nN-Bob\n$START_TIME:{month}/0{number}\nPI\n+\n+{first}\n-3334FU\n+7776FU\n-8384FU\n+8833UM\n-2233KA\n%TORYO\n"
        );
        folder.write(format!("games/{number}.csa"), text);
    }
}

#[test]
fn subjects_come_from_reasons_and_months_show_progress() {
    let folder = Folder::new();
    write_dated_games(&folder);
    let words = engine("multipv score=300");
    let ask = ["player", "Alice", "games", "--engine", &words, "--played", "next", "--lines", "3", "--output"];
    let (_, said, errors) = folder.run(&[&ask[..], &["out"]].concat());
    let found = report(&folder);
    let subject = &found["subjects"][0];
    assert_eq!((&subject["grouping"], &subject["group"]), (&Value::from("reason"), &Value::from("hung_piece")), "{found} {said} {errors}");
    assert_eq!((&subject["mistakes"], &subject["games"]), (&Value::from(4), &Value::from(4)));
    let sentence = subject["sentence"]["en"].as_str().unwrap();
    assert!(sentence.starts_with("4 mistakes in 4 of 4 games. They cost "), "{sentence}");
    assert!(said.contains(&format!("study 1: Pieces left to be taken. {sentence}")), "{said}");
    let asked = |question: &&Value| question["groups"].as_array().unwrap().iter().any(|group| group["group"] == "hung_piece");
    let questions: Vec<&Value> = found["questions"].as_array().unwrap().iter().filter(asked).collect();
    assert!(!questions.is_empty());
    for question in questions {
        let reason = question["reason"]["english"].as_str().unwrap();
        assert!(reason.ends_with("takes the horse on 3c for nothing."), "{question}");
    }
    let months: Vec<(&str, u64)> = found["progress"]["months"]
        .as_array()
        .unwrap()
        .iter()
        .map(|month| (month["month"].as_str().unwrap(), month["games"].as_u64().unwrap()))
        .collect();
    assert_eq!(months, [("2026/01", 2), ("2026/02", 2)]);
    assert_eq!(found["progress"]["change"]["from"], "2026/02");
    assert_documented_in("docs/player.md", &keys_of(std::slice::from_ref(&found)));
    // Reasons are looked for once.
    let journal = folder.text("out/searches.jsonl");
    let reasons = journal.lines().filter(|line| line.contains("pattern")).count();
    folder.succeed("resume out");
    assert_eq!((reasons > 4, report(&folder) == found), (true, true));
    assert_eq!(folder.text("out/searches.jsonl"), journal);
    // A move with which the longer search finds nothing wrong is no mistake.
    let hung = "\"pattern\":\"allows-capture\"";
    folder.write("out/searches.jsonl", journal.replacen(hung, "\"pattern\":\"sound\"", 1));
    let other = folder.json("resume out");
    let of_pieces = |report: &Value| report["subjects"][0]["mistakes"].as_u64().unwrap();
    assert_eq!((of_pieces(&found), of_pieces(&other)), (4, 3));
    let counts = |report: &Value| (report["play"]["mistakes"].as_u64().unwrap(), report["questions"].as_array().unwrap().len());
    let (before, after) = (counts(&found), counts(&other));
    assert_eq!((before.0 - after.0, before.1 - after.1), (1, 1));
    folder.succeed(&[&ask[..], &["without", "--no-reasons"]].concat());
    let without = folder.value("without/Alice.json");
    assert_eq!((&without["subjects"][0]["grouping"], without["questions"][0]["reason"].is_null()), (&Value::from("phase"), true));
}

#[test]
fn a_missed_mate_is_a_question_even_in_a_won_game() {
    let folder = Folder::new();
    write_dated_games(&folder);
    let words = engine("multipv score=300");
    let ask = ["player", "Alice", "games", "--engine", &words, "--played", "next", "--lines", "3", "--no-reasons"];
    folder.succeed(&[&ask[..], &["--output", "out"]].concat());
    // In the first game the engine saw a mate before Alice's second move, and a won game after it.
    let journal = folder.text("out/searches.jsonl");
    let edited: Vec<String> = journal
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let value = match (line["game"].as_u64(), line["ply"].as_u64()) {
                (Some(0), Some(2)) => Some(serde_json::json!({ "mate": 5 })),
                (Some(0), Some(3)) => Some(serde_json::json!({ "cp": -4000 })),
                _ => None,
            };
            if let Some(value) = value {
                line["answer"]["lines"][0]["value"] = value;
            }
            line.to_string()
        })
        .collect();
    folder.write("out/searches.jsonl", edited.join("\n") + "\n");
    let found = folder.json("resume out");
    assert_eq!((&found["mates"]["seen"], &found["mates"]["kept"]), (&Value::from(1), &Value::from(0)));
    let missed: Vec<&Value> =
        found["questions"].as_array().unwrap().iter().filter(|question| !question["missed_mate"].is_null()).collect();
    let [question] = missed[..] else { panic!("{found}") };
    assert_eq!((&question["missed_mate"], &question["only_practice"]), (&Value::from(5), &Value::from(true)));
    assert!(question["loss"].as_f64().unwrap() < 0.01, "the game was won before and after");
    let right: Vec<&Value> = question["candidates"].as_array().unwrap().iter().map(|candidate| &candidate["right"]).collect();
    assert_eq!(right[0], true);
    assert!(right[1..].iter().all(|right| **right == false), "only the mate is right: {question}");
    // All that was to be searched is, though not every position of the game.
    let page = folder.text(format!("out/{}", question["page"].as_str().unwrap()));
    assert!(page.contains("\"complete\":true"), "{page}");
    // Another move that mates misses none.
    let journal = folder.text("out/searches.jsonl");
    let sound = r#"{"game":0,"ply":2,"reason":{"pattern":"sound","japanese":"","english":"","pv":[],"pv_japanese":[],"pv_western":[]}}"#;
    folder.write("out/searches.jsonl", format!("{journal}{sound}\n"));
    let other = folder.json("resume out");
    assert_eq!((&other["mates"]["seen"], &other["mates"]["kept"]), (&Value::from(1), &Value::from(1)));
    let questions = |report: &Value| report["questions"].as_array().unwrap().len();
    assert_eq!(questions(&found) - questions(&other), 1);
    // A win that the engine would declare is no mate.
    let declared = journal.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if (line["game"].as_u64(), line["ply"].as_u64()) == (Some(0), Some(2)) {
            line["answer"]["best"] = "win".into();
        }
        line.to_string() + "\n"
    });
    folder.write("out/searches.jsonl", declared.collect::<String>());
    assert_eq!(folder.json("resume out")["mates"], Value::Null);
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
