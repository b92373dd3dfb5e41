//! Build, serve and test Switchyard with cargo alone.
fn main() {}
