//! Promises of the rating of a table.

use std::sync::atomic::{AtomicU64, Ordering};

use kiki_rating::bradley_terry::{
    Covariance, Fit, FitOptions, MonteCarloPlan, PlayerClass, ResultTable, Scale, default_anchor, fit, hold_out,
    monte_carlo, residuals,
};
use kiki_stats::StatsError;
use kiki_stats::logistic::expected_score;
use proptest::prelude::*;

/// Everyone plays everyone, with the expected results of evenly spaced strengths, rounded.
fn round_robin(players: usize, spacing: f64, games: f64) -> ResultTable {
    let mut table = ResultTable::new(players);
    for a in 0..players {
        for b in a + 1..players {
            let won = (games * expected_score((b - a) as f64 * spacing).unwrap()).round();
            table.add(a, b, won, games - won).unwrap();
        }
    }
    table
}

fn anchored(table: &ResultTable, anchor: usize) -> Fit {
    fit(table, &FitOptions::anchored(anchor, 0.0)).unwrap()
}

fn untold(_: u64) {}

#[test]
fn monte_carlo_does_not_depend_on_the_number_of_threads() {
    let fit = anchored(&round_robin(8, 60.0, 10.0), 3);
    let plan = MonteCarloPlan { replicates: 600, seed: 11, keep: Some(5) };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let most = AtomicU64::new(0);
        let simulated = pool.install(|| monte_carlo(&fit, &plan, &|done| _ = most.fetch_max(done, Ordering::Relaxed)));
        assert_eq!(most.into_inner(), 600, "progress");
        simulated.unwrap()
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one.kept.len() as u64, one.used);
    assert_eq!(one.used + one.dropped, 600);
    let mean = one.kept.iter().sum::<f64>() / one.kept.len() as f64;
    assert!((mean - one.anchored[5].unwrap().mean).abs() < 1e-9);
    assert_ne!(one, monte_carlo(&fit, &MonteCarloPlan { seed: 12, ..plan }, &untold).unwrap());
    assert!(monte_carlo(&fit, &MonteCarloPlan { replicates: 1, ..plan }, &untold).is_err());
}

#[test]
fn replicates_that_break_up_are_counted() {
    let mut table = ResultTable::new(2);
    table.add(0, 1, 3.0, 1.0).unwrap();
    let plan = MonteCarloPlan { replicates: 2000, seed: 4, keep: None };
    let simulated = monte_carlo(&anchored(&table, 1), &plan, &untold).unwrap();
    // Four of four or none of four: (3/4)^4 + (1/4)^4.
    let expected = 2000.0 * (81.0 + 1.0) / 256.0;
    assert!((simulated.dropped as f64 - expected).abs() < 90.0, "{simulated:?}");
}

/// One drawn game is won by somebody whenever it is played again.
#[test]
fn ratings_stay_where_every_replicate_breaks_up() {
    let mut table = ResultTable::new(2);
    table.add(0, 1, 0.5, 0.5).unwrap();
    let fit = anchored(&table, 1);
    let plan = MonteCarloPlan { replicates: 50, seed: 1, keep: Some(0) };
    let simulated = monte_carlo(&fit, &plan, &untold).unwrap();
    assert_eq!((simulated.used, simulated.dropped, simulated.relative_error), (0, 50, None));
    assert_eq!((simulated.anchored, simulated.centred), (vec![None; 2], vec![None; 2]));
    assert!(simulated.kept.is_empty());
    // p (1 - p) = 1/4 of a single game: an error of 2 units of log-odds.
    let error = Covariance::new(&fit).unwrap().anchored_error(0).unwrap();
    assert_eq!((fit.rating(0), (error - 2.0 * kiki_stats::logistic::ELO_SCALE).abs() < 1e-9), (Ok(0.0), true));
}

#[test]
fn one_player_is_rated_by_decree() {
    let table = ResultTable::new(1);
    let fit = anchored(&table, 0);
    assert_eq!((fit.rating(0), fit.ln_likelihood()), (Ok(0.0), 0.0));
    assert_eq!(Covariance::new(&fit).unwrap().anchored_error(0), Ok(0.0));
    assert_eq!(default_anchor(&table), Err(StatsError::NoGames));
    assert_eq!(monte_carlo(&fit, &MonteCarloPlan { replicates: 5, seed: 0, keep: None }, &untold).unwrap().used, 5);
}

