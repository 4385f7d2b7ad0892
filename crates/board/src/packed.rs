//! Positions and moves as packed SFEN, the form of training data and binary books: 32 bytes for a
//! position, two for a move.
//!
//! The form is derived from the bytes that the Python package `cshogi` writes, and tested against
//! them.

use PieceKind::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};

use crate::squares::table;
use crate::{
    ByColor, COLORS, Cell, Color, HAND_KINDS, HandCounts, Move, PieceKind, Placement, Position, SfenError, Sq,
    pieces_in_set, unpromoted,
};

/// The kinds by the number that a drop is written with, from 1.
const DROP_NUMBERS: [PieceKind; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];
const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

impl Move {
    /// A legal move in sixteen bits, as it accompanies packed positions: destination (7 bits),
    /// origin (7 bits), drop (bit 14), promotion (bit 15). The origin of a drop is the kind: pawn
    /// 1, lance 2, knight 3, silver 4, bishop 5, rook 6, gold 7.
    #[must_use]
    pub fn packed(self) -> u16 {
        let to = self.to().index() as u16;
        if let Some(kind) = self.dropped_kind() {
            let number = DROP_NUMBERS.iter().position(|&other| other == kind).map_or(0, |place| place as u16 + 1);
            return to | number << 7 | DROP;
        }
        to | (self.from().index() as u16) << 7 | if self.is_promotion() { PROMOTE } else { 0 }
    }

    /// The inverse of [`Move::packed`]. The move may be illegal; it is [`Move::NONE`] if the bits
    /// are no move.
    #[must_use]
    pub fn from_packed(bits: u16) -> Self {
        let (to, origin) = (usize::from(bits & 127), usize::from(bits >> 7 & 127));
        let promote = bits & PROMOTE != 0;
        if to > 80 {
            return Self::NONE;
        }
        if bits & DROP != 0 {
            let kind = origin.checked_sub(1).and_then(|number| DROP_NUMBERS.get(number));
            return kind.filter(|_| !promote).map_or(Self::NONE, |&kind| Self::drop(kind, Sq::new(to)));
        }
        if origin > 80 { Self::NONE } else { Self::board(Sq::new(origin), Sq::new(to), promote) }
    }
}

#[derive(Clone, Copy)]
struct PieceCode {
    kind: PieceKind,
    /// Lowest bit first.
    bits: u8,
    len: usize,
}

/// The codes of [`HAND_KINDS`]. The code of an empty square is a single 0. Hands and the box leave
/// out the first bit, which is always 1.
const CODES: [PieceCode; 7] = [
    PieceCode { kind: Pawn, bits: 0b01, len: 2 },
    PieceCode { kind: Lance, bits: 0b0011, len: 4 },
    PieceCode { kind: Knight, bits: 0b1011, len: 4 },
    PieceCode { kind: Silver, bits: 0b0111, len: 4 },
    PieceCode { kind: Gold, bits: 0b0_1111, len: 5 },
    PieceCode { kind: Bishop, bits: 0b01_1111, len: 6 },
    PieceCode { kind: Rook, bits: 0b11_1111, len: 6 },
];

/// A position in 256 bits, without its ply.
///
/// In order:
/// - the side to move (1 for White)
/// - the squares of the kings (7 bits, Black's first; 1a = 0, 1b = 1, 9i = 80)
/// - the other 79 squares by number: a Huffman code of the kind, whether it is promoted (not for a
///   gold), the colour (1 for White)
/// - the hands, Black's first: the same codes without their first bit
/// - the pieces missing from the set, coded as promoted pieces of Black in a hand; a gold as a
///   promoted silver of White
///
/// A full set of pieces takes 256 bits wherever they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PackedSfen(pub [u8; BITS / 8]);

/// The form has no room for a position without both kings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the position {0} lacks a king: such positions cannot be packed")]
pub struct PackError(String);

/// Why 32 bytes are not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnpackError {
    /// A king stands nowhere, or both stand on one square.
    #[error("the kings stand on the squares numbered {black} and {white}: expected two different numbers up to 80")]
    Kings {
        /// Black's.
        black: u8,
        /// White's.
        white: u8,
    },
    /// The codes do not end with the last bit.
    #[error("the codes of the pieces end at bit {0}, not at bit 256")]
    Length(usize),
    /// More pieces of a kind than a set has.
    #[error("there are more {0:?}s than a set has")]
    TooMany(PieceKind),
    /// The pieces break a rule.
    #[error(transparent)]
    Rules(#[from] SfenError),
}

