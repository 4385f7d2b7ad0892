//! Opening books: counted from games, and grown or valued by search. What a book is, and how one grows, is [`kiki_book`].

pub mod command;
mod games;
mod making;
mod searches;

use games::{GameSelection, count_games};
use making::{BookMaking, BookSettings, BookTask};
use searches::SearchSettings;
