//! The top bar: time, speed, and the figures that matter.

use switchyard_model::SimTime;
use switchyard_sim::World;

use crate::pace::{self, Pace};
use crate::words::{clock, clock_millis, counted, day, grouped, percent, unit};

/// A figure with its name and its definition, which is shown on hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The value with its unit.
    pub value: String,
    /// What it is.
    pub label: &'static str,
    /// How it is defined.
    pub about: String,
}

/// Who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leadership {
    /// The leader's letter and term, or that there is none.
    pub value: String,
    /// Whether someone leads.
    pub there: bool,
    /// How that is defined.
    pub about: String,
}

/// The top bar.
#[derive(Clone, Debug, PartialEq)]
pub struct TopbarView {
    /// Whether time passes, and how fast.
    pub pace: Pace,
    /// The reached speed in words, and whether it is what was wished.
    pub reached: String,
    /// The time of day; with milliseconds while time is slow enough to read them.
    pub clock: String,
    /// The day.
    pub day: String,
    /// The machines.
    pub fleet: String,
    /// Share of the GPUs on which a job runs.
    pub utilisation: Figure,
    /// Jobs that run, wait and have ended.
    pub jobs: Figure,
    /// How many jobs wait.
    pub pending: Figure,
    /// Who leads.
    pub leader: Leadership,
    /// How many invariants hold, or how many broke.
    pub invariants: Figure,
    /// Whether all of them hold.
    pub all_hold: bool,
    /// The run's seed.
    pub seed: String,
}

impl TopbarView {
    /// What the bar shows of a world.
    pub fn of(world: &World, pace: Pace) -> Self {
        let counts = world.counts();
        let (invariants, all_hold) = crate::invariants::figure(world);
        let slow = pace.speed < 3.0 || !pace.playing;
        TopbarView {
            pace,
            reached: reached(pace),
            clock: if slow { clock_millis(world.now()) } else { clock(world.now()) },
            day: format!("day {}", day(world.now())),
            fleet: fleet(world),
            utilisation: utilisation(world),
            jobs: Figure {
                value: format!(
                    "{} / {} / {}",
                    grouped(counts.running.into()),
                    grouped(counts.pending.into()),
                    grouped(counts.finished.into())
                ),
                label: "running / pending / done",
                about: "Jobs by what is committed: started and not ended; waiting; ended.".to_owned(),
            },
            pending: Figure {
                value: grouped(counts.pending.into()),
                label: "pending",
                about: "Jobs that are accepted and wait to be started.".to_owned(),
            },
            leader: leadership(world),
            invariants,
            all_hold,
            seed: format!("seed {}", world.seed()),
        }
    }
}

fn utilisation(world: &World) -> Figure {
    let (busy, all) = (world.busy_units(), world.units());
    let (label, noun) =
        if world.fleet().has_gpus() { ("GPU utilisation", "GPUs") } else { ("CPU utilisation", "CPUs") };
    Figure {
        value: percent(busy.into(), all.into()),
        label,
        about: format!(
            "{noun} on which a job runs now, of all {noun}, also those of dead nodes: {} of {}.",
            grouped(busy.into()),
            grouped(all.into())
        ),
    }
}

fn fleet(world: &World) -> String {
    let racks = counted(world.fleet().racks().len() as u64, "rack");
    format!("{racks}, {}", counted(world.units().into(), unit(world.fleet())))
}

fn reached(pace: Pace) -> String {
    match pace.playing {
        true => format!("reached {}", pace::words(pace.reached)),
        false => "paused".to_owned(),
    }
}

fn leadership(world: &World) -> Leadership {
    let about = "The replica that leads in the highest term among those that run; only it starts jobs.";
    if let Some((leader, term)) = world.leader() {
        let value = format!("{} · term {term}", leader.id().letter());
        return Leadership { value, there: true, about: about.to_owned() };
    }
    let up = world.replicas().iter().filter(|replica| replica.is_up()).count();
    let (all, quorum) = (world.replicas().len(), world.replicas().len() / 2 + 1);
    let about = if up < quorum {
        format!("{about} There is none: {up} of {all} replicas run, and {quorum} are needed to elect one.")
    } else {
        format!("{about} There is none now: the replicas wait out their election timers and vote.")
    };
    Leadership { value: format!("none · term {}", highest_term(world)), there: false, about }
}

/// The highest term that any running replica has seen.
pub fn highest_term(world: &World) -> u64 {
    let term = |replica: &switchyard_sim::Replica| {
        replica.raft().map_or_else(|| replica.disk().term(), switchyard_raft::RawNode::term)
    };
    world.replicas().iter().map(term).max().unwrap_or(0)
}

/// How long ago something was, or how long it is until then: `in 55 min`, `3 s ago`.
pub fn relative(now: SimTime, at: SimTime) -> String {
    if at > now {
        format!("in {}", crate::words::span(at.since(now)))
    } else {
        format!("{} ago", crate::words::span(now.since(at)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_sim::Command;

    const PACE: Pace = Pace { playing: true, speed: 60.0, reached: 59.7 };

    #[test]
    fn figures_are_those_of_the_world() {
        let mut world = world(4, vec![job(1, "a", 1, 600, 3), job(2, "a", 2, 600, 2)], 60);
        let view = TopbarView::of(&world, PACE);
        assert_eq!(view.utilisation.value, "75.0 %");
        assert!(view.utilisation.about.ends_with("24 of 32."));
        assert_eq!(view.jobs.value, "1 / 1 / 0");
        assert_eq!((view.clock.as_str(), view.day.as_str()), ("00:01:00", "day 1"));
        assert_eq!(view.fleet, "2 racks, 32 GPUs");
        assert_eq!(view.reached, "reached 60×");
        pass(&mut world, 1_300);
        assert_eq!(TopbarView::of(&world, PACE).jobs.value, "0 / 0 / 2");
    }

    #[test]
    fn the_leader_is_named_with_its_term_and_its_absence_too() {
        let mut world = world(2, vec![], 30);
        let (leader, term) = world.leader().map(|(leader, term)| (leader.id(), term)).unwrap();
        let view = TopbarView::of(&world, PACE);
        assert_eq!(view.leader.value, format!("{} · term {term}", leader.letter()));
        world.apply(Command::CrashReplica(leader)).unwrap();
        let view = TopbarView::of(&world, PACE);
        assert!(!view.leader.there);
        assert_eq!(view.leader.value, format!("none · term {term}"));
    }

    #[test]
    fn slow_or_paused_time_shows_milliseconds() {
        let world = world(2, vec![], 1);
        let clock = |pace| TopbarView::of(&world, pace).clock;
        assert_eq!(clock(Pace { speed: 0.1, ..PACE }), "00:00:01.000");
        assert_eq!(clock(Pace { playing: false, ..PACE }), "00:00:01.000");
        assert_eq!(TopbarView::of(&world, Pace { playing: false, ..PACE }).reached, "paused");
    }
}
