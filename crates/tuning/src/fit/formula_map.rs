//! The numbers of the formula as parameters of a fit, and the coefficients of its terms that follow
//! from them.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use kiki_board::{ALL_KINDS, PieceKind};
use kiki_eval::{KingDirection, TUNABLES, Weights};
use kiki_stats::regression::{CoefficientMap, RegressionFit};
use kiki_train::fit::{EFFECT_DISTANCES, FormulaColumn};
use nalgebra::DMatrix;

use crate::settings::KIND_NAMES;
use crate::spsa::ParameterRange;

/// Width of the normal prior around the start of each number, in centipawns: numbers without data
/// stay there.
pub(super) const WIDTH: f64 = 2000.0;

/// Number of kinds with a value: all but the king.
const VALUED_KINDS: usize = KIND_NAMES.len() - 1;
/// Names of the shares that remain beside and behind the king.
const DIRECTIONS: [&str; 4] = ["own_beside", "own_behind", "enemy_beside", "enemy_behind"];
/// Index of the discount, a share.
pub(super) const DISCOUNT: usize = VALUED_KINDS;
/// Index of an effect of the king's side on the king's square; greater distances follow.
pub(super) const OWN: usize = DISCOUNT + 1;
/// Index of an enemy effect on the king's square; greater distances follow.
pub(super) const ENEMY: usize = OWN + EFFECT_DISTANCES;
/// Index of the first of [`DIRECTIONS`], shares.
pub(super) const DIRECTION: usize = ENEMY + EFFECT_DISTANCES;
/// Index of a pawn's addition on the home ranks; the other kinds follow.
pub(super) const HOME: usize = DIRECTION + DIRECTIONS.len();
/// Index of a pawn's addition in the enemy's camp; the other kinds follow.
pub(super) const CAMP: usize = HOME + KIND_NAMES.len();
pub(super) const PARAMETERS: usize = CAMP + KIND_NAMES.len();

/// Whether a parameter is a share instead of centipawns.
pub(super) fn is_share(parameter: usize) -> bool {
    parameter == DISCOUNT || (DIRECTION..HOME).contains(&parameter)
}

pub(super) fn name(parameter: usize) -> String {
    match parameter {
        0..DISCOUNT => format!("material_{}", KIND_NAMES[valued_kinds()[parameter].array_index()]),
        DISCOUNT => "board_discount".to_owned(),
        OWN..ENEMY => format!("own effect at {}", parameter - OWN),
        ENEMY..DIRECTION => format!("enemy effect at {}", parameter - ENEMY),
        DIRECTION..HOME => DIRECTIONS[parameter - DIRECTION].to_owned(),
        HOME..CAMP => format!("home_{}", KIND_NAMES[parameter - HOME]),
        _ => format!("camp_{}", KIND_NAMES[parameter - CAMP]),
    }
}

/// From this distance on, both curves of effects have the same mean. This fixes the own effect at
/// the greatest distance.
///
/// Games cannot determine it. Each effect has a distance to both kings, so a constant added to all
/// own effects and subtracted from all enemy effects changes nothing.
const FAR: usize = 5;

/// Sets the parameter that follows from the others.
fn completed(parameters: &[f64]) -> Vec<f64> {
    let mut complete = parameters.to_vec();
    let (own, enemy) = (&parameters[OWN + FAR..ENEMY - 1], &parameters[ENEMY + FAR..DIRECTION]);
    complete[ENEMY - 1] = enemy.iter().sum::<f64>() - own.iter().sum::<f64>();
    complete
}

/// Kinds with a value, in their order.
fn valued_kinds() -> [PieceKind; VALUED_KINDS] {
    let mut kinds = ALL_KINDS.into_iter().filter(|&kind| kind != PieceKind::King);
    std::array::from_fn(|_| kinds.next().expect("one of all kinds is the king"))
}

/// Index of a kind's value; `None` for the king.
fn place(kind: PieceKind) -> Option<usize> {
    valued_kinds().into_iter().position(|other| other == kind)
}

/// The formula's numbers as parameters of a fit: centipawns, and the discount as a share.
pub(super) fn parameters_of(weights: &Weights) -> Vec<f64> {
    // All names here exist.
    let number = |name: &str| f64::from(weights.get(name).unwrap_or_default());
    let effect = |side: &str, distance: usize| {
        number(&format!("{side}_effect")) * number(&format!("{side}_distance_{distance}")) / 1024.0
    };
    let value = |parameter| match parameter {
        OWN..ENEMY => effect("own", parameter - OWN),
        ENEMY..DIRECTION => effect("enemy", parameter - ENEMY),
        _ if is_share(parameter) => number(&name(parameter)) / 1024.0,
        _ => number(&name(parameter)),
    };
    (0..PARAMETERS).map(value).collect()
}

