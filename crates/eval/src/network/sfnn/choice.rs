//! Choice of the stack of layers that evaluates a position: by the pieces in hand, the king
//! squares, and the progress of the game.

use kiki_board::{ByColor, COLORS, Color, HandCounts, PieceKind, Position, Sq, opponent};

use crate::network::features::{FeatureSet, present, seen_by};
use crate::network::parts::FileBytes;

/// What tells a choice from the others of its kind.
struct ChoiceFacts {
    /// The word in names of architectures.
    word: &'static str,
    long_words: &'static [&'static str],
    /// Buckets of one side.
    side_count: usize,
}

/// How hands choose a stack: by a number for each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HandChoice {
    /// Bishop.
    Hand4,
    /// Pawn, bishop.
    Hand16,
    /// Small pieces; golds, silvers and rooks; bishop.
    Hand64,
    /// Points of all pieces.
    Hand64Points,
    /// Small pieces; silvers and golds; bishop; rook.
    Hand256,
    /// Pawn; lances and knights; silvers and golds; bishop; rook.
    Hand1024,
}

impl HandChoice {
    pub(super) const ALL: [Self; 6] =
        [Self::Hand4, Self::Hand16, Self::Hand64, Self::Hand64Points, Self::Hand256, Self::Hand1024];

    #[inline(always)]
    fn facts(self) -> ChoiceFacts {
        match self {
            Self::Hand4 => ChoiceFacts { word: "hand4", long_words: &[], side_count: 2 },
            Self::Hand16 => ChoiceFacts { word: "hand16", long_words: &[], side_count: 4 },
            Self::Hand64 => ChoiceFacts { word: "hand64", long_words: &[], side_count: 8 },
            Self::Hand64Points => ChoiceFacts { word: "hand64z", long_words: &[], side_count: 8 },
            Self::Hand256 => ChoiceFacts { word: "hand256", long_words: &[], side_count: 16 },
            Self::Hand1024 => ChoiceFacts { word: "hand1024", long_words: &[], side_count: 32 },
        }
    }

    /// The word in names of architectures.
    pub(super) fn word(self) -> &'static str {
        self.facts().word
    }

    pub(super) fn count(self) -> usize {
        self.facts().side_count.pow(2)
    }

    /// The bucket of one side.
    fn of_side(self, hand: HandCounts) -> usize {
        use PieceKind::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        let count = |kinds: &[PieceKind]| kinds.iter().map(|&kind| hand.count(kind)).sum::<usize>();
        let bits = |groups: &[&[PieceKind]]| {
            groups.iter().enumerate().map(|(bit, kinds)| usize::from(count(kinds) > 0) << bit).sum()
        };
        match self {
            Self::Hand4 => bits(&[&[Bishop]]),
            Self::Hand16 => bits(&[&[Pawn], &[Bishop]]),
            Self::Hand64 => bits(&[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]]),
            Self::Hand64Points => {
                let points = count(&[Pawn])
                    + 2 * count(&[Lance, Knight])
                    + 3 * count(&[Silver, Gold])
                    + 5 * count(&[Bishop, Rook]);
                points.div_ceil(4).min(7)
            }
            Self::Hand256 => bits(&[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]]),
            Self::Hand1024 => bits(&[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]]),
        }
    }

    /// The bucket of a position by its hands.
    pub(super) fn bucket(self, side: Color, hands: ByColor<HandCounts>) -> usize {
        let [own, other] = [side, opponent(side)].map(|side| self.of_side(hands[side]));
        self.facts().side_count * own + other
    }
}

/// How kings choose a stack: by a number for each, in its own view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KingChoice {
    /// Thirds of the board.
    K3,
    /// Ranks.
    K9,
    /// 9 zones, smaller near home.
    K9Zones,
    /// 13 zones.
    K13Zones,
    /// 21 zones.
    K21Zones,
    /// 29 zones.
    K29Zones,
}

impl KingChoice {
    pub(super) const ALL: [Self; 6] =
        [Self::K3, Self::K9, Self::K9Zones, Self::K13Zones, Self::K21Zones, Self::K29Zones];

    #[inline(always)]
    fn facts(self) -> ChoiceFacts {
        let (word, long_words, side_count): (_, &[_], _) = match self {
            Self::K3 => ("k3k3", &["king3_by_king3"], 3),
            Self::K9 => ("k9k9", &["king9_by_king9"], 9),
            Self::K9Zones => ("k9k9z", &["king9z_by_king9z", "king9zone_by_king9zone"], 9),
            Self::K13Zones => ("k13k13z", &["king13z_by_king13z", "king13zone_by_king13zone"], 13),
            Self::K21Zones => ("k21k21", &["king21_by_king21"], 21),
            Self::K29Zones => ("k29k29", &["king29_by_king29"], 29),
        };
        ChoiceFacts { word, long_words, side_count }
    }

