//! Every tunable number of the formula, one line each, with its default and its range.

use std::ops::RangeInclusive;

use kiki_board::PieceKind;

use crate::Weights;

/// A tunable number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tunable {
    /// Its name, which is also the name of its USI option.
    pub name: &'static str,
    /// Meaning and unit.
    pub meaning: &'static str,
    /// The value in use without tuning.
    pub default: i32,
    /// The least sensible value.
    pub min: i32,
    /// The greatest sensible value.
    pub max: i32,
    /// A step large enough to have an effect.
    pub step: f64,
}

impl Tunable {
    /// A number that lies in `range`.
    #[must_use]
    pub const fn new(
        name: &'static str,
        default: i32,
        range: RangeInclusive<i32>,
        step: f64,
        meaning: &'static str,
    ) -> Self {
        Self { name, meaning, default, min: *range.start(), max: *range.end(), step }
    }
}

/// A field of [`Weights`] that is set by a whole number.
trait TunedField {
    fn from_number(number: i32) -> Self;
}

impl TunedField for i32 {
    fn from_number(number: i32) -> Self {
        number
    }
}

impl TunedField for bool {
    fn from_number(number: i32) -> Self {
        number != 0
    }
}

macro_rules! tunables {
    (|$weights:ident| $(
        $name:ident = $default:literal, $min:literal..=$max:literal, step $step:literal, $place:expr, $meaning:literal;
    )*) => {
        /// The numbers of [`Weights`], in the order of the source.
        pub const TUNABLES: &[Tunable] =
            &[$(Tunable::new(stringify!($name), $default, $min..=$max, $step as f64, $meaning)),*];

        impl Default for Weights {
            /// The defaults of [`TUNABLES`].
            fn default() -> Self {
                let mut $weights = Self::published();
                $($place = TunedField::from_number($default);)*
                $weights
            }
        }

        impl Weights {
            /// The value of a tunable, in its unit; `None` if the name is unknown.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<i32> {
                let $weights = self;
                match name {
                    $(stringify!($name) => Some(i32::from($place)),)*
                    _ => None,
                }
            }

            /// Sets a tunable; false if the name is unknown. Values outside `min` to `max` break
            /// the weighting of effects.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                let $weights = self;
                match name {
                    $(stringify!($name) => $place = TunedField::from_number(value),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

// Found by `kiki-lab fit` on 113,565 games of the published formula (`Weights::published`) against
// itself: see docs/experiments/2026-11-22-formula-numbers.md. Promoted pieces other than horse and
// dragon are too rare at home for numbers of their own. An enemy effect on the king's square is a
// check, and no game shows its value.
//
// A weighted effect has 16 bits: it is cut at 256 centipawns.
tunables! { |weights|
    material_pawn = 113, 20..=250, step 6, weights.material[PieceKind::Pawn], "centipawns of a pawn in hand";
    material_lance = 373, 100..=800, step 16, weights.material[PieceKind::Lance], "centipawns of a lance in hand";
    material_knight = 424, 100..=900, step 20, weights.material[PieceKind::Knight], "centipawns of a knight in hand";
    material_silver = 608, 150..=1100, step 22, weights.material[PieceKind::Silver], "centipawns of a silver in hand";
    material_gold = 667, 150..=1200, step 24, weights.material[PieceKind::Gold], "centipawns of a gold in hand";
    material_bishop = 916, 300..=1800, step 32, weights.material[PieceKind::Bishop], "centipawns of a bishop in hand";
    material_rook = 1107, 300..=2100, step 36, weights.material[PieceKind::Rook], "centipawns of a rook in hand";
    material_pro_pawn = 803, 100..=1200, step 30, weights.material[PieceKind::ProPawn], "centipawns of a promoted pawn, undiscounted";
    material_pro_lance = 774, 100..=1200, step 30, weights.material[PieceKind::ProLance], "centipawns of a promoted lance, undiscounted";
    material_pro_knight = 695, 100..=1200, step 30, weights.material[PieceKind::ProKnight], "centipawns of a promoted knight, undiscounted";
    material_pro_silver = 613, 100..=1200, step 30, weights.material[PieceKind::ProSilver], "centipawns of a promoted silver, undiscounted";
    material_horse = 1239, 300..=2000, step 36, weights.material[PieceKind::ProBishop], "centipawns of a promoted bishop, undiscounted";
    material_dragon = 1594, 400..=2800, step 45, weights.material[PieceKind::ProRook], "centipawns of a promoted rook, undiscounted";
    board_discount = 397, -100..=800, step 16, weights.board_discount, "1024ths of its value that a piece loses on the board";
    discount_promoted = 1, 0..=1, step 1, weights.discount_promoted, "1 if promoted pieces lose it too, 0 if they do not";
    home_pawn = 13, -900..=900, step 20, weights.home[PieceKind::Pawn], "centipawns more of a pawn on its side's three home ranks than in the middle";
    home_lance = -2, -900..=900, step 20, weights.home[PieceKind::Lance], "centipawns more of a lance on its side's three home ranks than in the middle";
    home_knight = 34, -900..=900, step 20, weights.home[PieceKind::Knight], "centipawns more of a knight on its side's three home ranks than in the middle";
    home_silver = 23, -900..=900, step 20, weights.home[PieceKind::Silver], "centipawns more of a silver on its side's three home ranks than in the middle";
    home_gold = 62, -900..=900, step 20, weights.home[PieceKind::Gold], "centipawns more of a gold on its side's three home ranks than in the middle";
    home_bishop = 45, -900..=900, step 20, weights.home[PieceKind::Bishop], "centipawns more of a bishop on its side's three home ranks than in the middle";
    home_rook = -26, -900..=900, step 20, weights.home[PieceKind::Rook], "centipawns more of a rook on its side's three home ranks than in the middle";
    home_king = -132, -900..=900, step 20, weights.home[PieceKind::King], "centipawns more of a king on its side's three home ranks than in the middle";
    home_pro_pawn = 0, -900..=900, step 20, weights.home[PieceKind::ProPawn], "centipawns more of a promoted pawn on its side's three home ranks than in the middle";
    home_pro_lance = 0, -900..=900, step 20, weights.home[PieceKind::ProLance], "centipawns more of a promoted lance on its side's three home ranks than in the middle";
    home_pro_knight = 0, -900..=900, step 20, weights.home[PieceKind::ProKnight], "centipawns more of a promoted knight on its side's three home ranks than in the middle";
    home_pro_silver = 0, -900..=900, step 20, weights.home[PieceKind::ProSilver], "centipawns more of a promoted silver on its side's three home ranks than in the middle";
    home_horse = -27, -900..=900, step 20, weights.home[PieceKind::ProBishop], "centipawns more of a promoted bishop on its side's three home ranks than in the middle";
    home_dragon = -33, -900..=900, step 20, weights.home[PieceKind::ProRook], "centipawns more of a promoted rook on its side's three home ranks than in the middle";
    camp_pawn = 19, -900..=900, step 20, weights.camp[PieceKind::Pawn], "centipawns more of a pawn in the enemy's camp than in the middle";
    camp_lance = -34, -900..=900, step 20, weights.camp[PieceKind::Lance], "centipawns more of a lance in the enemy's camp than in the middle";
    camp_knight = -44, -900..=900, step 20, weights.camp[PieceKind::Knight], "centipawns more of a knight in the enemy's camp than in the middle";
    camp_silver = 1, -900..=900, step 20, weights.camp[PieceKind::Silver], "centipawns more of a silver in the enemy's camp than in the middle";
    camp_gold = -39, -900..=900, step 20, weights.camp[PieceKind::Gold], "centipawns more of a gold in the enemy's camp than in the middle";
    camp_bishop = 209, -900..=900, step 20, weights.camp[PieceKind::Bishop], "centipawns more of a bishop in the enemy's camp than in the middle";
    camp_rook = 433, -900..=900, step 20, weights.camp[PieceKind::Rook], "centipawns more of a rook in the enemy's camp than in the middle";
    camp_king = 393, -900..=900, step 20, weights.camp[PieceKind::King], "centipawns more of a king in the enemy's camp than in the middle";
    camp_pro_pawn = -74, -900..=900, step 20, weights.camp[PieceKind::ProPawn], "centipawns more of a promoted pawn in the enemy's camp than in the middle";
    camp_pro_lance = -119, -900..=900, step 20, weights.camp[PieceKind::ProLance], "centipawns more of a promoted lance in the enemy's camp than in the middle";
    camp_pro_knight = -73, -900..=900, step 20, weights.camp[PieceKind::ProKnight], "centipawns more of a promoted knight in the enemy's camp than in the middle";
    camp_pro_silver = -43, -900..=900, step 20, weights.camp[PieceKind::ProSilver], "centipawns more of a promoted silver in the enemy's camp than in the middle";
    camp_horse = 99, -900..=900, step 20, weights.camp[PieceKind::ProBishop], "centipawns more of a promoted bishop in the enemy's camp than in the middle";
    camp_dragon = 285, -900..=900, step 20, weights.camp[PieceKind::ProRook], "centipawns more of a promoted rook in the enemy's camp than in the middle";
    own_effect = 55, 0..=250, step 6, weights.own.on_king, "centipawns of an effect of the king's side on the king's square";
    enemy_effect = 184, 0..=250, step 8, weights.enemy.on_king, "centipawns of an enemy effect on the king's square";
    own_distance_0 = 1023, 0..=1300, step 120, weights.own.distance[0], "1024ths of own_effect on the king's square";
    own_distance_1 = 815, 0..=1300, step 60, weights.own.distance[1], "1024ths of own_effect at a distance of 1 (as the king moves)";
    own_distance_2 = 624, 0..=1300, step 40, weights.own.distance[2], "1024ths of own_effect at a distance of 2";
    own_distance_3 = 340, 0..=1300, step 32, weights.own.distance[3], "1024ths of own_effect at a distance of 3";
    own_distance_4 = 135, 0..=1300, step 28, weights.own.distance[4], "1024ths of own_effect at a distance of 4";
    own_distance_5 = 98, 0..=1300, step 24, weights.own.distance[5], "1024ths of own_effect at a distance of 5";
    own_distance_6 = 141, 0..=1300, step 24, weights.own.distance[6], "1024ths of own_effect at a distance of 6";
    own_distance_7 = 122, 0..=1300, step 24, weights.own.distance[7], "1024ths of own_effect at a distance of 7";
    own_distance_8 = 45, 0..=1300, step 24, weights.own.distance[8], "1024ths of own_effect at a distance of 8";
    enemy_distance_0 = 1021, 0..=1300, step 120, weights.enemy.distance[0], "1024ths of enemy_effect on the king's square";
    enemy_distance_1 = 616, 0..=1300, step 60, weights.enemy.distance[1], "1024ths of enemy_effect at a distance of 1 (as the king moves)";
    enemy_distance_2 = 325, 0..=1300, step 40, weights.enemy.distance[2], "1024ths of enemy_effect at a distance of 2";
    enemy_distance_3 = 200, 0..=1300, step 32, weights.enemy.distance[3], "1024ths of enemy_effect at a distance of 3";
    enemy_distance_4 = 104, 0..=1300, step 28, weights.enemy.distance[4], "1024ths of enemy_effect at a distance of 4";
    enemy_distance_5 = 73, 0..=1300, step 24, weights.enemy.distance[5], "1024ths of enemy_effect at a distance of 5";
    enemy_distance_6 = 30, 0..=1300, step 24, weights.enemy.distance[6], "1024ths of enemy_effect at a distance of 6";
    enemy_distance_7 = 1, 0..=1300, step 24, weights.enemy.distance[7], "1024ths of enemy_effect at a distance of 7";
    enemy_distance_8 = 18, 0..=1300, step 24, weights.enemy.distance[8], "1024ths of enemy_effect at a distance of 8";
    own_beside = 1206, 0..=2048, step 80, weights.own.direction[0], "1024ths of own_effect that remain beside the king";
    own_behind = 1215, 0..=2048, step 80, weights.own.direction[1], "1024ths of own_effect that remain behind the king";
    enemy_beside = 1053, 0..=2048, step 80, weights.enemy.direction[0], "1024ths of enemy_effect that remain beside the king";
    enemy_behind = 642, 0..=2048, step 80, weights.enemy.direction[1], "1024ths of enemy_effect that remain behind the king";
}

#[cfg(test)]
mod tests {
    use kiki_board::ByKind;

    use super::*;
    use crate::EffectWeights;

    #[test]
    fn every_name_has_a_number_of_its_own() {
        for tunable in TUNABLES {
            let Tunable { name, default, min, max, .. } = *tunable;
            assert!(min <= default && default <= max, "{name}");
            assert_eq!(Weights::default().get(name), Some(default), "{name}");
            let mut weights = Weights::default();
            let other = if default == max { min } else { max };
            assert!(weights.set(name, other), "{name}");
            let changed: Vec<_> =
                TUNABLES.iter().filter(|tunable| weights.get(tunable.name) != Some(tunable.default)).collect();
            assert_eq!(changed, [tunable]);
            assert_eq!(weights.get(name), Some(other));
        }
        assert!(!Weights::default().set("material_king", 1));
        assert_eq!(Weights::default().get("material_king"), None);
    }

    /// A number that no tunable sets would stay as published, and would show here.
    #[test]
    fn all_numbers_but_the_kings_can_be_set() {
        let mut weights = Weights::published();
        for tunable in TUNABLES {
            weights.set(tunable.name, 1);
        }
        let mut material = ByKind::new(0, [1; PieceKind::NUM]);
        let everywhere = material;
        material[PieceKind::King] = 0;
        let effect = EffectWeights { on_king: 1, distance: [1; 9], direction: [1; 2] };
        let expected = Weights {
            material,
            board_discount: 1,
            discount_promoted: true,
            home: everywhere,
            camp: everywhere,
            own: effect,
            enemy: effect,
        };
        assert_eq!(weights, expected);
    }
}
