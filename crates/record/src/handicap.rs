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
    use kiki_board::{Color, Position};

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
}
