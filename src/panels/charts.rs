//! Utilisation and jobs over time, with marks for what was done.

use std::ops::RangeInclusive;

use egui::{Align, Color32, Layout, Rect, RichText, Sense, Stroke, Ui, Vec2, pos2, vec2};
use egui_plot::{
    GridMark, HoverPosition, Line, LineStyle, Plot, PlotPoint, PlotPoints, PlotTransform, VLine,
};
use switchyard_view::charts::{ChartsView, TimeMark};
use switchyard_view::mark::Mark;

use super::marks::{mark_colour, paint_mark};
use super::widgets::{medium_font, muted};
use crate::theme::ink::Ink;

/// The charts, beside each other where there is room.
pub(crate) fn charts_ui(ui: &mut Ui, view: &ChartsView) {
    let ink = Ink::of(ui);
    let utilisation = Chart {
        id: "utilisation",
        title: &view.utilisation_title,
        now: &view.utilisation_now,
        unit: " %",
        top: Some(100.0),
        curves: vec![Curve {
            name: "busy",
            points: &view.utilisation,
            colour: ink.info,
            dashed: false,
            filled: true,
        }],
    };
    let jobs = Chart {
        id: "jobs",
        title: "Jobs",
        now: &view.jobs_now,
        unit: "",
        top: None,
        curves: vec![
            Curve { name: "running", points: &view.running, colour: ink.ink, dashed: false, filled: false },
            Curve { name: "pending", points: &view.pending, colour: ink.warn, dashed: true, filled: false },
        ],
    };
    if ui.available_width() < 560.0 {
        let height = (ui.available_height() / 2.0 - 6.0).max(84.0);
        for chart in [utilisation, jobs] {
            ui.allocate_ui(vec2(ui.available_width(), height), |ui| chart_ui(ui, view, &chart));
        }
        return;
    }
    ui.spacing_mut().item_spacing.x = 32.0;
    ui.columns(2, |columns| {
        for (ui, chart) in columns.iter_mut().zip([utilisation, jobs]) {
            ui.spacing_mut().item_spacing.x = 8.0;
            chart_ui(ui, view, &chart);
        }
    });
}

struct Chart<'a> {
    id: &'a str,
    title: &'a str,
    now: &'a str,
    unit: &'a str,
    /// The top of the scale, if it is fixed.
    top: Option<f64>,
    curves: Vec<Curve<'a>>,
}

struct Curve<'a> {
    name: &'a str,
    points: &'a [[f64; 2]],
    colour: Color32,
    dashed: bool,
    filled: bool,
}

fn chart_ui(ui: &mut Ui, view: &ChartsView, chart: &Chart<'_>) {
    let ink = Ink::of(ui);
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.horizontal(|ui| {
        ui.label(RichText::new(chart.title).font(medium_font(13.0)));
        for curve in chart.curves.iter().filter(|_| chart.curves.len() > 1) {
            key(ui, curve);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(chart.now).font(medium_font(13.0)));
        });
    });
    ui.style_mut().text_styles.insert(egui::TextStyle::Body, medium_font(11.0));
    // A label of the time axis is about 60 px wide, and wants as much air.
    let labels = f64::from((ui.available_width() / 90.0).max(2.0));
    let unit = chart.unit;
    let highest =
        chart.curves.iter().flat_map(|curve| curve.points).map(|point| point[1]).fold(1.0, f64::max);
    let top = chart.top.unwrap_or(highest) * 1.08;
    let last = view.now.max(1e-3);
    let plot = Plot::new(chart.id)
        .height(ui.available_height().max(50.0))
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .show_background(false)
        .grid_spacing(12.0..=24.0)
        .grid_color(ink.line)
        .x_grid_spacer(move |input| steps(input.bounds, time_step(last, labels)))
        .y_grid_spacer(move |input| steps(input.bounds, round_step(top / 3.0)))
        .y_axis_min_width(30.0)
        .x_axis_formatter(move |mark: GridMark, range: &RangeInclusive<f64>| match mark.value > 1e-9 {
            true => time_of(mark.value, range),
            // The other axis begins here, too.
            false => String::new(),
        })
        .y_axis_formatter(move |mark: GridMark, _: &RangeInclusive<f64>| format!("{:.0}", mark.value))
        .label_formatter(move |at: &HoverPosition<'_>| match at {
            HoverPosition::NearDataPoint { plot_name, position, .. } if !plot_name.is_empty() => {
                Some(format!("{plot_name} {:.0}{unit}\n{}", position.y, time_of(position.x, &(0.0..=0.0))))
            }
            _ => None,
        })
        .show(ui, |plot| {
            plot.set_plot_bounds_x(0.0..=last * 1.04);
            plot.set_plot_bounds_y(0.0..=top);
            for curve in &chart.curves {
                plot.line(line_of(curve));
            }
            for mark in &view.marks {
                let colour = mark_colour(mark.mark, ink).gamma_multiply(0.5);
                let line = VLine::new("", mark.hours).color(colour).width(1.0).allow_hover(false);
                plot.vline(line.style(LineStyle::Dotted { spacing: 4.0 }));
            }
            plot.vline(VLine::new("", view.now).color(ink.accent).width(1.5).allow_hover(false));
        });
    marks(ui, &view.marks, &plot.transform);
}

