//! All games of an analysis on one page: the games, their players, and the worst moves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kiki_board::Color;
use kiki_judgement::{Mark, SideSummary, Thresholds};
use kiki_page::{HEADER, HEADING, Page};
use kiki_record::GameOutcome;
use kiki_run::PROGRAM;
use serde::Serialize;

use crate::formations::Formation;
use crate::game::GameHead;
use crate::name::{Name, serialize_side};
use crate::report::{EngineFacts, GameReport};
use crate::summary::EngineSummary;

/// The kind of file, in its first key.
const FORMAT: &str = "kiki-analysis-index";
/// The version of the keys. It increases when a key is removed or changes its meaning.
const VERSION: u32 = 1;
/// Number of worst moves listed for each engine.
const WORST: usize = 20;

/// The games of an analysis. docs/analyze.md documents the keys of its JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnalysisIndex {
    format: &'static str,
    version: u32,
    program: &'static str,
    /// Whether all positions of all games were searched.
    complete: bool,
    thresholds: Thresholds,
    engines: Vec<EngineFacts>,
    games: Vec<IndexedGame>,
    /// Players with a name, most games first; ties by name.
    players: Vec<IndexedPlayer>,
    /// For each engine, the greatest loss first.
    worst: Vec<Vec<WorstMove>>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct IndexedGame {
    #[serde(flatten)]
    head: GameHead,
    handicap: Option<Name>,
    openings: Vec<Formation>,
    moves: usize,
    complete: bool,
    /// One for each engine.
    play: Vec<SidesPlay>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct SidesPlay {
    black: SideSummary,
    white: SideSummary,
}

/// A player's results and play, on either side.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
struct IndexedPlayer {
    name: String,
    games: usize,
    won: usize,
    drawn: usize,
    lost: usize,
    /// One for each engine.
    play: Vec<SideSummary>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct WorstMove {
    /// The name of the game.
    game: String,
    /// Number of moves before it.
    ply: usize,
    #[serde(serialize_with = "serialize_side")]
    side: Color,
    player: String,
    #[serde(rename = "move")]
    mv: String,
    japanese: String,
    western: String,
    loss: f64,
    mark: Mark,
    /// The engine's choice in USI, or `resign` or `win`.
    best: String,
    /// In Japanese notation; `None` if no line begins with it.
    best_japanese: Option<String>,
    best_western: Option<String>,
}

impl AnalysisIndex {
    /// The index of these games, which have the same engines and thresholds; `None` without a game.
    #[must_use]
    pub fn of<'a>(reports: impl IntoIterator<Item = &'a GameReport>) -> Option<Self> {
        let reports: Vec<&GameReport> = reports.into_iter().collect();
        let first = reports.first()?;
        let engines = first.engines.len();
        Some(Self {
            format: FORMAT,
            version: VERSION,
            program: PROGRAM,
            complete: reports.iter().all(|report| report.complete),
            thresholds: first.thresholds,
            engines: first.engines.clone(),
            games: reports.iter().map(|report| IndexedGame::of(report)).collect(),
            players: players(&reports, engines),
            worst: (0..engines).map(|engine| worst(&reports, engine)).collect(),
        })
    }

    /// The index as a page that links to `NAME.html` of each game in the same folder.
    pub fn html(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string(self)?;
        let page = Page {
            title: "Kiki analysis",
            policy: "",
            style: &[include_str!("page/index.css")],
            body: &[HEADER, include_str!("page/index.html")].concat(),
            data: Some(("index", &json)),
            program: &[
                HEADING,
                include_str!("page/texts.js"),
                include_str!("page/words.js"),
                include_str!("page/index.js"),
            ],
        };
        Ok(page.html())
    }
}

impl IndexedGame {
    fn of(report: &GameReport) -> Self {
        let game = &report.game;
        let play = |summary: &EngineSummary| SidesPlay {
            black: summary.black.game.clone(),
            white: summary.white.game.clone(),
        };
        Self {
            head: game.head.clone(),
            handicap: game.handicap,
            openings: game.openings.clone(),
            moves: game.moves.len(),
            complete: report.complete,
            play: report.summary.iter().map(play).collect(),
        }
    }
}

fn players(reports: &[&GameReport], engines: usize) -> Vec<IndexedPlayer> {
    let mut players: BTreeMap<&str, IndexedPlayer> = BTreeMap::new();
    for report in reports {
        let game = &report.game.head;
        for (name, win) in [(&game.black, GameOutcome::BlackWins), (&game.white, GameOutcome::WhiteWins)] {
            if name.is_empty() {
                continue;
            }
            let player = players.entry(name).or_insert_with(|| IndexedPlayer {
                name: name.clone(),
                play: vec![SideSummary::default(); engines],
                ..IndexedPlayer::default()
            });
            player.games += 1;
            match game.outcome {
                Some(GameOutcome::Draw) => player.drawn += 1,
                Some(outcome) if outcome == win => player.won += 1,
                Some(GameOutcome::BlackWins | GameOutcome::WhiteWins) => player.lost += 1,
                Some(GameOutcome::Unknown) | None => {}
            }
            for (play, summary) in player.play.iter_mut().zip(&report.summary) {
                let side = if win == GameOutcome::BlackWins { &summary.black } else { &summary.white };
                *play = play.with(&side.game);
            }
        }
    }
    let mut players: Vec<IndexedPlayer> = players.into_values().collect();
    players.sort_by_key(|player| Reverse(player.games));
    players
}

fn worst(reports: &[&GameReport], engine: usize) -> Vec<WorstMove> {
    let mut moves: Vec<WorstMove> = reports.iter().flat_map(|report| judged_moves(report, engine)).collect();
    // The sort is stable: of equal losses the earlier one comes first.
    moves.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    moves.truncate(WORST);
    moves
}

/// The moves of a game that have a mark.
fn judged_moves(report: &GameReport, engine: usize) -> impl Iterator<Item = WorstMove> {
    report.positions.iter().filter_map(move |position| {
        let (played, search) = (position.played.as_ref()?, position.searches.get(engine)?.as_ref()?);
        let judged = search.played.as_ref()?;
        let line = search.lines.iter().find(|line| line.mv == search.best);
        Some(WorstMove {
            game: report.game.head.name.clone(),
            ply: position.ply,
            side: position.turn,
            player: if position.turn == Color::Black { &report.game.head.black } else { &report.game.head.white }
                .clone(),
            mv: played.mv.clone(),
            japanese: played.japanese.clone(),
            western: played.western.clone(),
            loss: judged.loss?,
            mark: judged.mark?,
            best: search.best.clone(),
            best_japanese: line.and_then(|line| line.pv_japanese.first().cloned()),
            best_western: line.and_then(|line| line.pv_western.first().cloned()),
        })
    })
}
