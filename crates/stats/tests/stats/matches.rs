//! Properties of the statistics of single matches and sequential tests.

use kiki_stats::match_error::{IntervalMethod, games_needed, likely_run};
use kiki_stats::sprt::{
    CountKind, Counts, EloModel, Hypotheses, Sprt, SprtDecision, TruePlayer, operating_point, remaining_games, simulate,
};
use kiki_stats::tally::MatchScore;
use proptest::prelude::*;

fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
    Sprt { hypotheses: Hypotheses::new(elo0, elo1, 0.05, 0.05).unwrap(), model }
}

/// The error rates of a thousand tests at both hypotheses are within four standard errors of the
/// accepted ones. (Tests overshoot Wald's bounds slightly, so the rates are a little lower.)
#[test]
fn sequential_tests_keep_their_error_rates() {
    let allowed = 50.0 + 4.0 * f64::sqrt(1000.0 * 0.05 * 0.95);
    let cases = [
        (EloModel::Logistic, CountKind::Trinomial),
        (EloModel::Logistic, CountKind::Pentanomial),
        (EloModel::Normalized, CountKind::Pentanomial),
    ];
    for (model, kind) in cases {
        let sprt = sprt(0.0, 40.0, model);
        let at = |elo| simulate(&sprt, &TruePlayer::new(model, elo, 0.3).unwrap(), kind, 100_000, 1000, 1).unwrap();
        let (under_h0, under_h1) = (at(0.0), at(40.0));
        assert_eq!(under_h0.undecided + under_h1.undecided, 0);
        assert!((under_h0.accepted_h1 as f64) < allowed, "{model:?} {kind:?}: {under_h0:?}");
        assert!((under_h1.accepted_h0 as f64) < allowed, "{model:?} {kind:?}: {under_h1:?}");
        assert!(under_h0.accepted_h1 > 10 && under_h1.accepted_h0 > 10, "{under_h0:?} {under_h1:?}");
    }
}

#[test]
fn simulated_tests_meet_the_exact_characteristic() {
    let sprt = sprt(0.0, 30.0, EloModel::Logistic);
    for elo in [0.0, 12.0, 40.0] {
        let exact = operating_point(&sprt, elo, &|_| ()).unwrap();
        let player = TruePlayer::new(EloModel::Logistic, elo, 0.0).unwrap();
        let runs = 2000;
        let found = simulate(&sprt, &player, CountKind::Bernoulli, 1_000_000, runs, 8).unwrap();
        let share = found.accepted_h1 as f64 / runs as f64;
        let error = (exact.accept_h1 * exact.accept_h0 / runs as f64).sqrt();
        assert!((share - exact.accept_h1).abs() < 4.0 * error, "{elo}: {share} {exact:?}");
        let error = found.sd_games / (runs as f64).sqrt();
        assert!((found.mean_games - exact.expected_games).abs() < 4.0 * error, "{elo}: {found:?} {exact:?}");
        assert!((exact.accept_h0 + exact.accept_h1 - 1.0).abs() < 1e-10);
    }
}

#[test]
fn simulations_do_not_depend_on_the_number_of_threads() {
    let player = TruePlayer::new(EloModel::Normalized, 20.0, 0.5).unwrap();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sprt = sprt(0.0, 60.0, EloModel::Normalized);
        pool.install(|| simulate(&sprt, &player, CountKind::Pentanomial, 4000, 50, 2).unwrap())
    };
    assert_eq!(with_threads(1), with_threads(2));
}

#[test]
fn single_games_and_one_sided_matches_are_answered() {
    let one = MatchScore::new(1.0, 1).unwrap();
    assert_eq!((one.elo(), one.elo_standard_error()), (f64::INFINITY, f64::INFINITY));
    assert!(one.first_order_fails());
    assert!(one.standard_error_with(1.0).is_err());
    assert!(one.standard_error_with(1.5).is_err());
    assert!(one.elo_interval(IntervalMethod::Normal, 0.95).is_err());
    assert!(one.elo_interval(IntervalMethod::MinimalBinomial, 0.95).is_err());
    let exact = one.elo_interval(IntervalMethod::ClopperPearson, 0.95).unwrap();
    assert!(exact.low.is_finite() && exact.high == f64::INFINITY);
    assert!(MatchScore::new(0.0, 0).is_err());
    assert!(games_needed(0.0, 0.5, 0.95).is_err() && games_needed(5.0, 1.0, 0.95).is_err());
    assert!(games_needed(1e-12, 0.5, 0.95).is_err());
}