#[test]
fn tables_refuse_what_is_no_game() {
    let mut table = ResultTable::new(3);
    assert!(table.add(1, 1, 2.0, 0.0).is_err() && table.add(0, 3, 2.0, 0.0).is_err());
    assert!(table.add(0, 1, -1.0, 0.0).is_err() && table.add(0, 1, f64::NAN, 0.0).is_err());
    table.add(0, 1, 0.0, 0.0).unwrap();
    assert!(table.pairs().is_empty());
    assert!(fit(&table, &FitOptions::anchored(3, 0.0)).is_err());
}

#[test]
fn repeated_pairs_add_up_whatever_their_order() {
    let mut table = ResultTable::new(2);
    table.add(0, 1, 3.0, 1.5).unwrap();
    table.add(1, 0, 2.0, 4.0).unwrap();
    table.add_games([1, 0], true, [1.0, 0.5], 0.0).unwrap();
    table.add_games([0, 1], false, [1.0, 0.0], 3.0).unwrap();
    assert_eq!(table.pairs().len(), 1);
    assert_eq!(table.pairs()[0].points, [10.0, 6.0]);
    let standing = anchored(&table, 0).standings()[1].unwrap();
    assert_eq!((standing.points, standing.games, standing.mean_opponent), (6.0, 16.0, 0.0));
}

#[test]
fn an_unbeaten_group_is_not_rated_with_the_rest_but_has_its_own_table() {
    let mut table = ResultTable::new(6);
    for (a, b, won, lost) in [(0, 1, 3.0, 2.0), (1, 2, 2.0, 2.0), (3, 4, 1.0, 1.0), (3, 0, 2.0, 0.0), (4, 2, 5.0, 0.0)]
    {
        table.add(a, b, won, lost).unwrap();
    }
    let fit = anchored(&table, 0);
    let classes = fit.classification();
    use PlayerClass::{AboveCore, NoGames, Rated};
    assert_eq!(classes.classes, [Rated, Rated, Rated, AboveCore, AboveCore, NoGames]);
    assert_eq!(classes.other_components, [[3, 4]]);
    assert_eq!(default_anchor(&table), Ok(1));
    assert_eq!(fit.rating(3), Err(StatsError::NotRated { player: 3 }));
    assert!(fit.rating(6).is_err() && Covariance::new(&fit).unwrap().difference_error(0, 3).is_err());
}

#[test]
fn the_advantage_of_the_first_move_is_found() {
    let mut table = ResultTable::new(4);
    let strengths = [100.0, 20.0, -30.0, -90.0];
    for a in 0..4 {
        for b in 0..4 {
            if a != b {
                let p = expected_score(strengths[a] - strengths[b] + 35.0).unwrap();
                table.add_games([a, b], true, [4000.0 * p, 4000.0 * (1.0 - p)], 0.0).unwrap();
            }
        }
    }
    let options = FitOptions { scale: Scale::Mean(0.0), first_move: true, ..FitOptions::default() };
    let with = fit(&table, &options).unwrap();
    assert!((with.first_move_advantage().unwrap() - 35.0).abs() < 1e-6);
    for (player, strength) in strengths.iter().enumerate() {
        assert!((with.rating(player).unwrap() - strength).abs() < 1e-6);
    }
    let covariance = Covariance::new(&with).unwrap();
    let simulated = monte_carlo(&with, &MonteCarloPlan { replicates: 1000, seed: 0, keep: None }, &untold).unwrap();
    let ratio = simulated.first_move.unwrap().deviation / covariance.first_move_error().unwrap();
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    let expected = expected_score(100.0 - 20.0 + 35.0).unwrap();
    assert!((with.expected_score(0, 1, true).unwrap() - expected).abs() < 1e-9);
}

#[test]
fn an_advantage_that_is_not_in_the_data_is_refused() {
    let options = FitOptions { first_move: true, ..FitOptions::default() };
    // Nobody knows who moved first; or always the same player did; or whoever did won.
    let mut unknown = ResultTable::new(2);
    unknown.add(0, 1, 3.0, 2.0).unwrap();
    let mut confounded = ResultTable::new(2);
    confounded.add_games([0, 1], true, [3.0, 2.0], 0.0).unwrap();
    let mut decisive = ResultTable::new(2);
    decisive.add_games([0, 1], true, [5.0, 0.0], 0.0).unwrap();
    decisive.add_games([1, 0], true, [5.0, 0.0], 0.0).unwrap();
    for table in [unknown, confounded, decisive] {
        assert!(matches!(fit(&table, &options), Err(StatsError::NotEstimable { .. } | StatsError::Singular)));
    }
}

