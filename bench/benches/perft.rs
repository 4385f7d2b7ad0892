//! Criterion benchmarks of the board next to a rival in the same run: perft nodes per second.

mod boards;

use std::time::Duration;

use boards::{Board, Forest, Haitaka, Kiki, LastPly};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn measure<B: Board>(group: &mut BenchmarkGroup<'_, WallTime>, forest: &Forest, last_ply: LastPly) {
    let mut roots = forest.roots::<B>();
    group.throughput(Throughput::Elements(forest.walk(&mut roots, last_ply)));
    group.bench_function(BenchmarkId::new(B::NAME, forest.name), |bencher| {
        bencher.iter(|| forest.walk(&mut roots, last_ply));
    });
}

fn perft(criterion: &mut Criterion) {
    for last_ply in LastPly::BOTH {
        let mut group = criterion.benchmark_group(format!("perft, {}", last_ply.name()));
        // The largest trees take a second: few samples, as many iterations in each.
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        for forest in &Forest::all() {
            measure::<Kiki>(&mut group, forest, last_ply);
            measure::<Haitaka>(&mut group, forest, last_ply);
        }
        group.finish();
    }
}

criterion_group!(benches, perft);
criterion_main!(benches);
