//! A report made of a game and the answers about it.

use kiki_board::{Color, Move, Position};

use super::{
    EngineFacts, EngineSummary, FORMAT, GameFacts, GameReport, JudgedReport, LineReport, PlayedReport, PositionReport,
    SearchReport, VERSION, ValueReport, ValueSource, notation,
};
use crate::answer::{Answer, Line};
use crate::game::{AnalyzedGame, GameError};
use crate::judgement::{Judgement, SideSummary, Thresholds, judge};
use crate::search::AnalysisEngine;
use crate::value::Value;

/// What is the same for all games of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct ReportSettings<'a> {
    /// The program that writes, with its version.
    pub program: &'a str,
    /// How many lines each engine was asked for.
    pub lines: usize,
    /// Scale and thresholds.
    pub thresholds: &'a Thresholds,
    /// The engines.
    pub engines: &'a [AnalysisEngine],
}

/// What the judgement of a move needs beside its search.
struct Surroundings<'a> {
    position: &'a Position,
    legal_moves: usize,
    played: Option<Move>,
    /// The same engine's answer about the next position.
    next: Option<&'a Answer>,
    thresholds: &'a Thresholds,
}

/// The report of a game. `answer` gives what an engine (its place) said about the position after so many moves.
///
/// # Errors
/// A game that breaks the rules.
pub fn build<'a>(
    game: &AnalyzedGame,
    settings: &ReportSettings<'_>,
    answer: impl Fn(usize, usize) -> Option<&'a Answer>,
) -> Result<GameReport, GameError> {
    let (first, moves) = game.line()?;
    let moves_japanese = notation::japanese(&first, &moves);
    let moves_western = kiki_record::western_moves(&first, &moves);
    let mut position = first;
    let mut positions = Vec::with_capacity(moves.len() + 1);
    for ply in 0..=moves.len() {
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
            turn: if position.side_to_move() == Color::Black { "black" } else { "white" },
            in_check: position.in_check(),
            legal_moves,
            played: played.map(|mv| PlayedReport {
                mv: mv.to_string(),
                japanese: moves_japanese[ply].clone(),
                western: moves_western[ply].clone(),
                milliseconds: game.times.get(ply).copied().flatten(),
            }),
            searches,
        });
        played.map(|mv| position.make(mv));
    }
    let is_searched = |report: &PositionReport| report.legal_moves == 0 || report.searches.iter().all(Option::is_some);
    Ok(GameReport {
        format: FORMAT,
        version: VERSION,
        program: settings.program.to_owned(),
        complete: positions.iter().all(is_searched),
        game: GameFacts {
            name: game.name.clone(),
            black: game.black.clone(),
            white: game.white.clone(),
            event: game.event.clone(),
            start_time: game.start_time.clone(),
            outcome: game.outcome,
            reason: game.reason.map(kiki_record::EndReason::json_name),
            remark: game.remark.clone(),
            start: positions[0].sfen.clone(),
            moves: game.moves.clone(),
            moves_japanese,
            moves_western,
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
        limit: spec.time_control,
        limit_text: spec.time_control.to_string(),
        options: spec.options.clone(),
    }
}

fn summaries(settings: &ReportSettings<'_>, positions: &[PositionReport]) -> Vec<EngineSummary> {
    let of_engine = |(place, engine): (usize, &AnalysisEngine)| {
        let searches = || positions.iter().filter_map(move |report| Some((report, report.searches[place].as_ref()?)));
        let side = |turn: &str| {
            let judged = searches().filter(|(report, _)| report.turn == turn).filter_map(|(report, search)| {
                let JudgedReport { loss, mark, unjudged, .. } = *search.played.as_ref()?;
                let is_best = report.played.as_ref().is_some_and(|played| played.mv == search.best);
                Some((Judgement { loss: loss?, mark, unjudged }, is_best))
            });
            SideSummary::new(judged, settings.thresholds)
        };
        EngineSummary {
            engine: engine.spec.name.clone(),
            without_value: searches().filter(|(_, search)| search.value.is_none()).count(),
            black: side("black"),
            white: side("white"),
        }
    };
    settings.engines.iter().enumerate().map(of_engine).collect()
}

impl Surroundings<'_> {
    fn search(&self, answer: &Answer) -> SearchReport {
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

    fn value(&self, value: Value) -> ValueReport {
        let is_black = self.position.side_to_move() == Color::Black;
        let for_black = if is_black { value } else { value.of_other_side() };
        let centipawns = |value| if let Value::Cp(centipawns) = value { Some(centipawns) } else { None };
        ValueReport {
            cp_black: centipawns(for_black),
            cp_mover: centipawns(value),
            mate: if let Value::Mate(plies) = value { Some(plies) } else { None },
            win_black: for_black.winning_probability(self.thresholds.scale),
        }
    }

    fn line(&self, rank: usize, line: &Line) -> LineReport {
        let mut after = self.position.clone();
        let play = |text: &String| {
            let mv = after.parse_move(text).ok()?;
            after.make(mv);
            Some(mv)
        };
        let moves: Vec<Move> = line.moves.iter().map_while(play).collect();
        let is_black = self.position.side_to_move() == Color::Black;
        LineReport {
            rank,
            mv: line.moves.first().cloned().unwrap_or_default(),
            value: self.value(line.value),
            bound_black: line.bound.map(|bound| if is_black { bound } else { bound.of_other_side() }),
            depth: line.depth,
            seldepth: line.seldepth,
            nodes: line.nodes,
            pv_japanese: notation::japanese(self.position, &moves),
            pv_western: kiki_record::western_moves(self.position, &moves),
            pv: line.moves.clone(),
        }
    }

    /// The value of the played move, where it comes from, and the rank of its line.
    fn played_value(&self, answer: &Answer, mv: Move) -> Option<(Value, ValueSource, Option<usize>)> {
        let text = mv.to_string();
        let mut after = self.position.clone();
        after.make(mv);
        let rank = answer.lines.iter().position(|line| line.moves.first() == Some(&text));
        // Who cannot move has lost, in check or not.
        if after.legal_moves().is_empty() {
            return Some((Value::Mate(1), ValueSource::Checkmate, rank.map(|rank| rank + 1)));
        }
        if let Some(rank) = rank {
            return Some((answer.lines[rank].value, ValueSource::Line, Some(rank + 1)));
        }
        if let Some(line) = &answer.played {
            return Some((line.value, ValueSource::Searchmoves, None));
        }
        self.next.and_then(Answer::value).map(|value| (value.of_move_before(), ValueSource::Next, None))
    }

    fn judged(&self, answer: &Answer, mv: Move) -> JudgedReport {
        let found = self.played_value(answer, mv);
        let judgement = answer
            .value()
            .zip(found)
            .map(|(best, (played, ..))| judge(best, played, self.legal_moves, self.thresholds));
        JudgedReport {
            value: found.map(|(value, ..)| self.value(value)),
            source: found.map(|(_, source, _)| source),
            rank: found.and_then(|(.., rank)| rank),
            loss: judgement.map(|judgement| judgement.loss),
            mark: judgement.and_then(|judgement| judgement.mark),
            unjudged: judgement.and_then(|judgement| judgement.unjudged),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
