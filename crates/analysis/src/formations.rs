//! Names openings and castles by two tables.
//!
//! A row lists the pieces that identify a position, which is looked for up to a last ply. The
//! tables leave out doubtful cases: a position without a row gets no name.

use std::collections::BTreeSet;

use kiki_board::{ByColor, COLORS, Cell, Color, PieceKind, Position, Sq, opponent};
use serde::Serialize;

use crate::name::{Name, serialize_sides};

/// An opening or a castle of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Formation {
    /// `None` for both.
    #[serde(serialize_with = "serialize_sides")]
    pub side: Option<Color>,
    #[serde(flatten)]
    pub name: Name,
    /// Number of moves before the first position that has it.
    pub ply: usize,
}

/// Patterns of pieces, as if the side to name were Black. Capitals are its pieces, small letters
/// the other side's. `K8h/7i` is a king on one of two squares, `B*` a bishop in hand.
type Pieces = &'static str;

#[derive(PartialEq, Debug)]
struct Castle {
    name: Name,
    pieces: Pieces,
}

#[derive(PartialEq, Debug)]
struct Opening {
    name: Name,
    whose: Whose,
    pieces: Pieces,
    until: usize,
    /// What White must have had in an earlier position; may be empty.
    earlier: Pieces,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Whose {
    /// A side that moves its rook to the left.
    Ranging,
    /// As [`Whose::Ranging`], but only White.
    WhiteRanging,
    /// A side whose rook stays on the right.
    Static,
    /// Both sides: one alone cannot play it.
    Both,
}

/// The last ply at which castles are looked for.
const CASTLES_UNTIL: usize = 100;

/// A castle grows into another one that has all of its pieces and more.
#[rustfmt::skip]
const CASTLES: [Castle; 24] = [
    castle("片美濃囲い", "Incomplete Mino", "K2h S3h G4i"),
    castle("美濃囲い", "Mino", "K2h S3h G4i G5h"),
    castle("高美濃囲い", "High Mino", "K2h S3h G4i G4g"),
    castle("銀冠", "Silver Crown", "K2h S2g G3h"),
    castle("金無双", "Two Golds", "K3h S2h G4h G5h"),
    castle("振り飛車穴熊", "Ranging Rook Bear-in-the-hole", "K1i L1h S2h"),
    castle("銀冠穴熊", "Silver Crown Bear-in-the-hole", "K1i L1h S2g G3h"),
    castle("舟囲い", "Boat", "K7h B8h S7i G6i G5h"),
    castle("エルモ囲い", "Elmo", "K7h S6h G7i G5i"),
    castle("左美濃", "Left Mino", "K8h S7h G6i"),
    castle("天守閣美濃", "Castle Tower Mino", "K8g S7h G6i"),
    castle("銀冠", "Silver Crown", "K8h S8g G7h"),
    castle("居飛車穴熊", "Static Rook Bear-in-the-hole", "K9i L9h S8h"),
    castle("銀冠穴熊", "Silver Crown Bear-in-the-hole", "K9i L9h S8g G7h"),
    castle("矢倉穴熊", "Yagura Bear-in-the-hole", "K9i L9h S7g G7h"),
    castle("カニ囲い", "Crab", "K6i S6h G7h G5h"),
    castle("矢倉囲い", "Yagura", "K8h/7i S7g G7h G6g"),
    castle("総矢倉", "Complete Yagura", "K8h/7i S7g G7h G6g S5g"),
    castle("銀矢倉", "Silver Yagura", "K8h/7i S7g G7h S6g"),
    castle("片矢倉", "Half Yagura", "K7h S7g G6h G6g"),
    castle("雁木囲い", "Snowroof", "K6i S6g G7h G5h"),
    castle("中住まい", "Central House", "K5h G7h S3h/4h"),
    castle("中住まい", "Central House", "K5h G7h G3h"),
    castle("中原囲い", "Nakahara", "K6i G7h G5i S4h"),
];

/// Both bishops in hand, both rooks where they began, both rook pawns advanced.
const EXCHANGED: Pieces = "B* b* R2h r8b P2f/2e p8d/8e";

/// The first row that a game matches names it; of rows that match at once, the upper one. A row
/// with all pieces of another and more replaces that one.
#[rustfmt::skip]
const OPENINGS: [Opening; 15] = [
    opening("中飛車", "Central Rook", Whose::Ranging, "R5h P2g", 24),
    opening("ゴキゲン中飛車", "Gokigen Central Rook", Whose::WhiteRanging, "R5h P2g P5f/5e P7f P6g r8b", 24),
    opening("四間飛車", "Fourth File Rook", Whose::Ranging, "R6h P2g", 24),
    opening("角交換四間飛車", "Bishop Exchange Fourth File Rook", Whose::Ranging, "R6h P2g B* b*", 24),
    opening("三間飛車", "Third File Rook", Whose::Ranging, "R7h P2g", 24),
    opening("石田流三間飛車", "Ishida Third File Rook", Whose::Ranging, "R7h P2g P7e r8b", 36),
    opening("向かい飛車", "Opposing Rook", Whose::Ranging, "R8h P2g", 24),
    opening("右四間飛車", "Right Fourth File Rook", Whose::Static, "R4h P4f/4e S5f", 36),
    opening("横歩取り", "Side Pawn Capture", Whose::Both, "R3d P7f B8h b2b p5c r8b/8d/8f", 20),
    opening("相掛かり", "Double Wing Attack", Whose::Both, "R2d P7g B8h G7h b2b g3b p8d/8e", 36),
    opening("相掛かり", "Double Wing Attack", Whose::Both, "R2d p3c B8h G7h b2b g3b p8d/8e", 36),
    Opening { earlier: "+B2b B*", ..opening("一手損角換わり", "Tempo Loss Bishop Exchange", Whose::Both, EXCHANGED, 36) },
    opening("角換わり", "Bishop Exchange", Whose::Both, EXCHANGED, 36),
    opening("矢倉", "Yagura", Whose::Static, "S7g G7h P7f P6f P2f/2e R2h r8b p8d/8e", 44),
    opening("雁木", "Snowroof", Whose::Static, "S6g G7h G5h P7f P6f P2f/2e R2h r8b p8d/8e", 44),
];

const DOUBLE_RANGING: Name = Name { japanese: "相振り飛車", english: "Double Ranging Rook" };

const fn castle(japanese: &'static str, english: &'static str, pieces: Pieces) -> Castle {
    Castle { name: Name { japanese, english }, pieces }
}

const fn opening(japanese: &'static str, english: &'static str, whose: Whose, pieces: Pieces, until: usize) -> Opening {
    Opening { name: Name { japanese, english }, whose, pieces, until, earlier: "" }
}

/// Looks at the positions of a game in order. Only even games have openings.
#[derive(Debug)]
pub struct FormationFinder {
    is_even: bool,
    /// For each side its opening and the ply.
    openings: ByColor<Option<(&'static Opening, usize)>>,
    castles: Vec<(Color, &'static Castle, usize)>,
    /// The patterns of [`Opening::earlier`] that White has had.
    seen: BTreeSet<Pieces>,
}

impl FormationFinder {
    #[must_use]
    pub fn new(first: &Position) -> Self {
        let is_even = first.to_sfen() == Position::startpos().to_sfen();
        Self { is_even, openings: ByColor::both(None), castles: Vec::new(), seen: BTreeSet::new() }
    }

    /// Looks at the position after `ply` moves.
    pub fn look(&mut self, position: &Position, ply: usize) {
        if ply <= CASTLES_UNTIL {
            CASTLES.iter().for_each(|row| self.look_for_castle(row, position, ply));
        }
        if self.is_even {
            OPENINGS.iter().filter(|row| ply <= row.until).for_each(|row| self.look_for_opening(row, position, ply));
        }
    }

    fn look_for_castle(&mut self, row: &'static Castle, position: &Position, ply: usize) {
        for side in COLORS.into_iter().filter(|&side| have(position, side, row.pieces)) {
            if !self.castles.iter().any(|&(other, found, _)| other == side && found.name == row.name) {
                self.castles.push((side, row, ply));
            }
        }
    }

    fn look_for_opening(&mut self, row: &'static Opening, position: &Position, ply: usize) {
        if !row.earlier.is_empty() && !self.seen.contains(row.earlier) {
            if have(position, Color::White, row.earlier) {
                self.seen.insert(row.earlier);
            }
            return;
        }
        let mut sides = COLORS.into_iter().filter(|&side| have(position, side, row.pieces));
        if row.whose == Whose::Both {
            if sides.next().is_some() && self.openings == ByColor::both(None) {
                self.openings = ByColor::both(Some((row, ply)));
            }
            return;
        }
        for side in sides.filter(|&side| row.whose != Whose::WhiteRanging || side == Color::White) {
            if self.openings[side].is_none_or(|(found, _)| grows(found.pieces, row.pieces)) {
                self.openings[side] = Some((row, ply));
            }
        }
    }

    /// The openings found; one that both sides share comes first.
    #[must_use]
    pub fn openings(&self) -> Vec<Formation> {
        let [black, white] = COLORS.map(|side| self.openings[side]);
        let of =
            |side, found: Option<(&Opening, usize)>| found.map(|(row, ply)| Formation { side, name: row.name, ply });
        let [of_black, of_white] = [of(Some(Color::Black), black), of(Some(Color::White), white)];
        let Some(((black, black_ply), (white, white_ply))) = black.zip(white) else {
            return of_black.into_iter().chain(of_white).collect();
        };
        let of_both = |name| Formation { side: None, name, ply: black_ply.max(white_ply) };
        let sides = of_black.into_iter().chain(of_white);
        if black.whose.is_ranging() && white.whose.is_ranging() {
            std::iter::once(of_both(DOUBLE_RANGING)).chain(sides).collect()
        } else if black.name == white.name {
            vec![of_both(black.name)]
        } else {
            sides.collect()
        }
    }

    /// The castles found, without those that grew into another.
    #[must_use]
    pub fn castles(&self) -> Vec<Formation> {
        let grew = |&&(side, row, _): &&(Color, &Castle, usize)| {
            self.castles.iter().any(|&(other, grown, _)| other == side && grows(row.pieces, grown.pieces))
        };
        let kept = self.castles.iter().filter(|found| !grew(found));
        kept.map(|&(side, row, ply)| Formation { side: Some(side), name: row.name, ply }).collect()
    }
}

impl Whose {
    fn is_ranging(self) -> bool {
        matches!(self, Self::Ranging | Self::WhiteRanging)
    }
}

/// Whether `into` has all pieces of `from` and more.
fn grows(from: Pieces, into: Pieces) -> bool {
    from != into && from.split(' ').all(|word| into.split(' ').any(|other| other == word))
}

/// Whether a position has all these pieces, seen from `side`.
fn have(position: &Position, side: Color, pieces: Pieces) -> bool {
    pieces.split(' ').all(|word| has(position, side, word) == Some(true))
}

/// Whether a position matches one pattern, seen from `side`; `None` if `word` is malformed.
fn has(position: &Position, side: Color, word: &str) -> Option<bool> {
    let (is_promoted, word) = word.strip_prefix('+').map_or((false, word), |rest| (true, rest));
    let (letter, squares) = word.split_at_checked(1)?;
    let kind = match letter.to_ascii_uppercase().as_str() {
        "P" => PieceKind::Pawn,
        "L" => PieceKind::Lance,
        "N" => PieceKind::Knight,
        "S" => PieceKind::Silver,
        "G" => PieceKind::Gold,
        "B" => PieceKind::Bishop,
        "R" => PieceKind::Rook,
        "K" => PieceKind::King,
        _ => return None,
    };
    let owner = if letter.chars().all(char::is_uppercase) { side } else { opponent(side) };
    if squares == "*" {
        return Some(position.hand(owner).count(kind) > 0);
    }
    let piece = Cell::new(if is_promoted { kind.promote()? } else { kind }, owner);
    let mut is_there = false;
    for name in squares.split('/') {
        let &[file @ b'1'..=b'9', rank @ b'a'..=b'i'] = name.as_bytes() else { return None };
        let square = Sq::at(usize::from(file - b'1'), usize::from(rank - b'a'));
        let square = if side == Color::Black { square } else { square.rotated() };
        is_there |= position.cell(square) == piece;
    }
    Some(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(moves: &str) -> FormationFinder {
        let mut position = Position::startpos();
        let mut finder = FormationFinder::new(&position);
        finder.look(&position, 0);
        for (ply, text) in (1..).zip(moves.split(' ')) {
            position.make(position.parse_move(text).unwrap_or_else(|error| panic!("{ply} {text}: {error}")));
            finder.look(&position, ply);
        }
        finder
    }

    /// `☗四間飛車`, `相掛かり`.
    fn written(formations: &[Formation]) -> Vec<String> {
        let mark =
            |side| [None, Some(Color::Black), Some(Color::White)].iter().position(|known| *known == side).unwrap();
        formations.iter().map(|found| format!("{}{}", ["", "☗", "☖"][mark(found.side)], found.name.japanese)).collect()
    }

    fn openings(moves: &str) -> Vec<String> {
        written(&found(moves).openings())
    }

    fn castles(moves: &str) -> Vec<String> {
        written(&found(moves).castles())
    }

    #[test]
    fn all_words_of_the_tables_are_pieces() {
        let earlier = OPENINGS.iter().map(|row| row.earlier).filter(|pieces| !pieces.is_empty());
        let rows = OPENINGS.iter().map(|row| row.pieces).chain(CASTLES.iter().map(|row| row.pieces)).chain(earlier);
        for word in rows.flat_map(|pieces| pieces.split(' ')) {
            assert!(has(&Position::startpos(), Color::White, word).is_some(), "{word}");
        }
        for wrong in ["", "X5e", "K", "K0a", "K5j", "K5eg", "+G5e", "歩7g"] {
            assert_eq!(has(&Position::startpos(), Color::Black, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn openings_with_both_rooks_at_home() {
        for (name, moves) in [
            ("角換わり", "7g7f 8c8d 2g2f 8d8e 8h7g 3c3d 7i8h 4a3b 6i7h 2b7g+ 8h7g 3a2b"),
            ("一手損角換わり", "7g7f 3c3d 2g2f 2b8h+ 7i8h 3a2b 3i3h 7a6b 2f2e 2b3c 9g9f 8c8d"),
            ("横歩取り", "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d"),
            ("相掛かり", "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h"),
            ("相掛かり", "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b 9g9f 1c1d 7g7f 7c7d 2e2d 2c2d 2h2d"),
        ] {
            assert_eq!(openings(moves), [name]);
        }
    }

    #[test]
    fn openings_with_a_rook_on_the_left() {
        for (names, moves) in [
            (&["☖四間飛車"][..], "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b"),
            (&["☖三間飛車"], "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b3b"),
            (&["☖向かい飛車"], "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b2b"),
            (&["☖ゴキゲン中飛車"], "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b"),
            (&["☗中飛車"], "5g5f 8c8d 7g7f 7a6b 2h5h"),
            (&["☗石田流三間飛車"], "7g7f 3c3d 7f7e 8c8d 2h7h"),
            (&["☗角交換四間飛車"], "7g7f 3c3d 2h6h 8c8d 5i4h 2b8h+ 7i8h"),
            (&["☗右四間飛車", "☖四間飛車"], "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 4g4f 5a6b 4h4g 6b7b 4g5f 2b3c 2h4h"),
            (&["相振り飛車", "☗四間飛車", "☖三間飛車"], "7g7f 3c3d 6g6f 3d3e 2h6h 8b3b"),
        ] {
            assert_eq!(openings(moves), names);
        }
    }

    #[test]
    fn yagura_is_an_opening_and_a_castle() {
        let moves = "7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6i7h 5a4a 5i6i 6a5b 6h7g 4b3c 8h7i \
                     2b3a 3g3f 4c4d 5h6g 7c7d 7i6h 5b4c 6i7i 3a6d 7i8h 4a3a 2g2f 3a2b";
        let found = found(moves);
        assert_eq!(written(&found.openings()), ["矢倉"]);
        assert_eq!(written(&found.castles()), ["☗カニ囲い", "☖カニ囲い", "☗矢倉囲い", "☖矢倉囲い"]);
        let plies: Vec<usize> = found.castles().iter().map(|castle| castle.ply).collect();
        assert_eq!(plies, [15, 16, 27, 30]);
    }

    #[test]
    fn castles_of_a_rook_on_the_left_and_of_the_other_side() {
        let moves = "7g7f 3c3d 2g2f 4c4d 3i4h 3a3b 5g5f 8b4b 5i6h 7a7b 6h7h 5a6b 4i5h 6b7a 9g9f 9c9d 3g3f 7a8b";
        assert_eq!(castles(moves), ["☗舟囲い", "☖片美濃囲い"]);
        let mino = format!("{moves} 2f2e 2b3c 7i6h 4a5b");
        assert_eq!(castles(&mino), ["☗舟囲い", "☖美濃囲い"]);
        let high = format!("{mino} 6h5g 6c6d 9f9e 5b6c");
        assert_eq!(castles(&high), ["☗舟囲い", "☖美濃囲い", "☖高美濃囲い"]);
        let elmo = "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5g5f 5a6b 5i6h 6b7b 6h7h 7b8b 2f2e 2b3c 4h5g 7a7b 9g9f 9c9d 7i6h \
                    3a3b 6i7i 6c6d 4i5i";
        assert_eq!(castles(elmo), ["☖片美濃囲い", "☗エルモ囲い"]);
        let hole = "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 1i1h 5c5d 2h1i 8d8e 8h7g 1c1d 3i2h";
        assert_eq!(castles(hole), ["☖舟囲い", "☗振り飛車穴熊"]);
    }

    #[test]
    fn what_is_not_sure_has_no_name() {
        let none: [String; 0] = [];
        for moves in
            ["7g7f", "7g7f 3c3d 8h2b+ 3a2b", "2g2f 8c8d 7g7f 8d8e", "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d"]
        {
            assert_eq!((openings(moves), castles(moves)), (none.to_vec(), none.to_vec()), "{moves}");
        }
    }
}
