//! Levels of strength below the full one: how much a weaker player looks at, how it misjudges
//! positions, and which replies it overlooks.
//!
//! A level searches fewer positions less deeply, and each of its evaluations has an error. A
//! position has the same error throughout a game, so a level errs like people: it likes a position
//! too much and plays for it. The lower levels do not see some replies of the opponent, mostly those
//! that people do not see. No move is random: a level plays what looks best to it.

use kiki_board::{Move, MoveList, Position, PromotionChoice, Sq};

use crate::value::Value;

/// The level of full strength.
pub const FULL_SKILL: u32 = 20;

/// The settings of a level.
struct Level {
    /// Maximum number of nodes a move.
    nodes: u64,
    /// The last iteration, in plies.
    depth: u32,
    /// The standard deviation of the error of an evaluation, in centipawns.
    noise: Value,
    /// The chance to overlook a reply that is hard to see, in percent.
    oversight: u32,
    /// The rating by its games, in Elo above level 10.
    rating: i32,
}

const fn level(nodes: u64, depth: u32, noise: Value, oversight: u32, rating: i32) -> Level {
    Level { nodes, depth, noise, oversight, rating }
}

/// The depth of levels limited by nodes alone.
const ANY: u32 = crate::value::MAX_PLY as u32;

/// `[level]`. Steps of 81 to 191 Elo, measured in games (docs/levels.md).
const LEVELS: [Level; FULL_SKILL as usize] = [
    level(500, 1, 350, 330, -1_206),
    level(500, 1, 250, 305, -1_070),
    level(500, 1, 180, 250, -932),
    level(500, 1, 135, 178, -777),
    level(500, 1, 115, 140, -682),
    level(500, 1, 90, 100, -539),
    level(500, 1, 80, 58, -427),
    level(500, 1, 80, 31, -346),
    level(500, 1, 80, 13, -243),
    level(500, 2, 185, 0, -126),
    level(500, 2, 115, 0, 0),
    level(500, ANY, 105, 0, 177),
    level(620, ANY, 30, 0, 341),
    level(930, ANY, 25, 0, 460),
    level(1_400, ANY, 25, 0, 631),
    level(2_100, ANY, 20, 0, 763),
    level(3_150, ANY, 20, 0, 851),
    level(4_700, ANY, 20, 0, 990),
    level(7_000, ANY, 15, 0, 1_153),
    level(10_500, ANY, 15, 0, 1_344),
];

/// The rating of level 10 when levels are chosen by rating. Only differences were measured. By this
/// convention the levels span about 790 to 3,340, as programs with limited strength do.
const RATING_OF_LEVEL_10: i32 = 2000;

/// The least rating that selects a level: programs ask for less than the weakest level has.
pub const LEAST_RATING: i32 = 600;
/// The rating of the highest level below full strength.
pub const GREATEST_RATING: i32 = RATING_OF_LEVEL_10 + LEVELS[FULL_SKILL as usize - 1].rating;

/// The level whose rating is nearest to this one, in Elo.
///
/// ```
/// use kiki_search::{FULL_SKILL, GREATEST_RATING, LEAST_RATING, level_of_rating};
///
/// assert_eq!(level_of_rating(LEAST_RATING), 0);
/// assert_eq!(level_of_rating(2000), 10);
/// assert_eq!(level_of_rating(GREATEST_RATING), FULL_SKILL - 1);
/// ```
#[must_use]
pub fn level_of_rating(rating: i32) -> u32 {
    let distance = |level: u32| (RATING_OF_LEVEL_10 + LEVELS[level as usize].rating).abs_diff(rating);
    (0..FULL_SKILL).min_by_key(|&level| distance(level)).unwrap_or(FULL_SKILL)
}

/// From this level on, every avoidable mate in one is avoided.
const SURE_OF_MATES: u32 = 8;

/// The strength of one search below the full one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skill {
    level: u32,
    seed: u64,
}

impl Skill {
    /// The strength of a level; `None` from [`FULL_SKILL`] on. The seed determines the errors of
    /// evaluation: another seed gives other games at the same level.
    #[must_use]
    pub fn new(level: u32, seed: u64) -> Option<Self> {
        (level < FULL_SKILL).then_some(Self { level, seed })
    }

