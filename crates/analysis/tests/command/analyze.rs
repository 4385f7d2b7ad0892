//! Games analysed on the command line.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::documentation::{assert_documented_in, keys_of};
use crate::laboratory::{Folder, MOCK, assert_loads_nothing, interrupted, run};
use serde_json::Value;

/// Black wins a piece by White's blunder, but there is no mate.
const RECORD: &str = "V2.2\nN+<b>Alice & </script>\nN-B\u{2028}o\u{2029}b\n$EVENT:a <test>\nPI\n+\n+7776FU,T3\n-3334FU,T5\n+8822UM,T9\n-3122GI,T1\n%TORYO\n";

fn engine(words: &str) -> String {
    format!("cmd='{MOCK} {words}' nodes=1 name=mock")
}

/// The data embedded in a page.
fn embedded(page: &str, id: &str) -> Value {
    let (_, rest) = page.split_once(&format!("<script type=\"application/json\" id=\"{id}\">")).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_game_becomes_json_and_a_page_that_loads_nothing() {
    let folder = Folder::new();
    folder.write("game.csa", RECORD);
    let words = engine("multipv score=40 sigma=75");
    let other = engine("multipv seed=5").replace("name=mock", "name=other");
    let ask = ["analyze", "game.csa", "--engine", &words, "--engine", &other, "--concurrency", "2", "--output", "out"];
    let said = folder.succeed(&ask);
    assert!(said.contains("game: 4 moves") && said.contains("game.html"), "{said}");
    let report = folder.value("out/game.json");
    assert_documented_in("docs/analyze.md", &keys_of(std::slice::from_ref(&report)));
    assert_eq!((&report["format"], &report["version"]), (&Value::from("kiki-analysis"), &Value::from(1)));
    assert_eq!((&report["complete"], &report["positions"].as_array().unwrap().len()), (&Value::from(true), &5));
    let search = &report["positions"][1]["searches"][0];
    assert_eq!(search["lines"].as_array().unwrap().len(), 3);
    assert_eq!((&search["sigma"], &search["value"]["cp_black"]), (&Value::from(75.0), &Value::from(-40)));
    assert!(report["positions"][1]["searches"][1]["sigma"].is_null());
    assert_eq!(report["game"]["moves_japanese"][3], "△同銀");
    assert_eq!(
        (&report["game"]["outcome"], &report["game"]["reason"]),
        (&Value::from("white"), &Value::from("resignation"))
    );
    // The mock does not know searchmoves, so moves outside its lines are valued by the next
    // position.
    let source = |ply: usize| report["positions"][ply]["searches"][0]["played"]["source"].as_str().unwrap().to_owned();
    assert!((0..4).map(source).all(|source| source == "line" || source == "next"));

    let page = folder.text("out/game.html");
    assert_eq!(embedded(&page, "report"), report);
    assert_eq!(page.matches("</script>").count(), 2, "a name ends no script");
    let (_, data) = page.split_once("id=\"report\">").unwrap();
    assert!(
        !data.contains(['\u{2028}', '\u{2029}']) && data.contains("B\\u2028o\\u2029b"),
        "these end lines in JavaScript"
    );
    assert!(!page.contains("<b>Alice"), "a name is no markup");
    assert!(page.contains("<title>☗&lt;b&gt;Alice &amp; &lt;/script&gt; ☖B\u{2028}o\u{2029}b</title>"));
    assert_loads_nothing(&page);
    assert!(!folder.join("out/index.html").exists(), "one game needs no index");
}

#[test]
fn several_games_have_an_index_with_players_and_the_worst_moves() {
    let folder = Folder::new();
    let game = |black: &str, white: &str, end: &str| {
        format!("V2.2\nN+{black}\nN-{white}\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n{end}\n")
    };
    // A game may not take the name of the index.
    for (name, text) in [
        ("index.csa", game("Alice", "Bob", "%TORYO")),
        ("second.csa", game("</script>Bob", "Alice", "%TORYO")),
        ("third.csa", game("Bob", "Alice", "%SENNICHITE")),
        ("fourth.csa", game("", "Alice", "%CHUDAN")),
    ] {
        folder.write(format!("games/{name}"), text);
    }
    let words = engine("multipv score=40");
    let ask = ["analyze", "games", "--engine", &words, "--losses", "0.0001,0.001,0.01", "--output", "out"];
    let said = folder.succeed(&ask);
    assert!(said.contains("index.html: all games"), "{said}");
    let index = folder.value("out/index.json");
    assert_documented_in("docs/analyze.md", &keys_of(std::slice::from_ref(&index)));
    let page = folder.text("out/index.html");
    assert_eq!(embedded(&page, "index"), index);
    assert_loads_nothing(&page);
    let player = |place: usize| {
        let player = &index["players"][place];
        let count = |key: &str| player[key].as_u64().unwrap();
        (player["name"].as_str().unwrap(), [count("games"), count("won"), count("drawn"), count("lost")])
    };
    // White won the first two: the side to move resigned.
    assert_eq!([player(0), player(1), player(2)], [("Alice", [4, 1, 1, 1]), ("Bob", [2, 1, 1, 0]), ("</script>Bob", [1, 0, 0, 1])]);
    assert_eq!((index["players"].as_array().unwrap().len(), &index["complete"]), (3, &Value::from(true)));
    let games = index["games"].as_array().unwrap();
    let reports = games.iter().map(|game| {
        let name = game["name"].as_str().unwrap();
        assert!(folder.join(format!("out/{name}.html")).exists() && name != "index", "{name}");
        folder.value(format!("out/{name}.json"))
    });
    // The worst moves are those of the reports that have a mark.
    let mut losses: Vec<f64> = reports
        .flat_map(|report| report["positions"].as_array().unwrap().clone())
        .filter_map(|position| {
            let judged = &position["searches"][0]["played"];
            judged["mark"].as_str().and_then(|_| judged["loss"].as_f64())
        })
        .collect();
    losses.sort_by(|a, b| b.total_cmp(a));
    losses.truncate(20);
    let worst: Vec<f64> =
        index["worst"][0].as_array().unwrap().iter().map(|found| found["loss"].as_f64().unwrap()).collect();
    assert!(worst == losses && !worst.is_empty(), "{worst:?} {losses:?}");
}

#[test]
fn comments_and_variations_of_the_record_are_in_the_report() {
    let folder = Folder::new();
    folder.write("game.kif", include_str!("../fixtures/variations.kif"));
    folder.succeed(&["analyze", "game.kif", "--engine", &engine("multipv"), "--lines", "1", "--output", "out"]);
    let report = folder.value("out/game.json");
    assert_eq!(report["game"]["comment"], "開始前のコメント。");
    let comments: Vec<&str> = (0..4).map(|ply| report["positions"][ply]["played"]["comment"].as_str().unwrap()).collect();
    assert_eq!(comments, ["角道を開ける。\n二行目 <img src=x onerror=alert(1)> &amp;", "", "思い切った手", ""]);
    let beside = |ply: usize| &report["positions"][ply]["variations"];
    assert_eq!(beside(1)[0]["moves_japanese"], serde_json::json!(["△８四歩"]));
    let variation = &beside(2)[0];
    assert_eq!(variation["moves"], serde_json::json!(["2g2f", "4c4d"]));
    assert_eq!(variation["comments"], serde_json::json!(["普通の手", ""]));
    let nested = &variation["variations"][0];
    assert_eq!((&nested["after"], &nested["moves_western"][1]), (&Value::from(1), &Value::from("P-2e")));
    assert_eq!(beside(3).as_array().unwrap().len(), 0);
}

#[test]
fn annotated_records_keep_what_the_record_has_and_come_back_in_every_form() {
    let folder = Folder::new();
    let kif = include_str!("../fixtures/variations.kif");
    folder.write("game.kif", kif);
    let read = |name: &str, bytes: &[u8]| kiki_record::read_records(name, bytes).remove(0).unwrap();
    let before = read("game.kif", kif.as_bytes());
    for form in ["kif", "jkf", "csa"] {
        let arguments = ["analyze", "game.kif", "--lines", "2"];
        let words = engine("multipv");
        folder.succeed(&[&arguments[..], &["--engine", &words, "--to", form, "--output", form]].concat());
        let name = format!("{form}/game.{form}");
        let after = read(&name, &folder.bytes(&name));
        let moves = |game: &kiki_record::Game| game.moves.iter().map(|played| (played.mv, played.time_ms)).collect::<Vec<_>>();
        assert_eq!(moves(&after), moves(&before), "{form}");
        assert_eq!((&after.black, &after.comment, after.reason), (&before.black, &before.comment, before.reason), "{form}");
        for (after, before) in after.moves.iter().zip(&before.moves) {
            assert!(after.comment.starts_with(&before.comment), "{form}: {after:?}");
            assert!(after.score.is_some(), "{form}: {after:?}");
        }
        if form == "csa" {
            continue;
        }
        for variation in &before.variations {
            assert!(after.variations.contains(variation), "{form}: {variation:?}");
        }
        let candidates = after.variations.iter().filter(|variation| variation.moves[0].score.is_some());
        assert!(candidates.count() >= before.moves.len(), "{form}");
    }
    // The form is a setting that is kept.
    fs::remove_file(folder.join("kif/game.kif")).unwrap();
    folder.succeed("resume kif");
    assert!(folder.join("kif/game.kif").exists());
}

#[test]
fn what_was_searched_is_not_searched_again() {
    let folder = Folder::new();
    let words = engine("multipv");
    let moves = "7g7f 3c3d 2g2f 8c8d";
    folder.succeed(&["analyze", "--moves", moves, "--engine", &words, "--lines", "2", "--output", "out"]);
    let whole = folder.text("out/position.json");
    let journal = folder.text("out/searches.jsonl");
    assert_eq!(journal.lines().count(), 5);
    // A kill may leave half a line.
    let kept: Vec<&str> = journal.lines().take(2).collect();
    folder.write("out/searches.jsonl", kept.join("\n") + "\n{\"game\":0,\"pl");
    fs::remove_file(folder.join("out/position.html")).unwrap();
    folder.succeed("resume out");
    let without_time = |text: &str| {
        let mut report: Value = serde_json::from_str(text).unwrap();
        for position in report["positions"].as_array_mut().unwrap() {
            position["searches"][0]["milliseconds"] = Value::Null;
        }
        report
    };
    let again = folder.text("out/position.json");
    assert_eq!(without_time(&again), without_time(&whole));
    assert!(folder.join("out/position.html").exists());
    let error = folder.fail(&["analyze", "--moves", moves, "--engine", &words, "--output", "out"]);
    assert!(error.contains("kiki-lab resume"), "{error}");
}

#[test]
fn a_bad_move_has_its_reason_which_is_looked_for_once() {
    let folder = Folder::new();
    // Each side believes that it is ahead, so every move but the engine's own is a blunder.
    let words = engine("multipv score=300");
    let moves = "7g7f 3c3d 8h3c+";
    let ask = ["analyze", "--moves", moves, "--engine", &words, "--played", "next", "--output"];
    folder.succeed(&[&ask[..], &["out"]].concat());
    let report = folder.value("out/position.json");
    let reason = &report["positions"][2]["played"]["reason"];
    assert_eq!(reason["pattern"], "allows-capture", "{reason}");
    assert_eq!(reason["english"], "Bx3c takes the horse on 3c for nothing.");
    assert_eq!(reason["pv"], serde_json::json!(["8h3c+", "2b3c"]));
    let journal = folder.text("out/searches.jsonl");
    assert_eq!(journal.lines().count(), 4 + 2, "four searches, and reasons for all moves but the best one");
    // A run that was killed while it looked for reasons goes on.
    let kept: Vec<&str> = journal.lines().take(5).collect();
    folder.write("out/searches.jsonl", kept.join("\n") + "\n");
    folder.succeed("resume out");
    assert_eq!(folder.value("out/position.json"), report);
    let again = folder.text("out/searches.jsonl");
    assert_eq!((again.lines().take(5).eq(kept), again.lines().count()), (true, 6));
    folder.succeed(&[&ask[..], &["without", "--no-reasons"]].concat());
    assert!(folder.value("without/position.json")["positions"][2]["played"]["reason"].is_null());
}

#[cfg(unix)]
#[test]
fn an_interruption_while_reasons_are_looked_for_is_told() {
    let folder = Folder::new();
    let words = engine("multipv score=300");
    let moves = ["5i5h", "5a5b", "5h5i", "5b5a"].repeat(5).join(" ");
    let ask = ["analyze", "--moves", &moves, "--engine", &words, "--played", "next", "--output", "out"];
    let has_reason = || fs::read_to_string(folder.join("out/searches.jsonl")).is_ok_and(|text| text.contains("pattern"));
    let output = interrupted(&mut folder.lab(&ask), "the first reason", has_reason);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(" reasons are missing; ") && said.contains("go on with: kiki-lab resume out"), "{said}");
    folder.succeed("resume out");
    let report = folder.value("out/position.json");
    let positions = report["positions"].as_array().unwrap();
    let is_marked = |position: &&Value| !position["searches"][0]["played"]["mark"].is_null();
    assert!(positions.iter().filter(is_marked).all(|position| position["played"]["reason"].is_object()));
}

