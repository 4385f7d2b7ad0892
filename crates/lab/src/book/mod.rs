//! Opening books: counted from games, and grown or valued by search. What a book is, and how one grows, is [`kiki_book`].

mod games;
mod making;
mod searches;

pub(crate) use games::{GameSelection, count_games};
pub(crate) use making::{BookMaking, BookSettings, BookTask};
pub(crate) use searches::SearchSettings;
