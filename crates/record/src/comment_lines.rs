//! Comments under a move in KIF, KI2 and JKF: what its player told about it, and the comment itself.
//!
//! ShogiHome's words `*評価値=35` (a score from Black's view in centipawns, ±100000 for a mate) and `*読み筋=△３四歩▲２六歩` (the principal
//! variation) are those that programs with graphs know; the rest follows in the words of USI, `*info depth 12 nodes 1000`.

use kiki_board::{Position, opponent};

use crate::game::{Game, PlayedMove, Variation};
use crate::japanese::{JapaneseLine, Notation, resolve, skip_blanks};
use crate::notes::{from_blacks_view, info, read_info, seen_by};
use crate::text::{add_line, lines_of};

const SCORE: &str = "*評価値=";
const VARIATION: &str = "*読み筋=";
const INFO: &str = "*info ";
/// The result in Kiki's own words.
pub(crate) const RESULT: &str = "*result ";

/// The lines of a move, which led to the position `after`.
pub(crate) fn of_move(played: &PlayedMove, after: &Position) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(score) = played.score {
        lines.push(format!("{SCORE}{}", from_blacks_view(score, opponent(after.side_to_move()))));
    }
    // Copying a position with its history takes longer than everything else here.
    if !played.pv.is_empty() {
        let mut line = JapaneseLine::new(after);
        let pv: String = played.pv.iter().map_while(|&mv| line.play(mv)).collect();
        lines.extend((!pv.is_empty()).then(|| format!("{VARIATION}{pv}")));
    }
    lines.extend(info(played, false).map(|info| format!("*{info}")));
    lines.extend(of_text(&played.comment));
    lines
}

/// The lines of a comment. One that looks like a note gets a blank in front, which readers drop: it is none then.
pub(crate) fn of_text(comment: &str) -> impl Iterator<Item = String> {
    lines_of(comment).into_iter().map(|line| if looks_like_note(&line) { format!(" {line}") } else { line })
}

fn looks_like_note(line: &str) -> bool {
    [SCORE, VARIATION, INFO, RESULT].iter().any(|start| line.starts_with(start))
}

/// Reads a line of the comment under a move, which led to the position `after`.
pub(crate) fn read(line: &str, played: &mut PlayedMove, after: &Position) {
    if !read_note(line, played, after) {
        add(&mut played.comment, line);
    }
}

/// Adds a line without the blanks around it to a comment. A blank one at its beginning is left out, at its end by [`end_all`].
pub(crate) fn add(comment: &mut String, line: &str) {
    add_line(comment, line.trim());
}

/// Takes the blank lines at their ends from all comments of a game.
pub(crate) fn end_all(game: &mut Game) {
    end(&mut game.comment);
    end_in(&mut game.moves, &mut game.variations);
}

fn end_in(moves: &mut [PlayedMove], variations: &mut [Variation]) {
    moves.iter_mut().for_each(|played| end(&mut played.comment));
    variations.iter_mut().for_each(|variation| end_in(&mut variation.moves, &mut variation.variations));
}

fn end(comment: &mut String) {
    comment.truncate(comment.trim_end().len());
}

/// Reads what the player told; returns whether it is that.
fn read_note(line: &str, played: &mut PlayedMove, after: &Position) -> bool {
    if let Some(value) = line.strip_prefix(SCORE).and_then(|value| value.trim().parse().ok()) {
        played.score = Some(seen_by(value, opponent(after.side_to_move())));
        return true;
    }
    if let Some(text) = line.strip_prefix(VARIATION) {
        let pv = read_variation(text, after);
        played.pv = pv.unwrap_or_default();
        return !played.pv.is_empty();
    }
    if let Some(info) = line.strip_prefix(INFO) {
        return read_info(info, played);
    }
    false
}

/// The moves of a variation; `None` unless the whole text is legal moves.
fn read_variation(text: &str, after: &Position) -> Option<Vec<kiki_board::Move>> {
    let mut position = after.clone();
    let mut moves = Vec::new();
    let mut rest = skip_blanks(text);
    while !rest.is_empty() {
        let (notation, after_move) = Notation::read(rest)?;
        let mv = resolve(&notation, rest, &position).ok()?;
        position.make(mv);
        moves.push(mv);
        rest = skip_blanks(after_move);
    }
    Some(moves)
}
