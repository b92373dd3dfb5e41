//! Pictures of schedules: curves over time, and who ran where. Drawn by plotters, as SVG or PNG.

mod curves;
mod gantt;
mod picture;
mod steps;
mod theme;

pub(crate) use curves::{Chart, Panels};
pub(crate) use gantt::Gantt;
pub(crate) use picture::{svg, write};
pub(crate) use theme::{Theme, declarations, variables};

use plotters::style::{FontDesc, FontFamily, FontStyle};

/// Text of charts, in pixels.
fn font(size: u32) -> FontDesc<'static> {
    FontDesc::new(FontFamily::SansSerif, f64::from(size), FontStyle::Normal)
}

/// How time is written on an axis.
struct Clock {
    unit: &'static str,
    secs: f64,
}

impl Clock {
    /// The unit that gives a handful of ticks or more.
    const fn of(secs: f64) -> Clock {
        match secs {
            secs if secs >= 4.0 * 86_400.0 => Clock { unit: "days", secs: 86_400.0 },
            secs if secs >= 2.0 * 3_600.0 => Clock { unit: "hours", secs: 3_600.0 },
            _ => Clock { unit: "minutes", secs: 60.0 },
        }
    }

    fn title(&self) -> String {
        format!("{} after the first submission", self.unit)
    }
}

/// A number on an axis, without what binary fractions leave behind.
fn tick(value: f64) -> String {
    let text = format!("{value:.3}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