    /// The most nodes of a search.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        LEVELS[self.level as usize].nodes
    }

    /// The last iteration, in plies.
    #[must_use]
    pub fn depth(&self) -> u32 {
        LEVELS[self.level as usize].depth
    }

    /// The greatest error of a value, in centipawns.
    #[must_use]
    pub fn greatest_error(&self) -> Value {
        Errors { noise: LEVELS[self.level as usize].noise, ..Errors::default() }.greatest()
    }

    /// The errors of a search from this position.
    pub(crate) fn errors(&self, root: &Position) -> Errors {
        let Level { noise, oversight, .. } = LEVELS[self.level as usize];
        Errors { noise, seed: self.seed, oversight, root: root.key(), arrived: root.last_move().map(Move::to) }
    }

    /// The moves among which the level chooses; empty for all. They are those in `only`, or all if
    /// it is empty. A level that is sure of mates leaves out moves that allow a mate in one, if
    /// others remain.
    pub(crate) fn moves(&self, position: &Position, only: Vec<Move>, choice: PromotionChoice) -> Vec<Move> {
        if self.level < SURE_OF_MATES {
            return only;
        }
        let mut all = MoveList::new();
        position.all_moves(&mut all, choice);
        let candidates: &[Move] = if only.is_empty() { &all } else { &only };
        let mut after = position.clone();
        let mut is_safe = |&mv: &Move| {
            position.is_legal(mv) && {
                after.make(mv);
                let mated = after.mate_in_one().is_some();
                after.unmake();
                !mated
            }
        };
        let safe: Vec<Move> = candidates.iter().copied().filter(&mut is_safe).collect();
        if safe.is_empty() { only } else { safe }
    }
}

/// The errors of a level: it misjudges positions, and overlooks replies of its opponent.
/// Both follow from pseudo-random numbers, so the same search errs in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Errors {
    /// The standard deviation of an evaluation in centipawns, with a mean of zero over positions; 0
    /// for none.
    noise: Value,
    /// Of a game.
    seed: u64,
    /// The chance to overlook the replies that are hardest to see, in percent; above 100 also easier
    /// ones for certain. 0 for none.
    oversight: u32,
    /// The key of the position at the root. A reply is overlooked after all moves or after none.
    root: u64,
    /// Where the opponent's last move went.
    arrived: Option<Sq>,
}

/// An odd number without regularity, to spread bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
/// Number of uniform numbers whose sum is an error: nearly normal, but bounded.
const PARTS: u32 = 4;
/// Bits of each.
const PART_BITS: u32 = 16;
/// The standard deviation of the sum. That of a number from 0 to 65,535 is 65,536 / sqrt(12), times
/// sqrt(4) for the sum.
const SUM_DEVIATION: f64 = 37_837.2;

impl Errors {
    /// The error of the evaluation of the position with this key.
    #[inline(always)]
    pub(crate) fn of(&self, key: u64) -> Value {
        if self.noise == 0 { 0 } else { self.error(key) }
    }

    #[cold]
    fn error(&self, key: u64) -> Value {
        // Keys are uniform over all 64-bit numbers, and multiplication by an odd number keeps them
        // uniform.
        let spread = self.seed.wrapping_mul(SPREAD) | 1;
        let bits = (key ^ spread.rotate_left(32)).wrapping_mul(spread);
        let part = |index: u32| f64::from((bits >> (index * PART_BITS)) as u16) - f64::from(u16::MAX) / 2.0;
        let sum: f64 = (0..PARTS).map(part).sum();
        (sum / SUM_DEVIATION * f64::from(self.noise)).round() as Value
    }

    /// The greatest error.
    fn greatest(&self) -> Value {
        let sum = f64::from(PARTS) * f64::from(u16::MAX) / 2.0;
        (sum / SUM_DEVIATION * f64::from(self.noise)).round() as Value
    }

    /// Whether the level does not see that this move is possible, at `ply` plies from the root.
    #[inline(always)]
    pub(crate) fn hides(&self, position: &Position, mv: Move, ply: usize) -> bool {
        self.oversight > 0 && self.overlooks(position, mv, ply)
    }

