//! The coverage of intervals: reference records, and long matches.

use kiki_rating::coverage::{Boundary, coverage, curve, interval_coverage};
use kiki_stats::match_error::IntervalMethod;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close};

#[test]
fn coverage_records() {
    check_all("binomial-coverage", |record| {
        match record.id.as_str() {
            "COV-1" => table(record),
            "COV-edge" => tie(record),
            "COV-min" => minimum(record),
            "COV-ci" => intervals(record),
            _ => return false,
        }
        true
    });
}

fn table(record: &GoldenRecord) {
    for (r, by_p) in by_number(&record.output) {
        for (p, by_games) in by_number(by_p) {
            for (games, expected) in by_number(by_games) {
                let actual = coverage(games as u64, p, r, Boundary::Inclusive).unwrap();
                close(&format!("{r} {p} {games}"), actual, expected, 1e-9);
            }
        }
    }
}

fn tie(record: &GoldenRecord) {
    let at = |boundary| coverage(625, 0.5, 1.96, boundary).unwrap();
    close("inclusive", at(Boundary::Inclusive), &record.output["inclusive"], 1e-9);
    close("exclusive", at(Boundary::Exclusive), &record.output["exclusive"], 1e-9);
}

fn minimum(record: &GoldenRecord) {
    for (r, by_p) in by_number(&record.output) {
        for (p, expected) in by_number(by_p) {
            let curve = curve(10..=1000, p, r).unwrap();
            let minimum = curve.last().unwrap().running_minimum;
            close(&format!("{r} {p}"), minimum, &expected["cov"], 1e-9);
            let games = curve.iter().find(|point| point.coverage == minimum).map(|point| point.games);
            assert_eq!(games, expected["n"].as_u64(), "{r} {p}");
        }
    }
}

fn intervals(record: &GoldenRecord) {
    for (name, by_p) in record.output.as_object().expect("methods") {
        let method = match name.as_str() {
            "wald" => IntervalMethod::Normal,
            "wilson" => IntervalMethod::Wilson,
            "clopper_pearson" => IntervalMethod::ClopperPearson,
            "jeffreys" => IntervalMethod::Jeffreys,
            name => panic!("no interval is called {name}"),
        };
        for (p, by_games) in by_number(by_p) {
            for (games, expected) in by_number(by_games) {
                let actual = interval_coverage(method, games as u64, p, 0.95).unwrap();
                close(&format!("{name} {p} {games}"), actual, expected, 1e-9);
            }
        }
    }
}

#[test]
fn a_hundred_thousand_games_are_covered_quickly() {
    let at = coverage(100_000, 0.3, 1.96, Boundary::Inclusive).unwrap();
    assert!((at - 0.95).abs() < 2e-3, "{at}");
    let points = curve(10..=20_000, 0.1, 1.96).unwrap();
    assert_eq!(points.len(), 19_991);
    assert!(points.windows(2).all(|pair| pair[1].running_minimum <= pair[0].running_minimum));
    for method in IntervalMethod::ALL {
        let delivered = interval_coverage(method, 20_000, 0.3, 0.95).unwrap();
        assert!((delivered - 0.95).abs() < 5e-3, "{method:?}: {delivered}");
    }
}
