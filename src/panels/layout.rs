//! Where each panel lies, for pages of every size, and what is left to the scene.

use egui::{Rect, pos2, vec2};

/// Space between cards and edges.
const MARGIN: f32 = 12.0;
/// Width of the card on the left.
const CARD: f32 = 262.0;
/// Width of the inspector.
const INSPECTOR: f32 = 278.0;
/// Height of the tabs of the dock.
pub(crate) const TABS: f32 = 30.0;
/// Height of the tabs of the sheet: room for a finger.
pub(crate) const SHEET_TABS: f32 = 38.0;

/// The kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Room for the card, the inspector and the dock.
    Wide,
    /// The card becomes a strip of buttons; the inspector lies over the dock.
    Middle,
    /// A sheet below the scene holds everything.
    Narrow,
}

/// What stands where. Rectangles are in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Places {
    /// The kind of page.
    pub width: Width,
    /// The bar on top.
    pub top: Rect,
    /// The dock, or the sheet.
    pub dock: Rect,
    /// The card, which may grow down to the rectangle's end; none where there is only room for a strip.
    pub card: Option<Rect>,
    /// The strip of buttons, growing upwards from its lower end.
    pub strip: Option<Rect>,
    /// The inspector, if it has a place of its own.
    pub inspector: Option<Rect>,
    /// What is left to the scene.
    pub free: Rect,
}

/// Places all panels of a page. `open` is whether the dock shows more than its tabs, `inspecting` whether the
/// inspector is shown.
pub(crate) fn places(page: Rect, open: bool, inspecting: bool) -> Places {
    let width = match page.width() {
        width if width < 700.0 => Width::Narrow,
        width if width < 1_000.0 => Width::Middle,
        _ => Width::Wide,
    };
    let bar = match width {
        Width::Wide => 48.0,
        Width::Middle if page.height() < 560.0 => 42.0,
        Width::Middle => 48.0,
        Width::Narrow => 50.0,
    };
    let top = Rect::from_min_size(page.min, vec2(page.width(), bar));
    let dock_top = dock_top(page, width, open);
    let dock = Rect::from_min_max(pos2(page.left(), dock_top), page.max);
    let between = Rect::from_min_max(pos2(page.left(), top.bottom()), pos2(page.right(), dock_top));
    let inner = between.shrink(MARGIN);
    let card = Rect::from_min_max(inner.min, pos2(inner.left() + CARD, inner.bottom()));
    let strip = Rect::from_min_max(pos2(inner.left(), inner.bottom() - 40.0), inner.max);
    let inspector = match width {
        Width::Wide => Rect::from_min_max(pos2(inner.right() - INSPECTOR, inner.top()), inner.max),
        // Over the dock, so that there is room to read.
        _ => {
            Rect::from_min_max(pos2(inner.right() - INSPECTOR, inner.top()), page.max - vec2(MARGIN, MARGIN))
        }
    };
    Places {
        width,
        top,
        dock,
        card: (width == Width::Wide).then_some(card),
        strip: (width != Width::Wide).then_some(strip),
        inspector: (width != Width::Narrow && inspecting).then_some(inspector),
        free: free(between, width, inspecting),
    }
}

fn dock_top(page: Rect, width: Width, open: bool) -> f32 {
    let tabs = if width == Width::Narrow { SHEET_TABS } else { TABS };
    let height = match (open, width) {
        (false, _) => tabs,
        (true, Width::Narrow) => page.height() * (1.0 - 0.578),
        (true, _) => (page.height() * 0.34).clamp(124.0, 184.0),
    };
    page.bottom() - height
}

/// The part in which the camera centres the yard. On a wide page it does not change when something is selected, so
/// that the picture stands still.
fn free(between: Rect, width: Width, inspecting: bool) -> Rect {
    let (left, right) = match width {
        Width::Wide if between.width() >= 1_200.0 => (CARD + MARGIN, INSPECTOR + MARGIN),
        Width::Wide => (CARD + MARGIN, if inspecting { INSPECTOR + MARGIN } else { 0.0 }),
        Width::Middle => (0.0, if inspecting { INSPECTOR + MARGIN } else { 0.0 }),
        Width::Narrow => (0.0, 0.0),
    };
    let strip = if width == Width::Wide { 0.0 } else { 50.0 };
    let max = pos2(between.right() - right, between.bottom() - strip);
    Rect::from_min_max(pos2(between.left() + left, between.top()), max)
}
