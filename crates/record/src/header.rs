//! What a record says before the moves, in the Japanese words that KIF, KI2 and JKF share.

use crate::game::Game;
use crate::handicap;
use crate::text::{add_line, one_line};

/// The word for the handicap.
pub(crate) const HANDICAP: &str = "手合割";
/// The handicap of a position that has no name.
pub(crate) const OTHER_HANDICAP: &str = "その他";

/// The start, and the day of a game, which is its start unless that is known.
const START: &str = "開始日時";
const DAY: &str = "対局日";

/// A text that a game holds by itself.
type Place = fn(&mut Game) -> &mut String;

/// The words for what a game holds by itself.
const PLACES: [(&str, Place); 9] = [
    (START, |game| &mut game.start_time),
    ("開始日", |game| &mut game.start_time),
    ("棋戦", |game| &mut game.event),
    ("場所", |game| &mut game.site),
    ("持ち時間", |game| &mut game.time_control),
    ("先手", |game| &mut game.black),
    ("下手", |game| &mut game.black),
    ("後手", |game| &mut game.white),
    ("上手", |game| &mut game.white),
];

/// Fields that CSA has a keyword for; the first word for it is written.
const KEYWORDS: [(&str, &str); 6] = [
    ("終了日時", "END_TIME"),
    ("終了日", "END_TIME"),
    ("戦型", "OPENING"),
    ("備考", "NOTE"),
    ("最大手数", "MAX_MOVES"),
    ("持将棋", "JISHOGI"),
];

fn place_of(game: &Game, name: &str) -> Option<Place> {
    let name = if name == DAY && game.start_time.is_empty() { START } else { name };
    PLACES.iter().find(|(known, _)| *known == name).map(|&(_, place)| place)
}

/// The key of a field that has no place.
fn key_of(name: &str) -> &str {
    KEYWORDS.iter().find(|(japanese, _)| *japanese == name).map_or(name, |(_, keyword)| keyword)
}

/// Whether records have a field of this name.
pub(crate) fn is_known_field(name: &str) -> bool {
    PLACES.iter().any(|(known, _)| *known == name) || KEYWORDS.iter().any(|(japanese, _)| *japanese == name)
}

/// Puts a field into the game. The handicap is not among what a game holds.
pub(crate) fn read_field(game: &mut Game, name: &str, value: &str) {
    match place_of(game, name) {
        Some(place) => {
            let slot = place(game);
            let before = std::mem::replace(slot, value.to_owned());
            // The day of the game, which had stood before its start.
            if name == START && !before.is_empty() && before != value {
                add_line(game.fields.entry(DAY.to_owned()).or_default(), &before);
            }
        }
        None if value.is_empty() => {}
        None => add_line(game.fields.entry(key_of(name).to_owned()).or_default(), value),
    }
}

/// The fields of a game, a line in each; several with the same name belong together.
pub(crate) fn fields(game: &Game) -> Vec<(&str, String)> {
    let is_handicap = handicap::of_root(game.root.as_deref()).is_some_and(|handicap| !handicap.is_even());
    let [black, white] = if is_handicap { ["下手", "上手"] } else { ["先手", "後手"] };
    let mut fields = Vec::new();
    for (name, text) in [
        (START, &game.start_time),
        ("棋戦", &game.event),
        ("場所", &game.site),
        ("持ち時間", &game.time_control),
        (black, &game.black),
        (white, &game.white),
    ] {
        let text = one_line(text);
        if !text.is_empty() {
            fields.push((name, text));
        }
    }
    for (key, value) in &game.fields {
        let word = KEYWORDS.iter().find(|(_, keyword)| keyword == key).map_or(key.as_str(), |(japanese, _)| japanese);
        // A word that is read as something else is left out.
        if place_of(game, word).is_none() && key_of(word) == key && word != HANDICAP {
            fields.extend(value.lines().map(one_line).filter(|line| !line.is_empty()).map(|line| (word, line)));
        }
    }
    fields
}
