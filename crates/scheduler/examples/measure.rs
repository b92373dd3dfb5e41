//! Times the cases natively: the best of a few runs of each, as `policy<TAB>workload<TAB>milliseconds<TAB>checksum` lines.
#![allow(clippy::print_stdout)]

mod cases;

use std::time::Instant;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    for case in cases::CASES {
        let (fleet, jobs) = cases::workload(case);
        let mut best = f64::MAX;
        let mut checksum = 0;
        for _ in 0..rounds {
            let begun = Instant::now();
            let run = cases::run(case, &fleet, &jobs);
            best = best.min(begun.elapsed().as_secs_f64() * 1e3);
            checksum = cases::checksum(&run);
        }
        println!("{}\t{}\t{best:.2}\t{checksum}", case.policy, case.workload);
    }
}
