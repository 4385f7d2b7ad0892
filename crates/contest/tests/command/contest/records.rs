//! What the journal and the CSA files tell of a game.

use std::fs;

use serde_json::Value;

use super::test_match::{TestMatch, lab, text};

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
        let csa =
            fs::read_to_string(contest.path(&format!("out/csa/{:06}.csa", game["game"].as_u64().unwrap()))).unwrap();
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
fn a_journal_without_principal_variations_is_gone_on_with() {
    let contest = TestMatch::new();
    contest.play(
        &[contest.engine("a", ""), contest.engine("b", "seed=1")],
        "--games 2 --each nodes=1 --max-plies 6 --no-csa",
    );
    let lines = contest.games().into_iter().map(|mut game| {
        game.as_object_mut().unwrap().remove("pvs");
        format!("{game}\n")
    });
    let journal: String = lines.collect();
    fs::write(contest.path("out/games.jsonl"), journal).unwrap();
    let output = lab().args(["match", "--games", "4", "--json", "--resume"]).arg(contest.path("out")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["games"], 4);
    assert!(fs::read_to_string(contest.path("out/csa/000001.csa")).unwrap().contains("'** 0\n"));
    assert!(fs::read_to_string(contest.path("out/csa/000003.csa")).unwrap().contains("'** 0 -"));
}
