//! How far long work is: a bar on standard error, and only for a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that disappears when the work is done.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Counts `what` up to `total`.
    pub(crate) fn new(what: &str, total: u64) -> Bar {
        // indicatif draws nothing where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} {msg}");
        Bar(bar
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message(what.to_owned()))
    }

    pub(crate) fn at(&self, position: u64) {
        self.0.set_position(position);
    }

    pub(crate) fn clear(self) {
        self.0.finish_and_clear();
    }
}
