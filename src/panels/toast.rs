//! What just happened, or why a wish was not granted: one line over the scene for a few seconds.

use egui::{CornerRadius, Frame, Margin, Stroke, Ui};
use switchyard_view::mark::Mark;

use super::marks::mark_ui;
use crate::theme::ink::Ink;
use crate::theme::style::shadow;

/// How long a line stays, in seconds.
const STAYS: f64 = 6.0;

/// The line, and until when it is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toast {
    line: Option<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    words: String,
    mark: Option<Mark>,
    answer: bool,
    until: f64,
}

impl Toast {
    /// Says what happened. `now` is the page's time in seconds.
    pub(crate) fn tell(&mut self, words: String, mark: Mark, now: f64) {
        // News must not hide an answer.
        if self.line.as_ref().is_some_and(|line| line.answer && now < line.until) {
            return;
        }
        self.line = Some(Line { words, mark: Some(mark), answer: false, until: now + STAYS });
    }

    /// Answers a wish: why it was not granted, or what came of it.
    pub(crate) fn answer(&mut self, words: String, now: f64) {
        self.line = Some(Line { words, mark: None, answer: true, until: now + STAYS });
    }

    /// Whether there is something to show.
    pub(crate) fn is_shown(&self, now: f64) -> bool {
        self.line.as_ref().is_some_and(|line| now < line.until)
    }
}

/// The line.
pub(crate) fn toast_ui(ui: &mut Ui, toast: &Toast) {
    let Some(line) = &toast.line else { return };
    let ink = Ink::of(ui);
    let edge = if line.answer { ink.info } else { ink.line };
    Frame::new()
        .fill(ink.panel)
        .stroke(Stroke::new(1.0, edge))
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(12, 7))
        .shadow(shadow(ink))
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                if let Some(mark) = line.mark {
                    mark_ui(ui, mark);
                }
                ui.add(egui::Label::new(&line.words).wrap_mode(egui::TextWrapMode::Extend));
            });
        });
}
