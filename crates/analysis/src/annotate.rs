//! A game record with an engine's answers: values, expected moves, marks, candidates as variations.

use anyhow::Result;
use kiki_board::Position;
use kiki_judgement::{Candidate, Found, Judgement, annotate};
use kiki_record::Game;

use crate::game::AnalyzedGame;
use crate::report::{GameReport, SearchReport};

/// Adds the first engine's answers to the record. Its values replace recorded ones; all else stays.
pub fn annotated(game: &AnalyzedGame, report: &GameReport) -> Result<Game> {
    let mut record = game.recorded()?;
    let (first, moves) = game.line()?;
    let mut position = first.clone();
    let mut all = Vec::with_capacity(report.positions.len());
    for (ply, place) in report.positions.iter().enumerate() {
        let search = place.searches.first().and_then(Option::as_ref);
        all.push(search.map(|search| found(search, &position)));
        moves.get(ply).map(|&mv| position.make(mv));
    }
    annotate(&first, &mut record.moves, &mut record.variations, &all);
    Ok(record)
}

fn found(search: &SearchReport, position: &Position) -> Found {
    let candidates = search.lines.iter().map(|line| Candidate {
        moves: position.legal_line(&line.pv),
        value: line.value.value,
        depth: line.depth,
        nodes: line.nodes,
    });
    let played = search.played.as_ref();
    let judgement =
        played.and_then(|judged| Some(Judgement { loss: judged.loss?, mark: judged.mark, unjudged: judged.unjudged }));
    Found {
        best: position.parse_move(&search.best).ok(),
        lines: candidates.collect(),
        played: played.and_then(|judged| Some(judged.value?.value)),
        judgement,
    }
}
