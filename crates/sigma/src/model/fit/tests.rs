use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::*;
use kiki_stats::normal;

const TRUTH: [f64; 3] = [100.0, 250.0, 80.0];

/// Samples of known weights: sigma is linear in two features.
fn synthetic(seed: u64, link: SigmaLink, truth: [f64; 3]) -> SigmaSamples {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut samples = SigmaSamples::new(3);
    for _ in 0..12_800 {
        let (x, y): (f32, f32) = (random.random(), random.random::<f32>().powi(2));
        let sigma = link.sigma(truth[0] + truth[1] * f64::from(x) + truth[2] * f64::from(y));
        let z = normal::quantile(random.random::<f64>().clamp(1e-12, 1.0 - 1e-12)).unwrap();
        samples.push(&[(1, x), (2, y)], sigma * z).unwrap();
    }
    samples
}

#[test]
fn known_weights_are_found_within_four_errors_with_any_generator() {
    for seed in 1..=5 {
        let samples = synthetic(seed, SigmaLink::Linear, TRUTH);
        let found = fit(&samples, SigmaLink::Linear, 0.0).unwrap();
        for (weight, (known, bound)) in found.weights.iter().zip(TRUTH.iter().zip([9.6, 20.1, 19.6])) {
            assert!((weight - known).abs() < bound, "seed {seed}: {found:?}");
        }
        assert!((found.mean_log_likelihood + 6.8964).abs() < 0.025, "{found:?}");
        // Other data lose little against their own optimum: half a chi-square with three degrees of freedom.
        let other = synthetic(seed + 100, SigmaLink::Linear, TRUTH);
        let own = fit(&other, SigmaLink::Linear, 0.0).unwrap().mean_log_likelihood;
        let loss = own - other.mean_log_likelihood(&found.weights, SigmaLink::Linear, 0.0).unwrap();
        assert!((0.0..0.0016).contains(&loss), "seed {seed}: {loss}");
    }
}

#[test]
fn the_log_link_finds_its_own_weights() {
    let truth = [5.0, 1.0, -0.5];
    let found = fit(&synthetic(7, SigmaLink::Log, truth), SigmaLink::Log, 0.0).unwrap();
    for ((weight, known), error) in found.weights.iter().zip(truth).zip(&found.standard_errors) {
        assert!((weight - known).abs() < 4.0 * error && *error < 0.05, "{found:?}");
    }
}

#[test]
fn derivatives_agree_with_differences_under_both_links() {
    for (link, at) in [(SigmaLink::Linear, [150.0, 120.0, 90.0]), (SigmaLink::Log, [5.0, 0.7, 0.1])] {
        let samples = synthetic(3, link, at);
        let scoring = Scoring { samples: &samples, link, ridge: 0.01, constant: 200.0 };
        let (gradient, _) = scoring.derivatives(&at);
        for column in 0..3 {
            let moved = |by: f64| std::array::from_fn::<f64, 3, _>(|i| at[i] + if i == column { by } else { 0.0 });
            let slope = (scoring.objective(&moved(1e-4)) - scoring.objective(&moved(-1e-4))) / 2e-4;
            assert!((gradient[column] - slope).abs() < 1e-3 * (1.0 + slope.abs()), "{link:?} {column}: {slope}");
        }
    }
}

#[test]
fn a_ridge_draws_weights_to_zero_and_makes_unseen_columns_harmless() {
    let mut samples = SigmaSamples::new(3);
    for (index, difference) in [100.0, -120.0, 90.0, -300.0, 280.0, 310.0].into_iter().enumerate() {
        let seen: &[(u16, f32)] = if index < 3 { &[] } else { &[(1, 1.0)] };
        samples.push(seen, difference).unwrap();
    }
    assert!(matches!(fit(&samples, SigmaLink::Linear, 0.0), Err(StatsError::Singular)));
    let weak = fit(&samples, SigmaLink::Linear, 1e-8).unwrap();
    let strong = fit(&samples, SigmaLink::Linear, 1e-3).unwrap();
    assert_eq!(weak.weights[2], 0.0);
    assert!(weak.weights[1] > 180.0 && strong.weights[1] < weak.weights[1] && strong.weights[1] > 0.0);
    assert!(strong.mean_log_likelihood < weak.mean_log_likelihood);
}

