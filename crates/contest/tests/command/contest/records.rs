//! What the journal and the CSA files record of games, and `kiki-lab show` of a folder.

use std::fs;

use super::TestMatch;
use crate::laboratory::{Arguments, Folder, text};

#[test]
fn principal_variations_stand_in_the_journal_and_in_csa() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "score=30"), contest.engine("b", "seed=1 score=7")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    for game in contest.games() {
        let words = |column: &str| game[column].as_array().unwrap().clone();
        let (moves, pvs) = (words("moves"), words("pvs"));
        assert_eq!((moves.len(), pvs.len()), (6, 6));
        for (played, pv) in moves.iter().zip(&pvs) {
            let pv: Vec<&str> = pv.as_str().unwrap().split(' ').collect();
            assert_eq!((pv.len(), Some(pv[0])), (2, played.as_str()), "{game}");
        }
        let csa = contest.text(format!("out/csa/{:06}.csa", game["game"].as_u64().unwrap()));
        let comments: Vec<&str> = csa.lines().filter_map(|line| line.strip_prefix("'** ")).collect();
        assert_eq!(comments.len(), 6, "{csa}");
        for (ply, comment) in comments.iter().enumerate() {
            // The score is from Black's view; the variation begins with the other side's answer.
            let of_a = (game["black"] == "a") == (ply % 2 == 0);
            let score = if of_a { 30 } else { 7 } * if ply % 2 == 0 { 1 } else { -1 };
            let (told, answer) = comment.split_once(' ').unwrap();
            assert_eq!(told, score.to_string(), "{csa}");
            assert!(answer.starts_with(if ply % 2 == 0 { '-' } else { '+' }) && answer.len() == 7, "{csa}");
        }
    }
}

/// Journals of earlier versions have no such column.
#[test]
fn a_journal_without_principal_variations_continues() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6 --no-csa");
    let lines = contest.games().into_iter().map(|mut game| {
        game.as_object_mut().unwrap().remove("pvs");
        format!("{game}\n")
    });
    let journal: String = lines.collect();
    fs::write(contest.join("out/games.jsonl"), journal).unwrap();
    assert_eq!(contest.json("resume out --games 4")["games"], 4);
    assert!(contest.text("out/csa/000001.csa").contains("'** 0\n"));
    assert!(contest.text("out/csa/000003.csa").contains("'** 0 -"));
}

/// What a command that has to succeed prints on both streams.
fn shown(folder: &Folder, arguments: &(impl Arguments + ?Sized)) -> String {
    let output = folder.lab(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

#[test]
fn a_folder_tells_its_settings_standings_and_endings() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1"), contest.engine("c", "crash=3 seed=2")];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let before = fs::read(contest.join("out/games.jsonl")).unwrap();
    let shown_text = shown(&contest, "show out");
    for expected in [
        "kiki-lab: games for each pairing 2, openings 1, drawn after 6 plies",
        "mock name=a; 1 nodes",
        "longest ms",
        "Black won",
        "crash",
        "plies: shortest 2, median 3, mean 3.7, longest 6",
        "c lost by crash",
        "info string about to crash",
        "6 of 6 games",
        "complete; records in",
    ] {
        assert!(shown_text.contains(expected), "{expected}\n{shown_text}");
    }
    // The crosstable.
    assert!(shown_text.lines().any(|line| line.split_whitespace().eq(["c", "0/2", "0/2", "-"])), "{shown_text}");
    // It shows the final output of the match, and more.
    let value = contest.json("show out");
    for (key, told) in result.as_object().unwrap() {
        let told_now = &value[key];
        match key.as_str() {
            "engines" => assert_eq!(told_now[2]["faults"], told[2]["faults"]),
            _ => assert_eq!(told_now, told, "{key}"),
        }
    }
    assert_eq!(value["endings"]["crash"].as_object().unwrap().len(), 3);
    assert_eq!(value["settings"]["rules"]["max-plies"], 6);
    assert_eq!(fs::read(contest.join("out/games.jsonl")).unwrap(), before);
}

#[test]
fn numbers_of_nodes_that_no_search_reaches_are_left_out_and_told_once() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "nodes=1e400"), contest.engine("b", "seed=1")];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let [a, b] = [0, 1].map(|engine| result["engines"][engine]["mean_nodes"].as_f64());
    assert_eq!((a, b), (Some(0.0), Some(1.0)), "{result}");
    let told = shown(&contest, "show out");
    let warning = "warning: numbers of nodes or milliseconds of a that no search reaches are left out";
    assert_eq!(told.matches("warning").count(), 1, "{told}");
    assert!(told.contains(warning), "{told}");
}