/// A short stroke like the curve's, and its name.
fn key(ui: &mut Ui, curve: &Curve<'_>) {
    ui.spacing_mut().item_spacing.x = 5.0;
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 12.0), Sense::hover());
    let ends = [rect.left_center(), rect.right_center()];
    let stroke = Stroke::new(1.6, curve.colour);
    if curve.dashed {
        ui.painter().extend(egui::Shape::dashed_line(&ends, stroke, 4.0, 2.0));
    } else {
        ui.painter().line_segment(ends, stroke);
    }
    ui.label(muted(ui, curve.name));
}

/// A curve holds its value until the next point: corners, not slopes.
fn line_of<'a>(curve: &Curve<'_>) -> Line<'a> {
    let mut points = Vec::with_capacity(curve.points.len() * 2);
    for pair in curve.points.windows(2) {
        if let [from, to] = pair {
            points.push(*from);
            points.push([to[0], from[1]]);
        }
    }
    points.extend(curve.points.last());
    let line = Line::new(curve.name, PlotPoints::from(points)).color(curve.colour).width(1.5);
    let line = if curve.dashed { line.style(LineStyle::Dashed { length: 5.0 }) } else { line };
    if curve.filled { line.fill(0.0).fill_alpha(0.18) } else { line }
}

/// Elections on the upper edge, deeds in a row below; where marks of a row would cover each other only the later one is
/// painted.
fn marks(ui: &mut Ui, marks: &[TimeMark], transform: &PlotTransform) {
    let frame = *transform.frame();
    let mut free_to = [f32::INFINITY; 2];
    for (number, mark) in marks.iter().enumerate().rev() {
        let x = transform.position_from_point(&PlotPoint::new(mark.hours, 0.0)).x;
        let row = usize::from(mark.mark != Mark::Election);
        if x + 6.0 > free_to[row] || x < frame.left() {
            continue;
        }
        free_to[row] = x - 6.0;
        let middle = pos2(x, frame.top() + 6.0 + row as f32 * 13.0);
        let rect = Rect::from_center_size(middle, Vec2::splat(10.0));
        paint_mark(ui.painter(), rect, mark.mark, Ink::of(ui));
        let id = ui.id().with(("mark", number));
        ui.interact(rect.expand(2.0), id, Sense::hover()).on_hover_text(&mark.words);
    }
}

/// Marks at all multiples of `step` within the bounds.
fn steps((from, to): (f64, f64), step: f64) -> Vec<GridMark> {
    let first = (from / step).ceil().max(0.0) as u64;
    let last = (to / step).floor().max(0.0) as u64;
    (first..=last.min(first + 100)).map(|n| GridMark { value: n as f64 * step, step_size: step }).collect()
}

/// A step of the time axis in hours, so that at most `labels` of them make `last` hours.
fn time_step(last: f64, labels: f64) -> f64 {
    const SECS: [f64; 16] = [
        1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_200.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0,
        21_600.0, 43_200.0, 86_400.0,
    ];
    let least = last * 3_600.0 / labels;
    let secs = SECS.into_iter().find(|secs| *secs >= least);
    secs.unwrap_or_else(|| (least / 86_400.0).ceil() * 86_400.0) / 3_600.0
}

/// 1, 2 or 5 times a power of ten, at least `least` and at least 1.
fn round_step(least: f64) -> f64 {
    let mut step = 1.0;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if step * factor >= least {
                return step * factor;
            }
        }
        step *= 10.0;
    }
}

/// Hours since the start as a time of day; with seconds if the chart spans less than ten minutes.
fn time_of(hours: f64, range: &RangeInclusive<f64>) -> String {
    let secs = (hours.max(0.0) * 3_600.0).round() as u64;
    let (h, m, s) = (secs / 3_600, secs / 60 % 60, secs % 60);
    let span = range.end() - range.start();
    if span > 1.0 / 6.0 { format!("{h:02}:{m:02}") } else { format!("{h:02}:{m:02}:{s:02}") }
}
