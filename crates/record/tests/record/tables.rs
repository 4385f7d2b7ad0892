//! Tables of texts: how games and variations end, by the words of CSA and KIF; what is read,
//! and what is refused.

use kiki_record::{Ending, Game, RecordForm};

use crate::common::{KIF, TWO, comes_back, fits, moves, one, refused, written};

/// A table: the form, the lines behind two moves, the result, the reason, and the remark.
#[test]
fn every_end_of_the_table_is_told() {
    for row in include_str!("ends.tsv").lines().skip(1) {
        let [form, lines, outcome, reason, remark] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let lines = unescaped(lines);
        let check = |ending: &Ending| {
            let reason_of = ending.reason.map_or("", |reason| reason.name());
            assert_eq!((ending.outcome.name(), reason_of, &*ending.remark), (outcome, reason, remark), "{row}");
        };
        let of_game = |moves: &str, lines: &str| {
            let game = one(&format!("a.{form}"), format!("{moves}{lines}\n").as_bytes());
            let back = one("a.kif", written(RecordForm::Kif, &game).as_bytes());
            for Game { outcome, reason, remark, .. } in [game, back] {
                check(&Ending { outcome, reason, remark, time_ms: None });
            }
        };
        if form != "kif" {
            let csa = "N+b\nN-w\nPI\n+\n+7776FU\n-3334FU\n";
            of_game(if form == "csa" { csa } else { "▲７六歩 △３四歩\n" }, &lines);
            continue;
        }
        of_game(&format!("{KIF}{TWO}"), &lines);
        // Words need no number.
        if let Some(word) = lines.strip_prefix("3 ").filter(|word| !word.contains(['\n', '('])) {
            of_game(&format!("{KIF}{TWO}"), word);
        }
        // The game itself ends otherwise.
        let text = format!("{KIF}{TWO}   3 千日手\n\n変化：2手\n   2 ８四歩(83)\n{lines}\n");
        let mut varied = one("a.kif", text.as_bytes());
        check(&varied.variations[0].ending);
        // KI2 has no times.
        varied.variations[0].ending.time_ms = None;
        comes_back(&varied, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf]);
    }
}

/// A table: the name of a file, its text, and the error. Two dots stand for any text.
#[test]
fn every_text_of_the_table_is_refused_in_one_line() {
    for row in include_str!("refused.tsv").lines().skip(1) {
        let [name, text, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let error = refused(name, &unescaped(text));
        assert!(fits(&error, expected) && error.lines().count() == 1, "{row}: {error}");
    }
}

/// A table: the name of a file, its text, a part of the game, and how it is read.
#[test]
fn every_text_of_the_table_is_read() {
    for row in include_str!("read.tsv").lines().skip(1) {
        let [name, text, part, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let game = one(name, unescaped(text).as_bytes());
        let comments: Vec<&str> = game.moves.iter().map(|played| &*played.comment).collect();
        let times: Vec<String> = game.moves.iter().filter_map(|played| Some(played.time_ms?.to_string())).collect();
        let found = match part {
            "moves" => moves(&game),
            "root" => game.root.clone().unwrap_or_default(),
            "comment" => game.comment.clone(),
            "comments" => comments.join("|"),
            "times" => times.join(" "),
            "end" => format!("{} {}", game.outcome.name(), game.reason.map_or("", |reason| reason.name())),
            _ => panic!("{part}"),
        };
        assert_eq!(found, expected, "{row}");
        comes_back(&game, &[RecordForm::Kif]);
    }
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
}
