//! Curves over time.

use plotters::coord::Shift;
use plotters::prelude::*;
use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::metrics::Series;

use super::picture::{Drawing, Failed, Medium};
use super::theme::Theme;
use super::{Clock, font, steps, tick};

/// A chart of curves over the same time.
pub(crate) struct Chart<'a> {
    /// What it shows; none where the page says it.
    pub(crate) caption: Option<String>,
    pub(crate) curves: Vec<&'a Series>,
    /// The end of time.
    pub(crate) until: SimTime,
    /// What values are shown as parts of, in per cent; none to show them as they are.
    pub(crate) whole: Option<f64>,
    /// Over how long stretches means are shown; none for every step.
    pub(crate) stretch: Option<SimDuration>,
    pub(crate) size: (u32, u32),
    pub(crate) theme: Theme,
}

impl Drawing for Chart<'_> {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, medium: Medium) -> Result<(), Failed>
    where
        B::ErrorType: 'static,
    {
        let until = self.until.since(SimTime::ZERO).as_secs_f64().max(60.0);
        let clock = Clock::of(until);
        let value = |value: f64| self.whole.map_or(value, |whole| value / whole * 100.0);
        let most = self.curves.iter().map(|curve| value(curve.max() as f64)).fold(1.0, f64::max);
        let top = if self.whole.is_some() { 100.0f64.max(most) } else { most * 1.05 };
        let text = font(16).color(&self.theme.faint);
        let mut builder = ChartBuilder::on(area);
        if let Some(caption) = &self.caption {
            builder.caption(caption, font(20).color(&self.theme.ink));
        }
        let mut chart = builder
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
            .bold_line_style(self.theme.line)
            .axis_style(self.theme.line)
            .label_style(text.clone())
            .axis_desc_style(text)
            .x_desc(clock.title())
            .x_labels(9)
            .y_labels(6)
            .x_label_formatter(&|x| tick(*x))
            .y_label_formatter(&|y| if self.whole.is_some() { format!("{} %", tick(*y)) } else { tick(*y) })
            .draw()?;
        for (index, curve) in self.curves.iter().enumerate() {
            let corners = match self.stretch {
                Some(stretch) => steps::means(curve, self.until, stretch),
                None => steps::corners(curve.steps(), self.until, self.size.0),
            };
            let points: Vec<_> =
                corners.into_iter().map(|(at, height)| (at / clock.secs, value(height))).collect();
            let style = self.theme.colour(index).stroke_width(2);
            match medium {
                Medium::Vector => chart.draw_series(LineSeries::new(points, style))?,
                Medium::Pixels => {
                    let stretches = points.windows(2).map(|pair| PathElement::new(pair.to_vec(), style));
                    chart.draw_series(stretches)?
                }
            };
        }
        Ok(())
    }
}

/// Charts below each other on paper.
pub(crate) struct Panels<'a>(pub(crate) Vec<Chart<'a>>);

impl Drawing for Panels<'_> {
    fn size(&self) -> (u32, u32) {
        let sizes = || self.0.iter().map(|chart| chart.size);
        (sizes().map(|size| size.0).max().unwrap_or(1), sizes().map(|size| size.1).sum::<u32>().max(1))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, medium: Medium) -> Result<(), Failed>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        for (chart, part) in self.0.iter().zip(area.split_evenly((self.0.len(), 1))) {
            chart.draw(&part, medium)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::svg;
    use super::*;

    #[test]
    fn a_chart_has_a_line_for_each_curve_and_says_its_unit() {
        let at = SimTime::from_secs;
        let series = [
            Series::of_changes(vec![(at(0), 4), (at(7200), -2), (at(14_400), -2)]),
            Series::of_changes(vec![(at(600), 1), (at(9000), -1)]),
        ];
        let theme = Theme::light();
        let chart = Chart {
            caption: None,
            curves: vec![&series[0], &series[1]],
            until: at(14_400),
            whole: Some(4.0),
            stretch: None,
            size: (800, 240),
            theme,
        };
        let svg = svg(&chart).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        let lines =
            |index| svg.matches(&format!("stroke=\"{}\" stroke-width=\"2\"", theme.hex(index))).count();
        assert_eq!((lines(0), lines(1), lines(2)), (1, 1, 0));
        assert!(svg.contains("hours after the first submission") && svg.contains("100 %"), "{svg}");
    }
}
