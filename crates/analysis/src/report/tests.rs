use std::collections::BTreeMap;

use kiki_play::clock::TimeControl;
use kiki_play::player::EngineSpec;
use kiki_usi::{PositionRoot, PositionSpec};

use super::*;
use crate::judgement::{Mark, Unjudged};

fn engine(name: &str) -> AnalysisEngine {
    let spec = EngineSpec {
        name: name.to_owned(),
        command: vec![name.to_owned()],
        directory: None,
        restart: false,
        ponder: false,
        options: BTreeMap::new(),
        time_control: TimeControl { nodes: Some(9), ..TimeControl::default() },
    };
    AnalysisEngine { spec, id: "id".to_owned(), author: String::new() }
}

fn line(moves: &[&str], value: Value) -> Line {
    let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
    Line { moves, value, bound: None, depth: Some(5), seldepth: None, nodes: Some(9) }
}

fn answer(lines: Vec<Line>) -> Answer {
    let best = lines[0].moves[0].clone();
    Answer { best, lines, sigma: Some(80.0), nodes: Some(9), milliseconds: 1, played: None }
}

fn report(sfen: Option<&str>, moves: &[&str], answers: &[Option<Answer>]) -> GameReport {
    let root = sfen.map_or(PositionRoot::Startpos, |sfen| PositionRoot::Sfen(sfen.to_owned()));
    let spec = PositionSpec { root, moves: moves.iter().map(|&mv| mv.to_owned()).collect() };
    let game = AnalyzedGame::from_line("line".to_owned(), &spec).unwrap();
    let engines = [engine("a")];
    let settings = ReportSettings { program: "test", lines: 2, thresholds: &Thresholds::default(), engines: &engines };
    build(&game, &settings, |_, ply| answers.get(ply)?.as_ref()).unwrap()
}

fn played(report: &GameReport, ply: usize) -> &JudgedReport {
    report.positions[ply].searches[0].as_ref().unwrap().played.as_ref().unwrap()
}

#[test]
fn values_are_told_from_both_views() {
    let answers = [
        Some(answer(vec![line(&["7g7f", "3c3d"], Value::Cp(40)), line(&["2g2f"], Value::Cp(30))])),
        Some(answer(vec![line(&["3c3d"], Value::Cp(-35)), line(&["8c8d"], Value::Mate(-6))])),
        None,
    ];
    let report = report(None, &["7g7f", "3c3d"], &answers);
    assert!(!report.complete);
    let [black, white] = [0, 1].map(|ply| report.positions[ply].searches[0].clone().unwrap());
    let value = |search: &SearchReport| search.value.map(|value| (value.cp_black, value.cp_mover, value.mate));
    assert_eq!(value(&black), Some((Some(40), Some(40), None)));
    assert_eq!(value(&white), Some((Some(35), Some(-35), None)));
    assert_eq!((white.lines[1].value.mate, white.lines[1].value.win_black), (Some(-6), 1.0));
    assert_eq!(black.lines[0].pv_japanese, ["▲７六歩", "△３四歩"]);
    assert_eq!(black.lines[0].pv_western, ["P-7f", "P-3d"]);
    assert_eq!((report.positions[1].turn, report.positions[2].searches[0].is_none()), ("white", true));
    assert_eq!(report.game.moves_japanese, ["▲７六歩", "△３四歩"]);
}

#[test]
fn the_value_of_the_played_move_says_where_it_comes_from() {
    let alone =
        Answer { played: Some(line(&["9g9f"], Value::Cp(-200))), ..answer(vec![line(&["7g7f"], Value::Cp(0))]) };
    let found = report(None, &["9g9f"], &[Some(alone), None]);
    let judged = played(&found, 0);
    assert_eq!(
        (judged.source, judged.rank, judged.mark),
        (Some(ValueSource::Searchmoves), None, Some(Mark::Inaccuracy))
    );
    // Without it the next position counts, once it is searched.
    let first = answer(vec![line(&["7g7f"], Value::Cp(0))]);
    let next = answer(vec![line(&["3c3d"], Value::Cp(600))]);
    let found = report(None, &["9g9f"], &[Some(first.clone()), Some(next)]);
    let judged = played(&found, 0);
    assert_eq!((judged.source, judged.value.unwrap().cp_mover), (Some(ValueSource::Next), Some(-600)));
    assert_eq!((judged.mark, found.summary[0].black.blunders), (Some(Mark::Blunder), 1));
    let found = report(None, &["9g9f"], &[Some(first), None]);
    assert_eq!((played(&found, 0).loss, found.summary[0].black.judged), (None, 0));
}

#[test]
fn a_mate_on_the_board_needs_no_search() {
    let mating = answer(vec![line(&["5c5b+"], Value::Cp(900))]);
    let report = report(Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), &["G*5b"], &[Some(mating)]);
    let judged = played(&report, 0);
    assert_eq!((judged.source, judged.value.unwrap().mate), (Some(ValueSource::Checkmate), Some(1)));
    assert_eq!((judged.loss, judged.unjudged), (Some(0.0), Some(Unjudged::Decided)));
    assert!(report.complete && report.positions[1].legal_moves == 0);
}

#[test]
fn a_king_that_cannot_move_has_lost_without_a_check_too() {
    let other = answer(vec![line(&["5i5h"], Value::Cp(0))]);
    let report = report(Some("8k/9/9/7N1/9/9/9/9/4K4 b G 1"), &["G*3b"], &[Some(other)]);
    assert_eq!((report.positions[1].in_check, report.positions[1].legal_moves), (false, 0));
    let judged = played(&report, 0);
    assert_eq!((judged.source, judged.value.unwrap().mate), (Some(ValueSource::Checkmate), Some(1)));
}

#[test]
fn the_best_move_is_the_one_that_the_engine_would_play() {
    let lines = vec![line(&["7g7f"], Value::Cp(10))];
    for (best, best_moves) in [("7g7f", 1), ("2g2f", 0)] {
        let answers = [Some(Answer { best: best.to_owned(), ..answer(lines.clone()) })];
        assert_eq!(report(None, &["7g7f"], &answers).summary[0].black.best_moves, best_moves, "{best}");
    }
    let alone = Some(line(&["2g2f"], Value::Cp(0)));
    let without_line = Answer { best: "2g2f".to_owned(), played: alone, ..answer(lines) };
    assert_eq!(report(None, &["2g2f"], &[Some(without_line)]).summary[0].black.best_moves, 1);
}

#[test]
fn accuracy_counts_the_moves_of_each_side() {
    let answers = [
        Some(answer(vec![line(&["7g7f"], Value::Cp(0))])),
        Some(answer(vec![line(&["8c8d"], Value::Cp(0)), line(&["3c3d"], Value::Cp(-600))])),
        Some(answer(vec![line(&["2g2f"], Value::Cp(600))])),
    ];
    let report = report(None, &["7g7f", "3c3d"], &answers);
    let EngineSummary { black, white, .. } = &report.summary[0];
    assert_eq!((black.judged, black.best_moves, black.accuracy), (1, 1, Some(100.0)));
    assert_eq!((white.judged, white.best_moves, white.blunders), (1, 0, 1));
    assert!(white.accuracy.unwrap() < 35.0 && report.complete);
}
