//! How long games last: lengths out of records, and their picture.

pub(crate) mod games;
pub(crate) mod picture;