#[test]
fn games_that_cannot_be_read_are_left_out_and_the_exit_status_tells_it() {
    let folder = Folder::new();
    folder.write("good.csa", RECORD);
    folder.write("two.csa", format!("PI\n+\n+7775FU\n/\n{RECORD}"));
    let words = engine("multipv");
    let ask = ["analyze", "two.csa", "none.csa", "good.csa", "--engine", &words, "--output", "out"];
    let told = ["two.csa: line 3: the move `+7775FU`", "none.csa: No such file"];
    let (status, said, errors) = folder.run(&ask);
    assert_eq!(status, Some(1), "{errors}");
    assert!(told.iter().all(|part| errors.contains(part)) && errors.lines().count() == 2, "{errors}");
    assert!(said.contains("two-0002: 4 moves") && said.contains("good: 4 moves"), "{said}");
    // A resumed run still lacks them, whatever its working folder.
    let journal = folder.text("out/searches.jsonl");
    let kept: Vec<&str> = journal.lines().take(3).collect();
    folder.write("out/searches.jsonl", kept.join("\n") + "\n");
    fs::create_dir(folder.join("below")).unwrap();
    let (status, said, errors) = run("resume ../out", &folder.join("below"));
    assert_eq!(status, Some(1), "{errors}");
    assert!(told.iter().all(|part| errors.contains(part)) && errors.lines().count() == 2, "{errors}");
    assert!(said.contains("good: 4 moves") && folder.value("out/good.json")["complete"] == true, "{said}");
}

