//! Damages files for each parser for so many seconds: `fuzz SECONDS [SEED [PARSER]]`. A panic is a finding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::time::{Duration, Instant};

#[path = "../tests/fuzz/mod.rs"]
mod fuzz;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| {
        args.get(place).map_or(usual, |text| text.parse().expect("a whole number"))
    };
    let (secs, seed) = (number(0, 60), number(1, 1));
    let wanted = args.get(2);
    for target in fuzz::TARGETS.iter().filter(|target| wanted.is_none_or(|wanted| wanted == target.name)) {
        let mut last = Instant::now();
        let (end, mut slowest) = (last + Duration::from_secs(secs), Duration::ZERO);
        let done = target.run(seed, |_| {
            let now = Instant::now();
            slowest = slowest.max(now - last);
            last = now;
            now < end
        });
        println!("{}: {done} files in {secs} s, the slowest in {} ms", target.name, slowest.as_millis());
    }
}
