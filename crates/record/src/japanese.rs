//! Moves in Japanese notation, as records, books and people write them: `▲７六歩`, `△同銀右上成`, `☗5五角打`.
//!
//! Writing follows the [rules of the Japan Shogi Association](https://www.shogi.or.jp/faq/kihuhyouki.html).
//!
//! Reading does not guess: a text that fits several moves is an error that names them all.

use std::cmp::Ordering;

use kiki_board::{ALL_KINDS, Bitboard, ByKind, Color, Move, PieceKind, Position, Sq, kanji, unpromoted};
use kiki_text::excerpt;

use crate::error::ReadProblem;
use crate::game::for_each_legal;

/// Where the piece comes from, as its player sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flank {
    Left,
    Right,
    /// From the square behind.
    Straight,
}

/// The direction of the move, as its player sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Motion {
    Forward,
    Sideways,
    Back,
}

/// The parts of a move in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Notation {
    /// The side, by the mark in front.
    mover: Option<Color>,
    /// The target square. `None` is 同, the square of the previous move.
    to: Option<Sq>,
    kind: PieceKind,
    flank: Option<Flank>,
    motion: Option<Motion>,
    promotes: Option<bool>,
    is_drop: bool,
    from: Option<Sq>,
}

/// Adds a word to a move. Returns `false` if the move already has a word of its sort.
type AddWord = fn(&mut Notation) -> bool;

/// The words after a piece.
const WORDS: [(&str, AddWord); 11] = [
    ("左", |said| said.flank.replace(Flank::Left).is_none()),
    ("右", |said| said.flank.replace(Flank::Right).is_none()),
    ("直", |said| said.flank.replace(Flank::Straight).is_none()),
    ("上", |said| said.motion.replace(Motion::Forward).is_none()),
    ("行", |said| said.motion.replace(Motion::Forward).is_none()),
    ("入", |said| said.motion.replace(Motion::Forward).is_none()),
    ("寄", |said| said.motion.replace(Motion::Sideways).is_none()),
    ("引", |said| said.motion.replace(Motion::Back).is_none()),
    ("不成", |said| said.promotes.replace(false).is_none()),
    ("成", |said| said.promotes.replace(true).is_none()),
    ("打", |said| !std::mem::replace(&mut said.is_drop, true)),
];

/// Full-width digits from 1 to 9.
pub(crate) const WIDE_DIGITS: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
/// Kanji from 1 to 9.
pub(crate) const KANJI_DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// A digit from 1 to 9: half-width, full-width or kanji.
pub(crate) fn digit(letter: char) -> Option<usize> {
    match letter {
        '1'..='9' => Some(letter as usize - '0' as usize),
        '１'..='９' => Some(letter as usize - '０' as usize),
        _ => KANJI_DIGITS.into_iter().position(|kanji| kanji == letter).map(|index| index + 1),
    }
}

/// The mark of a side at the beginning of a text, and the rest.
pub(crate) fn mark(text: &str) -> Option<(Color, &str)> {
    let mut letters = text.chars();
    let color = match letters.next()? {
        '▲' | '☗' | '▼' | '⛊' => Color::Black,
        '△' | '☖' | '▽' | '⛉' => Color::White,
        _ => return None,
    };
    Some((color, letters.as_str()))
}

/// The piece named at the beginning of a text, and the rest.
pub(crate) fn piece(text: &str) -> Option<(PieceKind, &str)> {
    let named = |kind: PieceKind| {
        let rest = text.strip_prefix(NAMES.get(kind)).or_else(|| text.strip_prefix(kanji(kind)))?;
        Some((kind, rest))
    };
    ALL_KINDS
        .into_iter()
        .find_map(named)
        .or_else(|| take(text, &[("王", PieceKind::King), ("成歩", PieceKind::ProPawn)]))
}

/// A text without leading blanks, half-width or full-width.
pub(crate) fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(char::is_whitespace)
}

