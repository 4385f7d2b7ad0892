//! From Japanese notation to a move. A text that fits several moves is an error that names them all: nothing is guessed.

use kiki_board::{Color, Move, PieceKind, Position, excerpt};

use super::notation::{Motion, Notation, Side};
use super::write::japanese_move;
use crate::error::ReadProblem;

/// Reads a move such as `▲７六歩`, `△同　銀右上成`, `5五角打` or `７六歩(77)` in a position.
///
/// Digits may be half-width, full-width or kanji; the mark of the side may be missing; 龍 and 竜, 成銀 and 全 (and so on) are the same. 打
/// may be missing where no piece on the board can make the move. The text may say more than it has to.
///
/// # Errors
/// The text is no move; the side is not to move; no legal move fits; or several fit, which are all named: 金 where two golds can move
/// there and nothing says which, or a move into the camp without 成 and 不成.
///
/// ```
/// use kiki_board::Position;
/// use kiki_record::read_japanese_move;
///
/// let mut position = Position::startpos();
/// assert_eq!(read_japanese_move("▲７六歩", &position)?.to_string(), "7g7f");
/// let error = read_japanese_move("５八金", &position).unwrap_err();
/// assert_eq!(error.to_string(), "`５八金` may be 4i5h (▲５８金右) or 6i5h (▲５８金左)");
/// # Ok::<(), kiki_record::ReadProblem>(())
/// ```
pub fn read_japanese_move(text: &str, position: &Position) -> Result<Move, ReadProblem> {
    match Notation::read(text) {
        Some((notation, rest)) if rest.trim().is_empty() => {
            let moves = candidates(&notation, text, position)?;
            one_of(&moves, &notation, text, position)
        }
        _ => Err(ReadProblem::malformed(text.trim(), "a move like ７六歩, 同銀右上成 or 5五角打")),
    }
}

/// The one legal move that fits in a record; `text` is quoted in errors. Without a word for it nothing promotes that need not.
pub(crate) fn resolve(notation: &Notation, text: &str, position: &Position) -> Result<Move, ReadProblem> {
    let mut moves = candidates(notation, text, position)?;
    if notation.promotes.is_none() && moves.iter().any(|mv| !mv.is_promotion()) {
        // Of two pieces one may have to promote: the text does not tell which of them moves.
        let stays = |mv: &Move| moves.iter().any(|other| other.from() == mv.from() && !other.is_promotion());
        moves = moves.iter().copied().filter(|mv| !(mv.is_promotion() && stays(mv))).collect();
    }
    one_of(&moves, notation, text, position)
}

/// The legal moves of the side to move that fit.
fn candidates(notation: &Notation, text: &str, position: &Position) -> Result<Vec<Move>, ReadProblem> {
    if notation.mover.is_some_and(|mover| mover != position.side_to_move()) {
        return Err(ReadProblem::WrongSide { token: excerpt(text.trim()) });
    }
    fitting(notation, text.trim(), position)
}

/// The one move, if the words tell it.
fn one_of(moves: &[Move], notation: &Notation, text: &str, position: &Position) -> Result<Move, ReadProblem> {
    let text = text.trim();
    match moves {
        [] => Err(ReadProblem::IllegalMove { token: excerpt(text), sfen: position.to_sfen() }),
        &[mv] if notation.side.is_none() => Ok(mv),
        &[mv] => match opposite(notation.side, words(position, mv).and_then(|exact| exact.side)) {
            true => Err(ReadProblem::IllegalMove { token: excerpt(text), sfen: position.to_sfen() }),
            false => Ok(mv),
        },
        _ => {
            let mut exact = moves.iter().filter(|&&mv| is_exact(notation, words(position, mv).as_ref()));
            match (exact.next(), exact.next()) {
                (Some(&mv), None) => Ok(mv),
                _ => Err(ambiguous(text, position, moves)),
            }
        }
    }
}

/// The legal moves that nothing in the text speaks against.
fn fitting(notation: &Notation, text: &str, position: &Position) -> Result<Vec<Move>, ReadProblem> {
    let last = position.last_move().filter(|last| !last.is_none());
    let to = notation.to.or_else(|| last.map(Move::to));
    let to = to.ok_or_else(|| ReadProblem::malformed(text, "a move with its square: none was played before it"))?;
    // In KIF, which writes where the piece comes from, silence means that it does not promote.
    let promotes = notation.promotes.or_else(|| notation.from.map(|_| false));
    let legal = position.legal_moves();
    let (drops, moves): (Vec<Move>, Vec<Move>) =
        legal.iter().copied().filter(|mv| mv.to() == to).partition(|mv| mv.is_drop());
    let drops = drops.into_iter().filter(|mv| mv.dropped_kind() == Some(notation.kind)).collect();
    if notation.is_drop {
        return Ok(drops);
    }
    let fits = |mv: &Move| {
        position.cell(mv.from()).kind() == Some(notation.kind)
            && notation.from.is_none_or(|from| from == mv.from())
            && promotes.is_none_or(|promotes| promotes == mv.is_promotion())
            && comes_from(notation, *mv, position.side_to_move())
    };
    let moves: Vec<Move> = moves.into_iter().filter(fits).collect();
    let says_board = notation.from.is_some() || notation.side.is_some() || notation.motion.is_some();
    Ok(if moves.is_empty() && !says_board && notation.promotes.is_none() { drops } else { moves })
}

/// Whether a move on the board goes the way the words say. Of two dragons or horses the one on the file of the target square may be
/// either 左 or 右.
fn comes_from(notation: &Notation, mv: Move, mover: Color) -> bool {
    let seen = |sq: kiki_board::Sq| if mover == Color::Black { sq } else { sq.rotated() };
    let (from, to) = (seen(mv.from()), seen(mv.to()));
    let is_range = matches!(notation.kind, PieceKind::ProRook | PieceKind::ProBishop);
    let side = match notation.side {
        None => true,
        Some(Side::Left) => from.file() > to.file() || is_range && from.file() == to.file(),
        Some(Side::Right) => from.file() < to.file() || is_range && from.file() == to.file(),
        Some(Side::Straight) => from.file() == to.file() && from.rank() == to.rank() + 1,
    };
    let motion = match notation.motion {
        None => true,
        Some(Motion::Forward) => from.rank() > to.rank(),
        Some(Motion::Sideways) => from.rank() == to.rank(),
        Some(Motion::Back) => from.rank() < to.rank(),
    };
    side && motion
}

/// How the rules of notation write a move.
fn words(position: &Position, mv: Move) -> Option<Notation> {
    Notation::read(&japanese_move(position, mv)).map(|(notation, _)| notation)
}

fn opposite(said: Option<Side>, exact: Option<Side>) -> bool {
    matches!((said, exact), (Some(Side::Left), Some(Side::Right)) | (Some(Side::Right), Some(Side::Left)))
}

fn is_exact(said: &Notation, exact: Option<&Notation>) -> bool {
    exact.is_some_and(|exact| {
        let tells_promotion = said.promotes.is_none() || said.promotes == exact.promotes;
        tells_promotion && (said.side, said.motion, said.is_drop) == (exact.side, exact.motion, exact.is_drop)
    })
}

fn ambiguous(text: &str, position: &Position, moves: &[Move]) -> ReadProblem {
    let mut names: Vec<String> = moves.iter().map(|&mv| format!("{mv} ({})", japanese_move(position, mv))).collect();
    names.sort_unstable();
    ReadProblem::AmbiguousMove { token: excerpt(text), candidates: names.join(" or ") }
}