    #[cold]
    fn overlooks(&self, position: &Position, mv: Move, ply: usize) -> bool {
        let is_reply = ply % 2 == 1 && !position.in_check();
        let bits = (self.root ^ self.seed.rotate_left(16) ^ u64::from(mv.bits())).wrapping_mul(SPREAD);
        let uniform = (bits ^ bits >> 32).wrapping_mul(SPREAD) >> 48;
        is_reply && uniform * 100 * 100 < u64::from(self.oversight * self.difficulty(position, mv)) << 16
    }

    /// How hard it is for people to see a reply, up to 100. They see first what captures the piece
    /// that they move, then what the opponent's last move threatens. They overlook far pieces.
    fn difficulty(&self, position: &Position, mv: Move) -> u32 {
        let distance = if mv.is_drop() { 9 } else { mv.from().distance(mv.to()) };
        if position.last_move().is_some_and(|last| last.to() == mv.to()) {
            return if distance == 1 { 5 } else { 25 };
        }
        match distance {
            _ if !mv.is_drop() && self.arrived == Some(mv.from()) => 50,
            1 => 75,
            2 | 3 => 90,
            _ => 100,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Errors = Errors { noise: 0, seed: 7, oversight: 0, root: 0, arrived: None };
    const NOISE: Errors = Errors { noise: 100, ..NONE };

    /// The keys of the positions within two plies of each of the moves, as a search meets them.
    fn keys() -> Vec<u64> {
        let mut position = Position::startpos();
        let mut keys = Vec::new();
        for first in &position.legal_moves() {
            position.make(*first);
            for second in &position.legal_moves() {
                keys.push(position.key_after(*second));
            }
            position.unmake();
        }
        keys
    }

    /// The mean, and the root of the mean square.
    fn moments(errors: &[f64]) -> (f64, f64) {
        let count = errors.len() as f64;
        (errors.iter().sum::<f64>() / count, (errors.iter().map(|error| error * error).sum::<f64>() / count).sqrt())
    }

    #[test]
    fn errors_have_mean_zero_and_the_deviation_asked_for_and_are_bounded() {
        let keys = keys();
        assert_eq!(keys.len(), 900);
        for seed in 0..200 {
            let noise = Errors { seed, ..NOISE };
            let errors: Vec<f64> = keys.iter().map(|&key| f64::from(noise.of(key))).collect();
            // Tolerance for 900 errors with a deviation of 100: five standard errors.
            let (mean, deviation) = moments(&errors);
            assert!(mean.abs() < 16.7 && (deviation - 100.0).abs() < 11.0, "seed {seed}: {mean} {deviation}");
        }
        assert_eq!(NOISE.greatest(), 346);
        assert!(keys.iter().all(|&key| NOISE.of(key).abs() <= NOISE.greatest()));
        assert_eq!(NONE.of(keys[0]), 0);
    }

    #[test]
    fn errors_of_different_games_have_nothing_to_do_with_each_other() {
        let keys = keys();
        for seed in [0, 1, 2, 3, 1000, 1 << 40] {
            for other in [seed + 1, seed + 2, seed + 64] {
                let (one, two) = (Errors { seed, ..NOISE }, Errors { seed: other, ..NOISE });
                let products: Vec<f64> =
                    keys.iter().map(|&key| f64::from(one.of(key)) * f64::from(two.of(key)) / 10_000.0).collect();
                let (correlation, _) = moments(&products);
                assert!(correlation.abs() < 0.17, "{seed} and {other}: {correlation}");
            }
        }
    }

    /// The games of 1,000 in which a reply to Black's gold on 5e is overlooked, after White's move
    /// `last`.
    fn overlooked(oversight: u32, last: &str, reply: &str) -> Vec<u64> {
        let sfen = "l3k4/9/9/4g4/2s5r/2P1G4/P8/9/4K4 w - 1";
        let mut position = Position::from_sfen(sfen).unwrap();
        position.make(position.parse_move(last).unwrap());
        let (root, arrived) = (position.key(), position.last_move().map(Move::to));
        position.make(position.parse_move("5f5e").unwrap());
        let mv = position.parse_move(reply).unwrap();
        let errors = |seed| Errors { oversight, seed, root, arrived, ..NONE };
        (0..1000).filter(|&seed| errors(seed).hides(&position, mv, 1)).collect()
    }

    #[test]
    fn what_people_hardly_see_is_overlooked_most() {
        for (last, reply, percent) in [
            ("5a4a", "5d5e", 5),
            ("5a4a", "1e5e", 25),
            ("5a4a", "7e7f", 75),
            ("5a4a", "9a9g", 100),
            ("9a9b", "9b9g", 50),
        ] {
            for oversight in [50, 100, 150] {
                let (count, expected) =
                    (overlooked(oversight, last, reply).len(), (percent * oversight / 10).min(1000));
                // Four standard errors.
                assert!(count.abs_diff(expected as usize) < 64, "{reply} at {oversight}: {count}, not {expected}");
            }
            let (high, low) = (overlooked(40, last, reply), overlooked(60, last, reply));
            assert!(high.iter().all(|game| low.contains(game)), "{reply}: a lower level overlooks the same, and more");
        }
    }

    #[test]
    fn own_moves_and_answers_to_checks_are_seen() {
        let errors = Errors { oversight: 1000, ..NONE };
        let hides = |sfen: &str, mv: &str, ply| {
            let position = Position::from_sfen(sfen).unwrap();
            errors.hides(&position, position.parse_move(mv).unwrap(), ply)
        };
        let capture = "4k4/9/9/4r4/4P4/9/9/9/4K4 b - 1";
        assert_eq!([0, 1, 2].map(|ply| hides(capture, "5e5d", ply)), [false, true, false]);
        assert!(!hides("4k4/9/9/4R4/9/9/9/9/4K4 w - 1", "5a4a", 1), "in check");
    }

    #[test]
    fn each_level_looks_at_no_less_than_the_one_before() {
        assert!(LEVELS.is_sorted_by(|one, next| one.depth <= next.depth && one.nodes <= next.nodes));
        assert!(LEVELS.is_sorted_by(|one, next| one.oversight >= next.oversight));
        assert!(
            LEVELS
                .chunk_by(|one, next| one.depth == next.depth)
                .all(|rows| rows.is_sorted_by(|a, b| a.noise >= b.noise))
        );
        assert_eq!(Skill::new(FULL_SKILL, 1), None);
        assert!(Skill::new(FULL_SKILL - 1, 1).is_some());
    }

    #[test]
    fn a_level_that_is_sure_of_mates_leaves_out_moves_that_allow_one_unless_no_others_remain() {
        let level = |level| Skill::new(level, 1).unwrap();
        let moves = |level: Skill, sfen: &str, only: &[&str]| -> Vec<String> {
            let position = Position::from_sfen(sfen).unwrap();
            let only = only.iter().map(|text| position.parse_move(text).unwrap()).collect();
            level.moves(&position, only, PromotionChoice::Sensible).iter().map(ToString::to_string).collect()
        };
        // White threatens to drop a gold in front of the king.
        let threat = "4k4/9/9/9/9/9/4p4/9/4K4 b RBg 1";
        let (low, high) = (level(SURE_OF_MATES - 1), level(SURE_OF_MATES));
        assert_eq!(moves(low, threat, &[]), [""; 0], "all moves");
        let safe = moves(high, threat, &[]);
        assert!(safe.contains(&"5i4i".to_owned()) && !safe.contains(&"R*9b".to_owned()), "{safe:?}");
        assert!(safe.len() > 5, "{safe:?}");
        assert_eq!(moves(high, threat, &["R*9b", "5i4i"]), ["5i4i"]);
        assert_eq!(moves(low, threat, &["R*9b", "5i4i"]), ["R*9b", "5i4i"]);
        assert_eq!(moves(high, threat, &["R*9b"]), ["R*9b"], "there is nothing else");
    }

    #[test]
    fn ratings_are_those_of_the_ladder_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/levels.md");
        let page = std::fs::read_to_string(path).unwrap();
        let ladder = page.split("## The ladder").nth(1).unwrap().split("## ").next().unwrap();
        let cells = |row: &str| -> Option<(usize, i32)> {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            Some((cells.get(1)?.parse().ok()?, cells.get(2)?.parse().ok()?))
        };
        let documented: Vec<(usize, i32)> = ladder.lines().filter_map(cells).collect();
        let measured: Vec<(usize, i32)> = LEVELS.iter().map(|level| level.rating).enumerate().collect();
        assert_eq!(documented, measured);
        for (level, rating) in measured {
            for beside in [-30, 0, 30] {
                assert_eq!(level_of_rating(RATING_OF_LEVEL_10 + rating + beside), level as u32);
            }
        }
    }
}
