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

/// The member of [`Game`] that holds a field.
type Member = fn(&mut Game) -> &mut String;

/// The fields that are members of [`Game`].
const PLACES: [(&str, Member); 9] = [
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

fn place_of(game: &Game, name: &str) -> Option<Member> {
    let name = if name == DAY && game.start_time.is_empty() { START } else { name };
    PLACES.iter().find(|(known, _)| *known == name).map(|&(_, place)| place)
}

/// The key in [`Game::fields`].
fn key_of(name: &str) -> &str {
    KEYWORDS.iter().find(|(japanese, _)| *japanese == name).map_or(name, |(_, keyword)| keyword)
}

/// Whether records have a field with this name.
pub(crate) fn is_known_field(name: &str) -> bool {
    PLACES.iter().any(|(known, _)| *known == name) || KEYWORDS.iter().any(|(japanese, _)| *japanese == name)
}

/// Puts a field into the game, except the handicap.
pub(crate) fn read_field(game: &mut Game, name: &str, value: &str) {
    match place_of(game, name) {
        Some(place) => {
            let slot = place(game);
            let before = std::mem::replace(slot, value.to_owned());
            // The date came before the start of the game.
            if name == START && !before.is_empty() && before != value {
                add_line(game.fields.entry(DAY.to_owned()).or_default(), &before);
            }
        }
        None if value.is_empty() => {}
        None => add_line(game.fields.entry(key_of(name).to_owned()).or_default(), value),
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

/// A handicap: White lacks pieces and moves first.
pub(crate) struct Handicap {
    pub(crate) name: &'static str,
    pub(crate) english: &'static str,
    /// Its name in JKF: 2.
    pub(crate) preset: &'static str,
    pub(crate) sfen: &'static str,
}

/// The handicaps, the even game first.
pub(crate) const HANDICAPS: [Handicap; 16] = [
    of("平手", "Even game", "HIRATE", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    of("香落ち", "Lance handicap", "KY", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("右香落ち", "Right Lance handicap", "KY_R", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("角落ち", "Bishop handicap", "KA", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("飛車落ち", "Rook handicap", "HI", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("飛香落ち", "Rook–Lance handicap", "HIKY", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("二枚落ち", "2-Piece handicap", "2", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("三枚落ち", "3-Piece handicap", "3", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("四枚落ち", "4-Piece handicap", "4", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("五枚落ち", "5-Piece handicap", "5", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("左五枚落ち", "Left 5-Piece handicap", "5_L", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("六枚落ち", "6-Piece handicap", "6", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("左七枚落ち", "Left 7-Piece handicap", "7_L", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("右七枚落ち", "Right 7-Piece handicap", "7_R", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("八枚落ち", "8-Piece handicap", "8", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("十枚落ち", "10-Piece handicap", "10", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

/// The start positions of the even game and of the named handicaps, in SFEN, from the smallest
/// handicap to the greatest.
pub fn handicaps() -> impl Iterator<Item = &'static str> {
    HANDICAPS.iter().map(|handicap| handicap.sfen)
}

/// Further handicaps of lishogi, which writes only their names. Kiki writes them as positions.
const FURTHER: [(&str, &str, &str); 13] = [
    ("歩三兵", "Three Pawns handicap", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
    ("裸玉", "Naked King handicap", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("トンボ", "Dragonfly handicap", "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("トンボ＋香", "Dragonfly + Lance handicap", "l3k3l/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (
        "トンボ＋桂香",
        "Dragonfly + Lance + Knight handicap",
        "ln2k2nl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    ("香得", "Lance gained", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w L 1"),
    ("角得", "Bishop gained", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1"),
    ("飛車得", "Rook gained", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1"),
    ("飛香得", "Rook–Lance gained", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RL 1"),
    ("二枚得", "2-Piece gained", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1"),
    ("四枚得", "4-Piece gained", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2L 1"),
    ("六枚得", "6-Piece gained", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2N2L 1"),
    ("八枚得", "8-Piece gained", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2S2N2L 1"),
];

const fn of(name: &'static str, english: &'static str, preset: &'static str, sfen: &'static str) -> Handicap {
    Handicap { name, english, preset, sfen }
}

/// The name of a handicap in Japanese and in English, by its start position in SFEN. The even game
/// has one too.
#[must_use]
pub fn handicap_names(sfen: &str) -> Option<(&'static str, &'static str)> {
    let usual = HANDICAPS.iter().map(|handicap| (handicap.name, handicap.english, handicap.sfen));
    usual.chain(FURTHER).find(|(.., first)| *first == sfen).map(|(name, english, _)| (name, english))
}

/// The handicap of a root. No root means an even game.
pub(crate) fn handicap_of_root(root: Option<&str>) -> Option<&'static Handicap> {
    match root {
        None => HANDICAPS.first(),
        Some(sfen) => HANDICAPS.iter().find(|handicap| handicap.sfen == sfen),
    }
}

/// Whether a game has a handicap. The sides then have other names.
pub(crate) fn has_handicap(game: &Game) -> bool {
    handicap_of_root(game.root.as_deref()).is_some_and(|handicap| !handicap.is_even())
}

/// The root of a handicap by its name. `None` if the name is unknown. 香落 and 香落ち are the same.
pub(crate) fn root_of_handicap(name: &str) -> Option<Option<String>> {
    let further = || FURTHER.iter().find(|(known, ..)| *known == name).map(|(.., sfen)| Some((*sfen).to_owned()));
    let is_named = |handicap: &&Handicap| handicap.name.trim_end_matches('ち') == name.trim_end_matches('ち');
    HANDICAPS.iter().find(is_named).map(Handicap::root).or_else(further)
}

/// A position in SFEN as the root of a game; none for an even game.
pub(crate) fn root_unless_even(sfen: String) -> Option<String> {
    let is_even = HANDICAPS.first().is_some_and(|even| even.sfen == sfen);
    (!is_even).then_some(sfen)
}

impl Handicap {
    /// Whether this is the even game.
    pub(crate) fn is_even(&self) -> bool {
        self.preset == "HIRATE"
    }

    /// The root of a game of this handicap.
    pub(crate) fn root(&self) -> Option<String> {
        (!self.is_even()).then(|| self.sfen.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::{Color, HAND_KINDS, Position};

    use super::*;

    #[test]
    fn handicaps_are_positions_in_which_white_lacks_pieces_and_moves() {
        for handicap in &HANDICAPS {
            let position = Position::from_sfen(handicap.sfen).unwrap();
            assert_eq!(position.to_sfen(), handicap.sfen);
            let white = position.pieces_of(Color::White).count();
            let taken = 20 - white;
            let expected = match handicap.preset {
                "HIRATE" => 0,
                "KY" | "KY_R" | "KA" | "HI" => 1,
                "HIKY" => 2,
                other => other.trim_end_matches(['_', 'L', 'R']).parse().unwrap(),
            };
            assert_eq!(taken, expected, "{}", handicap.name);
            assert_eq!(position.side_to_move() == Color::Black, handicap.is_even());
        }
    }

    #[test]
    fn a_first_position_has_the_name_of_its_handicap() {
        assert_eq!(handicap_names(HANDICAPS[3].sfen), Some(("角落ち", "Bishop handicap")));
        assert_eq!(handicap_names(FURTHER[1].2), Some(("裸玉", "Naked King handicap")));
        assert_eq!(handicap_names("4k4/9/9/9/9/9/9/9/4K4 b - 1"), None);
    }

    #[test]
    fn further_names_are_positions_in_which_white_lacks_pieces_or_black_holds_them() {
        for (name, _, sfen) in FURTHER {
            let position = Position::from_sfen(sfen).unwrap();
            assert_eq!((position.to_sfen().as_str(), position.side_to_move()), (sfen, Color::White));
            let held = |side| HAND_KINDS.map(|kind| position.hand(side).count(kind)).iter().sum::<usize>();
            let taken = 20 - position.pieces_of(Color::White).count() as usize;
            if name.ends_with('得') {
                assert_eq!(held(Color::Black), taken, "{name}");
            } else {
                assert_eq!((held(Color::Black), held(Color::White) > 0), (0, name == "歩三兵"), "{name}");
            }
        }
    }
}