impl PackedSfen {
    /// Packs a position.
    pub fn pack(position: &Position) -> Result<Self, PackError> {
        let kings = ByColor::from_fn(|color| position.king(color));
        if COLORS.into_iter().any(|color| kings[color] == Sq::NONE) {
            return Err(PackError(position.to_sfen()));
        }
        let mut bits = BitWriter::default();
        bits.push(color_bit(position.side_to_move()), 1);
        COLORS.into_iter().for_each(|color| bits.push(kings[color].index() as u8, 7));
        let mut unused = HAND_KINDS.map(pieces_in_set);
        for sq in Sq::all() {
            let cell = position.cell(sq);
            match cell.kind() {
                None => bits.push(0, 1),
                Some(PieceKind::King) => {}
                Some(kind) => {
                    let plain = unpromoted(kind).array_index();
                    bits.push_piece(CODES[plain], 0, kind != CODES[plain].kind, cell.color());
                    unused[plain] -= 1;
                }
            }
        }
        for color in COLORS {
            for (code, unused) in CODES.into_iter().zip(&mut unused) {
                let count = position.hand(color).count(code.kind);
                (0..count).for_each(|_| bits.push_piece(code, 1, false, color));
                *unused -= count;
            }
        }
        for (code, count) in CODES.into_iter().zip(unused) {
            let (kind, color) = if code.kind == Gold { (Silver, Color::White) } else { (code.kind, Color::Black) };
            (0..count).for_each(|_| bits.push_piece(CODES[kind.array_index()], 1, true, color));
        }
        Ok(Self(bits.finish()))
    }

    /// Pieces and hands, for readers that need no [`Position`]. The rules of placement are not
    /// checked.
    pub fn unpack(&self) -> Result<Placement, UnpackError> {
        let mut bits = BitReader::new(&self.0);
        let side_to_move = color(bits.read(1));
        let (black, white) = (bits.read(7), bits.read(7));
        if black == white || black.max(white) > 80 {
            return Err(UnpackError::Kings { black, white });
        }
        let mut unpacked = Placement {
            side_to_move,
            cells: [Cell::EMPTY; 81],
            kings: ByColor::new(Sq::new(black.into()), Sq::new(white.into())),
            hands: ByColor::both(HandCounts::NONE),
        };
        let mut unused = HAND_KINDS.map(pieces_in_set);
        let mut take = |kind: PieceKind, count: usize| {
            let left = &mut unused[kind.array_index()];
            *left = left.checked_sub(count).ok_or(UnpackError::TooMany(kind))?;
            Ok::<(), UnpackError>(())
        };
        // Count empty squares too: a branch would be mispredicted.
        let mut counts = [0; Cell::COUNT];
        for (cell, sq) in unpacked.cells.iter_mut().zip(0_u8..) {
            if sq == black || sq == white {
                *cell = Cell::new(PieceKind::King, if sq == black { Color::Black } else { Color::White });
                continue;
            }
            *cell = read_on_board(&mut bits);
            counts[cell.kind_index()] += 1;
        }
        for (kind, count) in PieceKind::all().into_iter().zip(&counts[1..]) {
            if let Some(kind) = Cell::new(kind, Color::Black).hand_kind() {
                take(kind, *count)?;
            }
        }
        while bits.position < BITS {
            let (kind, promoted, color) = read_in_hand(&mut bits);
            let kind = if promoted && kind == Silver && color == Color::White { Gold } else { kind };
            take(kind, 1)?;
            if !promoted {
                unpacked.hands[color] = unpacked.hands[color].with(kind);
            }
        }
        if bits.position == BITS { Ok(unpacked) } else { Err(UnpackError::Length(bits.position)) }
    }

    /// The position at a ply of its game, from 1; 0 counts as 1.
    pub fn position(&self, ply: u16) -> Result<Position, UnpackError> {
        let Placement { side_to_move, cells, hands, .. } = self.unpack()?;
        Ok(Position::from_pieces(cells, hands, side_to_move, ply.max(1).into())?)
    }
}

