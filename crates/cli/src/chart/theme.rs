//! Colours of charts. In a report they are variables, so that the reader's light or dark mode decides.

use plotters::style::RGBColor;

/// The curves' colours for light and for dark: distinct for those who see few colours too (Okabe and Ito, adjusted).
const CURVES: [(&str, &str); 8] = [
    ("#1F5FBF", "#8EC3FF"),
    ("#C2410C", "#FFA45C"),
    ("#167A4F", "#7FE0B0"),
    ("#8A3FA0", "#D9A3EE"),
    ("#8A5F00", "#F4C550"),
    ("#0B7A8A", "#6FDCEB"),
    ("#B8325A", "#FF9DBB"),
    ("#4A5568", "#C3CEDF"),
];
const FAINT: (&str, &str) = ("#68707C", "#8B99AF");
const LINE: (&str, &str) = ("#DAD7CE", "#2A374D");
const INK: (&str, &str) = ("#1A2230", "#E9EEF6");

/// Colours to draw with.
#[derive(Clone, Copy)]
pub(crate) struct Theme {
    pub(super) ink: RGBColor,
    pub(super) faint: RGBColor,
    pub(super) line: RGBColor,
}

impl Theme {
    /// For a light background.
    pub(crate) fn light() -> Theme {
        Theme { ink: rgb(INK.0), faint: rgb(FAINT.0), line: rgb(LINE.0) }
    }

    /// That of a curve; after eight they repeat.
    pub(super) fn colour(&self, index: usize) -> RGBColor {
        CURVES.get(index % CURVES.len()).map_or(self.faint, |(light, _)| rgb(light))
    }

    #[cfg(test)]
    pub(super) fn hex(&self, index: usize) -> String {
        let RGBColor(r, g, b) = self.colour(index);
        format!("#{r:02X}{g:02X}{b:02X}")
    }
}

fn rgb(hex: &str) -> RGBColor {
    let part = |from: usize| hex.get(from..from + 2).and_then(|part| u8::from_str_radix(part, 16).ok());
    RGBColor(part(1).unwrap_or(0), part(3).unwrap_or(0), part(5).unwrap_or(0))
}

/// The names of all colours with their values for light and dark.
fn named() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    let curves =
        CURVES.iter().enumerate().map(|(index, (light, dark))| (format!("--c{index}"), *light, *dark));
    let rest = [
        ("--ink".to_owned(), INK.0, INK.1),
        ("--faint".to_owned(), FAINT.0, FAINT.1),
        ("--grid".to_owned(), LINE.0, LINE.1),
    ];
    curves.chain(rest)
}

/// The colours as declarations in CSS, for light and for dark.
pub(crate) fn declarations() -> (String, String) {
    let light = named().map(|(name, light, _)| format!("{name}:{light};")).collect();
    let dark = named().map(|(name, _, dark)| format!("{name}:{dark};")).collect();
    (light, dark)
}

/// A picture in light colours with variables in their place.
pub(crate) fn variables(svg: &str) -> String {
    named().fold(svg.to_owned(), |svg, (name, light, _)| {
        svg.replace(&format!("\"{light}\""), &format!("\"var({name})\""))
    })
}
