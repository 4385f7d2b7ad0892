//! The engine's score and principal variation, as a comment for the server and for the record.

use kiki_board::{Move, Position};
use kiki_record::{PlayedMove, csa_comment};
use kiki_usi::Info;

const LONGEST_PV: usize = 40;

/// A move, made in the position `before`, with the engine's comment on it. A principal variation
/// that begins with another move is left out together with its score.
pub(crate) fn annotated(mv: Move, info: &Info, before: &Position) -> PlayedMove {
    let mut played = PlayedMove::from(mv);
    let first = info.pv.first().and_then(|token| before.parse_move(token).ok());
    if first.is_some_and(|first| first != mv) {
        return played;
    }
    played.score = info.score.map(|score| score.value);
    (played.depth, played.nodes) = (info.depth, info.nodes);
    played.pv = before.legal_line(info.pv.iter().take(LONGEST_PV + 1)).into_iter().skip(1).collect();
    played
}

/// The comment of a move made in the position `before`, as [`csa_comment`] writes it; empty without
/// a score.
pub(crate) fn comment(played: &PlayedMove, before: &Position) -> String {
    let mut after = before.clone();
    after.make(played.mv);
    csa_comment(played, &after).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_usi::UsiScore;

    #[test]
    fn a_comment_has_the_score_from_blacks_view_and_the_moves_after_the_own_one() {
        for (black, mv, score, pv, expected) in [
            (true, "7g7f", UsiScore::cp(35), "7g7f 3c3d 8h2b+", "* 35 -3334FU +8822UM"),
            (false, "3c3d", UsiScore::cp(35), "3c3d", "* -35"),
            (false, "3c3d", UsiScore::mate(5), "", "* -100000"),
            (false, "3c3d", UsiScore::mate(-2), "", "* 100000"),
            // It ends where it becomes illegal, and that of another move does not count.
            (true, "7g7f", UsiScore::cp(5), "7g7f 3c3d 3c3d 2g2f", "* 5 -3334FU"),
            (true, "7g7f", UsiScore::cp(5), "7g7f ,T9", "* 5"),
            (true, "7g7f", UsiScore::cp(5), "2g2f 3c3d", ""),
        ] {
            let mut position = Position::startpos();
            if !black {
                position.make(position.parse_move("7g7f").unwrap());
            }
            let pv = pv.split_whitespace().map(str::to_owned).collect();
            let info = Info { score: Some(score), pv, ..Info::default() };
            let played = annotated(position.parse_move(mv).unwrap(), &info, &position);
            assert_eq!(comment(&played, &position), expected, "{mv} {score:?}");
        }
    }
}
