//! Do the intervals of short matches hold their level? Their exact coverage is summed over all
//! results of a match.

use kiki_stats::binomial::Binomial;
use kiki_stats::logistic::elo_of_share;
use kiki_stats::sprt::{Counts, MeanMethod};
use kiki_stats::tally::MatchScore;

/// True distributions of a pair of games by points: even and lopsided, with many draws and without,
/// and with only two outcomes or one.
const PAIRS: [[f64; 5]; 14] = [
    [0.2, 0.2, 0.2, 0.2, 0.2],
    [0.25, 0.0, 0.5, 0.0, 0.25],
    [0.18, 0.1, 0.44, 0.1, 0.18],
    [0.02, 0.03, 0.9, 0.03, 0.02],
    [0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.9, 0.0, 0.1],
    [0.0, 0.02, 0.9, 0.08, 0.0],
    [0.5, 0.0, 0.0, 0.0, 0.5],
    [0.05, 0.0, 0.0, 0.0, 0.95],
    [0.01, 0.0, 0.0, 0.0, 0.99],
    [0.0, 0.0, 0.02, 0.08, 0.9],
    [0.0, 0.1, 0.0, 0.9, 0.0],
    [0.0, 0.0, 0.0, 0.5, 0.5],
    [0.1, 0.0, 0.1, 0.3, 0.5],
];

/// The same of single games: loss, draw, win.
const GAMES: [[f64; 3]; 12] = [
    [0.5, 0.0, 0.5],
    [0.3, 0.4, 0.3],
    [0.05, 0.9, 0.05],
    [0.0, 0.9, 0.1],
    [0.0, 0.1, 0.9],
    [0.1, 0.0, 0.9],
    [0.02, 0.0, 0.98],
    [0.01, 0.04, 0.95],
    [0.2, 0.2, 0.6],
    [0.1, 0.3, 0.6],
    [0.0, 0.97, 0.03],
    [0.25, 0.0, 0.75],
];

/// All divisions of a number of observations among outcomes.
fn results<const K: usize>(observations: u64) -> Vec<[u64; K]> {
    let mut all = vec![([0; K], observations)];
    for outcome in 0..K - 1 {
        let divide = |(counts, left): ([u64; K], u64)| {
            (0..=left).map(move |count| {
                let mut counts = counts;
                counts[outcome] = count;
                (counts, left - count)
            })
        };
        all = all.into_iter().flat_map(divide).collect();
    }
    let last = |(mut counts, left): ([u64; K], u64)| {
        counts[K - 1] = left;
        counts
    };
    all.into_iter().map(last).collect()
}

/// The multinomial probability.
fn probability(counts: &[u64], truth: &[f64]) -> f64 {
    let ln_factorial = |n: u64| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let terms = counts
        .iter()
        .zip(truth)
        .map(|(&count, &p)| if count == 0 { 0.0 } else { count as f64 * p.ln() - ln_factorial(count) });
    (ln_factorial(counts.iter().sum()) + terms.sum::<f64>()).exp()
}

/// By distribution: how often the interval contains the true difference.
fn coverage<const K: usize>(observations: u64, truths: &[[f64; K]], wrap: impl Fn([u64; K]) -> Counts) -> Vec<f64> {
    let intervals: Vec<_> = results::<K>(observations)
        .into_iter()
        .map(|counts| (counts, wrap(counts).estimates(0.95).unwrap().elo_interval))
        .collect();
    let held = |truth: &[f64; K]| {
        let score: f64 = truth.iter().enumerate().map(|(index, p)| p * index as f64 / (K - 1) as f64).sum();
        let elo = elo_of_share(score);
        // The ends of an interval may be off by a rounding error where they equal the truth.
        let holds = |ends: &kiki_stats::Interval| ends.low - 1e-9 <= elo && elo <= ends.high + 1e-9;
        let held = intervals.iter().filter(|(_, ends)| holds(ends));
        held.map(|(counts, _)| probability(counts, truth)).sum()
    };
    truths.iter().map(held).collect()
}

#[test]
fn short_matches_have_intervals_that_hold_what_they_promise() {
    for pairs in [1, 2, 3, 5, 8, 12, 14] {
        for (truth, held) in PAIRS.iter().zip(coverage(pairs, &PAIRS, Counts::Pentanomial)) {
            assert!(held >= 0.95 - 1e-9, "{pairs} pairs of {truth:?}: {held}");
        }
    }
    for games in [1, 3, 10, 20, 29] {
        for (truth, held) in GAMES.iter().zip(coverage(games, &GAMES, Counts::Trinomial)) {
            assert!(held >= 0.95 - 1e-9, "{games} games of {truth:?}: {held}");
        }
    }
}