/// Exact sums of binomial probabilities.
#[test]
fn p_values_are_tails_of_equal_players() {
    for (wins, better, further) in
        [(478.0, 0.044_892_923_799, 0.089_785_847_598), (439.0, 0.815_404_690_386, 0.405_711_638_8)]
    {
        let [one_sided, two_sided] = MatchScore::new(wins, 904).unwrap().p_values().unwrap();
        assert!((one_sided - better).abs() < 1e-11 && (two_sided - further).abs() < 1e-10, "{one_sided} {two_sided}");
    }
    assert_eq!(MatchScore::new(2.0, 4).unwrap().p_values().unwrap()[1], 1.0);
    assert_eq!(MatchScore::new(2.5, 4).unwrap().p_values(), None);
}

#[test]
fn half_points_are_rounded_down_where_they_must_be() {
    let half = MatchScore::new(10.5, 20).unwrap();
    let whole = MatchScore::new(10.0, 20).unwrap();
    for method in IntervalMethod::ALL {
        let same = half.interval(method, 0.9).unwrap() == whole.interval(method, 0.9).unwrap();
        assert_eq!(same, half.rounds_down(method), "{method:?}");
        assert!(!whole.rounds_down(method));
    }
}

/// A half point is lost for the lower end of the exact interval and won for the upper one, so that
/// both players get the same interval.
#[test]
fn exact_intervals_of_half_points_hold_those_of_both_whole_numbers() {
    for (points, games) in [(0.5, 1), (10.5, 20), (0.5, 40), (19.5, 20)] {
        let exact =
            |points| MatchScore::new(points, games).unwrap().interval(IntervalMethod::ClopperPearson, 0.95).unwrap();
        let (here, there) = (exact(points), exact(games as f64 - points));
        assert_eq!((here.low, here.high), (exact(points - 0.5).low, exact(points + 0.5).high));
        assert!((here.low + there.high - 1.0).abs() < 1e-12 && (here.high + there.low - 1.0).abs() < 1e-12);
    }
}

#[test]
fn tests_without_games_go_on_and_have_no_estimates() {
    for kind in [CountKind::Bernoulli, CountKind::Trinomial, CountKind::Pentanomial] {
        let (test, empty) = (sprt(0.0, 5.0, EloModel::Logistic), Counts::empty(kind));
        assert_eq!(test.decide(&empty), Ok(SprtDecision::Continue));
        assert!(empty.estimates(0.95).is_err() && remaining_games(&test, &empty).is_err());
        assert!(test.llr_normal_approximation(&empty).is_err());
    }
    let drawn = Counts::Trinomial([0, 40, 0]).estimates(0.95).unwrap();
    assert_eq!((drawn.score, drawn.elo), (0.5, 0.0));
    assert!(drawn.elo_interval_normal.is_err() && drawn.normalized_elo.is_err());
    assert!(drawn.elo_interval.contains(0.0) && (drawn.superiority - 0.5).abs() < 1e-12);
    let won = Counts::Trinomial([0, 0, 40]).estimates(0.95).unwrap();
    assert_eq!((won.elo, won.elo_interval.high), (f64::INFINITY, f64::INFINITY));
    assert!(won.elo_interval.low.is_finite() && won.superiority < 1.0);
}

/// Reference values of a search with SciPy over all deviations, of which some counts have two that
/// are the most likely nearby.
#[test]
fn normalised_hypotheses_far_from_the_results_have_a_ratio() {
    for (counts, elo1, expected) in [
        ([0, 0, 33, 2, 1], 150.0, -3.769_719_431_203),
        ([0, 0, 34, 2, 1], 150.0, -4.047_367_107_258),
        ([0, 0, 35, 2, 1], 150.0, -4.323_722_702_700),
        ([4, 13, 4, 11, 2], 300.0, -23.841_203_837_842),
        ([0, 0, 40, 3, 0], 400.0, -40.677_820_947_878),
    ] {
        let test = sprt(0.0, elo1, EloModel::Normalized);
        let llr = test.llr(&Counts::Pentanomial(counts)).unwrap();
        assert!((llr - expected).abs() < 1e-9, "{counts:?}: {llr}, not {expected}");
        let mirrored = sprt(-elo1, 0.0, EloModel::Normalized).llr(&Counts::Pentanomial(counts).reversed()).unwrap();
        assert!((mirrored + expected).abs() < 1e-9, "{counts:?}: {mirrored}");
    }
}