/// Parameters for a file, within the ranges of the numbers. The effect is the largest of its curve,
/// so no distance exceeds 1024.
pub(super) fn parameter_ranges(parameters: &[f64], discount_promoted: bool) -> BTreeMap<String, ParameterRange> {
    let number = |place| (name(place), parameters[place] * if is_share(place) { 1024.0 } else { 1.0 });
    let mut numbers: BTreeMap<String, f64> = (0..OWN).chain(DIRECTION..PARAMETERS).map(number).collect();
    numbers.insert("discount_promoted".to_owned(), f64::from(u8::from(discount_promoted)));
    for (side, start) in [("own", OWN), ("enemy", ENEMY)] {
        let curve = &parameters[start..start + EFFECT_DISTANCES];
        let most = curve.iter().copied().fold(1.0, f64::max).ceil();
        numbers.insert(format!("{side}_effect"), most);
        for (distance, value) in curve.iter().enumerate() {
            numbers.insert(format!("{side}_distance_{distance}"), 1024.0 * value / most);
        }
    }
    let ranges = TUNABLES.iter().filter_map(|tunable| {
        let value = *numbers.get(tunable.name)?;
        let start = (value.round() as i32).clamp(tunable.min, tunable.max);
        let range = ParameterRange { start, min: tunable.min, max: tunable.max, step: tunable.step };
        Some((tunable.name.to_owned(), range))
    });
    ranges.collect()
}

/// Map from parameters to coefficients: a piece counts in full in hand, and less the discount on
/// the board.
pub(super) struct FormulaMap {
    pub(super) discount_promoted: bool,
}

impl FormulaMap {
    fn is_discounted(&self, kind: PieceKind) -> bool {
        self.discount_promoted || kind.unpromote().is_none()
    }
}

/// Index of the share that remains in a direction; `None` for all of it.
fn direction_place(direction: KingDirection, of: usize) -> Option<usize> {
    match direction {
        KingDirection::Ahead => None,
        KingDirection::Beside => Some(of),
        KingDirection::Behind => Some(of + 1),
    }
}

impl CoefficientMap for FormulaMap {
    fn name(&self, parameter: usize) -> String {
        name(parameter)
    }

    fn coefficients(&self, parameters: &[f64]) -> Vec<f64> {
        let parameters = completed(parameters);
        let material = |kind| place(kind).map_or(0.0, |place| parameters[place]);
        let part = |direction, of| direction_place(direction, of).map_or(1.0, |place| parameters[place]);
        let coefficient = |column| match column {
            FormulaColumn::Board(kind) if self.is_discounted(kind) => material(kind) * (1.0 - parameters[DISCOUNT]),
            FormulaColumn::Board(kind) | FormulaColumn::Hand(kind) => material(kind),
            FormulaColumn::Home(kind) => parameters[HOME + kind.array_index()],
            FormulaColumn::Camp(kind) => parameters[CAMP + kind.array_index()],
            FormulaColumn::Own(direction, distance) => parameters[OWN + distance] * part(direction, DIRECTION),
            FormulaColumn::Enemy(direction, distance) => parameters[ENEMY + distance] * part(direction, DIRECTION + 2),
        };
        FormulaColumn::all().map(coefficient).to_vec()
    }

