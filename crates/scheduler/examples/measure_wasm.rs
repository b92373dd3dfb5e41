//! The same cases for WebAssembly: a module without imports, whose clock is its host's (`benches/wasm.mjs`).
#![allow(unsafe_code)] // exported names

#[allow(dead_code)] // the words are for the native side
mod cases;

use std::cell::RefCell;

use switchyard_model::{FleetSpec, Job};

thread_local! {
    static WORKLOAD: RefCell<Option<(FleetSpec, Vec<Job>)>> = const { RefCell::new(None) };
}

/// How many cases there are.
#[unsafe(no_mangle)]
pub extern "C" fn cases() -> u32 {
    cases::CASES.len() as u32
}

/// Makes the workload of a case; outside what is timed.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(case: u32) {
    let Some(&case) = cases::CASES.get(case as usize) else { return };
    WORKLOAD.set(Some(cases::workload(case)));
}

/// Replays the prepared case and returns its checksum.
#[unsafe(no_mangle)]
pub extern "C" fn replay(case: u32) -> u32 {
    let Some(&case) = cases::CASES.get(case as usize) else { return 0 };
    WORKLOAD.with_borrow(|workload| match workload {
        Some((fleet, jobs)) => cases::checksum(&cases::run(case, fleet, jobs)),
        None => 0,
    })
}
