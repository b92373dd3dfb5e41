//! What ten times the jobs cost: the same load for ten times as long, by each policy.
//!
//! `cargo bench -p switchyard-scheduler --bench growth`
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use switchyard_scheduler::{Policy, ReplayOptions, replay};

/// The smaller number of jobs.
const JOBS: u64 = 2_000;

fn growth(criterion: &mut Criterion) {
    let fleet = common::steady_fleet();
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for policy in Policy::NAMES {
        let named = Policy::named(policy).unwrap();
        for jobs in [JOBS, 10 * JOBS] {
            let workload = common::steady(jobs);
            group.throughput(Throughput::Elements(jobs));
            group.bench_with_input(BenchmarkId::new(policy, jobs), &workload, |bencher, workload| {
                bencher
                    .iter(|| replay(Arc::clone(&fleet), workload, &named, ReplayOptions::default()).unwrap());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, growth);
criterion_main!(benches);