    /// The word in names of architectures.
    pub(super) fn word(self) -> &'static str {
        self.facts().word
    }

    /// Its other names.
    pub(super) fn long_words(self) -> &'static [&'static str] {
        self.facts().long_words
    }

    pub(super) fn count(self) -> usize {
        self.facts().side_count.pow(2)
    }

    /// The number of a king on a square of its own view.
    #[inline(always)]
    fn of_square(self, sq: usize) -> usize {
        let (file, rank) = (sq / 9, sq % 9);
        match self {
            Self::K3 => rank / 3,
            Self::K9 => rank,
            Self::K9Zones if rank < 7 => [0, 0, 0, 1, 1, 1, 2][rank],
            Self::K9Zones => 3 + 3 * (rank - 7) + file / 3,
            Self::K13Zones if rank < 7 => rank,
            Self::K13Zones => 7 + 3 * (rank - 7) + file / 3,
            Self::K21Zones if rank < 7 => [0, 0, 0, 1, 1, 1, 2][rank],
            Self::K21Zones => 3 + 9 * (rank - 7) + file,
            Self::K29Zones if rank < 6 => rank / 3,
            Self::K29Zones => 2 + 9 * (rank - 6) + file,
        }
    }

    /// The bucket of a position by its king squares.
    #[inline(always)]
    pub(super) fn bucket(self, side: Color, kings: ByColor<Sq>) -> usize {
        let [own, other] = [side, opponent(side)].map(|side| self.of_square(seen_by(side, present(kings[side]))));
        self.facts().side_count * own + other
    }
}

/// How the progress of the game chooses a stack: a sum over all pieces, each combined with a king's
/// square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameProgress {
    /// Added to the sum.
    pub bias: i32,
    /// `[king's square][piece]`, 81 x 1548.
    pub weights: Vec<i32>,
}

impl GameProgress {
    /// Pieces for each king square.
    const PIECES: usize = 1548;
    pub(in crate::network) const WEIGHTS: usize = Sq::COUNT * Self::PIECES;

    /// The word before the numbers in a file, which also changes the hash of the file.
    pub(in crate::network) const HASH: u32 = 0x6F50_524F;

    /// Reads the numbers. The caller checks that there are enough bytes.
    pub(in crate::network) fn read(bytes: &mut FileBytes<'_>) -> Self {
        Self { bias: bytes.word().cast_signed(), weights: bytes.i32s(Self::WEIGHTS) }
    }

    /// Appends the numbers to a file.
    pub(in crate::network) fn write(&self, file: &mut Vec<u8>) {
        file.extend([&self.bias].into_iter().chain(&self.weights).flat_map(|number| number.to_le_bytes()));
    }

    /// The sum of a position, which is the same for both sides.
    fn sum(&self, position: &Position) -> i64 {
        let placement = position.placement();
        let of_side = |side: Color| {
            // Both kings in Black's view. White's weights are stored by the square as White sees
            // it.
            let row = &self.weights[Self::PIECES * seen_by(side, present(placement.kings[side]))..][..Self::PIECES];
            let pieces = FeatureSet::piece_indices(side, &placement);
            pieces.into_iter().map(|piece| i64::from(row[usize::from(piece.0)])).sum::<i64>()
        };
        i64::from(self.bias) + COLORS.into_iter().map(of_side).sum::<i64>()
    }

    /// The bucket of a position, out of `buckets`.
    pub(super) fn bucket(&self, position: &Position, buckets: usize) -> usize {
        let sum = self.sum(position);
        let mut value = 0;
        // The greatest 256th that the logistic function of the sum reaches.
        for bit in [128, 64, 32, 16, 8, 4, 2, 1] {
            if threshold(value + bit) <= sum {
                value += bit;
            }
        }
        (value * buckets / 256).min(buckets - 1)
    }
}

/// The sum at which the progress reaches this many 256ths, from 1 to 255.
fn threshold(parts: usize) -> i64 {
    let share = parts as f64 / 256.0;
    (65_536.0 * (share / (1.0 - share)).ln()).round() as i64
}

#[cfg(test)]
mod tests {
    use kiki_board::Placement;
    use kiki_tests::networks::bucket_rows;

    use super::*;

    #[test]
    fn thresholds_are_those_of_the_logistic_function() {
        for (parts, expected) in [(1, -363_152), (64, -71_999), (127, -1_024), (128, 0), (192, 71_999), (255, 363_152)]
        {
            assert_eq!(threshold(parts), expected);
        }
    }

    /// Every choice by kings and hands.
    #[test]
    fn buckets_are_those_of_an_independent_implementation() {
        let rows = bucket_rows();
        assert_eq!(rows.len(), 1200);
        for row in rows {
            let Placement { side_to_move, kings, hands, .. } = Position::from_sfen(row.sfen).unwrap().placement();
            let hand = HandChoice::ALL.into_iter().find(|hand| hand.word() == row.choice);
            let king = KingChoice::ALL.into_iter().find(|king| king.word() == row.choice);
            let bucket = match (hand, king) {
                (Some(hand), None) => hand.bucket(side_to_move, hands),
                (None, Some(king)) => king.bucket(side_to_move, kings),
                _ => panic!("{row:?}"),
            };
            assert_eq!(bucket, row.bucket, "{row:?}");
        }
    }
}
