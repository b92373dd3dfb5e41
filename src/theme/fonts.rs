//! The fonts: IBM Plex Sans Condensed in three weights and IBM Plex Mono, subset and part of the program.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily};

/// The family of buttons, tabs and labels.
pub(crate) const MEDIUM: &str = "medium";
/// The family of figures, headings and reasons.
pub(crate) const STRONG: &str = "strong";

/// All fonts; without them egui draws no words at all.
pub(crate) fn definitions() -> FontDefinitions {
    let fonts: [(&str, &'static [u8], FontFamily); 4] = [
        ("text", include_bytes!("../../assets/fonts/sans-condensed-400.ttf"), FontFamily::Proportional),
        (
            "medium",
            include_bytes!("../../assets/fonts/sans-condensed-500.ttf"),
            FontFamily::Name(MEDIUM.into()),
        ),
        (
            "strong",
            include_bytes!("../../assets/fonts/sans-condensed-600.ttf"),
            FontFamily::Name(STRONG.into()),
        ),
        ("mono", include_bytes!("../../assets/fonts/mono-400.ttf"), FontFamily::Monospace),
    ];
    let mut all = FontDefinitions::empty();
    for (name, bytes, family) in fonts {
        all.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
        all.families.insert(family, vec![name.to_owned()]);
    }
    all
}