impl Notation {
    /// Reads the move at the beginning of a text, and returns it with the rest. `None` if the text
    /// does not begin with a move.
    pub(crate) fn read(text: &str) -> Option<(Self, &str)> {
        let text = skip_blanks(text);
        let (mover, text) = mark(text).map_or((None, text), |(mover, rest)| (Some(mover), skip_blanks(rest)));
        let (to, text) = match text.strip_prefix('同') {
            Some(rest) => (None, rest),
            None => read_square(text).map(|(sq, rest)| (Some(sq), rest))?,
        };
        let (kind, mut rest) = piece(skip_blanks(text))?;
        let mut notation =
            Self { mover, to, kind, flank: None, motion: None, promotes: None, is_drop: false, from: None };
        while let Some((add, after)) = take(rest, &WORDS) {
            if !add(&mut notation) {
                return None;
            }
            rest = after;
        }
        if let Some((from, after)) = read_origin(rest) {
            notation.from = Some(from);
            rest = after;
        } else if notation.is_drop {
            rest = skip_no_origin(rest);
        }
        Some((notation, rest))
    }
}

fn take<'a, T: Copy>(text: &'a str, table: &[(&str, T)]) -> Option<(T, &'a str)> {
    table.iter().find_map(|&(word, value)| Some((value, text.strip_prefix(word)?)))
}

fn read_square(text: &str) -> Option<(Sq, &str)> {
    let mut letters = text.chars();
    let file = digit(letters.next()?)?;
    let rank = digit(letters.next()?)?;
    Some((Sq::at(file - 1, rank - 1), letters.as_str()))
}

/// A text without the `(00)` that some programs write after a drop.
fn skip_no_origin(text: &str) -> &str {
    let word = skip_blanks(text);
    ["(00)", "（00）", "（００）"].iter().find_map(|none| word.strip_prefix(none)).unwrap_or(text)
}

fn read_origin(text: &str) -> Option<(Sq, &str)> {
    let (from, rest) = read_square(skip_blanks(text).strip_prefix(['(', '（'])?)?;
    Some((from, rest.strip_prefix([')', '）'])?))
}

/// Reads a move such as `▲７六歩`, `△同　銀右上成`, `5五角打` or `７六歩(77)` in a position.
///
/// Digits may be half-width, full-width or kanji. The mark of the side may be missing. 龍 and 竜 are
/// the same, and so are 成銀 and 全. 打 may be missing if no piece on the board can make the move.
/// Without 成 a piece promotes only if it must. The text may say more than needed.
///
/// # Errors
/// The text is not a move, it is the other side's turn, no legal move fits, or several do. The last
/// error names them all: 金 may be either of two golds.
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
        Some((notation, rest)) if rest.trim().is_empty() => resolve(&notation, text, position),
        _ => Err(ReadProblem::malformed(text.trim(), "a move like ７六歩, 同銀右上成 or 5五角打")),
    }
}

/// The only legal move that fits. Errors quote `text`.
pub(crate) fn resolve(notation: &Notation, text: &str, position: &Position) -> Result<Move, ReadProblem> {
    let text = text.trim();
    if notation.mover.is_some_and(|mover| mover != position.side_to_move()) {
        return Err(ReadProblem::WrongSide { token: excerpt(text) });
    }
    let mut moves = fitting(notation, text, position)?;
    if notation.promotes.is_none() && moves.iter().any(|mv| !mv.is_promotion()) {
        // If only one of two pieces must promote, the text does not say which moves.
        let stays = |mv: &Move| moves.iter().any(|other| other.from() == mv.from() && !other.is_promotion());
        moves = moves.iter().copied().filter(|mv| !(mv.is_promotion() && stays(mv))).collect();
    }
    one_of(&moves, notation, text, position)
}

/// The one move among several that the words identify.
fn one_of(moves: &[Move], notation: &Notation, text: &str, position: &Position) -> Result<Move, ReadProblem> {
    match moves {
        &[mv] if notation.flank.is_none() || !opposite(notation.flank, words(position, mv)) => Ok(mv),
        [] | [_] => Err(ReadProblem::illegal(text, position)),
        _ => {
            let mut exact = moves.iter().filter(|&&mv| is_exact(notation, words(position, mv)));
            match (exact.next(), exact.next()) {
                (Some(&mv), None) => Ok(mv),
                _ => Err(ambiguous(text, position, moves)),
            }
        }
    }
}

