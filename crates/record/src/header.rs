//! What a record has before its moves: the handicap, and fields in the Japanese words shared by
//! KIF, KI2 and JKF.

use crate::game::Game;
use crate::text::{add_line, one_line};

pub(crate) const HANDICAP: &str = "手合割";
/// The handicap of an unnamed start position.
pub(crate) const OTHER_HANDICAP: &str = "その他";

/// The start of a game, and its date, which replaces a missing start.
const START: &str = "開始日時";
const DAY: &str = "対局日";

/// The field of [`Game`] that holds a field of a record.
type GameField = fn(&mut Game) -> &mut String;

/// The fields that are members of [`Game`].
const PLACES: [(&str, GameField); 9] = [
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

/// Fields with a keyword in CSA. Writers use the first word of a keyword.
const KEYWORDS: [(&str, &str); 6] = [
    ("終了日時", "END_TIME"),
    ("終了日", "END_TIME"),
    ("戦型", "OPENING"),
    ("備考", "NOTE"),
    ("最大手数", "MAX_MOVES"),
    ("持将棋", "JISHOGI"),
];

fn place_of(game: &Game, name: &str) -> Option<GameField> {
    let name = if name == DAY && game.start_time.is_empty() { START } else { name };
    PLACES.iter().find(|(known, _)| *known == name).map(|&(_, place)| place)
}

/// The key in [`Game::fields`].
fn key_of(name: &str) -> &str {
    KEYWORDS.iter().find(|(japanese, _)| *japanese == name).map_or(name, |(_, keyword)| keyword)
}

pub(crate) fn is_field_of_game(name: &str) -> bool {
    PLACES.iter().any(|(known, _)| *known == name)
}

pub(crate) fn is_known_field(name: &str) -> bool {
    is_field_of_game(name) || KEYWORDS.iter().any(|(japanese, _)| *japanese == name)
}

/// Puts a field into the game, except the handicap.
pub(crate) fn read_field(game: &mut Game, name: &str, value: &str) {
    match place_of(game, name) {
        _ if value.is_empty() => {}
        // The date came before the start of the game.
        Some(_) if name == START && !game.start_time.is_empty() && game.start_time != value => {
            let before = std::mem::replace(&mut game.start_time, value.to_owned());
            add_line(game.fields.entry(DAY.to_owned()).or_default(), &before);
        }
        Some(place) => add_value(place(game), value),
        None => add_line(game.fields.entry(key_of(name).to_owned()).or_default(), value),
    }
}

/// Adds a value to a field of one line, unless that is its value.
pub(crate) fn add_value(field: &mut String, value: &str) {
    if !value.is_empty() && field != value {
        field.push_str(if field.is_empty() { "" } else { " " });
        field.push_str(value);
    }
}

/// The fields of a game, one line each. Fields with the same name are kept together.
pub(crate) fn fields(game: &Game) -> Vec<(&str, String)> {
    let [black, white] = if has_handicap(game) { ["下手", "上手"] } else { ["先手", "後手"] };
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
        // Skip a word that would be read as another field.
        if place_of(game, word).is_none() && key_of(word) == key && word != HANDICAP {
            fields.extend(value.lines().map(one_line).filter(|line| !line.is_empty()).map(|line| (word, line)));
        }
    }
    fields
}

/// A handicap: White lacks pieces, or Black holds them, and White moves first.
pub(crate) struct Handicap {
    pub(crate) name: &'static str,
    english: &'static str,
    /// Its name in JKF. `None` for the further handicaps of lishogi, which writes only their names.
    /// Kiki writes them as positions.
    pub(crate) preset: Option<&'static str>,
    sfen: &'static str,
}

