//! What an effect is worth by its place from a king: heat maps and curves.

use kiki_board::{Color, Sq};
use kiki_eval::{KingDirection, Weights};

use super::terms::board;
use crate::distances::{DISTANCES, EffectSide};
use crate::formula_weights::NamedWeights;
use kiki_plot::{AxisScale, ChartLine, CurveStyle, GridCell, GridMark, GridPicture, LineChart};

/// The king of the heat maps stands in the middle, from where every direction is as long.
const KING: Sq = Sq::at(4, 4);

/// The size of a square in pixels.
const SQUARE: (i32, i32) = (42, 42);

/// What an effect is worth, in centipawns.
pub(super) fn effect_value(weights: &Weights, side: EffectSide, distance: usize, direction: KingDirection) -> f64 {
    let value = match side {
        EffectSide::Own => weights.own_effect_at(distance, direction),
        EffectSide::Enemy => weights.enemy_effect_at(distance, direction),
    };
    f64::from(value) / 256.0
}

/// What an effect on a square is worth to Black's king in the middle, in centipawns.
fn value_on(weights: &Weights, side: EffectSide, sq: Sq) -> f64 {
    effect_value(weights, side, KING.distance(sq), KingDirection::of(Color::Black, KING, sq))
}

/// Boards with the value of an effect written on each square: own effects above, enemy effects below, one column for all numbers.
pub(super) fn heat_maps(columns: &[NamedWeights]) -> GridPicture {
    // The darkest is the greatest but on the king's square, which would leave all others pale.
    let values = columns.iter().flat_map(|column| {
        let squares = Sq::all().filter(|&sq| sq != KING);
        squares.flat_map(|sq| EffectSide::BOTH.map(|side| value_on(&column.weights, side, sq)))
    });
    let darkest = values.fold(1.0, f64::max);
    let rows = EffectSide::BOTH.map(|side| {
        let sign = if side == EffectSide::Own { 1.0 } else { -1.0 };
        let grid = |column: &NamedWeights| {
            let cell = |sq| {
                let value = value_on(&column.weights, side, sq);
                GridCell {
                    mark: (sq == KING).then_some(GridMark { letter: '玉', upside_down: false, faint: false }),
                    text: format!("{value:.0}"),
                    shade: sign * value / darkest,
                }
            };
            let what = if side == EffectSide::Own { "own effects" } else { "enemy effects" };
            let mut grid = board(format!("{what}, {}", column.name), SQUARE, cell);
            if side == EffectSide::Enemy {
                grid.captions[1] = "on the king's square: a check".to_owned();
            }
            grid
        };
        columns.iter().map(grid).collect()
    });
    GridPicture {
        title: "What one effect (利き) on a square counts near Black's king, in centipawns".to_owned(),
        rows: rows.to_vec(),
        meanings: ["for the king's side".to_owned(), "against it".to_owned()],
    }
}

/// The values of effects ahead of the king by distance.
pub(super) fn curves(columns: &[NamedWeights]) -> LineChart {
    let lines = columns.iter().enumerate().flat_map(|(index, column)| {
        EffectSide::BOTH.map(|side| ChartLine {
            name: format!("{} effects, {}", side.name(), column.name),
            points: (0..DISTANCES)
                .map(|distance| (distance as f64, effect_value(&column.weights, side, distance, KingDirection::Ahead)))
                .collect(),
            style: if index + 1 == columns.len() { CurveStyle::Solid } else { CurveStyle::Dashed },
            color: usize::from(side == EffectSide::Enemy),
        })
    });
    LineChart {
        title: "What one effect ahead of the king counts, by its distance".to_owned(),
        x_label: "distance in steps of the king".to_owned(),
        y_label: "centipawns".to_owned(),
        axis: AxisScale::Linear,
        lines: lines.collect(),
        y_range: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published numbers are 68 and 96 centipawns divided by the distance and one; no direction counts.
    #[test]
    fn heat_maps_show_the_values_of_the_weights() {
        let columns = [
            NamedWeights { name: "published".to_owned(), weights: Weights::published() },
            NamedWeights { name: "in use".to_owned(), weights: Weights::default() },
        ];
        let picture = heat_maps(&columns);
        let text = |side: usize, column: usize, file: usize, rank: usize| {
            picture.rows[side][column].rows[rank].cells[8 - file].text.clone()
        };
        for (file, rank, own, enemy) in
            [(4, 4, "68", "96"), (4, 3, "34", "48"), (5, 5, "34", "48"), (0, 4, "14", "19"), (2, 8, "14", "19")]
        {
            assert_eq!((text(0, 0, file, rank), text(1, 0, file, rank)), (own.to_owned(), enemy.to_owned()));
        }
        // 184 centipawns * 616 / 1024 beside the king: 1053 / 1024 of it on its rank and 642 / 1024 behind it.
        assert_eq!(
            ["111", "114", "69"],
            [text(1, 1, 3, 3), text(1, 1, 3, 4), text(1, 1, 3, 5)].each_ref().map(|text| text.as_str())
        );
        let squares = || picture.rows.iter().flatten().flat_map(|grid| grid.rows.iter().flat_map(|row| &row.cells));
        assert_eq!(squares().count(), 4 * Sq::COUNT);
        assert_eq!(squares().filter(|square| square.mark.is_some()).count(), 4);
    }
}
