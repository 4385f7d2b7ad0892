//! Opening books: counted from games, and grown or valued by search. [`kiki_book`] defines a book and how it grows.

pub mod command;
mod games;
mod making;
mod searches;

use games::{GameSelection, count_games};
use making::{BookMaking, BookSettings, BookTask};
use searches::SearchSettings;
