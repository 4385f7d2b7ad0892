//! Ratings with a model of draws, and with several fixed ratings. The reference values come from a
//! program of its own (numpy and scipy 1.17: the likelihood minimised by BFGS and the simplex
//! method, errors by the Fisher information with numerical derivatives), whose last digits are
//! those of the minimiser.

use kiki_rating::bradley_terry::{
    Covariance, Fit, FitOptions, MonteCarloPlan, ResultTable, Scale, fit, hold_out, monte_carlo, residuals,
};
use kiki_stats::StatsError;
use kiki_stats::logistic::ELO_SCALE;

/// First and second player; wins, draws and losses of the first, who moved first.
const GAMES: [(usize, usize, [f64; 3]); 5] = [
    (0, 1, [30.0, 25.0, 15.0]),
    (1, 2, [20.0, 30.0, 18.0]),
    (2, 0, [12.0, 20.0, 28.0]),
    (2, 3, [22.0, 10.0, 8.0]),
    (3, 0, [9.0, 14.0, 27.0]),
];

fn table() -> ResultTable {
    let mut table = ResultTable::new(4);
    for (first, second, [wins, draws, losses]) in GAMES {
        table.add_games([first, second], true, [wins, losses], draws).unwrap();
    }
    table
}

fn close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-3, "{actual} is not {expected}");
}

/// Ratings and their errors, by player.
fn check(fit: &Fit, expected: [(usize, f64, f64); 3]) {
    let covariance = Covariance::new(fit).unwrap();
    for (player, rating, error) in expected {
        close(fit.rating(player).unwrap(), rating);
        close(covariance.anchored_error(player).unwrap(), error);
    }
    assert!(fit.largest_gradient() < 1e-9);
}

fn davidson(first_move: bool) -> FitOptions {
    FitOptions { first_move, draws: true, ..FitOptions::anchored(2, 0.0) }
}

#[test]
fn the_share_of_draws_is_estimated() {
    let found = fit(&table(), &davidson(false)).unwrap();
    check(&found, [(0, 119.573_370, 41.884_286), (1, 8.519_522, 42.738_395), (3, -139.575_891, 54.479_439)]);
    close(found.ln_likelihood(), -302.220_885);
    close(Covariance::new(&found).unwrap().difference_error(0, 1).unwrap(), 43.210_698);
    let share = Covariance::new(&found).unwrap().draw_share().unwrap();
    assert!((share.share - 0.361_673_94).abs() < 1e-6 && (share.error - 0.029_452_36).abs() < 1e-6, "{share:?}");
    // Points and expected points agree for every player.
    for player in 0..4 {
        let expected = GAMES.iter().map(|&(first, second, games)| {
            let score = match player {
                _ if player == first => found.expected_score(first, second, false).unwrap(),
                _ if player == second => found.expected_score(second, first, false).unwrap(),
                _ => 0.0,
            };
            score * games.iter().sum::<f64>()
        });
        let expected: f64 = expected.sum();
        assert!((found.standings()[player].unwrap().points - expected).abs() < 1e-6);
    }
}

#[test]
fn the_share_of_draws_is_estimated_beside_the_first_move() {
    let found = fit(&table(), &davidson(true)).unwrap();
    check(&found, [(0, 123.261_656, 42.454_107), (1, 10.162_826, 42.915_547), (3, -138.236_658, 54.574_670)]);
    close(found.ln_likelihood(), -302.082_241);
    close(found.first_move_advantage().unwrap(), 14.190_273);
    close(Covariance::new(&found).unwrap().first_move_error().unwrap(), 26.972_379);
}

#[test]
fn several_ratings_are_fixed() {
    let options = FitOptions { fixed: vec![(0, 80.0)], ..FitOptions::anchored(2, 0.0) };
    let found = fit(&table(), &options).unwrap();
    check(&found, [(0, 80.0, 0.0), (1, 7.322_337, 29.903_163), (3, -86.325_390, 39.410_704)]);
    close(found.ln_likelihood(), -190.524_377);
    let covariance = Covariance::new(&found).unwrap();
    close(covariance.difference_error(1, 3).unwrap(), 49.471_232);
    assert_eq!(covariance.difference_error(0, 2), Ok(0.0));
    assert_eq!((covariance.probability_better(0, 2), covariance.probability_better(2, 0)), (Ok(1.0), Ok(0.0)));
    assert_eq!(found.players(), [0, 1, 2, 3]);
    // Games between fixed players are reported, although they hold no information about ratings.
    let standing = found.standings()[0].unwrap();
    assert_eq!((standing.points, standing.games), (42.5 + 38.0 + 34.0, 180.0));
    assert!(residuals(&found).iter().any(|residual| residual.players == [0, 2] && residual.games == 60.0));
    // Another scale is a shift.
    let shifted = FitOptions { fixed: vec![(0, 1080.0)], ..FitOptions::anchored(2, 1000.0) };
    close(fit(&table(), &shifted).unwrap().rating(3).unwrap(), 1000.0 - 86.325_390);
}

