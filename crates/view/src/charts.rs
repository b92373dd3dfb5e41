//! Figures over time, with marks for what was done and what it led to.

use switchyard_model::SimTime;
use switchyard_sim::{Command, Event, Sample, World};

use crate::events::sentence;
use crate::mark::Mark;
use crate::words::{grouped, percent, unit};

/// A curve has at most this many points, and one for now.
const POINTS: usize = 1_000;

/// A mark on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMark {
    /// When, in simulated hours.
    pub hours: f64,
    /// What it is.
    pub mark: Mark,
    /// What happened, in a sentence.
    pub words: String,
}

/// The curves. Times are simulated hours since the start; a curve holds its value until the next point.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartsView {
    /// Share of GPUs (or CPUs) on which a job runs, in per cent.
    pub utilisation: Vec<[f64; 2]>,
    /// Jobs that run.
    pub running: Vec<[f64; 2]>,
    /// Jobs that wait.
    pub pending: Vec<[f64; 2]>,
    /// What was done and what followed.
    pub marks: Vec<TimeMark>,
    /// Now, in hours.
    pub now: f64,
    /// Title of the first chart.
    pub utilisation_title: String,
    /// Its value now.
    pub utilisation_now: String,
    /// The value of the second chart now.
    pub jobs_now: String,
}

impl ChartsView {
    /// The curves of a world.
    pub fn of(world: &World) -> Self {
        let counts = world.counts();
        let now = Sample {
            at: world.now(),
            busy: world.busy_units(),
            running: counts.running,
            pending: counts.pending,
        };
        let all = f64::from(world.units().max(1));
        // More points than pixels say nothing more.
        let stride = world.samples().len().div_ceil(POINTS).max(1);
        let samples = || world.samples().iter().step_by(stride).chain([&now]);
        let curve = |value: fn(&Sample) -> u32, factor: f64| {
            samples().map(|sample| [hours(sample.at), f64::from(value(sample)) * factor]).collect()
        };
        ChartsView {
            utilisation: curve(|sample| sample.busy, 100.0 / all),
            running: curve(|sample| sample.running, 1.0),
            pending: curve(|sample| sample.pending, 1.0),
            marks: marks(world),
            now: hours(world.now()),
            utilisation_title: format!("{} utilisation", unit(world.fleet())),
            utilisation_now: percent(now.busy.into(), world.units().into()),
            jobs_now: format!(
                "{} running, {} pending",
                grouped(now.running.into()),
                grouped(now.pending.into())
            ),
        }
    }
}

fn marks(world: &World) -> Vec<TimeMark> {
    let mark = |event: &Event| match event {
        Event::Intervened(Command::SetBackfill(_) | Command::SetPolicy(_)) => None,
        Event::Intervened(command) => Some(command_mark(command)),
        Event::LeaderElected { .. } => Some(Mark::Election),
        Event::BackfillSet(_) | Event::PolicySet(_) => Some(Mark::Switch),
        _ => None,
    };
    let events = world.events().iter();
    events
        .filter_map(|record| {
            let mark = mark(&record.event)?;
            Some(TimeMark { hours: hours(record.at), mark, words: sentence(world, &record.event) })
        })
        .collect()
}

/// The mark of a deed.
pub fn command_mark(command: &Command) -> Mark {
    match command {
        Command::CrashReplica(_) | Command::CrashNode(_) => Mark::Cross,
        Command::RestartReplica(_) | Command::RestartNode(_) | Command::Heal => Mark::Mended,
        Command::Partition(_) | Command::CutLink { .. } => Mark::Cut,
        Command::SetBackfill(_) | Command::SetPolicy(_) => Mark::Switch,
    }
}

fn hours(at: SimTime) -> f64 {
    at.as_secs_f64() / 3_600.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};

    #[test]
    fn curves_end_now_with_the_figures_of_the_top_bar() {
        let world = world(4, vec![job(1, "a", 1, 600, 3), job(2, "a", 2, 600, 2)], 95);
        let view = ChartsView::of(&world);
        let [at, busy] = *view.utilisation.last().unwrap();
        assert!((at - 95.0 / 3_600.0).abs() < 1e-9 && (busy - 75.0).abs() < 1e-9);
        assert!((view.pending.last().unwrap()[1] - 1.0).abs() < 1e-9);
        assert_eq!(view.jobs_now, "1 running, 1 pending");
        assert_eq!(view.utilisation_title, "GPU utilisation");
    }

    #[test]
    fn deeds_elections_and_switches_leave_marks() {
        let mut world = world(2, vec![], 30);
        let leader = world.leader().unwrap().0.id();
        world.apply(Command::CrashReplica(leader)).unwrap();
        pass(&mut world, 30);
        world.apply(Command::SetBackfill(false)).unwrap();
        pass(&mut world, 1);
        let marks: Vec<Mark> = ChartsView::of(&world).marks.iter().map(|mark| mark.mark).collect();
        assert_eq!(marks, [Mark::Election, Mark::Cross, Mark::Election, Mark::Switch]);
    }
}
