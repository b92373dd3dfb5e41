//! How far long work is: a bar on standard error, and only for a terminal.

use std::time::{Duration, Instant};

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

/// How far many runs are, with the time that is left. Where standard error is no terminal, a line now and then.
pub(crate) struct Runs {
    bar: ProgressBar,
    terminal: bool,
    began: Instant,
    spoke: Instant,
    done: u64,
    total: u64,
}

/// How long to be silent in a log.
const SILENCE: Duration = Duration::from_secs(30);

impl Runs {
    /// `total` of them.
    pub(crate) fn new(total: usize) -> Runs {
        let target = ProgressDrawTarget::stderr();
        let terminal = !target.is_hidden();
        let total = total as u64;
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} runs, {eta} left");
        let now = Instant::now();
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Runs { bar, terminal, began: now, spoke: now, done: 0, total }
    }

    /// One more is done.
    pub(crate) fn tick(&mut self) {
        self.done += 1;
        self.bar.set_position(self.done);
        if !self.terminal && self.spoke.elapsed() >= SILENCE && self.done < self.total {
            self.spoke = Instant::now();
            let each = self.began.elapsed().as_secs_f64() / self.done as f64;
            let left = (each * (self.total - self.done) as f64).ceil();
            super::say(&format!("{} of {} runs, about {left} s left.", self.done, self.total));
        }
    }

    pub(crate) fn clear(self) {
        self.bar.finish_and_clear();
    }
}