/// Beyond 6,400 Elo the favourite's expected score is 1 but for rounding.
#[test]
fn games_of_a_sure_favourite_have_a_loss() {
    let mut table = ResultTable::new(3);
    table.add_games([0, 1], false, [100.0, 0.0], 0.0).unwrap();
    table.add_games([2, 0], false, [5.0, 5.0], 0.0).unwrap();
    let options = FitOptions { fixed: vec![(1, 0.0)], ..FitOptions::anchored(0, 10_000.0) };
    let loss = hold_out(&table, &options, 0.5, 10, 1).unwrap();
    assert!(loss.log_loss > 0.05 && loss.log_loss < 0.2, "{loss:?}");
    // An upset costs the logarithm of its probability, which is not exactly 0.
    table.add_games([0, 1], false, [0.0, 40.0], 0.0).unwrap();
    let upset = hold_out(&table, &options, 0.5, 10, 1).unwrap().log_loss;
    let most = 10_000.0 * std::f64::consts::LN_10 / 400.0;
    assert!(upset > 0.1 * most && upset < most, "{upset}");
}

#[test]
fn ratings_foretell_games_that_were_kept_aside() {
    let table = round_robin(12, 40.0, 200.0);
    let report = hold_out(&table, &FitOptions::default(), 0.2, 5, 9).unwrap();
    assert!((report.games / (66.0 * 200.0) - 0.2).abs() < 0.02);
    assert_eq!(report.unrated_games, 0.0);
    assert!(report.log_loss < std::f64::consts::LN_2);
    for bin in &report.calibration {
        let error = (bin.predicted * (1.0 - bin.predicted) / bin.games).sqrt();
        assert!((bin.predicted - bin.observed).abs() < 4.0 * error, "{bin:?}");
    }
    assert!(hold_out(&table, &FitOptions::default(), 0.0, 5, 9).is_err());
}

#[test]
fn lopsided_pairs_converge() {
    let mut table = ResultTable::new(3);
    table.add(0, 1, 1e9, 0.5).unwrap();
    table.add(1, 2, 99_999.0, 1.0).unwrap();
    let fit = anchored(&table, 2);
    let difference = fit.rating(0).unwrap() - fit.rating(1).unwrap();
    assert!((difference - 400.0 * f64::log10(2e9)).abs() < 1e-6, "{difference}");
}

/// A connected table: a ring in which everyone took something from both neighbours, and some more
/// games.
fn rateable_table() -> impl Strategy<Value = ResultTable> {
    let ring = prop::collection::vec((1u32..20, 1u32..20), 3..9);
    (ring, prop::collection::vec((any::<u16>(), any::<u16>(), 0u32..30, 0u32..30), 0..12)).prop_map(|(ring, more)| {
        let players = ring.len();
        let mut table = ResultTable::new(players);
        for (a, (won, lost)) in ring.into_iter().enumerate() {
            table.add(a, (a + 1) % players, 0.5 * f64::from(won), 0.5 * f64::from(lost)).unwrap();
        }
        for (a, b, won, lost) in more {
            let (a, b) = (usize::from(a) % players, usize::from(b) % players);
            if a != b {
                table.add(a, b, f64::from(won), f64::from(lost)).unwrap();
            }
        }
        table
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn differences_do_not_depend_on_the_anchor(table in rateable_table()) {
        let (first, second) = (anchored(&table, 0), anchored(&table, 2));
        let (first_error, second_error) = (Covariance::new(&first).unwrap(), Covariance::new(&second).unwrap());
        for a in 0..table.players() {
            for b in 0..a {
                let difference = |fit: &Fit| fit.rating(a).unwrap() - fit.rating(b).unwrap();
                prop_assert!((difference(&first) - difference(&second)).abs() < 1e-7);
                let error = first_error.difference_error(a, b).unwrap();
                prop_assert!((error / second_error.difference_error(a, b).unwrap() - 1.0).abs() < 1e-9);
                let better = first_error.probability_better(a, b).unwrap();
                prop_assert!((better + first_error.probability_better(b, a).unwrap() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_gradient_vanishes_and_expected_points_are_the_points(table in rateable_table()) {
        let fit = anchored(&table, 1);
        prop_assert!(fit.largest_gradient() < 1e-12);
        let mut surplus = vec![0.0; table.players()];
        for residual in residuals(&fit) {
            surplus[residual.players[0]] += residual.observed - residual.expected;
            surplus[residual.players[1]] -= residual.observed - residual.expected;
            prop_assert!(residual.z.is_finite());
        }
        prop_assert!(surplus.iter().all(|surplus| surplus.abs() < 1e-9));
    }
}
