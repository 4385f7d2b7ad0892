//! The parts of a game that a form cannot hold, found by writing a game, reading it back and
//! comparing.

use std::collections::BTreeSet;
use std::fmt;

use encoding_rs::SHIFT_JIS;

use crate::error::WriteError;
use crate::form::RecordForm;
use crate::game::{Game, PlayedMove, Variation};
use crate::text::{TextEncoding, missing_in_shift_jis};

/// A part of a game that a form loses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LostPart {
    /// A player's name, or a part of it.
    Players,
    /// The event or the site.
    Event,
    /// When it was played.
    StartTime,
    /// The time control.
    TimeControl,
    /// Other fields before the moves.
    Fields,
    /// The start position, or the number of its move.
    Root,
    /// Moves. No form loses any.
    Moves,
    /// Comments.
    Comments,
    /// Times.
    Times,
    /// Fractions of a second.
    Fractions,
    /// Scores, or the number of plies to mate.
    Scores,
    /// Depths and nodes of searches.
    Searches,
    /// Principal variations.
    PrincipalVariations,
    /// Variations.
    Variations,
    /// Who won.
    Outcome,
    /// How the game ended, or the remark on it.
    Ending,
    /// A letter that the encoding lacks, without a similar replacement.
    Letter(char),
}

impl fmt::Display for LostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match *self {
            Self::Players => "names of players",
            Self::Event => "event or site",
            Self::StartTime => "start time",
            Self::TimeControl => "time control",
            Self::Fields => "other fields before the moves",
            Self::Root => "number of the first move",
            Self::Moves => "moves",
            Self::Comments => "comments",
            Self::Times => "times",
            Self::Fractions => "fractions of seconds",
            Self::Scores => "scores",
            Self::Searches => "depths and nodes",
            Self::PrincipalVariations => "principal variations",
            Self::Variations => "variations",
            Self::Outcome => "who won",
            Self::Ending => "how the game ended",
            Self::Letter(letter) => {
                let name = kiki_text::excerpt(letter.encode_utf8(&mut [0; 4]));
                return write!(f, "the letter {name} in Shift_JIS, written as &#{};", u32::from(letter));
            }
        };
        f.pad(words)
    }
}

/// The parts of a game that a file of a form loses.
///
/// # Errors
/// As for [`RecordForm::write`].
///
/// ```
/// use kiki_record::{LostPart, RecordForm, TextEncoding, lost_parts, read_records};
///
/// let game = read_records("a.csa", b"N+alice\nPI\n+\n+7776FU\nT3\n%TORYO\n").remove(0)?;
/// let lost = lost_parts(RecordForm::Usi, &game, TextEncoding::Utf8)?;
/// assert_eq!(lost, [LostPart::Players, LostPart::Times, LostPart::Outcome, LostPart::Ending]);
/// assert_eq!(lost_parts(RecordForm::Kif, &game, TextEncoding::Utf8)?, []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lost_parts(form: RecordForm, game: &Game, encoding: TextEncoding) -> Result<Vec<LostPart>, WriteError> {
    let text = form.text(std::slice::from_ref(game), encoding)?;
    let read = |bytes: &[u8]| form.read(bytes).into_iter().next().and_then(Result::ok).unwrap_or_default();
    let mut lost = differences(game, &read(text.as_bytes()));
    // Changes by the encoding are reported by letter, not by the parts that contain them.
    if encoding == TextEncoding::ShiftJis {
        let bytes = encoding.encode(&text);
        let (held, _) = SHIFT_JIS.decode_without_bom_handling(&bytes);
        lost.extend(differences(&read(held.as_bytes()), &read(&bytes)));
        lost.extend(missing_in_shift_jis(&text).into_iter().map(LostPart::Letter));
    }
    Ok(lost)
}