/// The handicaps, the even game first.
const HANDICAPS: [Handicap; 29] = [
    of("平手", "Even game", Some("HIRATE"), "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    of("香落ち", "Lance handicap", Some("KY"), "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of(
        "右香落ち",
        "Right Lance handicap",
        Some("KY_R"),
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    of("角落ち", "Bishop handicap", Some("KA"), "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("飛車落ち", "Rook handicap", Some("HI"), "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of(
        "飛香落ち",
        "Rook–Lance handicap",
        Some("HIKY"),
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    of("二枚落ち", "2-Piece handicap", Some("2"), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("三枚落ち", "3-Piece handicap", Some("3"), "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("四枚落ち", "4-Piece handicap", Some("4"), "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("五枚落ち", "5-Piece handicap", Some("5"), "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of(
        "左五枚落ち",
        "Left 5-Piece handicap",
        Some("5_L"),
        "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    of("六枚落ち", "6-Piece handicap", Some("6"), "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("左七枚落ち", "Left 7-Piece handicap", Some("7_L"), "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("右七枚落ち", "Right 7-Piece handicap", Some("7_R"), "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("八枚落ち", "8-Piece handicap", Some("8"), "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("十枚落ち", "10-Piece handicap", Some("10"), "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("歩三兵", "Three Pawns handicap", None, "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
    of("裸玉", "Naked King handicap", None, "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("トンボ", "Dragonfly handicap", None, "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("トンボ＋香", "Dragonfly + Lance handicap", None, "l3k3l/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of(
        "トンボ＋桂香",
        "Dragonfly + Lance + Knight handicap",
        None,
        "ln2k2nl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    of("香得", "Lance gained", None, "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w L 1"),
    of("角得", "Bishop gained", None, "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1"),
    of("飛車得", "Rook gained", None, "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1"),
    of("飛香得", "Rook–Lance gained", None, "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RL 1"),
    of("二枚得", "2-Piece gained", None, "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1"),
    of("四枚得", "4-Piece gained", None, "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2L 1"),
    of("六枚得", "6-Piece gained", None, "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2N2L 1"),
    of("八枚得", "8-Piece gained", None, "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2S2N2L 1"),
];

const fn of(name: &'static str, english: &'static str, preset: Option<&'static str>, sfen: &'static str) -> Handicap {
    Handicap { name, english, preset, sfen }
}

fn usual_handicaps() -> impl Iterator<Item = &'static Handicap> {
    HANDICAPS.iter().filter(|handicap| handicap.preset.is_some())
}

/// The start positions of the even game and of the usual handicaps, in SFEN, from the smallest
/// handicap to the greatest.
pub fn handicaps() -> impl Iterator<Item = &'static str> {
    usual_handicaps().map(|handicap| handicap.sfen)
}

/// The name of a handicap in Japanese and in English, by its start position in SFEN. The even game
/// has one too.
#[must_use]
pub fn handicap_names(sfen: &str) -> Option<(&'static str, &'static str)> {
    HANDICAPS.iter().find(|handicap| handicap.sfen == sfen).map(|handicap| (handicap.name, handicap.english))
}

/// The usual handicap of a root. No root means an even game.
pub(crate) fn handicap_of_root(root: Option<&str>) -> Option<&'static Handicap> {
    usual_handicaps().find(|handicap| root.map_or(handicap.is_even(), |root| handicap.sfen == root))
}

/// Whether a game has a handicap. The sides then have other names.
pub(crate) fn has_handicap(game: &Game) -> bool {
    handicap_of_root(game.root.as_deref()).is_some_and(|handicap| !handicap.is_even())
}

/// The root of a handicap by its name. `None` if the name is unknown. 香落 and 香落ち are the same.
pub(crate) fn root_of_handicap(name: &str) -> Option<Option<String>> {
    let is_named = |known: &&Handicap| known.name.trim_end_matches('ち') == name.trim_end_matches('ち');
    HANDICAPS.iter().find(is_named).map(Handicap::root)
}

/// The root of a handicap by its name in JKF. `None` if the name is unknown.
pub(crate) fn root_of_preset(preset: &str) -> Option<Option<String>> {
    HANDICAPS.iter().find(|known| known.preset == Some(preset)).map(Handicap::root)
}

/// A position in SFEN as the root of a game; none for an even game.
pub(crate) fn root_unless_even(sfen: String) -> Option<String> {
    (handicap_of_root(None).is_none_or(|even| even.sfen != sfen)).then_some(sfen)
}

impl Handicap {
    fn is_even(&self) -> bool {
        self.preset == Some("HIRATE")
    }

    fn root(&self) -> Option<String> {
        root_unless_even(self.sfen.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::{Color, HAND_KINDS, Position};

    use super::*;

    #[test]
    fn handicaps_are_positions_in_which_white_lacks_pieces_or_black_holds_them_and_white_moves() {
        for handicap in &HANDICAPS {
            let position = Position::from_sfen(handicap.sfen).unwrap();
            assert_eq!(position.to_sfen(), handicap.sfen);
            assert_eq!(position.side_to_move() == Color::Black, handicap.is_even());
            let held = |side| HAND_KINDS.map(|kind| position.hand(side).count(kind)).iter().sum::<usize>();
            let taken = 20 - position.pieces_of(Color::White).count() as usize;
            let name = handicap.name;
            let expected = match handicap.preset {
                Some("HIRATE") => 0,
                Some("KY" | "KY_R" | "KA" | "HI") => 1,
                Some("HIKY") => 2,
                Some(other) => other.trim_end_matches(['_', 'L', 'R']).parse().unwrap(),
                None => taken,
            };
            assert_eq!(taken, expected, "{name}");
            assert_eq!(held(Color::Black), if name.ends_with('得') { taken } else { 0 }, "{name}");
            assert_eq!(held(Color::White) > 0, name == "歩三兵", "{name}");
        }
    }

    #[test]
    fn a_first_position_has_the_name_of_its_handicap() {
        assert_eq!(handicap_names(HANDICAPS[3].sfen), Some(("角落ち", "Bishop handicap")));
        assert_eq!(handicap_names(HANDICAPS[17].sfen), Some(("裸玉", "Naked King handicap")));
        assert_eq!(handicap_names("4k4/9/9/9/9/9/9/9/4K4 b - 1"), None);
    }
}
