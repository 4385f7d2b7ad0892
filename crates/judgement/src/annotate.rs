//! A line of a record with an engine's answers: values, expected moves, marks, candidates as
//! variations.

use kiki_board::{Move, Position};
use kiki_record::{Ending, PlayedMove, Variation, kanji_moves};
use kiki_usi::ScoreValue;

use crate::judgement::{Judgement, Mark};

/// A line of an engine, with its value for the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The moves, all legal.
    pub moves: Vec<Move>,
    pub value: ScoreValue,
    /// Plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
}

/// What an engine found in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Its move; `None` if it resigned or declared a win.
    pub best: Option<Move>,
    /// Its lines, the best first.
    pub lines: Vec<Candidate>,
    /// The value of the played move for its side; `None` if unknown.
    pub played: Option<ScoreValue>,
    /// The judgement of the played move; `None` if unknown.
    pub judgement: Option<Judgement>,
}

/// Adds an engine's answers to a line of a record. `found` is what it found before each move and
/// after the last. Its values replace recorded ones, and verdicts those of an earlier search; all
/// else stays. A candidate that is a variation already is left out.
pub fn annotate(first: &Position, moves: &mut [PlayedMove], variations: &mut Vec<Variation>, found: &[Option<Found>]) {
    let found = |ply: usize| found.get(ply).and_then(Option::as_ref);
    let mut position = first.clone();
    let mut candidates = Vec::new();
    for (ply, played) in moves.iter_mut().enumerate() {
        let Some(here) = found(ply) else {
            position.make(played.mv);
            continue;
        };
        let others = here.lines.iter().filter(|line| line.moves.first().is_some_and(|&mv| mv != played.mv));
        candidates.extend(others.map(|line| variation(ply, line)));
        let verdict = verdict(here, &position);
        position.make(played.mv);
        if let Some(value) = here.played {
            let pv = found(ply + 1).and_then(|next| next.lines.first()).map(|line| line.moves.clone());
            let pv = pv.unwrap_or_default();
            *played = PlayedMove { score: Some(value), depth: None, nodes: None, pv, ..played.clone() };
        }
        if here.judgement.is_some() {
            let others = played.comment.lines().filter(|line| !is_verdict(line)).map(str::to_owned);
            played.comment = others.chain(verdict).collect::<Vec<_>>().join("\n");
        }
    }
    let is_known = |candidate: &Variation| {
        let begins = |known: &Variation| {
            let both = known.moves.iter().zip(&candidate.moves).filter(|(one, other)| one.mv == other.mv);
            both.count() == candidate.moves.len()
        };
        variations.iter().any(|known| known.after == candidate.after && begins(known))
    };
    candidates.retain(|candidate| !is_known(candidate));
    variations.extend(candidates);
    variations.sort_by_key(|variation| variation.after);
}

/// A candidate as a variation after `ply` moves.
fn variation(ply: usize, line: &Candidate) -> Variation {
    let mut moves: Vec<PlayedMove> = line.moves.iter().copied().map(PlayedMove::from).collect();
    if let Some(first) = moves.first_mut() {
        (first.score, first.depth, first.nodes) = (Some(line.value), line.depth, line.nodes);
    }
    Variation { after: ply, moves, variations: Vec::new(), ending: Ending::default() }
}

fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Inaccuracy => "?! 緩手",
        Mark::Mistake => "? 疑問手",
        Mark::Blunder => "?? 悪手",
    }
}

/// Whether a line of a comment is a verdict. Its minus sign may have come through Shift_JIS.
fn is_verdict(line: &str) -> bool {
    [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder]
        .iter()
        .any(|&mark| line.strip_prefix(word(mark)).is_some_and(|rest| rest.starts_with(" 勝率")))
}

/// Mark, loss and best move as text, if the played move was bad: `?? 悪手 勝率−25% 最善は△４二玉`.
fn verdict(found: &Found, position: &Position) -> Option<String> {
    let judgement = found.judgement?;
    let word = word(judgement.mark?);
    let best = found.best.map(|best| kanji_moves(position, &[best]).concat()).filter(|best| !best.is_empty());
    let best = best.map(|best| format!(" 最善は{best}")).unwrap_or_default();
    Some(format!("{word} 勝率−{:.0}%{best}", 100.0 * judgement.loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_moves_are_told_with_what_was_better_and_others_are_not() {
        let mut position = Position::startpos();
        position.make(position.parse_move("7g7f").unwrap());
        let best = position.parse_move("3c3d").ok();
        let told = |mark, best| {
            let judgement = Some(Judgement { loss: 0.253, mark, unjudged: None });
            verdict(&Found { best, lines: Vec::new(), played: None, judgement }, &position)
        };
        assert_eq!(told(Some(Mark::Blunder), best).unwrap(), "?? 悪手 勝率−25% 最善は△３四歩");
        assert_eq!(told(Some(Mark::Inaccuracy), None).unwrap(), "?! 緩手 勝率−25%");
        assert_eq!(told(None, best), None);
    }
}
