//! The engine's score and principal variation, as a comment for the server and for the record.

use kiki_board::{Move, Position};
use kiki_record::{MoveScore, PlayedMove, csa_comment};
use kiki_usi::{Info, ScoreValue};

/// Longest principal variation sent, in moves.
const LONGEST_PV: usize = 40;

/// A move, made in the position `before`, with the engine's comment on it. A principal variation that begins with another move is left
/// out together with its score.
pub(crate) fn annotated(mv: Move, info: &Info, before: &Position) -> PlayedMove {
    let mut played = PlayedMove::from(mv);
    let first = info.pv.first().and_then(|token| before.parse_move(token).ok());
    if first.is_some_and(|first| first != mv) {
        return played;
    }
    played.score = info.score.map(|score| match score.value {
        ScoreValue::Cp(centipawns) => MoveScore::Cp(centipawns),
        ScoreValue::Mate(plies) => MoveScore::Mate(plies),
    });
    (played.depth, played.nodes) = (info.depth, info.nodes);
    let mut position = before.clone();
    for token in info.pv.iter().take(LONGEST_PV + 1) {
        let Ok(mv) = position.parse_move(token) else { break };
        position.make(mv);
        played.pv.push(mv);
    }
    if !played.pv.is_empty() {
        played.pv.remove(0);
    }
    played
}

/// The comment of a move made in the position `before`, as [`csa_comment`] writes it; empty without a score.
pub(crate) fn comment(played: &PlayedMove, before: &Position) -> String {
    let mut after = before.clone();
    after.make(played.mv);
    csa_comment(played, &after).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_usi::UsiScore;

    fn info(score: UsiScore, pv: &str) -> Info {
        Info { score: Some(score), pv: pv.split_whitespace().map(str::to_owned).collect(), ..Info::default() }
    }

    fn comment_of(position: &Position, mv: &str, info: &Info) -> String {
        comment(&annotated(position.parse_move(mv).unwrap(), info, position), position)
    }

    #[test]
    fn scores_are_from_blacks_view_and_lines_begin_after_the_move() {
        let mut position = Position::startpos();
        let score = UsiScore::cp(35);
        assert_eq!(comment_of(&position, "7g7f", &info(score, "7g7f 3c3d 8h2b+")), "* 35 -3334FU +8822UM");
        position.make(position.parse_move("7g7f").unwrap());
        assert_eq!(comment_of(&position, "3c3d", &info(score, "3c3d")), "* -35");
        assert_eq!(comment_of(&position, "3c3d", &info(UsiScore::mate(5), "")), "* -100000");
        assert_eq!(comment_of(&position, "3c3d", &info(UsiScore::mate(-2), "")), "* 100000");
    }

    #[test]
    fn a_line_ends_where_it_becomes_illegal_and_another_moves_line_does_not_count() {
        let position = Position::startpos();
        let score = UsiScore::cp(5);
        assert_eq!(comment_of(&position, "7g7f", &info(score, "7g7f 3c3d 3c3d 2g2f")), "* 5 -3334FU");
        assert_eq!(comment_of(&position, "7g7f", &info(score, "7g7f ,T9")), "* 5");
        assert_eq!(comment_of(&position, "7g7f", &info(score, "2g2f 3c3d")), "");
        assert_eq!(comment_of(&position, "7g7f", &Info::default()), "");
    }
}
