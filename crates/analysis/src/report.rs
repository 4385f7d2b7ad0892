//! The results of an analysis for one game. docs/analyze.md documents the keys of its JSON.

use std::collections::BTreeMap;

use anyhow::Result;
use kiki_board::{Color, Move, Position};
use kiki_judgement::{Judgement, Mark, Thresholds, Unjudged, ValueSource, judge, value_of_played, winning_probability};
use kiki_play::clock::PlayLimits;
use kiki_reasons::ToldReason;
use kiki_run::PROGRAM;
use kiki_usi::ScoreValue;
use serde::Serialize;

use crate::answer::{LineBound, PositionAnswer, SearchedLine};
use crate::formations::{Formation, FormationFinder};
use crate::game::{AnalyzedGame, GameHead};
use crate::lines::{VariationReport, kif, variations};
use crate::name::{Name, serialize_side};
use crate::phase::Phase;
use crate::search::AnalysisEngine;
use crate::summary::{EngineSummary, JudgedMove, SideReport};

/// The kind of file, in its first key.
pub const FORMAT: &str = "kiki-analysis";
/// The version of the keys. It increases when a key is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// A game with what engines say about its positions.
#[derive(Clone, Serialize)]
pub struct GameReport {
    pub format: &'static str,
    pub version: u32,
    pub program: &'static str,
    /// Whether all positions were searched by all engines.
    pub complete: bool,
    pub game: GameFacts,
    /// Number of lines requested from each engine.
    pub lines: usize,
    pub thresholds: Thresholds,
    pub engines: Vec<EngineFacts>,
    /// The position before each move, and the last one.
    pub positions: Vec<PositionReport>,
    /// One for each engine.
    pub summary: Vec<EngineSummary>,
}

/// The game and its circumstances.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameFacts {
    #[serde(flatten)]
    pub head: GameHead,
    pub remark: String,
    /// The SFEN of the first position.
    pub start: String,
    /// The name of the first position; `None` without one.
    pub handicap: Option<Name>,
    pub openings: Vec<Formation>,
    pub castles: Vec<Formation>,
    /// Before the first move.
    pub comment: String,
    pub moves: Vec<String>,
    pub moves_japanese: Vec<String>,
    pub moves_western: Vec<String>,
    /// The record as KIF; `None` if KIF cannot hold it.
    pub kif: Option<String>,
}

/// An engine that was asked.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineFacts {
    /// Its name in this analysis.
    pub name: String,
    /// `id name`.
    pub id: String,
    /// `id author`.
    pub author: String,
    pub limit: PlayLimits,
    pub limit_text: String,
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Serialize)]
pub struct PositionReport {
    /// Number of moves before the position.
    pub ply: usize,
    /// With the move number.
    pub sfen: String,
    #[serde(serialize_with = "serialize_side")]
    pub turn: Color,
    pub phase: Phase,
    pub in_check: bool,
    pub legal_moves: usize,
    /// `None` in the last position.
    pub played: Option<PlayedReport>,
    /// One for each engine, in their order; `None` if not searched.
    pub searches: Vec<Option<SearchReport>>,
    /// The record's variations that begin here.
    pub variations: Vec<VariationReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayedReport {
    /// In USI.
    #[serde(rename = "move")]
    pub mv: String,
    pub japanese: String,
    pub western: String,
    /// `None` if the record has no time.
    pub milliseconds: Option<u64>,
    /// The record's comment on it; empty without one.
    pub comment: String,
    /// Why it is bad; `None` if nobody has asked.
    pub reason: Option<ToldReason>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchReport {
    /// A move in USI, `resign` or `win`.
    pub best: String,
    /// The value of the position; `None` if the engine reported none.
    pub value: Option<ValueReport>,
    /// Standard error of the value, in centipawns.
    pub sigma: Option<f64>,
    pub nodes: Option<u64>,
    pub milliseconds: u64,
    pub lines: Vec<LineReport>,
    /// The judgement of the played move; `None` in the last position.
    pub played: Option<JudgedReport>,
}

/// A value from both views.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ValueReport {
    /// For the side to move.
    #[serde(skip)]
    pub value: ScoreValue,
    /// Centipawns from Black's view; `None` for a mate.
    pub cp_black: Option<i32>,
    /// Centipawns for the side to move; `None` for a mate.
    pub cp_mover: Option<i32>,
    /// Plies to mate for the side to move: positive for a win, negative for a loss.
    pub mate: Option<i32>,
    /// Black's winning probability.
    pub win_black: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineReport {
    /// The best line is 1.
    pub rank: usize,
    /// The first move in USI.
    #[serde(rename = "move")]
    pub mv: String,
    #[serde(flatten)]
    pub value: ValueReport,
    /// The bound from Black's view; `None` if the value is exact.
    pub bound_black: Option<LineBound>,
    /// Plies.
    pub depth: Option<u32>,
    /// Plies of the deepest line.
    pub seldepth: Option<u32>,
    /// Number of positions searched when the engine reported the line.
    pub nodes: Option<u64>,
    /// In USI.
    pub pv: Vec<String>,
    pub pv_japanese: Vec<String>,
    pub pv_western: Vec<String>,
}

/// The judgement of a played move by an engine's values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedReport {
    /// Its value; `None` if the engine reported none.
    #[serde(flatten)]
    pub value: Option<ValueReport>,
    pub source: Option<ValueSource>,
    /// The rank of its line, if it has one.
    pub rank: Option<usize>,
    /// The lost winning probability; `None` if a value is missing.
    pub loss: Option<f64>,
    pub mark: Option<Mark>,
    pub unjudged: Option<Unjudged>,
    /// The line of a search of the move alone, in USI; empty for other sources.
    pub pv: Vec<String>,
    pub pv_japanese: Vec<String>,
    pub pv_western: Vec<String>,
}

/// Settings that all games of an analysis share.
#[derive(Clone, Copy, Debug)]
pub struct ReportSettings<'a> {
    /// Number of lines requested from each engine.
    pub lines: usize,
    pub thresholds: &'a Thresholds,
    pub engines: &'a [AnalysisEngine],
}

