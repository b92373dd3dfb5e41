//! A drawing as a file: SVG, where the reader's fonts are used, or PNG with a font that is built in.

use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::failure::Failure;

/// Why a drawing failed. Memory and strings take everything, so that only an area too small for it does.
pub(crate) type Failed = Box<dyn std::error::Error>;

/// What it is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Lines stay lines.
    Vector,
    /// plotters makes polygons of broad lines, and those with many corners get gaps: draw each stretch by itself.
    Pixels,
}

/// What can be drawn.
pub(crate) trait Drawing {
    fn size(&self) -> (u32, u32);

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, medium: Medium) -> Result<(), Failed>
    where
        B::ErrorType: 'static;
}

/// plotters measures text by a font of ours; that there is one is known here only.
fn fonts() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        // A font that can't be read would show in every test of a picture.
        let _ = plotters::style::register_font(
            "sans-serif",
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        );
    });
}

/// As SVG.
pub(crate) fn svg(drawing: &impl Drawing) -> Result<String, Failed> {
    fonts();
    let mut page = String::new();
    let root = SVGBackend::with_string(&mut page, drawing.size()).into_drawing_area();
    drawing.draw(&root, Medium::Vector)?;
    root.present()?;
    drop(root);
    Ok(page)
}

/// As PNG.
fn png(drawing: &impl Drawing) -> Result<Vec<u8>, Failed> {
    fonts();
    let (width, height) = drawing.size();
    let mut pixels = vec![0xFF; width as usize * height as usize * 3];
    let root = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
    drawing.draw(&root, Medium::Pixels)?;
    root.present()?;
    drop(root);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

/// Writes it as the file is named: `.png`, or else SVG.
pub(crate) fn write(path: &Path, drawing: &impl Drawing) -> Result<(), Failure> {
    let as_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    let drawn = if as_png { png(drawing) } else { svg(drawing).map(String::into_bytes) };
    let failed = |source| Failure::Write { path: path.to_owned(), source };
    let bytes = drawn.map_err(|error| failed(std::io::Error::other(error.to_string())))?;
    std::fs::write(path, bytes).map_err(failed)
}