#[test]
fn several_ratings_are_fixed_beside_all_other_parameters() {
    let options = FitOptions { fixed: vec![(0, 80.0)], ..davidson(true) };
    let found = fit(&table(), &options).unwrap();
    check(&found, [(0, 80.0, 0.0), (1, -10.951_474, 37.355_565), (3, -159.774_801, 50.265_263)]);
    close(found.first_move_advantage().unwrap(), 9.491_206);
    close(Covariance::new(&found).unwrap().first_move_error().unwrap(), 26.351_796);
    let plan = MonteCarloPlan { replicates: 2000, seed: 5, keep: Some(0) };
    let simulated = monte_carlo(&found, &plan, &|_| ()).unwrap();
    assert!(simulated.kept.iter().all(|rating| (rating - 80.0).abs() < 1e-9));
    let fixed = simulated.anchored[0].unwrap();
    assert!((fixed.mean - 80.0).abs() < 1e-9 && fixed.deviation == 0.0);
    let ratio = simulated.anchored[3].unwrap().deviation / 50.265_263;
    assert!((ratio - 1.0).abs() < 0.12, "{ratio}");
}

/// Everyone beat the next, and nobody the one before: fixed ends make a rating of the middle
/// possible.
#[test]
fn fixed_players_hold_others_together() {
    let mut table = ResultTable::new(4);
    table.add(0, 1, 3.0, 0.0).unwrap();
    table.add(1, 2, 2.0, 0.0).unwrap();
    let options = FitOptions { fixed: vec![(2, -200.0)], ..FitOptions::anchored(0, 200.0) };
    let found = fit(&table, &options).unwrap();
    // 3 (1 - p) = 2 (1 - r) for the scores p and r that the two winners are expected to have.
    let middle = found.rating(1).unwrap();
    let lost = |difference: f64| 1.0 / (1.0 + f64::exp(difference / ELO_SCALE));
    assert!((3.0 * lost(200.0 - middle) - 2.0 * lost(middle + 200.0)).abs() < 1e-9, "{middle}");
    assert!(found.rating(3).is_err());
    assert!(fit(&table, &FitOptions::anchored(0, 0.0)).unwrap().rating(1).is_err());
}

#[test]
fn all_players_may_be_fixed() {
    let options = FitOptions { fixed: vec![(0, 80.0), (1, 10.0), (3, -90.0)], ..davidson(true) };
    let found = fit(&table(), &options).unwrap();
    assert!(found.first_move_advantage().unwrap().is_finite());
    let covariance = Covariance::new(&found).unwrap();
    assert_eq!(
        (covariance.anchored_error(3), covariance.centred_error(0).map(|error| error < 1e-6)),
        (Ok(0.0), Ok(true))
    );
}

#[test]
fn what_cannot_be_fixed_or_estimated_is_refused() {
    let with = |fixed: Vec<(usize, f64)>| FitOptions { fixed, ..FitOptions::anchored(2, 0.0) };
    for fixed in [vec![(2, 5.0)], vec![(1, 5.0), (1, 5.0)], vec![(1, f64::NAN)], vec![(4, 0.0)]] {
        assert!(fit(&table(), &with(fixed)).is_err());
    }
    assert!(fit(&table(), &FitOptions { scale: Scale::Mean(0.0), ..with(vec![(1, 5.0)]) }).is_err());
    let mut decided = ResultTable::new(2);
    decided.add(0, 1, 3.0, 2.0).unwrap();
    let mut drawn = ResultTable::new(2);
    drawn.add_games([0, 1], false, [0.0; 2], 4.0).unwrap();
    for table in [decided, drawn] {
        let options = FitOptions { draws: true, ..FitOptions::anchored(0, 0.0) };
        assert!(matches!(fit(&table, &options), Err(StatsError::NotEstimable { .. })));
        let found = fit(&table, &FitOptions::anchored(0, 0.0)).unwrap();
        assert_eq!(Covariance::new(&found).unwrap().draw_share(), None);
    }
}

/// The spread of replicates that are drawn as often as the model says is that of the Fisher
/// information.
#[test]
fn replicates_have_draws() {
    let mut large = ResultTable::new(4);
    for (first, second, games) in GAMES {
        let [wins, draws, losses] = games.map(|games| 10.0 * games);
        large.add_games([first, second], false, [wins, losses], draws).unwrap();
    }
    let found = fit(&large, &davidson(false)).unwrap();
    let plan = MonteCarloPlan { replicates: 3000, seed: 2, keep: None };
    let simulated = monte_carlo(&found, &plan, &|_| ()).unwrap();
    let covariance = Covariance::new(&found).unwrap();
    for player in [0, 1, 3] {
        let ratio = simulated.anchored[player].unwrap().deviation / covariance.anchored_error(player).unwrap();
        assert!((ratio - 1.0).abs() < 0.06, "{player}: {ratio}");
    }
    // Two predictions of the same games differ only by what they make of draws.
    let predicted = |options: &FitOptions| hold_out(&large, options, 0.3, 4, 1).unwrap();
    let (with, without) = (predicted(&davidson(false)), predicted(&FitOptions::anchored(2, 0.0)));
    assert_eq!(with.games, without.games);
    assert!((with.log_loss - without.log_loss).abs() < 0.01);
}