#[test]
fn an_analysis_goes_on_with_an_engine_named_by_a_relative_path() {
    let folder = Folder::new();
    let program = Path::new(MOCK).file_name().unwrap().to_str().unwrap();
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::create_dir_all(folder.join("below")).unwrap();
    fs::copy(MOCK, folder.join("bin").join(program)).unwrap();
    let words = format!("cmd='bin/{program} crash=3' nodes=1 name=mock");
    let ask = ["analyze", "--moves", "7g7f 3c3d 2g2f", "--engine", &words, "--lines", "1", "--output", "out"];
    folder.fail(&[&ask[..], &["--patience", "60"]].concat());
    let settings = folder.text("out/analysis.json");
    let go_on_with = |word: &str| {
        folder.write("out/analysis.json", settings.replace("crash=3", word));
        run("resume ../out --patience 1", &folder.join("below"))
    };
    // The patience of this run limits the wait for a hanging engine.
    let started = Instant::now();
    let (status, _, errors) = go_on_with("hang=3");
    assert!(status == Some(1) && errors.contains("not even to `stop`"), "{errors}");
    assert!(started.elapsed() < Duration::from_secs(50), "{errors}");
    assert_eq!(go_on_with("crash=9").0, Some(0));
    assert_eq!(folder.value("out/position.json")["complete"], true);
}

