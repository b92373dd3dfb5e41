//! What the page shows, as plain data: views, layout, intents and words; no Bevy, no egui.

pub mod layout;
pub mod stage;