/// The legal moves that do not contradict the text.
fn fitting(notation: &Notation, text: &str, position: &Position) -> Result<Vec<Move>, ReadProblem> {
    let to = notation.to.or_else(|| last_target(position));
    let to = to.ok_or_else(|| ReadProblem::malformed(text, "a move with its square: it is the first move"))?;
    // In KIF, with its origins, a move without 成 does not promote.
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
    let says_board = notation.from.is_some() || notation.flank.is_some() || notation.motion.is_some();
    Ok(if moves.is_empty() && !says_board && notation.promotes != Some(true) { drops } else { moves })
}

/// Whether a move on the board agrees with the words. A dragon or horse on the file of the target
/// square may be 左 or 右.
fn comes_from(notation: &Notation, mv: Move, mover: Color) -> bool {
    let (from, to) = (seen(mover, mv.from()), seen(mover, mv.to()));
    let is_range = matches!(notation.kind, PieceKind::ProRook | PieceKind::ProBishop);
    let from_flank = match notation.flank {
        None => true,
        Some(Flank::Left) => from.file() > to.file() || is_range && from.file() == to.file(),
        Some(Flank::Right) => from.file() < to.file() || is_range && from.file() == to.file(),
        Some(Flank::Straight) => from.file() == to.file() && from.rank() == to.rank() + 1,
    };
    from_flank && notation.motion.is_none_or(|said| said == motion(from, to))
}

/// A square as a player sees it from behind the own pieces.
fn seen(player: Color, sq: Sq) -> Sq {
    if player == Color::Black { sq } else { sq.rotated() }
}

fn motion(from: Sq, to: Sq) -> Motion {
    match from.rank().cmp(&to.rank()) {
        Ordering::Greater => Motion::Forward,
        Ordering::Equal => Motion::Sideways,
        Ordering::Less => Motion::Back,
    }
}

fn words(position: &Position, mv: Move) -> Option<Notation> {
    Notation::read(&japanese_move(position, mv)).map(|(notation, _)| notation)
}

fn opposite(said: Option<Flank>, exact: Option<Notation>) -> bool {
    let exact = exact.and_then(|exact| exact.flank);
    matches!((said, exact), (Some(Flank::Left), Some(Flank::Right)) | (Some(Flank::Right), Some(Flank::Left)))
}

fn is_exact(said: &Notation, exact: Option<Notation>) -> bool {
    exact.is_some_and(|exact| {
        let tells_promotion = said.promotes.is_none() || said.promotes == exact.promotes;
        tells_promotion && (said.flank, said.motion, said.is_drop) == (exact.flank, exact.motion, exact.is_drop)
    })
}

fn ambiguous(text: &str, position: &Position, moves: &[Move]) -> ReadProblem {
    let mut names: Vec<String> = moves.iter().map(|&mv| format!("{mv} ({})", japanese_move(position, mv))).collect();
    names.sort_unstable();
    ReadProblem::AmbiguousMove { token: excerpt(text), candidates: names.join(" or ") }
}

/// The names of pieces in moves.
pub(crate) const NAMES: ByKind<&str> =
    ByKind::new("", ["歩", "香", "桂", "銀", "金", "角", "飛", "玉", "と", "成香", "成桂", "成銀", "馬", "竜"]);

/// The name of a piece in moves: `銀`, `成銀`, `竜`.
#[must_use]
pub fn japanese_piece(kind: PieceKind) -> &'static str {
    NAMES.get(kind)
}

/// A square as moves name it: `７六`.
#[must_use]
pub fn japanese_square(sq: Sq) -> String {
    let digits = [WIDE_DIGITS.get(sq.file()), KANJI_DIGITS.get(sq.rank())];
    digits.into_iter().flatten().collect()
}

/// A legal move in Japanese notation, before it is made: `▲７６歩`, `△同銀右上成`.
#[must_use]
pub fn japanese_move(position: &Position, mv: Move) -> String {
    with_ranks(position, mv, WIDE_DIGITS)
}

/// Like [`japanese_move`], with these digits for ranks.
pub(crate) fn with_ranks(position: &Position, mv: Move, ranks: [char; 9]) -> String {
    let mut text = String::with_capacity(24);
    text.push(if position.side_to_move() == Color::Black { '▲' } else { '△' });
    push_target(&mut text, position, mv, "同", ranks);
    if let Some(kind) = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind()) {
        text.push_str(NAMES.get(kind));
        push_origin(&mut text, position, mv, kind);
        text.push_str(promotion(position, mv, kind));
    }
    text
}

