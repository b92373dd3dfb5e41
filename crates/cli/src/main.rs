//! The command `switchyard`.
fn main() {}