#[test]
fn short_games_and_handicap_games_are_analysed() {
    let folder = Folder::new();
    folder.write("none.csa", "V2.2\nPI\n+\n%CHUDAN\n");
    folder.write("open.usi", "startpos moves 7g7f\n");
    let handicap = "手合割：角落ち\n上手：a\n下手：b\n手数----指手--\n   1 ３四歩(33)\n   2 投了\n";
    folder.write("handicap.kif", handicap);
    // A king that can move to only one square: at most one line.
    let alone = "sfen 8k/9/7G1/9/9/9/9/9/4K4 w - 1 moves 1a2a\n";
    folder.write("alone.usi", alone);
    // The numbers of its games make the name too long for a file.
    let long = "名".repeat(83);
    folder.write(format!("{long}.usi"), "startpos\nstartpos\n");
    let words = engine("multipv");
    let said = folder.succeed(&["analyze", ".", "--lines", "40", "--engine", &words, "--output", "out"]);
    assert!(said.contains("none: 0 moves") && said.contains("open: 1 moves"), "{said}");
    assert_eq!(folder.value("out/none.json")["positions"].as_array().unwrap().len(), 1);
    assert!(folder.value("out/open.json")["game"]["outcome"].is_null());
    let handicap = folder.value("out/handicap.json");
    assert_eq!((&handicap["positions"][0]["turn"], &handicap["complete"]), (&Value::from("white"), &Value::from(true)));
    let alone = folder.value("out/alone.json");
    let lines = alone["positions"][0]["searches"][0]["lines"].as_array().unwrap().len();
    assert_eq!(Value::from(lines), alone["positions"][0]["legal_moves"]);
}

