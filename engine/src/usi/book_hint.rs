//! A book that is never used says nothing of the reason. One hint names the options that hide its moves.

use kiki_board::{Color, Position};
use kiki_book::{BookMove, BookPolicy};

use super::book::{BookCandidate, BookSettings};
use super::session::UsiSession;

impl UsiSession {
    /// Whether there is a book that was never used, and that was not told yet.
    pub(super) fn wants_book_hint(&self) -> bool {
        self.book.as_ref().is_some_and(|opened| opened.book().is_some() && !opened.was_used && !opened.was_hinted)
    }

    /// Says once which options hide the moves of the book, none of which is played in this position. `candidates` are those that it is asked for.
    pub(super) fn give_book_hint(
        &mut self,
        position: &Position,
        settings: &BookSettings,
        candidates: &[BookCandidate],
    ) {
        if !self.wants_book_hint() {
            return;
        }
        let hidden = if candidates.is_empty() {
            self.hidden_by_look_up(position, settings)
        } else {
            hidden_by_limits(position, settings, candidates).map(|options| (candidates.len(), options))
        };
        if let (Some((moves, options)), Some(opened)) = (hidden, &mut self.book) {
            opened.was_hinted = true;
            let book = opened.path.display().to_string();
            let count = if moves == 1 { "1 move".to_owned() } else { format!("{moves} moves") };
            self.warn(format_args!("the book {book} has {count} here that {options} keeps from being played"));
        }
    }

    /// How many moves the book would have if it were asked otherwise, and the options that keep it from that.
    fn hidden_by_look_up(&mut self, position: &Position, settings: &BookSettings) -> Option<(usize, String)> {
        let (own_ply, own_colour) = (!settings.any_ply, !settings.either_colour);
        // Most positions are not in the book in any way, and it may be a file.
        let found = if own_ply || own_colour { self.look_up(position, true, true).len() } else { 0 };
        if found == 0 {
            return None;
        }
        let (ply, colour) = ("IgnoreBookPly false", "FlippedBook false");
        Some(if own_ply && !self.look_up(position, true, settings.either_colour).is_empty() {
            (found, ply.to_owned())
        } else if own_colour && !self.look_up(position, settings.any_ply, true).is_empty() {
            (found, colour.to_owned())
        } else {
            (found, format!("{ply} with {colour}"))
        })
    }
}

/// The options that keep all of these moves from being played, if it is not chance that does.
fn hidden_by_limits(position: &Position, settings: &BookSettings, candidates: &[BookCandidate]) -> Option<String> {
    if position.ply() as i64 > settings.last_ply {
        return Some(format!("BookMoves {}", settings.last_ply));
    }
    if settings.ignore_rate >= 100 {
        return Some(format!("BookIgnoreRate {}", settings.ignore_rate));
    }
    let entries: Vec<BookMove> = candidates.iter().map(|candidate| candidate.entry.clone()).collect();
    let plays = |policy: BookPolicy| policy.choose(&entries, &mut rand::rng()).is_some();
    if plays(settings.policy) {
        return None;
    }
    let policy = settings.policy;
    let limit = if position.side_to_move() == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
    let limits = [
        (BookPolicy { least_depth: 0, ..policy }, format!("BookDepthLimit {}", policy.least_depth)),
        (BookPolicy { least_value: i32::MIN, ..policy }, format!("{limit} {}", policy.least_value)),
        (BookPolicy { narrow: false, ..policy }, "NarrowBook true".to_owned()),
    ];
    let alone = limits.iter().find(|(without, _)| plays(*without)).map(|(_, option)| option.clone());
    // Where none of them alone hides all, those that hide some do.
    let in_force = |(without, option): &(BookPolicy, String)| (*without != policy).then(|| option.clone());
    Some(alone.unwrap_or_else(|| limits.iter().filter_map(in_force).collect::<Vec<_>>().join(" with ")))
}
