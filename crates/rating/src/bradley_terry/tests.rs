//! Tests of the internals: both methods of solving the equations agree, and large tables are rated.

use rand::RngExt;

use super::fit::fit_by;
use super::solver::{Profile, SolverMethod};
use super::*;
use kiki_stats::Result;
use kiki_stats::logistic::expected_score;
use kiki_stats::random::stream;

/// Random players who each play about ten pairs, the opponents being drawn from `reach` neighbours
/// at either side.
fn league(players: usize, reach: usize, seed: u64) -> ResultTable {
    let mut random = stream(seed, 0);
    let strengths: Vec<f64> = (0..players).map(|_| random.random_range(-300.0..300.0)).collect();
    let mut table = ResultTable::new(players);
    for game in 0..5 * players {
        let a = game % players;
        let b = (a + random.random_range(1..=reach)) % players;
        let p = expected_score(strengths[a] - strengths[b]).unwrap();
        let won = (0..20).filter(|_| random.random::<f64>() < p).count() as f64;
        if random.random::<f64>() < 0.5 {
            table.add(a, b, won, 20.0 - won).unwrap();
            table.add_games([a, b], false, [0.0; 2], 3.0).unwrap();
        } else {
            table.add_games([a, b], true, [won, 20.0 - won], 0.0).unwrap();
            table.add_games([b, a], true, [8.0, 12.0], 0.0).unwrap();
        }
    }
    table
}

#[test]
fn both_methods_of_solving_agree() {
    for (reach, first_move) in [(119, false), (119, true), (3, false), (3, true)] {
        let table = league(120, reach, 5);
        let draws = reach == 3;
        let fixed = if draws { vec![(50, 30.0), (51, -60.0)] } else { Vec::new() };
        let options = FitOptions { anchor: Some(7), fixed, first_move, draws, ..FitOptions::default() };
        let gradients = fit_by(&table, &options, Some(|_| SolverMethod::ConjugateGradients)).unwrap();
        let envelope = fit_by(&table, &options, Some(|games| SolverMethod::Envelope(Profile::new(games))));
        assert_same(&gradients, &envelope.unwrap());
    }
}

#[test]
fn what_the_games_do_not_tell_is_refused_with_many_players_too() {
    let mut random = stream(3, 0);
    let mut table = ResultTable::new(300);
    for game in 0..3000 {
        // The first half always moves first.
        let pair = [game % 150, 150 + random.random_range(0..150)];
        table.add_games(pair, true, [1.0, 1.0], 0.0).unwrap();
    }
    let options = FitOptions { first_move: true, ..FitOptions::default() };
    let error = fit_by(&table, &options, Some(|_| SolverMethod::ConjugateGradients)).unwrap_err().to_string();
    assert!(error.contains("both colours must be played"), "{error}");
}

fn assert_same(one: &Fit, other: &Fit) {
    let (one_error, other_error) = (Covariance::new(one).unwrap(), Covariance::new(other).unwrap());
    assert!((one.ln_likelihood() - other.ln_likelihood()).abs() < 1e-8);
    let close = |a: Result<f64>, b: Result<f64>| (a.unwrap() - b.unwrap()).abs() < 1e-6;
    for &player in one.players() {
        assert!(close(one.rating(player), other.rating(player)));
        assert!(close(one_error.anchored_error(player), other_error.anchored_error(player)));
        assert!(close(one_error.centred_error(player), other_error.centred_error(player)));
    }
    for (a, b) in [(0, 60), (3, 7), (7, 7), (118, 2)] {
        assert!(close(one_error.difference_error(a, b), other_error.difference_error(a, b)), "{a} {b}");
        assert!((one_error.anchored(a, b).unwrap() - other_error.anchored(a, b).unwrap()).abs() < 1e-3);
    }
    match (one_error.first_move_error(), other_error.first_move_error()) {
        (Some(one), Some(other)) => assert!((one - other).abs() < 1e-8),
        errors => assert_eq!(errors, (None, None)),
    }
}

#[test]
fn ten_thousand_players_are_rated() {
    let table = league(10_000, 9_999, 2);
    let fit = fit(&table, &FitOptions { scale: Scale::Mean(1000.0), ..FitOptions::default() }).unwrap();
    assert!(fit.players().len() > 9_900);
    assert!(fit.largest_gradient() < 1e-12);
    let mean = fit.ratings().iter().flatten().sum::<f64>() / fit.players().len() as f64;
    assert!((mean - 1000.0).abs() < 1e-6);
}

#[test]
fn a_ladder_of_ten_thousand_players_is_rated_too() {
    // Everyone scored 3 of 4 against the next: closed forms for ratings and errors.
    let players = 10_000;
    let mut table = ResultTable::new(players);
    for player in 0..players - 1 {
        table.add(player, player + 1, 3.0, 1.0).unwrap();
    }
    let fit = fit(&table, &FitOptions::anchored(0, 0.0)).unwrap();
    assert_eq!(fit.players().len(), players);
    let step = 400.0 * f64::log10(3.0);
    let last = players - 1;
    assert!((fit.rating(last).unwrap() / (-step * last as f64) - 1.0).abs() < 1e-9);
    let one = kiki_stats::logistic::ELO_SCALE * (1.0f64 / 3.0 + 1.0).sqrt();
    let error = Covariance::new(&fit).unwrap().anchored_error(last).unwrap();
    assert!((error / (one * (last as f64).sqrt()) - 1.0).abs() < 1e-6, "{error}");
}
