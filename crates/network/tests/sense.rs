//! Whether the embedded network agrees with what every player knows.
//! `cargo test -p kiki-network --test sense -- --nocapture` prints its values.

use std::sync::{Arc, OnceLock};

use kiki_board::{Color, Position, Sq};
use kiki_eval::{DEFAULT_FV_SCALE, Evaluator as _, Network, NetworkEvaluator};
use kiki_tests::diagram::{Diagram, HAND};
use kiki_tests::fixtures;

/// The value for the side to move, in centipawns.
fn value(position: &Position) -> i32 {
    static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
    let network = NETWORK.get_or_init(|| Arc::new(kiki_network::embedded(DEFAULT_FV_SCALE).unwrap()));
    NetworkEvaluator::new(network, position).evaluate(position)
}

fn value_of(diagram: &Diagram) -> i32 {
    value(&fixtures::position(&diagram.to_sfen()))
}

/// Positions of games in which nobody is in check.
fn calm_positions() -> Vec<Diagram> {
    let calm = fixtures::midgame().into_iter().filter(|row| !row.in_check);
    calm.map(|row| Diagram::parse(row.sfen)).collect()
}

fn mean(numbers: &[i32]) -> f64 {
    numbers.iter().map(|&number| f64::from(number)).sum::<f64>() / numbers.len() as f64
}

#[test]
fn who_wins_a_piece_gains_and_by_its_worth() {
    let mut gains: [Vec<i32>; HAND.len()] = [const { Vec::new() }; HAND.len()];
    for diagram in calm_positions() {
        let before = value_of(&diagram);
        let side = usize::from(diagram.white_to_move);
        for (kind, gains) in gains.iter_mut().enumerate() {
            for (from, to, sign) in [(1 - side, side, 1), (side, 1 - side, -1)] {
                if diagram.hands[from][kind] > 0 && before.abs() < 2000 {
                    let mut after = diagram.clone();
                    after.hands[from][kind] -= 1;
                    after.hands[to][kind] += 1;
                    gains.push(sign * (value_of(&after) - before));
                }
            }
        }
    }
    let shares =
        gains.each_ref().map(|gains| gains.iter().filter(|&&gain| gain > 0).count() as f64 / gains.len() as f64);
    for (kind, gains) in gains.iter().enumerate() {
        println!(
            "{}: {:.0} from hand to hand, a gain in {:.4} of {}",
            HAND[kind],
            mean(gains),
            shares[kind],
            gains.len()
        );
        assert!(gains.len() > 100 && shares[kind] > 0.96, "{}: a gain in {}", HAND[kind], shares[kind]);
    }
    let [rook, bishop, gold, silver, knight, lance, pawn] = gains.map(|gains| mean(&gains));
    let (lighter, heavier) = (knight.min(lance), knight.max(lance));
    let by_worth = [pawn, lighter, heavier, silver, gold, bishop, rook];
    assert!(by_worth.is_sorted_by(|less, more| less <= more) && pawn < lighter, "{by_worth:?}");
}

#[test]
fn a_position_seen_from_the_other_side_has_the_same_value() {
    for diagram in calm_positions() {
        assert_eq!(value_of(&diagram.rotated()), value_of(&diagram), "{}", diagram.to_sfen());
    }
}

#[test]
fn greater_handicaps_are_worth_more() {
    let even = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let sfens: Vec<&str> = std::iter::once(even).chain(kiki_record::handicaps().skip(1)).collect();
    let values: Vec<i32> = sfens.iter().map(|sfen| -value(&fixtures::position(sfen))).collect();
    sfens.iter().zip(&values).for_each(|(sfen, value)| println!("{value:5} {sfen}"));
    // None, a lance, the bishop, the rook, rook and lance, two to six pieces, left seven, eight,
    // ten. The others resemble one of these.
    let chain = [0, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15].map(|number| values[number]);
    assert!(chain.is_sorted_by(|less, more| less < more), "{chain:?}");
}

/// Points in hand and in the enemy camp, as for a declaration: 5 for rook or bishop, 1 for others.
fn points(diagram: &Diagram, white: bool) -> usize {
    let worth = |letter: char| if matches!(letter, 'R' | 'B') { 5 } else { 1 };
    let camp = Sq::all().filter(|sq| if white { sq.rank() > 5 } else { sq.rank() < 3 });
    let men = camp.filter_map(|sq| diagram.at(sq)).filter(|man| man.white == white && man.letter != 'K');
    let in_hand = HAND.iter().zip(diagram.hands[usize::from(white)]).map(|(&letter, count)| worth(letter) * count);
    men.map(|man| worth(man.letter)).chain(in_hand).sum()
}

#[test]
fn a_king_in_the_enemy_camp_wins_with_more_points() {
    let mut values = Vec::new();
    for diagram in calm_positions() {
        let position = fixtures::position(&diagram.to_sfen());
        for (color, white) in [(Color::Black, false), (Color::White, true)] {
            let rank = position.king(color).rank();
            let has_entered = if white { rank > 5 } else { rank < 3 };
            let [own, others] = [white, !white].map(|white| points(&diagram, white));
            if has_entered && own > others.max(10) {
                let sign = if position.side_to_move() == color { 1 } else { -1 };
                values.push(sign * value(&position));
            }
        }
    }
    println!(
        "a king in the enemy camp: {:.0} in {}, at least {}",
        mean(&values),
        values.len(),
        values.iter().min().unwrap()
    );
    assert!(values.len() > 15 && values.iter().all(|&value| value > 0), "{values:?}");
}

#[test]
fn who_is_about_to_mate_is_ahead() {
    let values = fixtures::decided().map(|(sfen, white)| {
        let position = fixtures::position(sfen);
        if (position.side_to_move() == Color::White) == white { value(&position) } else { -value(&position) }
    });
    let values: Vec<i32> = values.collect();
    let right = values.iter().filter(|&&value| value > 0).count();
    println!(
        "15 plies before a mate: {:.0} for the winner, who is ahead in {right} of {}",
        mean(&values),
        values.len()
    );
    assert!(values.len() == 200 && right >= 190, "{right}: {values:?}");
}

#[test]
fn who_is_being_mated_is_behind() {
    let rows = fixtures::mates().into_iter().filter(|row| row.length.is_some_and(|length| length > 1));
    let after = rows.map(|row| {
        let mut position = fixtures::position(row.sfen);
        fixtures::play(&mut position, row.first_moves.split(' ').next().unwrap());
        value(&position)
    });
    let values: Vec<i32> = after.collect();
    let behind = values.iter().filter(|&&value| value < 0).count();
    println!("after the first move of a mate: {:.0}, behind in {behind} of {}", mean(&values), values.len());
    assert!(values.len() > 60 && behind as f64 >= 0.9 * values.len() as f64, "{values:?}");
}

#[test]
fn mates_are_worth_much_and_long_ones_no_more_than_short_ones() {
    let classes = [("1 and 3", 1..=3), ("5 and 7", 5..=7), ("9 to 17", 9..=17), ("none", 99..=99)];
    let means = classes.map(|(name, lengths)| {
        let rows = fixtures::mates().into_iter().filter(|row| lengths.contains(&row.length.unwrap_or(99)));
        let values: Vec<i32> = rows.map(|row| value(&fixtures::position(row.sfen))).collect();
        println!("{name}: {:.0} in {}", mean(&values), values.len());
        mean(&values)
    });
    let [short, middle, long, none] = means;
    assert!(none < short && none < middle && none < long && long < 1.1 * short, "{means:?}");
}
