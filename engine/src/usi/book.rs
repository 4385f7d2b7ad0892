//! The opening book at play.

use std::path::Path;
use std::time::Duration;

use kiki_board::{Color, Move, Position};
use kiki_book::{BookKey, BookMove, BookPolicy};
use kiki_usi::{BestMove, Info, InfoString, OptionError, OptionSet, UsiScore};
use rand::RngExt;

use super::opened_book::{OpenedBook, named_book};
use super::session::UsiSession;

/// When the book is asked, and what for.
struct BookSettings {
    /// The last ply at which the book is asked.
    last_ply: i64,
    /// Percent of the positions at which it is not.
    ignore_rate: i64,
    any_ply: bool,
    either_colour: bool,
    policy: BookPolicy,
}

impl BookSettings {
    fn read(options: &OptionSet, position: &Position) -> Result<Self, OptionError> {
        let number = |name: &str| options.spin(name);
        let limit = if position.side_to_move() == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
        Ok(Self {
            last_ply: number("BookMoves")?,
            ignore_rate: number("BookIgnoreRate")?,
            any_ply: options.check("IgnoreBookPly")?,
            either_colour: options.check("FlippedBook")?,
            policy: BookPolicy {
                value_difference: number("BookEvalDiff")? as i32,
                least_value: number(limit)? as i32,
                least_depth: number("BookDepthLimit")? as u32,
                by_count: options.check("ConsiderBookMoveCount")?,
                narrow: options.check("NarrowBook")?,
            },
        })
    }
}

impl UsiSession {
    /// Opens the book that the options name, unless that was done already, and waits for it at most so long. If it cannot be used, an `info string` says
    /// why, and there is no book.
    pub(super) fn open_book(&mut self, patience: Option<Duration>) {
        let wanted = named_book(&self.options).and_then(|named| Ok((named, self.options.check("BookOnTheFly")?)));
        let (named, on_the_fly) = match wanted {
            Ok((Some(named), on_the_fly)) => (named, on_the_fly),
            Ok((None, _)) => return self.book = None,
            Err(error) => return self.warn(error),
        };
        let same = self.book.take().filter(|opened| opened.named == named && opened.on_the_fly == on_the_fly);
        let mut book = same.unwrap_or_else(|| OpenedBook::open(named, on_the_fly));
        if let Err(error) = book.wait(patience) {
            self.warn(error);
        }
        self.book = Some(book);
    }

    /// The file of the book that is asked, if there is one.
    pub(super) fn book_in_use(&self) -> Option<&Path> {
        self.book.as_ref().filter(|opened| opened.book().is_some()).map(|opened| opened.path.as_path())
    }

    /// The move of the book to play in a position. The book is waited for at most so long. What is not legal here is as if it did not stand there.
    pub(super) fn book_move(&mut self, position: &Position, patience: Option<Duration>) -> Option<(Move, BookMove)> {
        self.open_book(patience);
        let opened = self.book.as_ref()?;
        let book = opened.book()?;
        let settings = BookSettings::read(&self.options, position).map_err(|error| self.warn(error)).ok()?;
        let mut random = rand::rng();
        if position.ply() as i64 > settings.last_ply || random.random_range(0..100) < settings.ignore_rate {
            return None;
        }
        let key = BookKey::new(&position.to_sfen())?;
        let found = if settings.either_colour {
            book.moves_of_either_colour(&key, settings.any_ply)
        } else {
            book.moves(&key, settings.any_ply)
        };
        let mut moves = match found {
            Ok(moves) => moves,
            Err(error) => {
                self.warn(format_args!("the book {} is not used any more: {error}", opened.path.display()));
                self.book.as_mut()?.refuse();
                return None;
            }
        };
        moves.retain(|book_move| position.parse_move(&book_move.mv).is_ok());
        let chosen = settings.policy.choose(&moves, &mut random)?;
        Some((position.parse_move(&chosen.mv).ok()?, chosen.clone()))
    }

    pub(super) fn report_book_move(&self, position: &Position, &(mv, ref book_move): &(Move, BookMove)) {
        let mut after = position.clone();
        after.make(mv);
        let ponder = book_move.ponder.as_deref().and_then(|text| after.parse_move(text).ok());
        let pv = std::iter::once(mv).chain(ponder).map(|mv| mv.to_string()).collect();
        self.output.print(InfoString("a move of the book"));
        self.output.print(Info {
            depth: Some(book_move.depth.unwrap_or(0)),
            score: book_move.value.map(UsiScore::cp),
            pv,
            ..Info::default()
        });
        self.output.print(ponder.map_or_else(|| BestMove::new(mv), |ponder| BestMove::with_ponder(mv, ponder)));
    }
}
