//! The kind of opening that a player chose: where the rooks went, or the handicap.

use kiki_board::{Color, Move, PieceKind, Position, Sq};
use kiki_record::handicap_names;

use crate::words::Words;

/// Plies in which a rook shows where it will fight.
const ROOK_PLIES: usize = 30;

/// The kind of opening from the view of one side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Opening {
    /// Its name in JSON.
    pub key: String,
    /// Its name for people.
    pub words: Words,
}

/// Where a rook fights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RookStyle {
    /// At its own side of the board.
    Static,
    /// On the files 5 to 8, seen by its side.
    Ranging,
}

impl RookStyle {
    fn key(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Ranging => "ranging",
        }
    }

    fn japanese(self) -> &'static str {
        match self {
            Self::Static => "居飛車",
            Self::Ranging => "振り飛車",
        }
    }

    /// The style of a side: ranging if within the first 30 plies a rook stands on its second rank and on one of the files 5 to 8.
    pub fn of(first: &Position, moves: &[Move], side: Color) -> Self {
        let mut position = first.clone();
        let has_ranged = moves.iter().take(ROOK_PLIES).any(|&mv| {
            position.make(mv);
            let mut rooks = (position.pieces(PieceKind::Rook) & position.pieces_of(side)).into_iter();
            rooks.any(|square| is_ranging(if side == Color::Black { square } else { square.rotated() }))
        });
        if has_ranged { Self::Ranging } else { Self::Static }
    }
}

/// Seen by Black.
fn is_ranging(rook: Sq) -> bool {
    rook.rank() == 7 && (4..8).contains(&rook.file())
}

impl Opening {
    /// The opening of a side: the handicap, or its rook against the other one.
    pub fn of(first: &Position, moves: &[Move], side: Color) -> Self {
        let of_handicap = |key: &str, ja: &str, en: String| Self { key: key.to_owned(), words: Words::new(ja, en) };
        match handicap_names(&first.to_sfen()) {
            Some(("平手", _)) => {
                let other = if side == Color::Black { Color::White } else { Color::Black };
                let [own, other] = [side, other].map(|side| RookStyle::of(first, moves, side));
                Self {
                    key: format!("{}-{}", own.key(), other.key()),
                    words: Words::new(
                        format!("{} 対 {}", own.japanese(), other.japanese()),
                        format!("{} rook against {} rook", own.key(), other.key()),
                    ),
                }
            }
            Some((japanese, english)) => {
                of_handicap(&english.to_lowercase().replace(' ', "-"), japanese, english.to_owned())
            }
            None => of_handicap("other", "その他の開始局面", "another start position".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(sfen: Option<&str>, moves: &str, side: Color) -> Opening {
        let first = sfen.map_or_else(Position::startpos, |sfen| Position::from_sfen(sfen).unwrap());
        let mut position = first.clone();
        let play = |text: &str| {
            let mv = position.parse_move(text).unwrap();
            position.make(mv);
            mv
        };
        let moves: Vec<Move> = moves.split_whitespace().map(play).collect();
        Opening::of(&first, &moves, side)
    }

    #[test]
    fn rooks_are_seen_by_their_own_side() {
        let fourth_file = "7g7f 3c3d 6g6f 8c8d 2h6h";
        assert_eq!(opening(None, fourth_file, Color::Black).key, "ranging-static");
        assert_eq!(opening(None, fourth_file, Color::White).key, "static-ranging");
        assert_eq!(opening(None, "2g2f 8b4b", Color::White).key, "ranging-static");
        // The right fourth file is not ranging.
        assert_eq!(opening(None, "4g4f 8c8d 2h4h 8d8e", Color::Black).key, "static-static");
    }

    #[test]
    fn handicaps_are_openings_of_their_own() {
        let two = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let found = opening(Some(two), "6a6b 7g7f", Color::Black);
        assert_eq!((found.key.as_str(), found.words.ja.as_str()), ("2-piece-handicap", "二枚落ち"));
        assert_eq!(found.words.en, "handicap of 2 pieces");
        assert_eq!(opening(Some("4k4/9/9/9/9/9/9/9/4K4 b - 1"), "", Color::Black).key, "other");
    }
}
