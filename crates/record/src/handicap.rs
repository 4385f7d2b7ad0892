//! Handicaps: positions that games start from without some of White's pieces, who then moves first.

/// A handicap by its names.
pub(crate) struct Handicap {
    /// In KIF: 二枚落ち.
    pub(crate) name: &'static str,
    /// In JKF: 2.
    pub(crate) preset: &'static str,
    /// The position in SFEN.
    pub(crate) sfen: &'static str,
}

/// The handicaps, the even game first.
pub(crate) const HANDICAPS: [Handicap; 16] = [
    of("平手", "HIRATE", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    of("香落ち", "KY", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("右香落ち", "KY_R", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("角落ち", "KA", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("飛車落ち", "HI", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("飛香落ち", "HIKY", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("二枚落ち", "2", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("三枚落ち", "3", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("四枚落ち", "4", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("五枚落ち", "5", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("左五枚落ち", "5_L", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("六枚落ち", "6", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("左七枚落ち", "7_L", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("右七枚落ち", "7_R", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("八枚落ち", "8", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    of("十枚落ち", "10", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

/// Names that lishogi writes without a board, by its own positions. They are written as positions.
const FURTHER: [(&str, &str); 13] = [
    ("歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
    ("裸玉", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("トンボ", "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("トンボ＋香", "l3k3l/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("トンボ＋桂香", "ln2k2nl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("香得", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w L 1"),
    ("角得", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1"),
    ("飛車得", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1"),
    ("飛香得", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RL 1"),
    ("二枚得", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1"),
    ("四枚得", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2L 1"),
    ("六枚得", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2N2L 1"),
    ("八枚得", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB2S2N2L 1"),
];

const fn of(name: &'static str, preset: &'static str, sfen: &'static str) -> Handicap {
    Handicap { name, preset, sfen }
}

/// The handicap that a root is; the even game if there is no root.
pub(crate) fn of_root(root: Option<&str>) -> Option<&'static Handicap> {
    match root {
        None => HANDICAPS.first(),
        Some(sfen) => HANDICAPS.iter().find(|handicap| handicap.sfen == sfen),
    }
}

/// The root that a name in a record stands for; `None` if the name is not known. 香落 and 香落ち are the same.
pub(crate) fn root_of_name(name: &str) -> Option<Option<String>> {
    let further = || FURTHER.iter().find(|(known, _)| *known == name).map(|(_, sfen)| Some((*sfen).to_owned()));
    let is_named = |handicap: &&Handicap| handicap.name.trim_end_matches('ち') == name.trim_end_matches('ち');
    HANDICAPS.iter().find(is_named).map(Handicap::root).or_else(further)
}

/// A position in SFEN as the root of a game: the start of an even one has none.
pub(crate) fn root_of(sfen: String) -> Option<String> {
    let is_even = HANDICAPS.first().is_some_and(|even| even.sfen == sfen);
    (!is_even).then_some(sfen)
}

impl Handicap {
    /// Whether it is the even game.
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
    fn further_names_are_positions_in_which_white_lacks_pieces_or_black_holds_them() {
        for (name, sfen) in FURTHER {
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