#[test]
fn impossible_hypotheses_and_players_are_refused() {
    assert!(Hypotheses::new(5.0, 5.0, 0.05, 0.05).is_err() && Hypotheses::new(0.0, f64::NAN, 0.05, 0.05).is_err());
    assert!(Hypotheses::new(0.0, 5.0, 0.0, 0.05).is_err() && Hypotheses::new(0.0, 5.0, 0.6, 0.5).is_err());
    assert!(TruePlayer::new(EloModel::Logistic, 400.0, 0.5).is_err());
    assert!(TruePlayer::new(EloModel::Normalized, 10.0, 1.0).is_ok());
}

#[test]
fn the_forecast_follows_the_drift() {
    let test = sprt(0.0, 10.0, EloModel::Logistic);
    let good = remaining_games(&test, &Counts::Pentanomial([20, 60, 200, 80, 30])).unwrap();
    let bad = remaining_games(&test, &Counts::Pentanomial([26, 68, 200, 64, 22])).unwrap();
    assert!(good.drift > 0.0 && good.accept_h1 > 0.5 && good.games > 0.0);
    assert!(bad.drift < 0.0 && bad.accept_h1 < 0.5 && bad.games > 0.0);
    let over = remaining_games(&test, &Counts::Pentanomial([200, 600, 2000, 1100, 600])).unwrap();
    assert_eq!((over.games, over.accept_h1), (0.0, 1.0));
}

fn counts() -> impl Strategy<Value = Counts> {
    prop_oneof![
        prop::array::uniform2(0u64..3000).prop_map(Counts::Bernoulli),
        prop::array::uniform3(0u64..3000).prop_map(Counts::Trinomial),
        prop::array::uniform5(0u64..1500).prop_map(Counts::Pentanomial),
        prop::array::uniform5(0u64..3).prop_map(Counts::Pentanomial),
    ]
}

fn model() -> impl Strategy<Value = EloModel> {
    prop_oneof![Just(EloModel::Logistic), Just(EloModel::Normalized)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_ratio_changes_sign_with_the_point_of_view(
        counts in counts(), model in model(), elo0 in -60.0..60.0f64, width in 0.5..60.0f64,
    ) {
        let elo1 = elo0 + width;
        let here = sprt(elo0, elo1, model).llr(&counts).unwrap();
        let there = sprt(-elo1, -elo0, model).llr(&counts.reversed()).unwrap();
        prop_assert!((here + there).abs() < 1e-7 * (1.0 + here.abs()), "{} {}", here, there);
    }

    #[test]
    fn the_ratio_is_additive_in_the_hypotheses(counts in counts(), model in model(), middle in -50.0..50.0f64) {
        let llr = |elo0, elo1| sprt(elo0, elo1, model).llr(&counts).unwrap();
        let parts = llr(-51.0, middle) + llr(middle, 51.0);
        prop_assert!((parts - llr(-51.0, 51.0)).abs() < 1e-7 * (1.0 + parts.abs()));
    }

    #[test]
    fn estimates_lie_in_their_intervals(games in 1u64..3000, share in 0.0..=1.0f64, level in 0.5..0.999f64) {
        let points = (2.0 * games as f64 * share).round() / 2.0;
        let estimate = MatchScore::new(points, games).unwrap();
        for method in IntervalMethod::ALL {
            let interval = estimate.interval(method, level).unwrap();
            // The rounded half point may lie outside a short interval.
            let inside = interval.contains(estimate.share()) || estimate.rounds_down(method);
            prop_assert!(inside && interval.low >= 0.0 && interval.high <= 1.0, "{:?} {:?}", method, interval);
            if let Ok(elo) = estimate.elo_interval(method, level) {
                prop_assert!(elo.low <= elo.high);
            }
        }
        let wider = estimate.interval(IntervalMethod::ClopperPearson, level).unwrap();
        let normal = likely_run(MatchScore::new(points.floor(), games).unwrap(), level).unwrap();
        prop_assert!(wider.low <= wider.high && normal.mass >= level - 1e-9);
    }
}
