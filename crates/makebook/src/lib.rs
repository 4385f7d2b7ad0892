//! Opening books: counted from games, and grown or valued by search. [`kiki_book`] defines a book
//! and how it grows.

pub mod command;
mod games;
mod making;
mod settings;
