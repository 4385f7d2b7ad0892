//! A position in 32 bytes.

use kiki_board::{
    ByColor, COLORS, Cell, Color, HAND_KINDS, HandCounts, PieceKind, Position, SfenError, Sq, pieces_in_set, unpromoted,
};
use shogi_core::PartialPosition;

use super::bits::{BITS, BitReader, BitWriter};

/// The code of a kind of piece.
#[derive(Clone, Copy)]
struct PieceCode {
    kind: PieceKind,
    /// Lowest bit first.
    bits: u8,
    len: usize,
}

const fn code(kind: PieceKind, bits: u8, len: usize) -> PieceCode {
    PieceCode { kind, bits, len }
}

/// The codes of the kinds that can be held; the code of an empty square is a single 0. In a hand or in the box the first bit, always 1, is left
/// out.
const CODES: [PieceCode; 7] = [
    code(PieceKind::Pawn, 0b01, 2),
    code(PieceKind::Lance, 0b0011, 4),
    code(PieceKind::Knight, 0b1011, 4),
    code(PieceKind::Silver, 0b0111, 4),
    code(PieceKind::Gold, 0b0_1111, 5),
    code(PieceKind::Bishop, 0b01_1111, 6),
    code(PieceKind::Rook, 0b11_1111, 6),
];

const SILVER: PieceCode = CODES[3];

/// A position in 256 bits, without its ply.
///
/// In order: the side to move (1 for White), the squares of the kings (7 bits, Black's first; 1a = 0, 1b = 1, 9i = 80), the contents of the other
/// 79 squares in the order of their numbers (a Huffman code of the kind; unless it is a gold, whether it is promoted; the colour, 1 for White),
/// then the hands, Black's first (the same codes without their first bit), then the pieces that the set lacks, coded as promoted pieces of Black in a
/// hand, a gold as a promoted silver of White. A full set of pieces takes 256 bits wherever they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PackedSfen(pub [u8; BITS / 8]);

/// Why a position cannot be packed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PackError {
    /// The form has no room for a position without both kings.
    #[error("the position {0} lacks a king: such positions cannot be packed")]
    MissingKing(String),
}

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

/// What stands where: a position as it was packed, before anything is computed from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnpackedPosition {
    /// The side to move.
    pub side_to_move: Color,
    /// The contents of the squares, by [`Sq::index`].
    pub cells: [Cell; 81],
    /// The squares of the kings.
    pub kings: ByColor<Sq>,
    /// The pieces in hand.
    pub hands: ByColor<HandCounts>,
}

impl PackedSfen {
    /// Packs a position.
    ///
    /// # Errors
    /// A side without a king.
    pub fn pack(position: &Position) -> Result<Self, PackError> {
        let kings = ByColor::from_fn(|color| position.king(color));
        let missing = || PackError::MissingKing(position.to_sfen());
        if COLORS.into_iter().any(|color| kings[color] == Sq::NONE) {
            return Err(missing());
        }
        let mut bits = BitWriter::default();
        bits.push(color_bit(position.side_to_move()), 1);
        COLORS.into_iter().for_each(|color| bits.push(kings[color].index() as u8, 7));
        let mut unused = pieces_in_set_by_code();
        for sq in Sq::all() {
            let cell = position.cell(sq);
            match cell.kind() {
                None => bits.push(0, 1),
                Some(PieceKind::King) => {}
                Some(kind) => unused[push_on_board(&mut bits, kind, cell.color())] -= 1,
            }
        }
        for color in COLORS {
            for (index, code) in CODES.iter().enumerate() {
                let count = position.hand(color).count(code.kind);
                (0..count).for_each(|_| push_in_hand(&mut bits, *code, Promoted::No, color));
                unused[index] -= count;
            }
        }
        for (code, count) in CODES.into_iter().zip(unused) {
            let (code, color) =
                if code.kind == PieceKind::Gold { (SILVER, Color::White) } else { (code, Color::Black) };
            (0..count).for_each(|_| push_in_hand(&mut bits, code, Promoted::Yes, color));
        }
        bits.finish().map(Self).ok_or_else(missing)
    }

