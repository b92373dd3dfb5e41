//! The look of egui's own widgets, made from the flat colours.

use std::collections::BTreeMap;

use egui::{
    Color32, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle, Visuals, vec2,
};

use super::Theme;
use super::fonts::{MEDIUM, STRONG};
use super::ink::Ink;

/// Radius of cards.
pub(crate) const CARD_RADIUS: u8 = 8;
/// Radius of what can be pressed.
pub(crate) const CONTROL_RADIUS: u8 = 5;

/// The style of a theme; `roomy` is for fingers.
pub(crate) fn style(theme: Theme, roomy: bool) -> Style {
    let ink = Ink::of_theme(theme);
    let base = match theme {
        Theme::Dark => Visuals::dark(),
        Theme::Light => Visuals::light(),
    };
    let mut style =
        Style { text_styles: text_styles(roomy), visuals: visuals(ink, base), ..Style::default() };
    style.animation_time = 0.12;
    style.interaction.tooltip_delay = 0.25;
    style.interaction.selectable_labels = false;
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(8.0, 6.0);
    spacing.button_padding = if roomy { vec2(14.0, 9.0) } else { vec2(10.0, 5.0) };
    spacing.interact_size = if roomy { vec2(36.0, 36.0) } else { vec2(26.0, 26.0) };
    spacing.menu_margin = Margin::same(6);
    spacing.tooltip_width = 320.0;
    spacing.scroll.bar_width = 8.0;
    spacing.scroll.floating = true;
    style
}

fn text_styles(roomy: bool) -> BTreeMap<TextStyle, FontId> {
    let more = if roomy { 1.0 } else { 0.0 };
    let named = |name: &str, size| FontId::new(size, FontFamily::Name(name.into()));
    let text = |size| FontId::new(size, FontFamily::Proportional);
    BTreeMap::from([
        (TextStyle::Body, text(13.0 + more)),
        (TextStyle::Small, text(11.5 + more / 2.0)),
        (TextStyle::Button, named(MEDIUM, 12.5 + 2.0 * more)),
        (TextStyle::Heading, named(STRONG, 16.0)),
        (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
    ])
}

fn visuals(ink: &Ink, mut visuals: Visuals) -> Visuals {
    // One way to draw letters, so that the letters drawn so far serve both themes.
    visuals.text_options = Visuals::dark().text_options;
    visuals.override_text_color = None;
    visuals.weak_text_color = Some(ink.muted);
    visuals.panel_fill = ink.panel;
    visuals.window_fill = ink.panel;
    visuals.window_stroke = Stroke::new(1.0, ink.line);
    visuals.window_corner_radius = CornerRadius::same(CARD_RADIUS);
    visuals.menu_corner_radius = CornerRadius::same(CARD_RADIUS);
    visuals.window_shadow = shadow(ink);
    visuals.popup_shadow = shadow(ink);
    visuals.faint_bg_color = ink.panel_alt;
    visuals.extreme_bg_color = ink.panel_alt;
    visuals.hyperlink_color = ink.info;
    visuals.selection.bg_fill = ink.raised;
    visuals.selection.stroke = Stroke::new(1.0, ink.ink);
    visuals.slider_trailing_fill = false;
    let widgets = &mut visuals.widgets;
    let states = [
        (&mut widgets.noninteractive, ink.panel, ink.line, ink.ink),
        (&mut widgets.inactive, ink.raised, ink.line_strong, ink.ink),
        (&mut widgets.hovered, mix(ink.raised, ink.ink, 0.08), ink.faint, ink.ink),
        (&mut widgets.active, mix(ink.raised, ink.ink, 0.16), ink.ink, ink.ink),
        (&mut widgets.open, ink.raised, ink.line_strong, ink.ink),
    ];
    for (state, fill, edge, words) in states {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::new(1.0, edge);
        state.fg_stroke = Stroke::new(1.0, words);
        state.corner_radius = CornerRadius::same(CONTROL_RADIUS);
        state.expansion = 0.0;
    }
    visuals
}

/// The one soft shadow.
pub(crate) fn shadow(ink: &Ink) -> Shadow {
    Shadow { offset: [0, 6], blur: 24, spread: 0, color: ink.shadow }
}

/// A mix of two colours; `share` of the second.
pub(crate) fn mix(a: Color32, b: Color32, share: f32) -> Color32 {
    a.lerp_to_gamma(b, share)
}