/// Wins, draws and losses count all games, Elo only complete pairs; the text says which.
#[test]
fn a_match_interrupted_in_the_middle_of_a_pair_tells_what_each_number_counts() {
    let contest = TestMatch::new();
    contest.play(&[contest.engine("a", ""), contest.engine("b", "seed=1")], "--games 4 --each nodes=1 --max-plies 6");
    let journal = contest.join("out/games.jsonl");
    let lines: Vec<String> = fs::read_to_string(&journal).unwrap().lines().map(str::to_owned).collect();
    // The last line has no end yet, as while it is being written.
    for (kept, expected) in [
        (1, "no pair of games is complete: Elo and what follows it count single games"),
        (3, "won, drawn and lost count all 3 games; Elo and what follows it count the 2 games of complete pairs"),
    ] {
        let content = lines[..kept].join("\n") + "\n{\"game\":4,";
        fs::write(&journal, &content).unwrap();
        let told = shown(&contest, "show out");
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("interrupted; go on with: kiki-lab resume"), "{told}");
        assert_eq!(fs::read_to_string(&journal).unwrap(), content);
        let value = contest.json("show out");
        assert_eq!((&value["pairings"][0]["unpaired"], &value["games"]), (&1.into(), &kept.into()));
    }
}

#[test]
fn an_interrupted_tournament_tells_that_a_pairing_counts_a_single_game() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1"), contest.engine("c", "seed=2")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let journal = contest.join("out/games.jsonl");
    let lines = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, lines.split_inclusive('\n').take(3).collect::<String>()).unwrap();
    let told = shown(&contest, "show out");
    let expected = "the 2 games of complete pairs, and single games where a pairing has none (1)";
    assert!(told.contains(expected), "{told}");
}

#[cfg(unix)]
#[test]
fn the_command_that_goes_on_can_be_copied_whatever_the_folder_is_called() {
    let contest = TestMatch::new();
    contest.play(&[contest.engine("a", ""), contest.engine("b", "seed=1")], "--games 2 --each nodes=1 --max-plies 6");
    let folder = contest.join("o 'b' $x");
    fs::rename(contest.join("out"), &folder).unwrap();
    let journal = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    fs::write(folder.join("games.jsonl"), journal.lines().next().unwrap().to_owned() + "\n").unwrap();
    let show = ["show", folder.to_str().unwrap()];
    let told = shown(&contest, &show);
    let (_, command) = told.split_once("go on with: kiki-lab ").unwrap();
    let line = format!("\"{}\" {}", env!("CARGO_BIN_EXE_kiki-lab"), command.lines().next().unwrap());
    let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output));
    assert!(shown(&contest, &show).contains("2 of 2 games"));
}

#[test]
fn a_game_is_shown_move_by_move_with_its_scores() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "score=30"), contest.engine("b", "seed=1 crash=4")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6 --replay-faults 1");
    let told = shown(&contest, "show out --game 1");
    let game = &contest.games()[0];
    for column in 0..3 {
        let (played, pv) = (game["moves"][column].as_str().unwrap(), game["pvs"][column].as_str().unwrap());
        let score = if column % 2 == 0 { "+30" } else { "+0" };
        let line = told.lines().find(|line| line.contains(pv)).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let side = if column % 2 == 0 { "Black" } else { "White" };
        assert_eq!(words[..5], [played, &(column + 1).to_string(), side, score, "1"], "{told}");
    }
    assert!(told.contains("Black wins: crash; voided and played again"), "{told}");
    assert!(told.contains("(no move)") && told.contains("last words on standard error"), "{told}");
    let games = contest.json("show out --game 1");
    assert_eq!((games.as_array().unwrap().len(), &games[0]), (2, game));
    let missing = contest.fail("show out --game 3");
    assert!(missing.contains("game 3 has not been played: 2 of 2 games have"), "{missing}");
}

#[test]
fn a_line_whose_columns_do_not_fit_together_is_named() {
    let contest = TestMatch::new();
    contest.play(&[contest.engine("a", ""), contest.engine("b", "seed=1")], "--games 4 --each nodes=1 --max-plies 6");
    let journal = contest.join("out/games.jsonl");
    let mut games = contest.games();
    games[1]["nodes"] = serde_json::json!([1]);
    let lines: Vec<String> = games.iter().map(|game| format!("{game}\n")).collect();
    fs::write(&journal, lines.concat()).unwrap();
    for line in ["show out", "show out --game 2", "resume out", "records stats out"] {
        let (status, _, told) = contest.run(line);
        assert_eq!(status, Some(1), "{told}");
        assert!(told.contains("games.jsonl: line 2: `nodes` has 1 entries, but `times` has 6"), "{told}");
    }
}
