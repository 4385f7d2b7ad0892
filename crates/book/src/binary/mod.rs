//! Binary books, the form `.ybb`: sorted records of equal size for the positions, then their moves.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 15 | `YANE-BINBOOK-V1` and a zero |
//! | 16 to 23 | number of records |
//! | 24 to 31 | flags: bit 0 if moves have depths |
//! | 44 a record | packed position (32 bytes), offset of its moves from the end of the records (8), ply (2), number of moves (2); sorted by the bytes of the position |
//! | 4 or 6 a move | the move ([`kiki_board::Move::packed`]), its value, and its depth if bit 0 of the flags is set |
//!
//! Numbers are little-endian. The form has no replies and no counts, and a value for every move.

mod faults;
mod layout;
mod read;
mod write;

pub use faults::{BinaryFault, BinaryProblem};
pub use read::{BinaryBook, BinaryEntry};
pub use write::{BinaryWriter, LostData};

pub(crate) use layout::MAGIC;