/// Lost parts as one text. It names at most ten letters.
#[must_use]
pub fn text_of_lost(parts: &BTreeSet<LostPart>) -> String {
    const MAX_LETTERS: usize = 10;
    let letters = parts.iter().filter(|part| matches!(part, LostPart::Letter(_))).count();
    let more = letters.saturating_sub(MAX_LETTERS);
    // Letters are the last parts.
    let mut names: Vec<String> = parts.iter().take(parts.len() - more).map(LostPart::to_string).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

fn differences(game: &Game, read: &Game) -> Vec<LostPart> {
    let mut pairs: Vec<(&PlayedMove, &PlayedMove)> = game.moves.iter().zip(&read.moves).collect();
    let mut ends = vec![(game.ending_time_ms, read.ending_time_ms)];
    add_pairs(&mut pairs, &mut ends, &game.variations, &read.variations);
    let differs = |of: fn(&PlayedMove, &PlayedMove) -> bool| pairs.iter().any(|(written, read)| of(written, read));
    let times = pairs.iter().map(|(written, read)| (written.time_ms, read.time_ms)).chain(ends);
    let times: Vec<_> = times.filter(|(written, read)| written != read).collect();
    let seconds = |time_ms: Option<u64>| time_ms.map(|time_ms| time_ms / 1000);
    let all = [
        (LostPart::Players, (&game.black, &game.white) != (&read.black, &read.white)),
        (LostPart::Event, (&game.event, &game.site) != (&read.event, &read.site)),
        (LostPart::StartTime, game.start_time != read.start_time),
        (LostPart::TimeControl, game.time_control != read.time_control),
        (LostPart::Fields, game.fields != read.fields),
        (LostPart::Root, game.root != read.root),
        (LostPart::Moves, !same_moves(&game.moves, &read.moves)),
        (LostPart::Comments, game.comment != read.comment || differs(|a, b| a.comment != b.comment)),
        (LostPart::Times, times.iter().any(|&(written, read)| seconds(written) != seconds(read))),
        (LostPart::Fractions, times.iter().any(|&(written, read)| seconds(written) == seconds(read))),
        (LostPart::Scores, differs(|a, b| a.score != b.score)),
        (LostPart::Searches, differs(|a, b| (a.depth, a.nodes) != (b.depth, b.nodes))),
        (LostPart::PrincipalVariations, differs(|a, b| a.pv != b.pv)),
        (LostPart::Variations, !same_variations(&game.variations, &read.variations)),
        (LostPart::Outcome, game.outcome != read.outcome),
        (LostPart::Ending, (game.reason, &game.remark) != (read.reason, &read.remark)),
    ];
    all.into_iter().filter(|(_, is_lost)| *is_lost).map(|(part, _)| part).collect()
}

/// Adds the moves of variations and the times of their ends, each paired with what was read back.
fn add_pairs<'a>(
    pairs: &mut Vec<(&'a PlayedMove, &'a PlayedMove)>,
    ends: &mut Vec<(Option<u64>, Option<u64>)>,
    game: &'a [Variation],
    read: &'a [Variation],
) {
    for (written, read) in game.iter().zip(read) {
        pairs.extend(written.moves.iter().zip(&read.moves));
        ends.push((written.ending.time_ms, read.ending.time_ms));
        add_pairs(pairs, ends, &written.variations, &read.variations);
    }
}

fn same_moves(game: &[PlayedMove], read: &[PlayedMove]) -> bool {
    game.iter().map(|played| played.mv).eq(read.iter().map(|played| played.mv))
}

/// Whether variations have the same places, moves and ends. Times, comments and scores are compared
/// together with the game's.
fn same_variations(game: &[Variation], read: &[Variation]) -> bool {
    let is_same = |(a, b): (&Variation, &Variation)| {
        (a.after, a.ending.result()) == (b.after, b.ending.result())
            && same_moves(&a.moves, &b.moves)
            && same_variations(&a.variations, &b.variations)
    };
    game.len() == read.len() && game.iter().zip(read).all(is_same)
}
