//! The words of a move, before anybody looks at the board.

use kiki_board::{Color, PieceKind, Sq};

/// Where the piece comes from, seen by its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// 左.
    Left,
    /// 右.
    Right,
    /// 直: from the square behind.
    Straight,
}

/// Which way it goes, seen by its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Motion {
    /// 上, 行 or 入.
    Forward,
    /// 寄.
    Sideways,
    /// 引.
    Back,
}

/// What a text says about a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Notation {
    /// Who makes it, by the mark before it.
    pub(super) mover: Option<Color>,
    /// Where to; `None` is 同, the square of the move before.
    pub(super) to: Option<Sq>,
    /// The kind of the piece before the move.
    pub(super) kind: PieceKind,
    pub(super) side: Option<Side>,
    pub(super) motion: Option<Motion>,
    /// 成 or 不成.
    pub(super) promotes: Option<bool>,
    /// 打.
    pub(super) is_drop: bool,
    /// The square in brackets that KIF writes.
    pub(super) from: Option<Sq>,
}

const MARKS: [(&str, Color); 6] = [
    ("▲", Color::Black),
    ("☗", Color::Black),
    ("▼", Color::Black),
    ("△", Color::White),
    ("☖", Color::White),
    ("▽", Color::White),
];

/// Longer names come before those that they begin with.
const KINDS: [(&str, PieceKind); 20] = [
    ("成銀", PieceKind::ProSilver),
    ("成桂", PieceKind::ProKnight),
    ("成香", PieceKind::ProLance),
    ("成歩", PieceKind::ProPawn),
    ("玉", PieceKind::King),
    ("王", PieceKind::King),
    ("飛", PieceKind::Rook),
    ("角", PieceKind::Bishop),
    ("金", PieceKind::Gold),
    ("銀", PieceKind::Silver),
    ("桂", PieceKind::Knight),
    ("香", PieceKind::Lance),
    ("歩", PieceKind::Pawn),
    ("龍", PieceKind::ProRook),
    ("竜", PieceKind::ProRook),
    ("馬", PieceKind::ProBishop),
    ("全", PieceKind::ProSilver),
    ("圭", PieceKind::ProKnight),
    ("杏", PieceKind::ProLance),
    ("と", PieceKind::ProPawn),
];

/// A word behind the piece.
#[derive(Clone, Copy)]
enum Word {
    Side(Side),
    Motion(Motion),
    Promotes(bool),
    Drop,
}

const WORDS: [(&str, Word); 11] = [
    ("左", Word::Side(Side::Left)),
    ("右", Word::Side(Side::Right)),
    ("直", Word::Side(Side::Straight)),
    ("上", Word::Motion(Motion::Forward)),
    ("行", Word::Motion(Motion::Forward)),
    ("入", Word::Motion(Motion::Forward)),
    ("寄", Word::Motion(Motion::Sideways)),
    ("引", Word::Motion(Motion::Back)),
    ("不成", Word::Promotes(false)),
    ("成", Word::Promotes(true)),
    ("打", Word::Drop),
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
    take(text, &MARKS)
}

/// A text without the blanks before it, the full-width one among them.
pub(crate) fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(char::is_whitespace)
}

impl Notation {
    /// Reads the move at the beginning of a text. Returns it with the rest of the text; `None` if the text begins with none.
    pub(crate) fn read(text: &str) -> Option<(Self, &str)> {
        let text = skip_blanks(text);
        let (mover, text) = mark(text).map_or((None, text), |(mover, rest)| (Some(mover), skip_blanks(rest)));
        let (to, text) = match text.strip_prefix('同') {
            Some(rest) => (None, rest),
            None => read_square(text).map(|(sq, rest)| (Some(sq), rest))?,
        };
        let (kind, mut rest) = take(skip_blanks(text), &KINDS)?;
        let mut notation =
            Self { mover, to, kind, side: None, motion: None, promotes: None, is_drop: false, from: None };
        while let Some((word, after)) = take(rest, &WORDS) {
            notation.add(word)?;
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

    /// `None` if a word of its sort is there already.
    fn add(&mut self, word: Word) -> Option<()> {
        let is_first = match word {
            Word::Side(side) => self.side.replace(side).is_none(),
            Word::Motion(motion) => self.motion.replace(motion).is_none(),
            Word::Promotes(promotes) => self.promotes.replace(promotes).is_none(),
            Word::Drop => !std::mem::replace(&mut self.is_drop, true),
        };
        is_first.then_some(())
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

/// A text without the `(00)` that some programs write behind a drop.
fn skip_no_origin(text: &str) -> &str {
    let word = skip_blanks(text);
    ["(00)", "（00）", "（００）"].iter().find_map(|none| word.strip_prefix(none)).unwrap_or(text)
}

/// Reads `(77)`.
fn read_origin(text: &str) -> Option<(Sq, &str)> {
    let (from, rest) = read_square(skip_blanks(text).strip_prefix(['(', '（'])?)?;
    Some((from, rest.strip_prefix([')', '）'])?))
}
