//! Keeps what is needed to repeat the run, so that a report can be copied even after a crash.
#![expect(unreachable_pub, reason = "wasm-bindgen exports public functions only")]

use std::cell::RefCell;

use bevy::prelude::*;
use switchyard_view::events::sentence;
use wasm_bindgen::prelude::*;

use crate::app::AppSystems;
use crate::driver::Simulation;

/// How often the report is renewed.
const EVERY_SECS: f32 = 2.0;
/// How many of the last events it tells.
const EVENTS: usize = 20;

thread_local! {
    static REPORT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The run as it last was: scenario, seed, interventions, the last events.
#[wasm_bindgen]
pub fn switchyard_report() -> String {
    REPORT.with_borrow(String::clone)
}

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, renew.in_set(AppSystems::Publish));
}

fn renew(mut wait_secs: Local<f32>, simulation: Res<Simulation>, time: Res<Time<Real>>) {
    *wait_secs -= time.delta_secs();
    if *wait_secs > 0.0 {
        return;
    }
    *wait_secs = EVERY_SECS;
    let world = &simulation.world;
    let json = |value: Result<String, serde_json::Error>| value.unwrap_or_else(|error| error.to_string());
    let mut report = format!(
        "version {}\nscenario {}\ninterventions {}\nat {} ({} µs)\n",
        env!("CARGO_PKG_VERSION"),
        json(serde_json::to_string(&simulation.scenario)),
        json(serde_json::to_string(world.interventions())),
        world.now(),
        world.now().as_micros(),
    );
    for record in world.events().iter().rev().take(EVENTS) {
        report.push_str(&format!("{} {}\n", record.at, sentence(world, &record.event)));
    }
    REPORT.with_borrow_mut(|kept| *kept = report);
}