#[test]
fn an_engine_that_fails_leaves_what_was_found() {
    let folder = Folder::new();
    let moves = "7g7f 3c3d 2g2f";
    for (name, words, reason) in [
        ("crash", "crash=3", "while `bestmove` was awaited"),
        ("hang", "hang=3", "not even to `stop`"),
        ("illegal", "illegal=3", "names the illegal move `5e5e`"),
    ] {
        let words = engine(words);
        let ask =
            ["analyze", "--moves", moves, "--engine", &words, "--lines", "1", "--patience", "1", "--output", name];
        let error = folder.fail(&ask);
        assert!(error.contains(reason) && error.contains("engine `mock`"), "{error}");
        assert!(error.contains("after 2 moves") && error.contains("2 of 4 searches done"), "{error}");
        assert!(error.contains("2 searches failed; ") && error.trim().lines().count() == 3, "{error}");
        let report = folder.value(format!("{name}/position.json"));
        assert_eq!(report["complete"], false);
        assert!(report["positions"][1]["searches"][0].is_object() && report["positions"][2]["searches"][0].is_null());
    }
}

#[test]
fn after_failures_all_other_searches_go_on() {
    let folder = Folder::new();
    for (game, moves) in [("1", "7g7f 3c3d"), ("2", "2g2f"), ("3", "7g7f")] {
        folder.write(format!("{game}.usi"), format!("startpos moves {moves}\n"));
    }
    let journal = || folder.text("out/searches.jsonl").lines().count();
    // The third position of the first game is the only one of its ply. The other engine never
    // fails.
    let words = [engine("crash=3"), engine("seed=3").replace("name=mock", "name=other")];
    let ask = ["analyze", ".", "--lines", "1", "--played", "next", "--output", "out"];
    let (status, said, errors) = folder.run(&[&ask[..], &["--engine", &words[0], "--engine", &words[1]]].concat());
    assert!(status == Some(1) && said.contains("3: 1 moves") && errors.lines().count() == 2, "{errors}");
    assert!(errors.contains("engine `mock`, position after 2 moves of 1 ") && errors.contains("13 of 14"), "{errors}");
    assert_eq!((journal(), &folder.value("out/3.json")["complete"]), (13, &Value::from(true)));
    // An engine that fails everywhere does not end the run either.
    folder.write("out/searches.jsonl", "");
    let settings = folder.text("out/analysis.json");
    folder.write("out/analysis.json", settings.replace("crash=3", "crash=1"));
    let (status, _, errors) = folder.run("resume out");
    assert!(status == Some(1) && errors.contains("7 searches failed; 7 of 14 searches done; "), "{errors}");
    assert_eq!((errors.lines().count(), journal()), (8, 7), "{errors}");
    // Missing searches are tried again.
    folder.write("out/analysis.json", settings.replace("crash=3", "crash=9"));
    folder.succeed("resume out");
    assert_eq!((journal(), &folder.value("out/1.json")["complete"]), (14, &Value::from(true)));
}

