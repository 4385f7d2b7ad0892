use super::*;

const NOISE: Noise = Noise { deviation: 100, seed: 7 };

/// The keys of the positions after each of the moves, two plies deep: what a search meets.
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
        let noise = Noise { seed, ..NOISE };
        let errors: Vec<f64> = keys.iter().map(|&key| f64::from(noise.of(key))).collect();
        // Of 900 errors with a deviation of 100: five standard errors.
        let (mean, deviation) = moments(&errors);
        assert!(mean.abs() < 16.7 && (deviation - 100.0).abs() < 11.0, "seed {seed}: {mean} {deviation}");
    }
    assert_eq!(NOISE.greatest(), 346);
    assert!(keys.iter().all(|&key| NOISE.of(key).abs() <= NOISE.greatest()));
    assert_eq!(Noise::default().of(keys[0]), 0);
}

#[test]
fn errors_of_different_games_have_nothing_to_do_with_each_other() {
    let keys = keys();
    for seed in [0, 1, 2, 3, 1000, 1 << 40] {
        for other in [seed + 1, seed + 2, seed + 64] {
            let (one, two) = (Noise { seed, ..NOISE }, Noise { seed: other, ..NOISE });
            let products: Vec<f64> =
                keys.iter().map(|&key| f64::from(one.of(key)) * f64::from(two.of(key)) / 10_000.0).collect();
            let (correlation, _) = moments(&products);
            assert!(correlation.abs() < 0.17, "{seed} and {other}: {correlation}");
        }
    }
}

#[test]
fn each_level_looks_at_no_less_than_the_one_before() {
    assert!(LEVELS.is_sorted_by(|one, next| one.depth <= next.depth && one.nodes <= next.nodes));
    assert!(
        LEVELS.chunk_by(|one, next| one.depth == next.depth).all(|rows| rows.is_sorted_by(|a, b| a.noise >= b.noise))
    );
    assert_eq!(Skill::new(FULL_SKILL, 1), None);
    let highest = Skill::new(FULL_SKILL - 1, 1).unwrap();
    assert!(highest.sure_of_mates);
}

#[test]
fn a_level_that_is_sure_of_mates_leaves_out_moves_that_allow_one_unless_there_are_no_others() {
    let level = |level| Skill::new(level, 1).unwrap();
    let moves = |level: Skill, sfen: &str, only: &[&str]| -> Vec<String> {
        let position = Position::from_sfen(sfen).unwrap();
        let only = only.iter().map(|text| position.parse_move(text).unwrap()).collect();
        level.moves(&position, only, PromotionChoice::Sensible).iter().map(ToString::to_string).collect()
    };
    // White threatens to drop a gold before the king.
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
    let told: Vec<(usize, i32)> = ladder.lines().filter_map(cells).collect();
    let measured: Vec<(usize, i32)> = LEVELS.iter().map(|level| level.rating).enumerate().collect();
    assert_eq!(told, measured);
    for (level, rating) in measured {
        for beside in [-30, 0, 30] {
            assert_eq!(level_of_rating(RATING_OF_LEVEL_10 + rating + beside), level as u32);
        }
    }
}
