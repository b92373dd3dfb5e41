//! Switchyard's page: the Bevy app that shows the simulation and hands it what the visitor does.
#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "Bevy hands a system its parameters by value, and they are what it touches"
)]

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod camera;
#[cfg(target_arch = "wasm32")]
mod driver;
#[cfg(target_arch = "wasm32")]
mod input;
#[cfg(target_arch = "wasm32")]
mod panels;
#[cfg(target_arch = "wasm32")]
mod scene;
#[cfg(target_arch = "wasm32")]
mod theme;
#[cfg(target_arch = "wasm32")]
mod web;

#[cfg(target_arch = "wasm32")]
fn main() {
    app::run();
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::print_stderr, reason = "there is nothing else that a terminal could be told")]
fn main() -> std::process::ExitCode {
    eprintln!("Switchyard's page runs in a browser: build and serve it with `cargo xtask serve`.");
    std::process::ExitCode::from(2)
}
