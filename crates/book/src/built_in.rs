//! The book in the program, made by Kiki's own searches (`docs/book.md`).

use std::io::Read as _;

use flate2::read::GzDecoder;

use crate::check::{BookError, LookupError};
use crate::lookup::Book;

/// The name of the book in the program, in place of a file.
pub const BUILT_IN: &str = "built_in";

/// An ordinary text book, compressed: `gunzip -c crates/book/kiki.db.gz > kiki.db` gives the file.
static FILE: &[u8] = include_bytes!("../kiki.db.gz");

impl Book {
    /// The book in the program; decompressed anew at each call. Fails if it was damaged before the
    /// program was built.
    pub fn built_in() -> Result<Self, BookError> {
        let read = || {
            let mut text = Vec::new();
            GzDecoder::new(FILE).read_to_end(&mut text)?;
            Ok(Self::from_text(&text)?)
        };
        read().map_err(|cause: LookupError| BookError { path: BUILT_IN.into(), cause })
    }
}