#[test]
fn an_engine_that_fails_in_a_game_is_asked_about_the_rest_of_it_unless_it_fails_again_and_again() {
    let folder = Folder::new();
    let crashes = folder.join("crashes");
    let words = engine(&format!("crashes={}", crashes.display()));
    for (lines, told) in
        [(1, "1 searches failed; 4 of 5 "), (2, "2 searches failed; 3 of 5 "), (9, "3 searches failed; 0 of 5 ")]
    {
        fs::write(&crashes, "x\n".repeat(lines)).unwrap();
        let output = lines.to_string();
        let ask =
            ["analyze", "--moves", "7g7f 3c3d 2g2f 8c8d", "--engine", &words, "--lines", "1", "--output", &output];
        let error = folder.fail(&[&ask[..], &["--played", "next", "--concurrency", "1"]].concat());
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn an_engine_that_fails_at_one_move_alone_is_asked_about_the_next_position() {
    let folder = Folder::new();
    let words = engine("crash-alone");
    let moves = "1g1f 1c1d 2g2f 2c2d 3g3f 3c3d 4g4f 4c4d";
    let ask = ["analyze", "--moves", moves, "--engine", &words, "--lines", "1", "--output", "out"];
    let (status, _, errors) = folder.run(&ask);
    assert_eq!(status, Some(0), "{errors}");
    assert!(errors.contains("engine `mock`, position after ") && errors.contains("value of the next"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "told once: {errors}");
    let report = folder.value("out/position.json");
    assert_eq!(report["complete"], true);
    let played = |ply: usize| &report["positions"][ply]["searches"][0]["played"];
    let sources: Vec<_> = (0..8).map(|ply| played(ply)["source"].as_str().unwrap()).collect();
    assert!(sources.iter().filter(|&&source| source == "next").count() > 3, "{sources:?}");
    assert!(sources.iter().all(|&source| source == "next" || source == "line"), "{sources:?}");
    assert!((0..8).all(|ply| played(ply)["loss"].is_number()));
}

#[cfg(unix)]
#[test]
fn an_interruption_before_the_first_search_is_no_fault_of_an_engine() {
    let folder = Folder::new();
    // This engine never answers `readyok`.
    let words = engine("unready");
    let ask = ["analyze", "--moves", "7g7f", "--engine", &words, "--lines", "1", "--output", "out", "--log", "logs"];
    let asked = || {
        fs::read_dir(folder.join("logs")).is_ok_and(|files| {
            files.filter_map(Result::ok).any(|file| fs::read_to_string(file.path()).unwrap().contains("isready"))
        })
    };
    let output = interrupted(&mut folder.lab(&ask), "the engine is not asked", asked);
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(said, ["interrupted before the first search\n", ""]);
    assert!(!folder.join("out").exists());
}

#[test]
fn an_engine_may_tell_nothing_but_its_moves() {
    let folder = Folder::new();
    let words = engine("silent");
    let ask = ["analyze", "--moves", "7g7f 3c3d", "--engine", &words, "--lines", "1", "--output", "out"];
    let said = folder.succeed(&ask);
    assert!(said.contains("mock told no value in 3 positions"), "{said}");
    let report = folder.value("out/position.json");
    assert!(report["positions"][0]["searches"][0]["value"].is_null());
    assert_eq!(report["summary"][0]["without_value"], 3);
}

#[test]
fn bad_input_is_refused_with_a_reason_and_no_folder() {
    let folder = Folder::new();
    folder.write("text.txt", "hello");
    folder.write("bad.csa", "PI\n+\n+7776FU\n-5554FU\n");
    folder.write("empty.csa", "");
    folder.write("good.csa", RECORD);
    folder.write("file", "");
    fs::create_dir(folder.join("nothing")).unwrap();
    let good = engine("multipv");
    let good = good.as_str();
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2";
    for (arguments, reason) in [
        (&["missing.csa", "--engine", good][..], "missing.csa: No such file"),
        (&["text.txt", "--engine", good], "text.txt: line 1: "),
        (&["bad.csa", "--engine", good], "bad.csa: line 4: the move `-5554FU` is illegal"),
        (&["empty.csa", "--engine", good], "empty.csa: "),
        (&["nothing", "--engine", good], "nothing: there are no game records"),
        (&["good.csa", "--game", "2", "--engine", good], "good.csa: --game names none of its games, of which it has 1"),
        (&["--moves", "7g7f 7g7f", "--engine", good], "move 2: the move 7g7f is illegal"),
        (&["--sfen", "nonsense", "--engine", good], "the SFEN has no side to move"),
        (&["--sfen", mated, "--engine", good], "no position to search"),
        (&["good.csa", "--engine", "cmd=no-such-engine nodes=1"], "no-such-engine"),
        (&["good.csa", "--engine", &format!("{MOCK} depth=0")], "finds nothing"),
        (&["good.csa", "--engine", &format!("{MOCK} nodes=0")], "finds nothing"),
        (&["good.csa", "--engine", MOCK], "nothing limits the thinking"),
        (&["good.csa", "--engine", &format!("{MOCK} nodes=1")], "MultiPV"),
        (&["good.csa", "--engine", good, "--engine", good], "two engines are named `mock`"),
        (&["good.csa", "--engine", good, "--losses", "0.3,0.2,0.1"], "must ascend"),
        (&["good.csa", "--engine", good, "--scale", "0"], "scale must be above 0"),
        (&["good.csa", "--engine", good, "--concurrency", "0"], "--concurrency"),
    ] {
        let error = folder.fail(&[&["analyze", "--output", "out"], arguments].concat());
        assert!(error.contains(reason), "{arguments:?}: {error}");
        assert!(!folder.join("out").exists(), "{arguments:?}");
    }
    let error = folder.fail(&["analyze", "good.csa", "--engine", good, "--output", "file/out"]);
    assert!(error.contains("file/out"), "{error}");
}
