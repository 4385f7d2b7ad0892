//! A game record with an engine's answers: values, expected moves, marks, candidates as variations.

use anyhow::Result;
use kiki_board::Position;
use kiki_record::{Ending, Game, PlayedMove, Variation};

use crate::game::AnalyzedGame;
use crate::judgement::Mark;
use crate::lines::legal;
use crate::report::{GameReport, LineReport, SearchReport};

/// Adds the first engine's answers to the record. Its values replace recorded ones; all else stays.
pub fn annotated(game: &AnalyzedGame, report: &GameReport) -> Result<Game> {
    let mut record = game.recorded()?;
    let (mut position, moves) = game.line()?;
    let mut candidates = Vec::new();
    let searches = report.positions.iter().map(|position| position.searches.first().and_then(Option::as_ref));
    let searches: Vec<Option<&SearchReport>> = searches.collect();
    for (ply, &mv) in moves.iter().enumerate() {
        if let Some(search) = searches[ply] {
            let text = mv.to_string();
            let others = search.lines.iter().filter(|line| line.mv != text);
            candidates.extend(others.filter_map(|line| variation(ply, &position, line)));
        }
        position.make(mv);
        let Some(search) = searches[ply] else { continue };
        let played = &mut record.moves[ply];
        if let Some(found) = search.played.as_ref().and_then(|judged| Some(judged.value?.value)) {
            let next = searches[ply + 1].and_then(|next| next.lines.first());
            let pv = next.map(|line| legal(&position, &line.pv)).unwrap_or_default();
            *played = PlayedMove { score: Some(found), depth: None, nodes: None, pv, ..played.clone() };
        }
        if let Some(text) = verdict(search) {
            let comment = &mut played.comment;
            comment.extend((!comment.is_empty()).then_some('\n'));
            comment.push_str(&text);
        }
    }
    record.variations.extend(candidates);
    record.variations.sort_by_key(|variation| variation.after);
    Ok(record)
}

/// A candidate as a variation after `ply` moves.
fn variation(ply: usize, position: &Position, line: &LineReport) -> Option<Variation> {
    let mut moves: Vec<PlayedMove> = legal(position, &line.pv).into_iter().map(PlayedMove::from).collect();
    let first = moves.first_mut()?;
    (first.score, first.depth, first.nodes) = (Some(line.value.value), line.depth, line.nodes);
    Some(Variation { after: ply, moves, variations: Vec::new(), ending: Ending::default() })
}

/// Mark, loss and best move as text, if the played move was bad: `?? 悪手 勝率−25% 最善は△４二玉`.
fn verdict(search: &SearchReport) -> Option<String> {
    let judged = search.played.as_ref()?;
    let word = match judged.mark? {
        Mark::Inaccuracy => "?! 緩手",
        Mark::Mistake => "? 疑問手",
        Mark::Blunder => "?? 悪手",
    };
    let best = search.lines.first().filter(|line| line.mv == search.best).and_then(|line| line.pv_japanese.first());
    let best = best.map(|best| format!(" 最善は{best}")).unwrap_or_default();
    Some(format!("{word} 勝率−{:.0}%{best}", 100.0 * judged.loss?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_usi::ScoreValue;

    use crate::report::{JudgedReport, ValueReport};

    #[test]
    fn bad_moves_are_told_with_what_was_better_and_others_are_not() {
        let line = LineReport {
            rank: 1,
            mv: "3c3d".to_owned(),
            value: ValueReport {
                value: ScoreValue::Cp(40),
                cp_black: Some(-40),
                cp_mover: Some(40),
                mate: None,
                win_black: 0.5,
            },
            bound_black: None,
            depth: None,
            seldepth: None,
            nodes: None,
            pv: vec!["3c3d".to_owned()],
            pv_japanese: vec!["△３四歩".to_owned()],
            pv_western: vec!["P-3d".to_owned()],
        };
        let told = |mark, best: &str| {
            let played = JudgedReport {
                value: None,
                source: None,
                rank: None,
                loss: Some(0.253),
                mark,
                unjudged: None,
                pv: vec![],
                pv_japanese: vec![],
                pv_western: vec![],
            };
            verdict(&SearchReport {
                best: best.to_owned(),
                value: None,
                sigma: None,
                nodes: None,
                milliseconds: 1,
                lines: vec![line.clone()],
                played: Some(played),
            })
        };
        assert_eq!(told(Some(Mark::Blunder), "3c3d").unwrap(), "?? 悪手 勝率−25% 最善は△３四歩");
        assert_eq!(told(Some(Mark::Inaccuracy), "win").unwrap(), "?! 緩手 勝率−25%");
        assert_eq!(told(None, "3c3d"), None);
    }
}
