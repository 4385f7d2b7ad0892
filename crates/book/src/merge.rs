//! Merges several books into one.

use std::iter::Peekable;

use crate::entry::{BookEntry, BookMove};

/// An entry with its position as board, side and hands.
pub type PositionedEntry = (String, BookEntry);

/// Whether books keep an entry for each ply of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyRule {
    /// An entry for each ply.
    Keep,
    /// One entry, at the first ply.
    First,
}

/// Merges sorted books in the order of their texts. [`BookEntry::join`] joins entries of the same
/// position.
pub struct MergedEntries<I: Iterator> {
    books: Vec<Peekable<I>>,
    rule: PlyRule,
}

impl<I: Iterator<Item = Result<PositionedEntry, E>>, E> MergedEntries<I> {
    /// Merges books. Of two values of the same depth, the first book's counts.
    pub fn new(books: impl IntoIterator<Item = I>, rule: PlyRule) -> Self {
        Self { books: books.into_iter().map(Iterator::peekable).collect(), rule }
    }

    /// The book whose next entry comes first. An unreadable entry comes before all others.
    fn first_book(&mut self) -> Option<usize> {
        let rule = self.rule;
        let mut first: Option<(usize, String)> = None;
        for (index, book) in self.books.iter_mut().enumerate() {
            let text = match book.peek() {
                None => continue,
                Some(Err(_)) => return Some(index),
                Some(Ok((board, entry))) => BookEntry::sort_text(board, entry.ply.filter(|_| rule == PlyRule::Keep)),
            };
            if first.as_ref().is_none_or(|(_, least)| text < *least) {
                first = Some((index, text));
            }
        }
        first.map(|(index, _)| index)
    }

    /// The next entry of any book, if it is for this position.
    fn next_same(&mut self, board: &str, ply: Option<u32>) -> Option<BookEntry> {
        let index = self.first_book()?;
        let (rule, book) = (self.rule, &mut self.books[index]);
        let same = |other: &PositionedEntry| other.0 == board && (rule == PlyRule::First || other.1.ply == ply);
        match book.next_if(|next| next.as_ref().is_ok_and(same)) {
            Some(Ok((_, entry))) => Some(entry),
            _ => None,
        }
    }
}

impl<I: Iterator<Item = Result<PositionedEntry, E>>, E> Iterator for MergedEntries<I> {
    type Item = Result<PositionedEntry, E>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.first_book()?;
        let (board, mut entry) = match self.books[first].next()? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        // A position may also occur several times in one book.
        entry.join(BookEntry::default());
        while let Some(other) = self.next_same(&board, entry.ply) {
            entry.join(other);
        }
        entry.sort();
        Some(Ok((board, entry)))
    }
}

impl BookEntry {
    /// Adds the moves of another entry of the position. A move in both takes value, depth and reply
    /// from the deeper one, or from this entry for equal depths. A known value precedes any depth.
    /// Counts are added. The ply becomes the lower one.
    pub fn join(&mut self, other: Self) {
        self.ply = [self.ply, other.ply].into_iter().flatten().min();
        // Either may have a move twice.
        for book_move in std::mem::take(&mut self.moves).into_iter().chain(other.moves) {
            match self.moves.iter_mut().find(|known| known.mv == book_move.mv) {
                Some(known) => join_moves(known, book_move),
                None => self.moves.push(book_move),
            }
        }
    }
}

fn join_moves(known: &mut BookMove, other: BookMove) {
    let count = [known.count, other.count].into_iter().flatten().reduce(u64::saturating_add);
    let worth = |book_move: &BookMove| (book_move.value.is_some(), book_move.depth);
    let (mut better, rest) = if worth(&other) > worth(known) { (other, known.clone()) } else { (known.clone(), other) };
    better.ponder = better.ponder.or(rest.ponder);
    better.count = count;
    *known = better;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryTexts;

    fn merged(books: &[&str], rule: PlyRule) -> Vec<PositionedEntry> {
        let entries = |text: &&str| {
            let entries: Vec<_> = EntryTexts::new(text.as_bytes()).filter_map(|text| text.unwrap().entry()).collect();
            entries.into_iter().map(Ok::<_, ()>)
        };
        MergedEntries::new(books.iter().map(entries).collect::<Vec<_>>(), rule).map(Result::unwrap).collect()
    }

    /// Move, value, depth and count.
    type MoveLine<'a> = (&'a str, Option<i32>, Option<u32>, Option<u64>);

    fn lines(entry: &BookEntry) -> Vec<MoveLine<'_>> {
        entry.moves.iter().map(|mv| (mv.mv.as_str(), mv.value, mv.depth, mv.count)).collect()
    }

    #[test]
    fn the_deeper_value_wins_then_the_first_and_counts_are_added() {
        let one = "sfen k b - 1\n1a1b 2a2b 10 8 5\n2a2b none 20 4\n3a3b none none none 2\nsfen m b - 1\n1a1b\n";
        let two = "sfen a b - 1\n1a1b\nsfen k b - 1\n1a1b none 70 9 1\n2a2b none 90 4\n3a3b none -5\n4a4b none 30 1\n";
        let entries = merged(&[one, two], PlyRule::Keep);
        assert_eq!(entries.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(), ["a b -", "k b -", "m b -"]);
        let expected = [
            ("1a1b", Some(70), Some(9), Some(6)),
            ("4a4b", Some(30), Some(1), None),
            ("2a2b", Some(20), Some(4), None),
            ("3a3b", Some(-5), None, Some(2)),
        ];
        assert_eq!(lines(&entries[1].1), expected);
        assert_eq!(entries[1].1.moves[0].ponder.as_deref(), Some("2a2b"), "a reply is not lost");
    }

    #[test]
    fn plies_are_kept_or_joined() {
        let (one, two) = ("sfen k b - 3\n1a1b\nsfen k b - 5\n2a2b\n", "sfen k b - 5\n1a1b\nsfen k b - 9\n1a1b\n");
        let plies = |rule| merged(&[one, two], rule).iter().map(|entry| entry.1.ply).collect::<Vec<_>>();
        assert_eq!(plies(PlyRule::Keep), [Some(3), Some(5), Some(9)]);
        assert_eq!(plies(PlyRule::First), [Some(3)]);
        assert_eq!(merged(&[one, two], PlyRule::First)[0].1.moves.len(), 2);
    }

    #[test]
    fn the_first_book_counts_at_whatever_ply() {
        let [one, two] = ["sfen k b - 5\n1a1b 2a2b 10 8\n", "sfen k b - 10\n1a1b 3a3b 20 8\n"];
        for (books, expected) in [([one, two], 10), ([two, one], 20)] {
            let entries = merged(&books, PlyRule::First);
            assert_eq!((entries[0].1.ply, entries[0].1.moves[0].value), (Some(5), Some(expected)));
        }
    }

    #[test]
    fn what_stands_twice_in_one_book_is_joined_too() {
        let book = "sfen k b - 1\n1a1b none none none 2\n1a1b none none none 3\nsfen k b - 1\n1a1b none none none 4\n";
        assert_eq!(lines(&merged(&[book], PlyRule::Keep)[0].1), [("1a1b", None, None, Some(9))]);
    }
}