    fn jacobian(&self, parameters: &[f64]) -> DMatrix<f64> {
        let parameters = completed(parameters);
        let mut jacobian = DMatrix::zeros(FormulaColumn::COUNT, PARAMETERS);
        // The derivatives of the value of an effect in a direction.
        let effect_slopes = |jacobian: &mut DMatrix<f64>, row, effect: usize, direction: Option<usize>| {
            jacobian[(row, effect)] = direction.map_or(1.0, |direction| parameters[direction]);
            if let Some(direction) = direction {
                jacobian[(row, direction)] = parameters[effect];
            }
        };
        for (row, column) in FormulaColumn::all().into_iter().enumerate() {
            match column {
                FormulaColumn::Board(kind) | FormulaColumn::Hand(kind) => {
                    let Some(place) = place(kind) else { continue };
                    jacobian[(row, place)] = 1.0;
                    if matches!(column, FormulaColumn::Board(_)) && self.is_discounted(kind) {
                        jacobian[(row, place)] -= parameters[DISCOUNT];
                        jacobian[(row, DISCOUNT)] = -parameters[place];
                    }
                }
                FormulaColumn::Home(kind) => jacobian[(row, HOME + kind.array_index())] = 1.0,
                FormulaColumn::Camp(kind) => jacobian[(row, CAMP + kind.array_index())] = 1.0,
                FormulaColumn::Own(direction, distance) => {
                    effect_slopes(&mut jacobian, row, OWN + distance, direction_place(direction, DIRECTION));
                }
                FormulaColumn::Enemy(direction, distance) => {
                    effect_slopes(&mut jacobian, row, ENEMY + distance, direction_place(direction, DIRECTION + 2));
                }
            }
        }
        jacobian * completion()
    }
}

/// Derivatives of all parameters by the free ones; see [`completed`].
fn completion() -> DMatrix<f64> {
    let mut matrix = DMatrix::identity(PARAMETERS, PARAMETERS);
    matrix[(ENEMY - 1, ENEMY - 1)] = 0.0;
    (OWN + FAR..ENEMY - 1).for_each(|place| matrix[(ENEMY - 1, place)] = -1.0);
    (ENEMY + FAR..DIRECTION).for_each(|place| matrix[(ENEMY - 1, place)] = 1.0);
    matrix
}

/// All parameters of a fit with their covariance.
pub(super) fn complete(fit: &RegressionFit) -> RegressionFit {
    let matrix = completion();
    let covariance = &matrix * &fit.covariance * matrix.transpose();
    RegressionFit { parameters: completed(&fit.parameters), covariance, ..*fit }
}

/// Precision of each parameter's prior; an infinite one holds the start. Always held are the
/// parameter that [`completed`] sets, and the enemy's effect on the king's square: a check, which
/// records do not have. Refuses unknown names.
pub(super) fn precision(published_terms: bool, hold: &[String]) -> Result<Vec<f64>> {
    for held in hold {
        ensure!((0..PARAMETERS).any(|parameter| name(parameter) == *held), "there is no number `{held}`");
    }
    let held = |parameter| {
        [ENEMY - 1, ENEMY].contains(&parameter)
            || published_terms && (DIRECTION..PARAMETERS).contains(&parameter)
            || hold.contains(&name(parameter))
    };
    let wide = |parameter| if is_share(parameter) { 1.0 } else { WIDTH };
    Ok((0..PARAMETERS).map(|i| if held(i) { f64::INFINITY } else { wide(i).powi(-2) }).collect())
}

/// Whether this precision fixes a number at its start value. The one that [`completed`] computes
/// follows from the others.
pub(super) fn is_held(parameter: usize, precision: &[f64]) -> bool {
    precision[parameter].is_infinite() && parameter != ENEMY - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jacobian_agrees_with_differences() {
        let start = completed(&parameters_of(&Weights::default()));
        for map in [true, false].map(|discount_promoted| FormulaMap { discount_promoted }) {
            let jacobian = map.jacobian(&start);
            for parameter in 0..PARAMETERS {
                let moved = |by: f64| {
                    let mut parameters = start.clone();
                    parameters[parameter] += by;
                    map.coefficients(&parameters)
                };
                for (row, (more, less)) in moved(1e-3).iter().zip(moved(-1e-3)).enumerate() {
                    let slope = (more - less) / 2e-3;
                    assert!((jacobian[(row, parameter)] - slope).abs() < 1e-6, "{row}, {}", name(parameter));
                }
            }
        }
    }

    #[test]
    fn numbers_are_held_by_name() {
        let precision = |hold: &str| precision(false, &[hold.to_owned()]);
        assert!(precision("camp_king").unwrap()[CAMP + 7].is_infinite());
        assert!(precision("camp_queen").unwrap_err().to_string().contains("`camp_queen`"));
    }

    #[test]
    fn numbers_become_parameters_and_numbers_again() {
        let parameters = parameters_of(&Weights::default());
        let ranges = parameter_ranges(&parameters, true);
        assert_eq!(ranges.len(), TUNABLES.len());
        let mut weights = Weights::default();
        ranges.iter().for_each(|(name, range)| assert!(weights.set(name, range.start), "{name}"));
        assert_eq!(weights, Weights::default());
    }
}