#[test]
fn the_floor_is_the_first_percentile_but_never_below_ten() {
    let wide = fit(&synthetic(2, SigmaLink::Linear, TRUTH), SigmaLink::Linear, 0.0).unwrap();
    assert!((100.0..110.0).contains(&wide.floor), "{wide:?}");
    let mut narrow = SigmaSamples::new(1);
    [1.0, -2.0, 3.0].iter().for_each(|&difference| narrow.push(&[], difference).unwrap());
    assert_eq!(fit(&narrow, SigmaLink::Linear, 0.0).unwrap().floor, 10.0);
}

#[test]
fn what_cannot_be_fitted_is_told() {
    let mut samples = SigmaSamples::new(2);
    assert!(matches!(fit(&samples, SigmaLink::Linear, 0.0), Err(StatsError::NoGames)));
    assert!(samples.push(&[(0, 1.0)], 1.0).is_err() && samples.push(&[(2, 1.0)], 1.0).is_err());
    assert!(samples.push(&[(1, 1.0)], f64::NAN).is_err());
    assert!(samples.is_empty());
    samples.push(&[(1, 1.0)], 0.0).unwrap();
    assert!(matches!(fit(&samples, SigmaLink::Linear, 0.0), Err(StatsError::OutOfDomain { .. })));
    assert!(fit(&samples, SigmaLink::Linear, -1.0).is_err());
}

#[test]
fn a_sample_without_any_difference_does_not_draw_sigma_to_zero() {
    // As many features as samples: each could have the sigma that it likes best.
    let mut samples = SigmaSamples::new(5);
    for (index, difference) in [0.0, 100.0, -150.0, 120.0].into_iter().enumerate() {
        samples.push(&[(index as u16 + 1, 1.0)], difference).unwrap();
    }
    let found = fit(&samples, SigmaLink::Linear, 1e-6).unwrap();
    assert!(
        found.mean_log_likelihood.is_finite() && found.weights.iter().all(|weight| weight.abs() < 1000.0),
        "{found:?}"
    );
}

/// Samples with many rare features, most of which say nothing: sums of some fall below the least sigma, step for step others.
fn sparse(seed: u64) -> SigmaSamples {
    let mut random = Pcg64::seed_from_u64(seed);
    let columns = 250;
    let mut samples = SigmaSamples::new(columns);
    for _ in 0..1_500 {
        let mut features: Vec<(u16, f32)> =
            (0..30).map(|_| (random.random_range(1..columns as u16), random.random_range(0.2..2.0))).collect();
        features.sort_by_key(|feature| feature.0);
        features.dedup_by_key(|feature| feature.0);
        let z = normal::quantile(random.random::<f64>().clamp(1e-12, 1.0 - 1e-12)).unwrap();
        samples.push(&features, (40.0 + 300.0 * random.random::<f64>().powi(6)) * z).unwrap();
    }
    samples
}

#[test]
fn many_rare_features_settle_where_sums_leave_and_reach_the_least_sigma() {
    for seed in 1..=12 {
        let samples = sparse(seed);
        let found = fit(&samples, SigmaLink::Linear, 1e-4).unwrap();
        assert!(found.steps < 80, "seed {seed}: {} steps", found.steps);
        // Far better than the same sigma for all, whose likelihood the start has.
        let constant = (samples.differences.iter().map(|g| g * g).sum::<f64>() / samples.len() as f64).sqrt();
        let same: Vec<f64> = std::iter::once(constant).chain([0.0; 249]).collect();
        let gained = found.mean_log_likelihood - samples.mean_log_likelihood(&same, SigmaLink::Linear, 0.0).unwrap();
        assert!(gained > 0.05, "seed {seed}: {gained}");
    }
}
