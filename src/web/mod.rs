//! The page around the canvas: what it may ask and hand over, and what it is told.

mod exports;
mod gpu_errors;
mod live_region;
mod preferences;
mod report;

use bevy::prelude::*;
use wasm_bindgen::prelude::*;

pub(crate) fn plugin(app: &mut App) {
    app.add_plugins((
        exports::plugin,
        gpu_errors::plugin,
        live_region::plugin,
        preferences::plugin,
        report::plugin,
    ));
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyardShell, js_name = pickFile)]
    fn shell_pick_file();

    #[wasm_bindgen(js_namespace = switchyardShell, js_name = fail)]
    fn shell_fail(kind: &str, detail: &str);
}

/// Opens the browser's file dialog.
pub(crate) fn pick_file() {
    shell_pick_file();
}

/// Shows a failure page of this kind.
fn fail(kind: &str, detail: &str) {
    shell_fail(kind, detail);
}

/// The element of the page with this id.
fn element(id: &str) -> Option<web_sys::Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}
