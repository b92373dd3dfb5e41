//! Who ran where, as boxes over time: a row for each CPU, node after node.

use plotters::coord::Shift;
use plotters::prelude::*;
use switchyard_model::{Fleet, SimTime};
use switchyard_scheduler::{Run, Span};

use super::picture::{Drawing, Failed, Medium};
use super::theme::Theme;
use super::{Clock, font, tick};

/// Nobody can tell more rows apart than this, and names below each other need this much room.
const NAME_PIXELS: u32 = 14;

/// A schedule as boxes.
pub(crate) struct Gantt {
    blocks: Vec<Block>,
    /// The first row of each node, with its name; and the number of rows.
    nodes: Vec<(u64, String)>,
    rows: u64,
    until: SimTime,
    pub(crate) caption: String,
    pub(crate) size: (u32, u32),
    pub(crate) theme: Theme,
}

/// A job on some rows that lie together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    start: SimTime,
    end: SimTime,
    first: u64,
    /// The first row that is not its own.
    after: u64,
    /// Which of the colours.
    colour: usize,
}

impl Gantt {
    pub(crate) fn new(run: &Run, fleet: &Fleet, caption: String, width: u32, theme: Theme) -> Gantt {
        let mut rows = 0;
        let mut nodes = Vec::new();
        for node in fleet.nodes() {
            nodes.push((rows, node.name.to_string()));
            // A node without CPUs still has a row.
            rows += u64::from(node.capacity.cpus.max(1));
        }
        let mut lanes = Lanes::new(&nodes, rows);
        let mut spans: Vec<&Span> = run.spans.iter().filter(|span| span.start < span.end).collect();
        spans.sort_by_key(|span| span.start);
        let blocks = spans.iter().enumerate().flat_map(|(index, span)| lanes.blocks(span, index)).collect();
        let until = spans.iter().map(|span| span.end).max().unwrap_or(SimTime::ZERO);
        let height = (nodes.len() as u32).saturating_mul(NAME_PIXELS).clamp(240, 1200) + 80;
        Gantt { blocks, nodes, rows, until, caption, size: (width, height), theme }
    }
}

/// Which rows are in use until when.
struct Lanes {
    /// The first row of each node, and one more entry for the end.
    first: Vec<u64>,
    busy_until: Vec<SimTime>,
}

impl Lanes {
    fn new(nodes: &[(u64, String)], rows: u64) -> Lanes {
        let first = nodes.iter().map(|(first, _)| *first).chain([rows]).collect();
        Lanes { first, busy_until: vec![SimTime::ZERO; usize::try_from(rows).unwrap_or(0)] }
    }

    /// Takes the lowest rows that are free on the nodes of an attempt; rows side by side make one box.
    fn blocks(&mut self, span: &Span, index: usize) -> Vec<Block> {
        let mut rows: Vec<u64> = Vec::new();
        for share in span.placement.shares() {
            let node = share.node.index();
            let (Some(&from), Some(&to)) = (self.first.get(node), self.first.get(node + 1)) else { continue };
            let mut wanted = share.cpus.max(1);
            for row in from..to {
                let Some(busy) = usize::try_from(row).ok().and_then(|row| self.busy_until.get_mut(row))
                else {
                    continue;
                };
                if wanted > 0 && *busy <= span.start {
                    *busy = span.end;
                    rows.push(row);
                    wanted -= 1;
                }
            }
        }
        rows.sort_unstable();
        let groups = rows.chunk_by(|a, b| a + 1 == *b);
        let colour = index;
        let whole = |group: &[u64]| {
            let (first, last) = (*group.first()?, *group.last()?);
            Some(Block { start: span.start, end: span.end, first, after: last + 1, colour })
        };
        groups.filter_map(whole).collect()
    }
}

