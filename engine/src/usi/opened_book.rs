//! The opening book that the options name.

use std::path::{Path, PathBuf};

use kiki_book::Book;
use kiki_usi::{OptionError, OptionSet};

use super::files::find_file;

/// The name that stands for no book.
const NO_BOOK: &str = "no_book";

/// A book that was asked for, and what came of it.
pub(super) struct OpenedBook {
    pub(super) path: PathBuf,
    pub(super) on_the_fly: bool,
    /// `None` if it cannot be read or is no book: that was reported once.
    pub(super) book: Option<Book>,
}

/// The file that the options name: from the working directory or else from beside the program.
pub(super) fn book_path(options: &OptionSet) -> Result<Option<PathBuf>, OptionError> {
    let (folder, file) = (options.text("BookDir")?, options.text("BookFile")?);
    if !options.check("USI_OwnBook")? || file.is_empty() || file == NO_BOOK {
        return Ok(None);
    }
    Ok(Some(find_file(&Path::new(folder).join(file))))
}
