//! Colours of everything flat: panels, words, marks. The colours of accounts and terms are the scene's own.

use egui::Color32;

use super::Theme;
use super::palette::{self, Hue};

/// The flat colours of a theme.
#[derive(Debug)]
pub(crate) struct Ink {
    theme: Theme,
    /// Panels.
    pub panel: Color32,
    /// Rows and wells on panels.
    pub panel_alt: Color32,
    /// Buttons.
    pub raised: Color32,
    /// Edges and rules.
    pub line: Color32,
    /// Edges of what can be pressed.
    pub line_strong: Color32,
    /// Words.
    pub ink: Color32,
    /// Words that matter less.
    pub muted: Color32,
    /// Lines and marks that matter less; too weak for words.
    pub faint: Color32,
    /// Gold: the leader, now, the one act that is asked for.
    pub accent: Color32,
    /// Words on gold.
    pub on_accent: Color32,
    /// Curves and links.
    pub info: Color32,
    /// What holds.
    pub ok: Color32,
    /// What is unknown.
    pub warn: Color32,
    /// What is broken.
    pub bad: Color32,
    /// The soft shadow under cards.
    pub shadow: Color32,
    /// Words on the colour of a term.
    pub on_term: Color32,
    /// The edge of a swatch.
    pub swatch_edge: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

static DARK: Ink = Ink {
    theme: Theme::Dark,
    panel: rgb(0x12_1A28),
    panel_alt: rgb(0x18_2233),
    raised: rgb(0x1F_2B3F),
    line: rgb(0x2A_374D),
    line_strong: rgb(0x3B_4B66),
    ink: rgb(0xE9_EEF6),
    muted: rgb(0xA2_AFC4),
    faint: rgb(0x71_809A),
    accent: rgb(0xF4_C550),
    on_accent: rgb(0x1B_1503),
    info: rgb(0x8E_C3FF),
    ok: rgb(0x7F_E0B0),
    warn: rgb(0xFF_B65C),
    bad: rgb(0xFF_7A66),
    shadow: Color32::from_black_alpha(0x73),
    on_term: rgb(0x10_151D),
    swatch_edge: Color32::TRANSPARENT,
};

static LIGHT: Ink = Ink {
    theme: Theme::Light,
    panel: rgb(0xFF_FFFF),
    panel_alt: rgb(0xF5_F4F0),
    raised: rgb(0xEC_EAE4),
    line: rgb(0xDA_D7CE),
    line_strong: rgb(0xBD_B9AE),
    ink: rgb(0x1A_2230),
    muted: rgb(0x56_5F6E),
    faint: rgb(0x85_8B95),
    accent: rgb(0xE0_A310),
    on_accent: rgb(0x1B_1503),
    info: rgb(0x1F_5FBF),
    ok: rgb(0x16_7A4F),
    warn: rgb(0xA8_5B00),
    bad: rgb(0xBE_2F1A),
    shadow: Color32::from_rgba_premultiplied(10, 8, 5, 41),
    on_term: rgb(0x10_151D),
    // Ink at 28 %, so that pale swatches stand out from paper.
    swatch_edge: Color32::from_rgba_premultiplied(7, 10, 13, 71),
};

impl Ink {
    /// The colours of a theme.
    pub(crate) fn of_theme(theme: Theme) -> &'static Ink {
        match theme {
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
        }
    }

    /// The colours that fit the style of this page.
    pub(crate) fn of(ui: &egui::Ui) -> &'static Ink {
        if ui.visuals().dark_mode { &DARK } else { &LIGHT }
    }

    /// The same where there is no `Ui` yet.
    pub(crate) fn of_context(ctx: &egui::Context) -> &'static Ink {
        if ctx.theme() == egui::Theme::Dark { &DARK } else { &LIGHT }
    }

    /// The colour of an account.
    pub(crate) fn account(&self, number: u8) -> Color32 {
        rgb(palette::rgb(self.theme, Hue::Account(number)))
    }

    /// The colour of a term.
    pub(crate) fn term(&self, term: u64) -> Color32 {
        rgb(palette::rgb(self.theme, Hue::of_term(term)))
    }
}
