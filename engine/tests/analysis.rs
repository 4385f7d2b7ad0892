//! Positions analysed by this engine over USI, as in `kiki-lab analyze`.

use std::collections::HashMap;

use anyhow::bail;
use kiki_analysis::answer::PositionAnswer;
use kiki_analysis::game::AnalyzedGame;
use kiki_analysis::page;
use kiki_analysis::report::{GameReport, ReportSettings, build};
use kiki_analysis::search::{
    AnalysisEngine, AnalysisPool, PlayedMoveSearch, SearchEvent, SearchKey, SearchRules, prepare_engines,
};
use kiki_driver::{CancellationSource, Timeouts};
use kiki_judgement::{Mark, Thresholds, ValueSource};
use kiki_play::clock::PlayLimits;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_usi::{PositionRoot, PositionSpec};

const LINES: usize = 2;

fn kiki(nodes: u64) -> PlayerSpec {
    let options = [("Threads", "1"), ("USI_Hash", "16")];
    PlayerSpec {
        name: "kiki".to_owned(),
        command: vec![env!("CARGO_BIN_EXE_kiki").to_owned()],
        directory: None,
        restart: false,
        ponder: false,
        options: options.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        limits: PlayLimits { nodes: Some(nodes), ..PlayLimits::default() },
    }
}

fn run_options(concurrency: usize) -> RunOptions {
    RunOptions { concurrency, timeouts: Timeouts::default(), logs: None, cpus: Vec::new() }
}

/// Kiki's judgement of the positions of a line.
fn analyze(sfen: &str, moves: &[&str], concurrency: usize, played: PlayedMoveSearch) -> GameReport {
    let cancellation = CancellationSource::new();
    let options = run_options(concurrency);
    let engines = prepare_engines(&[kiki(2000)], LINES, &options, &cancellation).unwrap();
    let root = PositionRoot::Sfen(sfen.to_owned());
    let spec = PositionSpec { root, moves: moves.iter().map(|&mv| mv.to_owned()).collect() };
    let games = [AnalyzedGame::from_line("line".to_owned(), &spec).unwrap()];
    let specs: Vec<PlayerSpec> = engines.iter().map(|engine: &AnalysisEngine| engine.spec.clone()).collect();
    let pool = AnalysisPool {
        rules: SearchRules { lines: LINES, played, patience: 120_000 },
        engines: &specs,
        options: &options,
        coordinator: None,
        cancellation: &cancellation,
    };
    let plies = games[0].searchable_plies().unwrap();
    let keys: Vec<SearchKey> = plies.iter().map(|&ply| SearchKey { game: 0, ply, engine: 0 }).collect();
    let mut answers: HashMap<usize, PositionAnswer> = HashMap::new();
    let outcome = pool.search("".as_ref(), &games, &keys, &vec![true; keys.len()], |event| match event {
        SearchEvent::Answered { key, answer, alone: None } => {
            answers.insert(key.ply, answer);
            Ok(())
        }
        SearchEvent::Answered { alone: Some(error), .. } | SearchEvent::Failed(error) => bail!(error),
        SearchEvent::Skipped => bail!("the engine failed before"),
    });
    outcome.unwrap();
    let settings = ReportSettings { lines: LINES, thresholds: &Thresholds::default(), engines: &engines };
    build(&games[0], &settings, |_, ply| answers.get(&ply), |_| None).unwrap()
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[test]
fn every_position_has_lines_sigma_and_a_judged_move() {
    let moves = ["7g7f", "3c3d", "2g2f", "4c4d", "8h4d", "2b4d"];
    let report = analyze(START, &moves, 2, PlayedMoveSearch::Searchmoves);
    assert!(report.complete);
    assert_eq!(report.positions.len(), moves.len() + 1);
    for position in &report.positions {
        let search = position.searches[0].as_ref().unwrap();
        assert_eq!(search.lines.len(), LINES.min(position.legal_moves), "{}", position.sfen);
        assert_ne!(search.lines[0].mv, search.lines[1].mv);
        assert!(search.lines.iter().all(|line| line.pv.len() == line.pv_japanese.len() && line.depth.is_some()));
        assert!(search.sigma.is_some_and(|sigma| sigma > 0.0) && search.nodes.is_some_and(|nodes| nodes >= 2000));
        let source = search.played.as_ref().map(|played| played.source);
        let is_own = source.is_none_or(|source| matches!(source, Some(ValueSource::Line | ValueSource::Searchmoves)));
        assert!(is_own, "{source:?}: Kiki knows searchmoves");
    }
    let page = page::html(&report).unwrap();
    assert!(page.contains("△４四歩"));
}

#[test]
fn answers_depend_on_neither_order_nor_number_of_workers() {
    let moves = ["7g7f", "3c3d", "8h2b+", "3a2b"];
    let facts = |report: &GameReport| -> Vec<_> {
        let lines = report.positions.iter().flat_map(|position| position.searches[0].as_ref().unwrap().lines.clone());
        lines.map(|line| (line.mv, line.value.cp_black, line.nodes)).collect()
    };
    let one = analyze(START, &moves, 1, PlayedMoveSearch::Next);
    assert_eq!(facts(&one), facts(&analyze(START, &moves, 3, PlayedMoveSearch::Next)));
}

#[test]
fn a_bishop_given_away_is_a_blunder_and_a_mate_is_seen() {
    let report = analyze(START, &["7g7f", "3c3d", "8h3c+"], 1, PlayedMoveSearch::Next);
    let judged = report.positions[2].searches[0].as_ref().unwrap().played.clone().unwrap();
    assert_eq!((judged.mark, judged.source), (Some(Mark::Blunder), Some(ValueSource::Next)), "{judged:?}");
    let mate = analyze("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", &[], 1, PlayedMoveSearch::Next);
    assert_eq!(mate.positions[0].searches[0].as_ref().unwrap().lines[0].value.mate, Some(1));
}
