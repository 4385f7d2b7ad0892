//! The opening book that the options name.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use kiki_book::{Book, BookError};
use kiki_usi::{OptionError, OptionSet};

use super::files::find_file;

/// The name that stands for no book.
const NO_BOOK: &str = "no_book";

/// A book that was asked for, and what came of it.
pub(super) struct OpenedBook {
    /// As the options name it.
    pub(super) named: PathBuf,
    /// Where it was found.
    pub(super) path: PathBuf,
    pub(super) on_the_fly: bool,
    /// A move of it was played.
    pub(super) was_used: bool,
    /// It was told what hides its moves.
    pub(super) was_hinted: bool,
    state: BookState,
}

enum BookState {
    /// A thread is reading it.
    Opening(Receiver<Result<Book, BookError>>),
    Open(Book),
    /// It cannot be read or is no book: that was reported once.
    Refused,
}

impl OpenedBook {
    /// Begins to open a book: from the working directory or else from beside the program.
    pub(super) fn open(named: PathBuf, on_the_fly: bool) -> Self {
        let path = find_file(&named);
        let (sender, receiver) = channel();
        let (file, refused) = (path.clone(), sender.clone());
        let open = move || drop(sender.send(Book::open(&file, on_the_fly)));
        if std::thread::Builder::new().name("book".to_owned()).spawn(open).is_err() {
            let _ = refused.send(Book::open(&path, on_the_fly));
        }
        Self { named, path, on_the_fly, was_used: false, was_hinted: false, state: BookState::Opening(receiver) }
    }

    /// Waits until it is open, at most so long; `None`: as long as it takes. One that is not open then may be waited for again.
    ///
    /// # Errors
    /// If it turns out that it cannot be used, which is told once.
    pub(super) fn wait(&mut self, patience: Option<Duration>) -> Result<(), BookError> {
        let BookState::Opening(receiver) = &self.state else { return Ok(()) };
        let opened = match receiver.recv_timeout(patience.unwrap_or(Duration::MAX)) {
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            opened => opened,
        };
        self.state = BookState::Refused;
        // The thread ends without a result only by a panic, which the panic hook reports.
        if let Ok(opened) = opened {
            self.state = BookState::Open(opened?);
        }
        Ok(())
    }

    /// The book, if it is open.
    pub(super) fn book(&self) -> Option<&Book> {
        if let BookState::Open(book) = &self.state { Some(book) } else { None }
    }

    /// It is not to be used any more.
    pub(super) fn refuse(&mut self) {
        self.state = BookState::Refused;
    }
}

/// The file that the options name, if they name one.
pub(super) fn named_book(options: &OptionSet) -> Result<Option<PathBuf>, OptionError> {
    let (folder, file) = (options.text("BookDir")?, options.text("BookFile")?);
    if !options.check("USI_OwnBook")? || file.is_empty() || file == NO_BOOK {
        return Ok(None);
    }
    Ok(Some(Path::new(folder).join(file)))
}
