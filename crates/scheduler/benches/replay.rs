//! The replay of the KTH log by each discipline; of a generated workload where there is no such file.
//!
//! `cargo bench -p switchyard-scheduler --bench replay`; `SWITCHYARD_TRACES` names the directory of the log.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use switchyard_model::FleetSpec;
use switchyard_scheduler::{Policy, ReplayOptions, replay};

fn replays(criterion: &mut Criterion) {
    let (name, fleet, jobs) = match common::kth() {
        Some(jobs) => ("replay/kth", Arc::new(FleetSpec::processors(100).build().unwrap()), jobs),
        None => ("replay/generated", common::steady_fleet(), common::steady(28_476)),
    };
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).throughput(Throughput::Elements(jobs.len() as u64));
    for policy in ["fcfs", "easy", "easy-machine"] {
        let named = Policy::named(policy).unwrap();
        group.bench_function(policy, |bencher| {
            bencher.iter(|| replay(Arc::clone(&fleet), &jobs, &named, ReplayOptions::default()).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, replays);
criterion_main!(benches);
