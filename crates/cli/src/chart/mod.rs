//! Pictures of schedules as SVG: curves over time. Drawn by plotters; fonts are the reader's.

mod steps;
mod theme;

use plotters::prelude::*;
use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::metrics::Series;

pub(crate) use theme::{Theme, declarations, variables};

/// A chart of curves over the same time.
pub(crate) struct Chart<'a> {
    pub(crate) curves: &'a [&'a Series],
    /// The end of time.
    pub(crate) until: SimTime,
    /// What values are shown as parts of, in per cent; none to show them as they are.
    pub(crate) whole: Option<f64>,
    /// Over how long stretches means are shown; none for every step.
    pub(crate) stretch: Option<SimDuration>,
    pub(crate) size: (u32, u32),
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
}

impl Chart<'_> {
    /// The picture; empty where it can't be drawn, which no series of numbers leads to.
    pub(crate) fn svg(&self, theme: &Theme) -> String {
        let mut page = String::new();
        match self.draw(theme, &mut page) {
            Ok(()) => page,
            Err(_) => String::new(),
        }
    }

    fn draw(&self, theme: &Theme, page: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(page, self.size).into_drawing_area();
        let until = self.until.since(SimTime::ZERO).as_secs_f64().max(60.0);
        let clock = Clock::of(until);
        let value = |value: f64| self.whole.map_or(value, |whole| value / whole * 100.0);
        let most = self.curves.iter().map(|curve| value(curve.max() as f64)).fold(1.0, f64::max);
        let top = if self.whole.is_some() { 100.0f64.max(most) } else { most * 1.05 };
        let text = ("sans-serif", 16).into_font().color(&theme.faint);
        let mut chart = ChartBuilder::on(&root)
            .margin(4)
            .margin_top(12)
            .margin_right(16)
            .x_label_area_size(38)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..until / clock.secs, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(theme.line)
            .axis_style(theme.line)
            .label_style(text.clone())
            .axis_desc_style(text)
            .x_desc(format!("{} after the first submission", clock.unit))
            .x_labels(9)
            .y_labels(6)
            .x_label_formatter(&|x| format!("{x}"))
            .y_label_formatter(&|y| if self.whole.is_some() { format!("{y} %") } else { format!("{y}") })
            .draw()?;
        for (index, curve) in self.curves.iter().enumerate() {
            let corners = match self.stretch {
                Some(stretch) => steps::means(curve, self.until, stretch),
                None => steps::corners(curve.steps(), self.until, self.size.0),
            };
            let points = corners.into_iter().map(|(at, height)| (at / clock.secs, value(height)));
            chart.draw_series(LineSeries::new(points, theme.colour(index).stroke_width(2)))?;
        }
        root.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_line_for_each_curve_and_says_its_unit() {
        let at = SimTime::from_secs;
        let series = [
            Series::of_changes(vec![(at(0), 4), (at(7200), -2), (at(14_400), -2)]),
            Series::of_changes(vec![(at(600), 1), (at(9000), -1)]),
        ];
        let curves = [&series[0], &series[1]];
        let theme = Theme::light();
        let chart =
            Chart { curves: &curves, until: at(14_400), whole: Some(4.0), stretch: None, size: (800, 240) };
        let svg = chart.svg(&theme);
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        let lines =
            |index| svg.matches(&format!("stroke=\"{}\" stroke-width=\"2\"", theme.hex(index))).count();
        assert_eq!((lines(0), lines(1), lines(2)), (1, 1, 0));
        assert!(svg.contains("hours after the first submission") && svg.contains("100 %"), "{svg}");
    }
}