/// What the judgement of a played move needs.
struct Surroundings<'a> {
    position: &'a Position,
    legal_moves: usize,
    played: Option<Move>,
    /// The same engine's answer about the next position.
    next: Option<&'a PositionAnswer>,
    thresholds: &'a Thresholds,
}

/// The report of a game. `answer(engine, ply)` is that engine's answer after `ply` moves,
/// `reason(ply)` that of the move after them.
pub fn build<'a>(
    game: &AnalyzedGame,
    settings: &ReportSettings<'_>,
    answer: impl Fn(usize, usize) -> Option<&'a PositionAnswer>,
    reason: impl Fn(usize) -> Option<&'a ToldReason>,
) -> Result<GameReport> {
    let (first, moves) = game.line()?;
    let record = game.recorded()?;
    let moves_japanese = kiki_record::kanji_moves(&first, &moves);
    let moves_western = kiki_record::western_moves(&first, &moves);
    let mut formations = FormationFinder::new(&first);
    let mut phase = Phase::of(&first);
    let mut position = first;
    let mut positions = Vec::with_capacity(moves.len() + 1);
    for ply in 0..=moves.len() {
        formations.look(&position, ply);
        phase = phase.next(&position);
        let played = moves.get(ply).copied();
        let legal_moves = position.legal_moves().iter().count();
        let search = |engine: usize| {
            let next = answer(engine, ply + 1);
            let surroundings =
                Surroundings { position: &position, legal_moves, played, next, thresholds: settings.thresholds };
            answer(engine, ply).map(|answer| surroundings.search(answer))
        };
        let searches = (0..settings.engines.len()).map(search).collect();
        positions.push(PositionReport {
            ply,
            sfen: position.to_sfen(),
            turn: position.side_to_move(),
            phase,
            in_check: position.in_check(),
            legal_moves,
            played: played.map(|mv| PlayedReport {
                mv: mv.to_string(),
                japanese: moves_japanese[ply].clone(),
                western: moves_western[ply].clone(),
                milliseconds: game.times.get(ply).copied().flatten(),
                comment: record.moves[ply].comment.clone(),
                reason: reason(ply).cloned(),
            }),
            searches,
            variations: variations(&record.variations, ply, &position),
        });
        played.map(|mv| position.make(mv));
    }
    let is_searched = |report: &PositionReport| report.legal_moves == 0 || report.searches.iter().all(Option::is_some);
    Ok(GameReport {
        format: FORMAT,
        version: VERSION,
        program: PROGRAM,
        complete: positions.iter().all(is_searched),
        game: GameFacts {
            head: game.head.clone(),
            remark: game.remark.clone(),
            start: positions[0].sfen.clone(),
            handicap: Name::of_handicap(&positions[0].sfen),
            openings: formations.openings(),
            castles: formations.castles(),
            comment: record.comment.clone(),
            moves: game.moves.clone(),
            moves_japanese,
            moves_western,
            kif: kif(&record),
        },
        lines: settings.lines,
        thresholds: *settings.thresholds,
        engines: settings.engines.iter().map(engine_facts).collect(),
        summary: summaries(settings, &positions),
        positions,
    })
}

