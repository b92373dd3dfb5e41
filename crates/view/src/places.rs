//! Where each panel lies on pages of every size, and what is left to the scene.

/// Space between cards and edges, in logical pixels, as all lengths here.
const MARGIN: f32 = 12.0;
/// Width of the card on the left.
const CARD: f32 = 262.0;
/// Width of the inspector.
const INSPECTOR: f32 = 278.0;
/// Height of the strip of buttons that stands in for the card.
const STRIP: f32 = 50.0;
/// A page that is lower than this keeps its dock folded until it is opened, and its bar low.
pub const LOW: f32 = 560.0;
/// From this width on there is room for the dock instead of the sheet.
pub const MIDDLE: f32 = 700.0;
/// From this width on there is room for the card.
pub const WIDE: f32 = 1_000.0;

/// A rectangle in logical pixels; y counts downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl Rect {
    /// Its width.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Its height.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    fn shrunk(self, by: f32) -> Self {
        Rect { left: self.left + by, top: self.top + by, right: self.right - by, bottom: self.bottom - by }
    }
}

/// The kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Room for the card, the inspector and the dock.
    Wide,
    /// The card becomes a strip of buttons; the inspector lies over the dock.
    Middle,
    /// A sheet below the scene holds everything.
    Narrow,
}

impl Width {
    /// The kind of a page of this width.
    pub fn of(width: f32) -> Self {
        match width {
            width if width < MIDDLE => Width::Narrow,
            width if width < WIDE => Width::Middle,
            _ => Width::Wide,
        }
    }
}

/// What stands where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// The kind of page.
    pub width: Width,
    /// The bar on top.
    pub top: Rect,
    /// The dock, or the sheet.
    pub dock: Rect,
    /// Height of its tabs.
    pub tabs: f32,
    /// The card, which may grow down to the rectangle's end; none where there is only room for a strip.
    pub card: Option<Rect>,
    /// The strip of buttons, which stands on the rectangle's lower edge.
    pub strip: Option<Rect>,
    /// The inspector, if it is shown and has a place of its own.
    pub inspector: Option<Rect>,
    /// What is left to the scene.
    pub free: Rect,
}

/// Places all panels of a page. `open` is whether the dock shows more than its tabs, `inspecting` whether something is
/// selected.
pub fn places(page: Rect, open: bool, inspecting: bool) -> Places {
    let width = Width::of(page.width());
    let (bar, tabs) = match width {
        Width::Narrow => (50.0, 38.0),
        Width::Middle if page.height() < LOW => (42.0, 30.0),
        Width::Middle | Width::Wide => (48.0, 30.0),
    };
    let shown = match (open, width) {
        (false, _) => tabs,
        (true, Width::Narrow) => page.height() * (1.0 - 0.578),
        (true, Width::Middle | Width::Wide) => (page.height() * 0.34).clamp(124.0, 184.0),
    };
    let top = Rect { bottom: page.top + bar, ..page };
    let dock = Rect { top: page.bottom - shown, ..page };
    let between = Rect { top: top.bottom, bottom: dock.top, ..page };
    let inner = between.shrunk(MARGIN);
    let inspector = Rect { left: inner.right - INSPECTOR, ..inner };
    let inspector = match width {
        Width::Wide => Some(inspector),
        // Over the dock, so that there is room to read.
        Width::Middle => Some(Rect { bottom: page.bottom - MARGIN, ..inspector }),
        Width::Narrow => None,
    };
    Places {
        width,
        top,
        dock,
        tabs,
        card: (width == Width::Wide).then_some(Rect { right: inner.left + CARD, ..inner }),
        strip: (width != Width::Wide).then_some(Rect { top: between.bottom - STRIP, ..inner }),
        inspector: inspector.filter(|_| inspecting),
        free: free(between, width, inspecting),
    }
}

/// The part in which the camera centres the yard. On a page with room on both sides it does not change when something
/// is selected, so that the picture stands still.
fn free(between: Rect, width: Width, inspecting: bool) -> Rect {
    let beside = INSPECTOR + MARGIN;
    let (left, right) = match width {
        Width::Wide if between.width() >= 1_200.0 => (CARD + MARGIN, beside),
        Width::Wide => (CARD + MARGIN, if inspecting { beside } else { 0.0 }),
        Width::Middle => (0.0, if inspecting { beside } else { 0.0 }),
        Width::Narrow => (0.0, 0.0),
    };
    let strip = if width == Width::Wide { 0.0 } else { STRIP };
    Rect {
        left: between.left + left,
        top: between.top,
        right: between.right - right,
        bottom: between.bottom - strip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(width: f32, height: f32) -> Rect {
        Rect { left: 0.0, top: 0.0, right: width, bottom: height }
    }

    fn overlap(a: Rect, b: Rect) -> bool {
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    }

    #[test]
    fn the_first_screen_is_laid_out_as_the_art_has_it() {
        let places = places(page(1_280.0, 720.0), true, true);
        assert_eq!(places.top, Rect { bottom: 48.0, ..page(1_280.0, 720.0) });
        assert!((places.dock.height() - 184.0).abs() < 1e-3);
        assert_eq!(places.card.map(|card| (card.left, card.top, card.right)), Some((12.0, 60.0, 274.0)));
        assert_eq!(places.inspector.map(|card| (card.left, card.right)), Some((990.0, 1_268.0)));
    }

    #[test]
    fn selecting_does_not_move_the_picture_of_a_wide_page() {
        let free = |inspecting| places(page(1_280.0, 720.0), true, inspecting).free;
        assert_eq!(free(false), free(true));
    }

    #[test]
    fn an_embedded_page_leaves_the_scene_more_than_half_its_height() {
        let places = places(page(800.0, 450.0), false, false);
        assert!(places.free.height() > 225.0 && places.card.is_none() && places.strip.is_some());
    }

    proptest! {
        #[test]
        fn no_panel_covers_the_scene_or_another(
            width in 320.0f32..4_000.0, height in 400.0f32..2_200.0, open: bool, inspecting: bool,
        ) {
            let page = page(width, height);
            let places = places(page, open, inspecting);
            let bars = [places.top, places.dock];
            let cards = [places.card, places.strip, places.inspector];
            let panels: Vec<Rect> = bars.into_iter().chain(cards.into_iter().flatten()).collect();
            for panel in &panels {
                prop_assert!(!overlap(*panel, places.free), "{panel:?} covers {:?}", places.free);
                prop_assert!(panel.left >= 0.0 && panel.right <= width && panel.top >= 0.0 && panel.bottom <= height);
            }
            prop_assert!(places.free.width() > 100.0 && places.free.height() > 60.0, "{places:?}");
            if let (Some(card), Some(inspector)) = (places.card, places.inspector) {
                prop_assert!(!overlap(card, inspector));
            }
        }
    }
}