    /// What stands where.
    ///
    /// # Errors
    /// Bits that are no position; the rules of placement are not checked here.
    pub fn unpack(&self) -> Result<UnpackedPosition, UnpackError> {
        let mut bits = BitReader::new(&self.0);
        let side_to_move = color(bits.read(1));
        let (black, white) = (bits.read(7), bits.read(7));
        if black == white || black.max(white) > 80 {
            return Err(UnpackError::Kings { black, white });
        }
        let mut unpacked = UnpackedPosition {
            side_to_move,
            cells: [Cell::EMPTY; 81],
            kings: ByColor::new(Sq::new(black.into()), Sq::new(white.into())),
            hands: ByColor::both(HandCounts::NONE),
        };
        let mut unused = pieces_in_set_by_code();
        let mut take = |kind: PieceKind| {
            let left = &mut unused[kind.array_index()];
            *left = left.checked_sub(1).ok_or(UnpackError::TooMany(kind))?;
            Ok::<(), UnpackError>(())
        };
        for sq in Sq::all() {
            let king = unpacked.kings.iter().find(|&(_, &king)| king == sq);
            unpacked.cells[sq.index()] = match king {
                Some((color, _)) => Cell::new(PieceKind::King, color),
                None => read_on_board(&mut bits),
            };
            if let Some(kind) = unpacked.cells[sq.index()].hand_kind() {
                take(kind)?;
            }
        }
        while bits.position() < BITS {
            let (kind, promoted, color) = read_in_hand(&mut bits);
            let kind =
                if promoted && kind == PieceKind::Silver && color == Color::White { PieceKind::Gold } else { kind };
            take(kind)?;
            if !promoted {
                unpacked.hands[color] = unpacked.hands[color].with(kind);
            }
        }
        if bits.position() == BITS { Ok(unpacked) } else { Err(UnpackError::Length(bits.position())) }
    }

    /// The position, at a ply of its game, from 1 (0 is taken for 1).
    ///
    /// # Errors
    /// Bits that are no position, and positions that break a rule.
    pub fn position(&self, ply: u16) -> Result<Position, UnpackError> {
        let unpacked = self.unpack()?;
        let mut core = PartialPosition::empty();
        for sq in Sq::all() {
            core.piece_set(sq.into(), unpacked.cells[sq.index()].piece());
        }
        for color in COLORS {
            *core.hand_of_a_player_mut(color) = unpacked.hands[color].into();
        }
        core.side_to_move_set(unpacked.side_to_move);
        // The only number that is refused is 0, which leaves it at 1.
        let _ = core.ply_set(ply.max(1));
        Ok(Position::from_core(&core)?)
    }
}

/// Whether a piece is promoted; in a hand it stands for one that the set lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promoted {
    No,
    Yes,
}

fn color_bit(color: Color) -> u8 {
    u8::from(color == Color::White)
}

fn color(bit: u8) -> Color {
    if bit == 0 { Color::Black } else { Color::White }
}

/// How many pieces of each kind a set has, in the order of [`CODES`], which is that of [`HAND_KINDS`].
fn pieces_in_set_by_code() -> [usize; 7] {
    HAND_KINDS.map(pieces_in_set)
}

/// Writes a piece on the board other than a king; returns the place of its unpromoted kind in [`CODES`].
fn push_on_board(bits: &mut BitWriter, kind: PieceKind, color: Color) -> usize {
    let plain = unpromoted(kind);
    let code = CODES[plain.array_index()];
    bits.push(code.bits, code.len);
    if plain != PieceKind::Gold {
        bits.push(u8::from(kind != plain), 1);
    }
    bits.push(color_bit(color), 1);
    plain.array_index()
}

fn push_in_hand(bits: &mut BitWriter, code: PieceCode, promoted: Promoted, color: Color) {
    bits.push(code.bits >> 1, code.len - 1);
    if code.kind != PieceKind::Gold {
        bits.push(u8::from(promoted == Promoted::Yes), 1);
    }
    bits.push(color_bit(color), 1);
}

/// The code at the place of reading. `skipped` bits of it, ones, are left out there.
fn read_code(bits: &mut BitReader, skipped: usize) -> PieceCode {
    let window = if skipped == 1 { bits.peek(5) << 1 | 1 } else { bits.peek(6) };
    let fits = |code: &&PieceCode| window & ((1 << code.len) - 1) == code.bits;
    // Every window of six bits that begins with 1 begins with one of the codes.
    let code = *CODES.iter().find(fits).unwrap_or(&CODES[0]);
    bits.skip(code.len - skipped);
    code
}

/// The contents of a square.
fn read_on_board(bits: &mut BitReader) -> Cell {
    if bits.peek(1) == 0 {
        bits.skip(1);
        return Cell::EMPTY;
    }
    let kind = read_code(bits, 0).kind;
    let promoted = kind != PieceKind::Gold && bits.read(1) == 1;
    let kind = if promoted { kind.promote().unwrap_or(kind) } else { kind };
    Cell::new(kind, color(bits.read(1)))
}

/// A piece in a hand or, as a promoted one, in the box.
fn read_in_hand(bits: &mut BitReader) -> (PieceKind, bool, Color) {
    let kind = read_code(bits, 1).kind;
    let promoted = kind != PieceKind::Gold && bits.read(1) == 1;
    (kind, promoted, color(bits.read(1)))
}