fn engine_facts(engine: &AnalysisEngine) -> EngineFacts {
    let AnalysisEngine { spec, id, author } = engine;
    EngineFacts {
        name: spec.name.clone(),
        id: id.clone(),
        author: author.clone(),
        limit: spec.limits,
        limit_text: spec.limits.to_string(),
        options: spec.options.clone(),
    }
}

fn summaries(settings: &ReportSettings<'_>, positions: &[PositionReport]) -> Vec<EngineSummary> {
    let of_engine = |(place, engine): (usize, &AnalysisEngine)| {
        let searches = || positions.iter().filter_map(move |report| Some((report, report.searches[place].as_ref()?)));
        let judged = searches().filter_map(|(report, search)| {
            let JudgedReport { loss, mark, unjudged, .. } = *search.played.as_ref()?;
            let is_best = report.played.as_ref().is_some_and(|played| played.mv == search.best);
            Some(JudgedMove {
                side: report.turn,
                phase: report.phase,
                judgement: Judgement { loss: loss?, mark, unjudged },
                is_best,
            })
        });
        let judged: Vec<JudgedMove> = judged.collect();
        EngineSummary {
            engine: engine.spec.name.clone(),
            without_value: searches().filter(|(_, search)| search.value.is_none()).count(),
            black: SideReport::new(Color::Black, &judged, settings.thresholds),
            white: SideReport::new(Color::White, &judged, settings.thresholds),
        }
    };
    settings.engines.iter().enumerate().map(of_engine).collect()
}

