//! The scheduler's speed in WebAssembly beside native, in one run, and the same schedules on both sides.

use crate::problem::Outcome;
use crate::run::{cargo, command, run, step};
use crate::{node, paths, tools};

const PACKAGE: &str = "switchyard-scheduler";

/// Builds both sides of `crates/scheduler/examples/measure*` and prints the table of docs/performance.md.
pub(crate) fn measure() -> Outcome {
    tools::ensure_wasm_target()?;
    node::ensure_node()?;
    step("Compiling both sides", "a minute", || {
        run(&mut cargo(&["build", "--release", "-p", PACKAGE, "--example", "measure"])?)?;
        let wasm = ["--example", "measure_wasm", "--target", tools::WASM];
        run(cargo(&["build", "--release", "-p", PACKAGE])?.args(wasm))
    })?;
    let examples = |target: &str| paths::target().join(target).join("release/examples");
    let native = examples("").join(format!("measure{}", std::env::consts::EXE_SUFFIX));
    let module = examples(tools::WASM).join("measure_wasm.wasm");
    let script = paths::root().join("crates/scheduler/benches/wasm.mjs");
    run(command("node")?.arg(script).arg(module).arg(native))
}