/// Writes the target of a move, or the word for the target of the previous move.
pub(crate) fn push_target(text: &mut String, position: &Position, mv: Move, same: &str, ranks: [char; 9]) {
    if last_target(position) == Some(mv.to()) {
        text.push_str(same);
    } else {
        text.extend(WIDE_DIGITS.get(mv.to().file()));
        text.extend(ranks.get(mv.to().rank()));
    }
}

/// The target of the previous move.
pub(crate) fn last_target(position: &Position) -> Option<Sq> {
    position.last_move().filter(|last| !last.is_none()).map(Move::to)
}

/// Writes the words that tell the piece of a move from others of its kind that attack the target,
/// pinned ones included: the motion, else the flank, else both.
fn push_origin(text: &mut String, position: &Position, mv: Move, kind: PieceKind) {
    let mover = position.side_to_move();
    let able = position.pieces(kind) & position.pieces_of(mover);
    if able.count() <= u32::from(!mv.is_drop()) {
        return;
    }
    let others = able & position.attackers(mv.to(), position.occupied());
    if mv.is_drop() {
        text.push_str(if others.any() { "打" } else { "" });
        return;
    }
    let (from, to) = (seen(mover, mv.from()), seen(mover, mv.to()));
    let others: Vec<Sq> = (others - Bitboard::of(mv.from())).into_iter().map(|sq| seen(mover, sq)).collect();
    let Some(&other) = others.first() else { return };
    // Of rooks, bishops and knights there are two at most, and each has its side of the other.
    let is_like_gold = matches!(unpromoted(kind), PieceKind::Gold | PieceKind::Silver)
        || matches!(kind, PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight);
    let middle = if is_like_gold { to } else { other };
    let flank = |sq: Sq| match sq.file().cmp(&middle.file()) {
        Ordering::Greater => Some(Flank::Left),
        Ordering::Less => Some(Flank::Right),
        Ordering::Equal => (motion(sq, to) == Motion::Forward).then_some(Flank::Straight),
    };
    let shares_motion = others.iter().any(|&sq| motion(sq, to) == motion(from, to));
    let shares_flank = others.iter().any(|&sq| flank(sq) == flank(from));
    let flank = flank(from).filter(|_| shares_motion);
    text.push_str(match flank {
        None => "",
        Some(Flank::Left) => "左",
        Some(Flank::Right) => "右",
        Some(Flank::Straight) => "直",
    });
    if flank.is_none() || shares_flank {
        text.push_str(match motion(from, to) {
            Motion::Forward => "上",
            Motion::Sideways => "寄",
            Motion::Back => "引",
        });
    }
}

fn promotion(position: &Position, mv: Move, kind: PieceKind) -> &'static str {
    if mv.is_promotion() {
        return "成";
    }
    let in_camp = |sq: Sq| match position.side_to_move() {
        Color::Black => sq.rank() < 3,
        Color::White => sq.rank() > 5,
    };
    let promotes = kind == unpromoted(kind) && !matches!(kind, PieceKind::Gold | PieceKind::King);
    if !mv.is_drop() && promotes && (in_camp(mv.from()) || in_camp(mv.to())) { "不成" } else { "" }
}

/// The moves up to the first illegal one, as [`japanese_move`] writes each.
#[must_use]
pub fn japanese_moves(position: &Position, moves: &[Move]) -> Vec<String> {
    line_with_ranks(position, moves, WIDE_DIGITS)
}

/// Like [`japanese_moves`], with kanji for ranks: `▲７六歩`.
#[must_use]
pub fn kanji_moves(position: &Position, moves: &[Move]) -> Vec<String> {
    line_with_ranks(position, moves, KANJI_DIGITS)
}

fn line_with_ranks(position: &Position, moves: &[Move], ranks: [char; 9]) -> Vec<String> {
    let mut texts = Vec::with_capacity(moves.len());
    for_each_legal(position, moves, |position, mv| texts.push(with_ranks(position, mv, ranks)));
    texts
}