fn color_bit(color: Color) -> u8 {
    u8::from(color == Color::White)
}

const fn color(bit: u8) -> Color {
    if bit == 0 { Color::Black } else { Color::White }
}

/// The code at the start of a window of at least six bits, the first of which is 1.
const fn code_of(window: usize) -> PieceCode {
    let mut at = 0;
    // All windows begin with one of the codes.
    while at + 1 < CODES.len() && window & ((1 << CODES[at].len) - 1) != CODES[at].bits as usize {
        at += 1;
    }
    CODES[at]
}

/// By the next eight bits: the contents of a square and the length of its code.
static CONTENTS: [(Cell, u8); 256] = table!(256, |window| {
    if window % 2 == 0 {
        (Cell::EMPTY, 1)
    } else {
        let PieceCode { kind, len, .. } = code_of(window);
        let can_promote = !matches!(kind, Gold);
        let color_at = if can_promote { len + 1 } else { len };
        let cell = Cell::new(kind, color((window >> color_at & 1) as u8));
        let is_promoted = can_promote && window >> len & 1 == 1;
        (if is_promoted { cell.promoted() } else { cell }, color_at as u8 + 1)
    }
});

/// By the five bits behind the first one, which hands leave out: the code.
static CODE_BEHIND_FIRST_BIT: [PieceCode; 32] = table!(32, |window| code_of(window << 1 | 1));

fn read_on_board(bits: &mut BitReader) -> Cell {
    let (cell, length) = CONTENTS[usize::from(bits.peek(8))];
    bits.skip(length.into());
    cell
}

/// A piece in a hand or, as a promoted one, in the box.
fn read_in_hand(bits: &mut BitReader) -> (PieceKind, bool, Color) {
    let PieceCode { kind, len, .. } = CODE_BEHIND_FIRST_BIT[usize::from(bits.peek(5))];
    bits.skip(len - 1);
    let promoted = kind != Gold && bits.read(1) == 1;
    (kind, promoted, color(bits.read(1)))
}

const BITS: usize = 256;

#[derive(Default)]
struct BitWriter {
    words: [u64; BITS / 64],
    len: usize,
}

impl BitWriter {
    /// Appends the `count` lowest bits of a number (at most 8), the lowest first.
    fn push(&mut self, value: u8, count: usize) {
        let (word, shift) = (self.len / 64, self.len % 64);
        self.len += count;
        self.words[word] |= u64::from(value) << shift;
        if shift + count > 64 {
            self.words[word + 1] |= u64::from(value) >> (64 - shift);
        }
    }

    /// Appends a piece; its code without the first bits. In a hand, a promoted piece stands for one
    /// missing from the set.
    fn push_piece(&mut self, code: PieceCode, without: usize, promoted: bool, color: Color) {
        self.push(code.bits >> without, code.len - without);
        if code.kind != Gold {
            self.push(promoted.into(), 1);
        }
        self.push(color_bit(color), 1);
    }

    fn finish(self) -> [u8; BITS / 8] {
        debug_assert!(self.len == BITS, "{} bits: a set of pieces takes {BITS}", self.len);
        bytemuck::cast(self.words.map(u64::to_le))
    }
}

struct BitReader {
    /// The last two are 0.
    words: [u64; BITS / 64 + 2],
    /// Number of bits read.
    position: usize,
}

impl BitReader {
    fn new(bytes: &[u8; BITS / 8]) -> Self {
        let mut words = [0; _];
        let (parts, _) = bytes.as_chunks();
        words.iter_mut().zip(parts).for_each(|(word, &part)| *word = u64::from_le_bytes(part));
        Self { words, position: 0 }
    }

    /// The next bits, at most 8, the first one lowest, without moving on; zeros beyond the end.
    #[inline(always)]
    fn peek(&self, count: usize) -> u8 {
        let (word, shift) = ((self.position / 64).min(BITS / 64), self.position % 64);
        // In two steps, as nothing can be shifted by 64.
        let high = self.words[word + 1] << 1 << (63 - shift);
        ((self.words[word] >> shift | high) & ((1 << count) - 1)) as u8
    }

    fn skip(&mut self, count: usize) {
        self.position += count;
    }

    /// The next bits, at most 8, the first one lowest.
    fn read(&mut self, count: usize) -> u8 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }
}