/// The normal interval misses its level by a few points where results are coarse.
#[test]
fn longer_matches_have_intervals_that_hold_nearly_what_they_promise() {
    for games in [30, 31, 35, 40, 50, 80] {
        for (truth, held) in GAMES.iter().zip(coverage(games, &GAMES, Counts::Trinomial)) {
            assert!(held >= 0.915, "{games} games of {truth:?}: {held}");
        }
    }
}

/// Without draws, for 30 to 80 games at all win rates from one half on in steps of 0.1 %.
#[test]
fn the_worst_interval_of_longer_matches_without_draws_is_known() {
    let mut worst = (1.0, 0, 0.0);
    for games in 30..=80_u64 {
        let intervals: Vec<_> = (0..=games)
            .map(|wins| Counts::Trinomial([games - wins, 0, wins]).estimates(0.95).unwrap().elo_interval)
            .collect();
        for step in 500..1000 {
            let truth = f64::from(step) / 1000.0;
            let (elo, binomial) = (elo_of_share(truth), Binomial::new(games, truth).unwrap());
            let holds = |wins: &u64| {
                let ends = &intervals[*wins as usize];
                ends.low - 1e-9 <= elo && elo <= ends.high + 1e-9
            };
            let held: f64 = (0..=games).filter(holds).map(|wins| binomial.probability(wins)).sum();
            if held < worst.0 {
                worst = (held, games, truth);
            }
        }
    }
    assert!((worst.0 - 0.9109).abs() < 5e-5 && worst.1 == 36 && worst.2 == 0.608, "{worst:?}");
}

#[test]
fn the_normal_interval_is_left_to_results_that_are_many_and_even() {
    let method = |counts| Counts::Pentanomial(counts).mean_method();
    assert_eq!(method([3, 6, 11, 6, 3]), MeanMethod::Gaffke);
    assert_eq!(method([3, 6, 12, 6, 3]), MeanMethod::Normal);
    assert_eq!(method([0, 0, 95, 0, 5]), MeanMethod::Gaffke);
    assert_eq!(method([0, 0, 0, 0, 5000]), MeanMethod::Gaffke);
    // Five pairs: the normal interval would contain the truth for even players in 80 of 100
    // matches.
    let level = PAIRS[0];
    let five = results::<5>(5).into_iter().filter(|&counts| {
        let normal = Counts::Pentanomial(counts).estimates(0.95).unwrap().elo_interval_normal;
        normal.is_ok_and(|ends| ends.contains(0.0))
    });
    let held: f64 = five.map(|counts| probability(&counts, &level)).sum();
    assert!(held < 0.9, "{held}");
}

#[test]
fn a_single_pair_makes_nobody_superior_for_certain() {
    let superiority = |counts| Counts::Pentanomial(counts).estimates(0.95).unwrap().superiority;
    assert!((superiority([0, 0, 0, 0, 1]) - 0.75).abs() < 1e-12);
    assert!((superiority([0, 0, 1, 0, 0]) - 0.5).abs() < 1e-12);
    // A pair of one and a half points: the runners have 2 and 1 stages above the middle, 2 below
    // it.
    assert!((superiority([0, 0, 0, 1, 0]) - 2.0 / 3.0).abs() < 1e-12);
    for (losses, wins) in [(1, 5), (4, 4), (0, 20)] {
        let counts = Counts::Bernoulli([losses, wins]);
        let (here, there) = (counts.estimates(0.95).unwrap(), counts.reversed().estimates(0.95).unwrap());
        let beta = MatchScore::new(wins as f64, wins + losses).unwrap().superiority_beta();
        assert!((here.superiority - beta).abs() < 1e-12 && (here.superiority + there.superiority - 1.0).abs() < 1e-12);
    }
}

/// One of two equal players is called superior at 97.5 % in at most 3 of 100 matches. Superiority
/// is a posterior probability, so its error rate has steps around the level.
#[test]
fn equal_players_are_seldom_called_superior() {
    let level = PAIRS.iter().filter(|truth| (0..5).all(|index| truth[index] == truth[4 - index]));
    let level: Vec<_> = level.collect();
    assert_eq!(level.len(), 6);
    for pairs in [1, 3, 6, 10, 14] {
        let calls = results::<5>(pairs)
            .into_iter()
            .filter(|&counts| Counts::Pentanomial(counts).estimates(0.95).unwrap().superiority > 0.975);
        let calls: Vec<_> = calls.collect();
        for truth in &level {
            let called: f64 = calls.iter().map(|counts| probability(counts, *truth)).sum();
            assert!(called <= 0.03, "{pairs} pairs of {truth:?}: {called}");
        }
    }
}
