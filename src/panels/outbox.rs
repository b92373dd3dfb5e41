//! Where panels put their wishes. egui may draw a frame twice, so the box is emptied as a drawing begins and
//! read once after the last one.

use switchyard_view::intent::Intent;

/// Wishes of one frame, in order.
#[derive(Debug, Default)]
pub(crate) struct Outbox(Vec<Intent>);

impl Outbox {
    /// Adds a wish.
    pub(crate) fn send(&mut self, intent: Intent) {
        self.0.push(intent);
    }

    /// Begins anew.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes all wishes out.
    pub(crate) fn take(&mut self) -> Vec<Intent> {
        std::mem::take(&mut self.0)
    }
}
