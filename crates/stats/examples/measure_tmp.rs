use std::time::Instant;
use std::ops::ControlFlow;
use kiki_stats::bradley_terry::*;
use kiki_stats::sprt::*;
use kiki_stats::logistic::expected_score;
use rand::{RngExt, SeedableRng};
fn table(n: usize, chain: bool) -> Table {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(1);
    let s: Vec<f64> = (0..n).map(|_| (rng.random::<f64>() + rng.random::<f64>() - 1.0) * 500.0).collect();
    let mut t = Table::new(n);
    for k in 0..5 * n {
        let a = k % n;
        let b = if chain { (a + 1 + k / n) % n } else { rng.random_range(0..n) };
        if a == b || (chain && b < a) { continue; }
        let p = expected_score(s[a] - s[b]).unwrap();
        let w = (0..20).filter(|_| rng.random::<f64>() < p).count() as f64;
        t.add(a, b, w, 20.0 - w).unwrap();
    }
    t
}
fn main() {
    for chain in [false, true] { for n in [20, 200, 500, 2000, 10000] {
        let t = table(n, chain);
        let start = Instant::now();
        let f = fit(&t, &FitOptions::default()).unwrap();
        let d1 = start.elapsed();
        let start = Instant::now();
        let c = f.covariance().unwrap();
        println!("chain {chain} n {n} rated {} rounds {} grad {:e} fit {d1:?} cov {:?} se {:.3}", f.players().len(), f.rounds(), f.largest_gradient(), start.elapsed(), c.centred_error(f.players()[0]).unwrap());
        let start = Instant::now();
        let r = if n <= 20 {1000} else {20};
        let m = monte_carlo(&f, &MonteCarloPlan{replicates: r, seed: 1, keep: None}, &|_| ControlFlow::Continue(()));
        println!("   mc {r}: {:?} {:?}", start.elapsed(), m.map(|m| (m.used, m.centred[f.players()[0]].unwrap().deviation)));
    } }
    let h = Hypotheses::new(0.0, 5.0, 0.05, 0.05).unwrap();
    for model in [Model::Logistic, Model::Normalized] { for c in [Counts::Trinomial([3900,100,4000]), Counts::Pentanomial([60,10,260,12,78]), Counts::Pentanomial([0,0,30,0,10]), Counts::Pentanomial([0,0,1,0,0]), Counts::Trinomial([0,0,1])] {
        let s = Sprt { hypotheses: h, model };
        let start = Instant::now();
        let mut x = 0.0;
        for _ in 0..1000 { x += s.llr(std::hint::black_box(&c)).unwrap(); }
        println!("{model:?} {c:?} {:?} {}", start.elapsed() / 1000, x / 1000.0);
    } }
    for (e, m) in [(20.0, Model::Logistic), (5.0, Model::Logistic), (2.0, Model::Logistic)] {
        let s = Sprt { hypotheses: Hypotheses::new(0.0, e, 0.05, 0.05).unwrap(), model: m };
        let start = Instant::now();
        println!("{:?} {:?}", s.operating_point(e / 2.0), start.elapsed());
    }
}
