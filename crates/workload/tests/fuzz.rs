//! No damaged file makes a parser panic: a few thousand for each here, many more with `cargo run --release --example fuzz`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "fuzz/mod.rs"]
mod fuzz;

#[test]
fn no_damaged_file_makes_a_parser_panic() {
    for target in &fuzz::TARGETS {
        assert_eq!(target.run(1, |done| done < 4_000), 4_000, "{}", target.name);
    }
}