impl Surroundings<'_> {
    fn search(&self, answer: &PositionAnswer) -> SearchReport {
        SearchReport {
            best: answer.best.clone(),
            value: answer.value().map(|value| self.value(value)),
            sigma: answer.sigma,
            nodes: answer.nodes,
            milliseconds: answer.milliseconds,
            lines: answer.lines.iter().enumerate().map(|(index, line)| self.line(index + 1, line)).collect(),
            played: self.played.map(|mv| self.judged(answer, mv)),
        }
    }

    fn value(&self, value: ScoreValue) -> ValueReport {
        let for_black = if self.is_black() { value } else { -value };
        let centipawns = |value| if let ScoreValue::Cp(centipawns) = value { Some(centipawns) } else { None };
        ValueReport {
            value,
            cp_black: centipawns(for_black),
            cp_mover: centipawns(value),
            mate: if let ScoreValue::Mate(plies) = value { Some(plies.get()) } else { None },
            win_black: winning_probability(for_black, self.thresholds.scale),
        }
    }

    fn is_black(&self) -> bool {
        self.position.side_to_move() == Color::Black
    }

    fn line(&self, rank: usize, line: &SearchedLine) -> LineReport {
        let moves = self.position.legal_line(&line.moves);
        LineReport {
            rank,
            mv: line.moves.first().cloned().unwrap_or_default(),
            value: self.value(line.value),
            bound_black: line.bound.map(|bound| if self.is_black() { bound } else { bound.of_other_side() }),
            depth: line.depth,
            seldepth: line.seldepth,
            nodes: line.nodes,
            pv_japanese: kiki_record::kanji_moves(self.position, &moves),
            pv_western: kiki_record::western_moves(self.position, &moves),
            pv: line.moves.clone(),
        }
    }

    /// The value of the played move, its source, and the rank of its line.
    fn played_value(&self, answer: &PositionAnswer, mv: Move) -> Option<(ScoreValue, ValueSource, Option<usize>)> {
        let text = mv.to_string();
        let lines = answer.lines.iter().map(|line| (line.moves.first() == Some(&text), line.value));
        let alone = answer.played.as_ref().map(|line| line.value);
        value_of_played(self.position, mv, lines, alone, self.next.and_then(PositionAnswer::value))
    }

    fn judged(&self, answer: &PositionAnswer, mv: Move) -> JudgedReport {
        let found = self.played_value(answer, mv);
        let judgement = answer
            .value()
            .zip(found)
            .map(|(best, (played, ..))| judge(best, played, self.legal_moves, self.thresholds));
        let alone = answer.played.as_ref().filter(|_| matches!(found, Some((_, ValueSource::Searchmoves, _))));
        let pv = alone.map_or_else(Vec::new, |line| line.moves.clone());
        let moves = self.position.legal_line(&pv);
        JudgedReport {
            value: found.map(|(value, ..)| self.value(value)),
            source: found.map(|(_, source, _)| source),
            rank: found.and_then(|(.., rank)| rank),
            loss: judgement.map(|judgement| judgement.loss),
            mark: judgement.and_then(|judgement| judgement.mark),
            unjudged: judgement.and_then(|judgement| judgement.unjudged),
            pv_japanese: kiki_record::kanji_moves(self.position, &moves),
            pv_western: kiki_record::western_moves(self.position, &moves),
            pv,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kiki_play::player::PlayerSpec;
    use kiki_usi::{PositionRoot, PositionSpec};

    use super::*;

    fn engine(name: &str) -> AnalysisEngine {
        let spec = PlayerSpec {
            name: name.to_owned(),
            command: vec![name.to_owned()],
            directory: None,
            restart: false,
            ponder: false,
            options: BTreeMap::new(),
            limits: PlayLimits { nodes: Some(9), ..PlayLimits::default() },
        };
        AnalysisEngine { spec, id: "id".to_owned(), author: String::new() }
    }

    fn line(moves: &[&str], value: ScoreValue) -> SearchedLine {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        SearchedLine { moves, value, bound: None, depth: Some(5), seldepth: None, nodes: Some(9) }
    }

    fn answer(lines: Vec<SearchedLine>) -> PositionAnswer {
        let best = lines[0].moves[0].clone();
        PositionAnswer { best, lines, sigma: Some(80.0), nodes: Some(9), milliseconds: 1, played: None }
    }

    fn report(sfen: Option<&str>, moves: &[&str], answers: &[Option<PositionAnswer>]) -> GameReport {
        let root = sfen.map_or(PositionRoot::Startpos, |sfen| PositionRoot::Sfen(sfen.to_owned()));
        let spec = PositionSpec { root, moves: moves.iter().map(|&mv| mv.to_owned()).collect() };
        let game = AnalyzedGame::from_line("line".to_owned(), &spec).unwrap();
        let engines = [engine("a")];
        let settings = ReportSettings { lines: 2, thresholds: &Thresholds::default(), engines: &engines };
        build(&game, &settings, |_, ply| answers.get(ply)?.as_ref(), |_| None).unwrap()
    }

    fn played(report: &GameReport, ply: usize) -> &JudgedReport {
        report.positions[ply].searches[0].as_ref().unwrap().played.as_ref().unwrap()
    }

    #[test]
    fn values_are_told_from_both_views() {
        let answers = [
            Some(answer(vec![line(&["7g7f", "3c3d"], ScoreValue::Cp(40)), line(&["2g2f"], ScoreValue::Cp(30))])),
            Some(answer(vec![line(&["3c3d"], ScoreValue::Cp(-35)), line(&["8c8d"], ScoreValue::mate(-6))])),
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
        assert_eq!((report.positions[1].turn, report.positions[2].searches[0].is_none()), (Color::White, true));
        assert_eq!(report.game.moves_japanese, ["▲７六歩", "△３四歩"]);
    }

    #[test]
    fn the_value_of_the_played_move_says_where_it_comes_from() {
        let alone = PositionAnswer {
            played: Some(line(&["9g9f"], ScoreValue::Cp(-200))),
            ..answer(vec![line(&["7g7f"], ScoreValue::Cp(0))])
        };
        let found = report(None, &["9g9f"], &[Some(alone), None]);
        let judged = played(&found, 0);
        assert_eq!(
            (judged.source, judged.rank, judged.mark),
            (Some(ValueSource::Searchmoves), None, Some(Mark::Inaccuracy))
        );
        // Without it the next position counts, once it is searched.
        let first = answer(vec![line(&["7g7f"], ScoreValue::Cp(0))]);
        let next = answer(vec![line(&["3c3d"], ScoreValue::Cp(600))]);
        let found = report(None, &["9g9f"], &[Some(first.clone()), Some(next)]);
        let judged = played(&found, 0);
        assert_eq!((judged.source, judged.value.unwrap().cp_mover), (Some(ValueSource::Next), Some(-600)));
        assert_eq!((judged.mark, found.summary[0].black.game.blunders), (Some(Mark::Blunder), 1));
        let found = report(None, &["9g9f"], &[Some(first), None]);
        assert_eq!((played(&found, 0).loss, found.summary[0].black.game.judged), (None, 0));
    }

    #[test]
    fn the_first_position_has_the_name_of_its_handicap() {
        let without_bishop = "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let handicap = |sfen| report(sfen, &[], &[]).game.handicap.map(|name| (name.japanese, name.english));
        assert_eq!(handicap(Some(without_bishop)), Some(("角落ち", "Bishop handicap")));
        assert_eq!(handicap(None), Some(("平手", "Even game")));
        assert_eq!(handicap(Some("4k4/9/9/9/9/9/9/9/4K4 b - 1")), None);
    }

    #[test]
    fn openings_are_those_of_the_even_game() {
        let opening = |sfen, moves| report(sfen, moves, &[]).game.openings.first().map(|found| (found.side, found.ply));
        let first = kiki_record::handicaps().next().unwrap();
        assert_eq!(opening(None, &["7g7f", "3c3d", "2h7h"]), Some((Some(Color::Black), 3)));
        let without_lance = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(opening(Some(first), &["7g7f", "3c3d", "2h7h"]), Some((Some(Color::Black), 3)));
        assert_eq!(opening(Some(without_lance), &["3c3d", "7g7f", "8b3b"]), None);
    }

    #[test]
    fn a_mate_on_the_board_needs_no_search() {
        let mating = answer(vec![line(&["5c5b+"], ScoreValue::Cp(900))]);
        let report = report(Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), &["G*5b"], &[Some(mating)]);
        let judged = played(&report, 0);
        assert_eq!((judged.source, judged.value.unwrap().mate), (Some(ValueSource::Checkmate), Some(1)));
        assert_eq!((judged.loss, judged.unjudged), (Some(0.0), Some(Unjudged::Decided)));
        assert!(report.complete && report.positions[1].legal_moves == 0);
    }

    #[test]
    fn a_king_that_cannot_move_has_lost_without_a_check_too() {
        let other = answer(vec![line(&["5i5h"], ScoreValue::Cp(0))]);
        let report = report(Some("8k/9/9/7N1/9/9/9/9/4K4 b G 1"), &["G*3b"], &[Some(other)]);
        assert_eq!((report.positions[1].in_check, report.positions[1].legal_moves), (false, 0));
        let judged = played(&report, 0);
        assert_eq!((judged.source, judged.value.unwrap().mate), (Some(ValueSource::Checkmate), Some(1)));
    }

    #[test]
    fn the_best_move_is_the_one_that_the_engine_would_play() {
        let lines = vec![line(&["7g7f"], ScoreValue::Cp(10))];
        for (best, best_moves) in [("7g7f", 1), ("2g2f", 0)] {
            let answers = [Some(PositionAnswer { best: best.to_owned(), ..answer(lines.clone()) })];
            assert_eq!(report(None, &["7g7f"], &answers).summary[0].black.game.best_moves, best_moves, "{best}");
        }
        let alone = Some(line(&["2g2f"], ScoreValue::Cp(0)));
        let without_line = PositionAnswer { best: "2g2f".to_owned(), played: alone, ..answer(lines) };
        assert_eq!(report(None, &["2g2f"], &[Some(without_line)]).summary[0].black.game.best_moves, 1);
    }

    #[test]
    fn accuracy_counts_the_moves_of_each_side() {
        let answers = [
            Some(answer(vec![line(&["7g7f"], ScoreValue::Cp(0))])),
            Some(answer(vec![line(&["8c8d"], ScoreValue::Cp(0)), line(&["3c3d"], ScoreValue::Cp(-600))])),
            Some(answer(vec![line(&["2g2f"], ScoreValue::Cp(600))])),
        ];
        let report = report(None, &["7g7f", "3c3d"], &answers);
        let [black, white] = [&report.summary[0].black.game, &report.summary[0].white.game];
        assert_eq!((black.judged, black.best_moves, black.accuracy), (1, 1, Some(100.0)));
        assert_eq!((white.judged, white.best_moves, white.blunders), (1, 0, 1));
        assert!(white.accuracy.unwrap() < 35.0 && report.complete);
    }
}