impl Drawing for Gantt {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Medium) -> Result<(), Failed>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let until = self.until.since(SimTime::ZERO).as_secs_f64().max(60.0);
        let clock = Clock::of(until);
        let text = font(15).color(&self.theme.faint);
        // The first node is on top.
        let mut chart = ChartBuilder::on(area)
            .caption(&self.caption, font(20).color(&self.theme.ink))
            .margin(4)
            .margin_top(12)
            .margin_right(16)
            .x_label_area_size(38)
            .y_label_area_size(90)
            .build_cartesian_2d(0.0..until / clock.secs, self.rows.max(1) as f64..0.0)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(self.theme.line)
            .label_style(text.clone())
            .axis_desc_style(text.clone())
            .x_desc(clock.title())
            .x_labels(12)
            .y_labels(0)
            .x_label_formatter(&|x| tick(*x))
            .draw()?;
        // Whole pixels; what is narrower than one would not be seen.
        let pixel = until / clock.secs / f64::from(self.size.0);
        for one in &self.blocks {
            let at = |at: SimTime| at.since(SimTime::ZERO).as_secs_f64() / clock.secs;
            let (from, to) = (at(one.start), at(one.end).max(at(one.start) + pixel));
            let corners = [(from, one.first as f64), (to, one.after as f64)];
            chart.draw_series([Rectangle::new(corners, self.theme.colour(one.colour).filled())])?;
            if to - from > 4.0 * pixel {
                chart.draw_series([Rectangle::new(corners, WHITE.stroke_width(1))])?;
            }
        }
        self.names(area, &chart)
    }
}

impl Gantt {
    /// Names of nodes at the middles of their rows; of many nodes only every n-th.
    fn names<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        chart: &ChartContext<'_, B, Cartesian2d<RangedF64, RangedF64>>,
    ) -> Result<(), Failed>
    where
        B::ErrorType: 'static,
    {
        use plotters::style::text_anchor::{HPos, Pos, VPos};
        let style = font(15).color(&self.theme.faint).pos(Pos::new(HPos::Right, VPos::Center));
        let fit = (self.size.1.saturating_sub(80) / NAME_PIXELS).max(1) as usize;
        let every = self.nodes.len().div_ceil(fit).max(1);
        let ends = self.nodes.iter().skip(1).map(|(first, _)| *first).chain([self.rows]);
        for ((first, name), end) in self.nodes.iter().zip(ends).step_by(every) {
            let middle = (*first + end) as f64 / 2.0;
            let (x, y) = chart.backend_coord(&(0.0, middle));
            area.draw(&Text::new(name.clone(), (x - 6, y), style.clone()))?;
        }
        Ok(())
    }
}

type RangedF64 = plotters::coord::types::RangedCoordf64;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::super::svg;
    use super::*;
    use switchyard_model::{FleetSpec, Job, JobId, JobSpec, Resources, Shape, SimDuration, Truth};
    use switchyard_scheduler::{Policy, ReplayOptions, replay};

    fn job(id: u64, tasks: u32, runtime: u64) -> Job {
        let shape = Shape::Tasks { tasks, per_task: Resources::cpus(1) };
        let runtime = SimDuration::from_secs(runtime);
        Job {
            spec: Arc::new(JobSpec::new(JobId(id), SimTime::ZERO, runtime, shape)),
            truth: Truth::new(runtime),
        }
    }

    /// Two nodes of two CPUs: job 1 has three CPUs for 100 s, job 2 one for 50 s, job 3 one for 100 s after it.
    #[test]
    fn jobs_lie_side_by_side_and_never_on_each_other() {
        let fleet = FleetSpec::uniform("two", 2, Resources::cpus(2)).build().unwrap();
        let jobs = [job(1, 3, 100), job(2, 1, 50), job(3, 1, 100)];
        let policy = Policy::named("easy").unwrap();
        let run = replay(Arc::new(fleet.clone()), &jobs, &policy, ReplayOptions::default()).unwrap();
        let gantt = Gantt::new(&run, &fleet, "two".to_owned(), 800, Theme::light());
        let of = |one: &Block| {
            let secs = |at: SimTime| at.as_micros() / 1_000_000;
            (secs(one.start), secs(one.end), one.first, one.after)
        };
        assert_eq!(
            gantt.blocks.iter().map(of).collect::<Vec<_>>(),
            [(0, 100, 0, 3), (0, 50, 3, 4), (50, 150, 3, 4)]
        );
        assert_eq!((gantt.rows, gantt.nodes.len()), (4, 2));
        let svg = svg(&gantt).unwrap();
        let theme = Theme::light();
        for index in 0..3 {
            assert!(svg.contains(&format!("fill=\"{}\"", theme.hex(index))), "{index}: {svg}");
        }
        assert!(svg.contains("minutes after the first submission"), "{svg}");
    }
}
