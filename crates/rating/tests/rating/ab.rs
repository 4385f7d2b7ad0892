//! Comparisons of two candidates: reference records, and properties.

use kiki_rating::ab::{CandidateComparison, CandidateRecord, PeekPlan, Prior, chi_square, peek};
use num_bigint::BigInt;
use num_rational::Ratio;
use proptest::prelude::*;

use kiki_tests::golden::record;

type BigRational = Ratio<BigInt>;

/// The closed sum in exact arithmetic is the record's fraction, and the crate's answer that
/// fraction to the last digits. The command line answers the other records
/// (`crates/lab/tests/lab/golden.rs`).
#[test]
fn fractions_come_out_exactly() {
    for (name, fraction) in record("AB-frac").output.as_object().expect("fractions") {
        let counts: Vec<u64> = name.split(" v ").flat_map(|side| side.split('-')).map(|n| n.parse().unwrap()).collect();
        let [wins_a, losses_a, wins_b, losses_b] = counts[..] else { panic!("four counts in {name}") };
        let expected: BigRational = fraction.as_str().expect("a fraction").parse().expect("a fraction");
        assert_eq!(closed_sum([wins_a, losses_a], [wins_b, losses_b]), expected, "{name}");
        let new = |wins: u64, losses: u64| CandidateRecord::new(wins as f64, losses as f64).unwrap();
        let actual =
            CandidateComparison::new(new(wins_a, losses_a), new(wins_b, losses_b), Prior::new(1.0, 1.0).unwrap())
                .a_better();
        let ratio = |number: &BigInt| number.to_string().parse::<f64>().unwrap();
        let expected = ratio(expected.numer()) / ratio(expected.denom());
        assert!((actual / expected - 1.0).abs() < 1e-14, "{name}: {actual} {expected}");
    }
}

/// The sum as the specification prints it.
fn closed_sum([big_w, big_l]: [u64; 2], [w, l]: [u64; 2]) -> BigRational {
    let factorial = |n: u64| (1..=n).map(BigInt::from).product::<BigInt>();
    let terms = (0..=l).map(|i| {
        let numerator = factorial(big_w + w + i + 1) * factorial(big_l + l - i);
        BigRational::new(numerator, factorial(w + i + 1) * factorial(l - i))
    });
    let (big_n, n) = (big_w + big_l, w + l);
    let scale = BigRational::new(
        factorial(big_n + 1) * factorial(n + 1),
        factorial(big_n + n + 2) * factorial(big_w) * factorial(big_l),
    );
    scale * terms.sum::<BigRational>()
}

#[test]
fn looking_does_not_depend_on_the_number_of_threads() {
    let plan = PeekPlan { looks: 5, step: 20, threshold: 0.9 };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| peek(&plan, 500, 3).unwrap())
    };
    assert_eq!(with_threads(1), with_threads(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn one_candidate_is_the_better_one(
        a in (0u32..400, 0u32..400), b in (0u32..400, 0u32..400), halves in any::<bool>(), alpha in 0.3..4.0f64,
    ) {
        let unit = if halves { 0.5 } else { 1.0 };
        let candidate = |(wins, losses): (u32, u32)| CandidateRecord::new(unit * f64::from(wins), unit * f64::from(losses)).unwrap();
        let (a, b) = (candidate(a), candidate(b));
        for prior in [Prior::new(1.0, 1.0).unwrap(), Prior::new(alpha, 1.5).unwrap()] {
            let (here, there) = (CandidateComparison::new(a, b, prior), CandidateComparison::new(b, a, prior));
            prop_assert!((here.a_better() + there.a_better() - 1.0).abs() < 1e-10);
            let (mine, yours) = (here.difference_interval(0.9).unwrap(), there.difference_interval(0.9).unwrap());
            prop_assert!((mine.low + yours.high).abs() < 1e-9 && mine.low < here.mean_difference());
        }
        prop_assert!((chi_square(&a, &b).a_better + chi_square(&b, &a).a_better - 1.0).abs() < 1e-12);
    }
}
