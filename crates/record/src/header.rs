//! What a record says before the moves, in the Japanese words that KIF, KI2 and JKF share.

use crate::game::Game;
use crate::handicap;
use crate::text::{add_line, one_line};

/// The word for the handicap.
pub(crate) const HANDICAP: &str = "手合割";
/// The handicap of a position that has no name.
pub(crate) const OTHER_HANDICAP: &str = "その他";

/// Fields that CSA has a keyword for.
const KEYWORDS: [(&str, &str); 5] =
    [("終了日時", "END_TIME"), ("戦型", "OPENING"), ("備考", "NOTE"), ("最大手数", "MAX_MOVES"), ("持将棋", "JISHOGI")];

/// Puts a field into the game. The handicap is not among what a game holds.
pub(crate) fn read_field(game: &mut Game, name: &str, value: &str) {
    let slot = match name {
        "先手" | "下手" => &mut game.black,
        "後手" | "上手" => &mut game.white,
        "棋戦" => &mut game.event,
        "場所" => &mut game.site,
        "開始日時" | "開始日" => &mut game.start_time,
        "対局日" if game.start_time.is_empty() => &mut game.start_time,
        "持ち時間" => &mut game.time_control,
        other => {
            let other = if other == "終了日" { "終了日時" } else { other };
            let keyword = KEYWORDS.iter().find(|(japanese, _)| *japanese == other);
            let key = keyword.map_or(other, |(_, keyword)| keyword);
            if !value.is_empty() {
                add_line(game.fields.entry(key.to_owned()).or_default(), value);
            }
            return;
        }
    };
    value.clone_into(slot);
}

/// The fields of a game, a line in each; several with the same name belong together.
pub(crate) fn fields(game: &Game) -> Vec<(&str, String)> {
    let is_handicap = handicap::of_root(game.root.as_deref()).is_some_and(|handicap| !handicap.is_even());
    let [black, white] = if is_handicap { ["下手", "上手"] } else { ["先手", "後手"] };
    let mut fields = Vec::new();
    for (name, text) in [
        ("開始日時", &game.start_time),
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
        // Names that mean something else in these forms are left out.
        let mut read = Game::default();
        read_field(&mut read, word, "x");
        if read.fields.contains_key(key) && word != HANDICAP {
            fields.extend(value.lines().map(one_line).filter(|line| !line.is_empty()).map(|line| (word, line)));
        }
    }
    fields
}
