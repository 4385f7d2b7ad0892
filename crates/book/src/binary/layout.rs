//! The bytes of binary books.

use kiki_board::PackedSfen;

/// The first bytes of a binary book.
pub(crate) const MAGIC: [u8; 16] = *b"YANE-BINBOOK-V1\0";
pub(crate) const HEADER_BYTES: u64 = 32;
pub(crate) const RECORD_BYTES: u64 = 44;
/// The flag for moves with depths.
pub(crate) const HAS_DEPTHS: u64 = 1;

/// The fields of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) records: u64,
    pub(crate) flags: u64,
}

impl Header {
    pub(crate) fn read(bytes: &[u8; HEADER_BYTES as usize]) -> Self {
        Self { records: u64::from_le_bytes(array(bytes, 16)), flags: u64::from_le_bytes(array(bytes, 24)) }
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [&MAGIC[..], &self.records.to_le_bytes(), &self.flags.to_le_bytes()].concat()
    }

    pub(crate) const fn has_depths(self) -> bool {
        self.flags & HAS_DEPTHS != 0
    }
}

/// A position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinaryRecord {
    pub(crate) sfen: PackedSfen,
    /// The offset of its moves from the end of the records, in bytes.
    pub(crate) place: u64,
    /// The ply; 0 for none.
    pub(crate) ply: u16,
    /// Number of its moves.
    pub(crate) moves: u16,
}

impl BinaryRecord {
    pub(crate) fn read(bytes: &[u8; RECORD_BYTES as usize]) -> Self {
        Self {
            sfen: PackedSfen(array(bytes, 0)),
            place: u64::from_le_bytes(array(bytes, 32)),
            ply: u16::from_le_bytes(array(bytes, 40)),
            moves: u16::from_le_bytes(array(bytes, 42)),
        }
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let Self { sfen, place, ply, moves } = self;
        [&sfen.0[..], &place.to_le_bytes(), &ply.to_le_bytes(), &moves.to_le_bytes()].concat()
    }
}

/// A move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinaryMove {
    /// The bits of [`kiki_board::Move::packed`].
    pub(crate) bits: u16,
    /// In centipawns; for a mate, 32,000 less its plies.
    pub(crate) value: i16,
    /// `None` for a move of a book without depths.
    pub(crate) depth: Option<u16>,
}

impl BinaryMove {
    /// Bytes of a move.
    pub(crate) const fn size(has_depths: bool) -> u64 {
        if has_depths { 6 } else { 4 }
    }

    /// Reads a move from the bytes of one.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        Self {
            bits: u16::from_le_bytes(array(bytes, 0)),
            value: i16::from_le_bytes(array(bytes, 2)),
            depth: (bytes.len() >= 6).then(|| u16::from_le_bytes(array(bytes, 4))),
        }
    }

    /// The bytes, with zeros for an unknown depth.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [self.bits.to_le_bytes(), self.value.to_le_bytes(), self.depth.unwrap_or(0).to_le_bytes()].concat()
    }
}

/// The `N` bytes from a place on.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}
