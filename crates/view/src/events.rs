//! What happened, as plain sentences.

use serde::{Deserialize, Serialize};
use switchyard_model::Outcome;
use switchyard_sim::{Command, Event, Evidence, Record, World};

use crate::charts::command_mark;
use crate::mark::Mark;
use crate::stage::Thing;
use crate::words::{clock, clock_millis, counted, endpoint_name, grouped, node_name, side_name};

/// Which events are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventFilter {
    /// All of them.
    #[default]
    All,
    /// What was done from outside, and what became of nodes.
    Faults,
    /// Elections.
    Raft,
    /// What became of jobs.
    Jobs,
}

impl EventFilter {
    /// All filters, in their order on the page.
    pub const ALL: [EventFilter; 4] = [Self::All, Self::Faults, Self::Raft, Self::Jobs];

    /// Its name on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Faults => "deeds and nodes",
            Self::Raft => "elections",
            Self::Jobs => "jobs",
        }
    }

    const fn shows(self, event: &Event) -> bool {
        match self {
            Self::All => true,
            Self::Raft => matches!(event, Event::LeaderElected { .. } | Event::LeaderStoodDown { .. }),
            Self::Jobs => matches!(
                event,
                Event::JobAccepted(_)
                    | Event::JobPlaced { .. }
                    | Event::JobFinished { .. }
                    | Event::JobRequeued { .. }
            ),
            Self::Faults => matches!(
                event,
                Event::Intervened(_)
                    | Event::NodeFencedItself { .. }
                    | Event::NodeUp(_)
                    | Event::NodeSuspect(_)
                    | Event::NodeDown(_)
                    | Event::BackfillSet(_)
                    | Event::PolicySet(_)
                    | Event::JobRequeued { .. }
            ),
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// When, to the millisecond.
    pub at: String,
    /// The mark of what happened.
    pub mark: Mark,
    /// What happened.
    pub words: String,
    /// What it is about.
    pub thing: Option<Thing>,
}

/// The last events, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsView {
    /// What is shown.
    pub filter: EventFilter,
    /// The lines.
    pub lines: Vec<EventLine>,
    /// How many earlier events there are beyond the lines, in words; empty if none.
    pub earlier: String,
}

/// Lines that are written out; nobody reads further back on screen.
const SHOWN: usize = 400;

impl EventsView {
    /// The last events of a world.
    pub fn of(world: &World, filter: EventFilter) -> Self {
        let mut shown = world.events().iter().rev().filter(|record| filter.shows(&record.event));
        let lines = shown.by_ref().take(SHOWN).map(|record| line(world, record)).collect();
        let earlier = shown.count() as u64 + world.events_dropped();
        EventsView {
            filter,
            lines,
            earlier: if earlier > 0 { format!("and {} earlier", grouped(earlier)) } else { String::new() },
        }
    }
}

fn line(world: &World, record: &Record) -> EventLine {
    EventLine {
        at: clock_millis(record.at),
        mark: mark(&record.event),
        words: sentence(world, &record.event),
        thing: about(&record.event),
    }
}

/// The mark of an event.
pub fn mark(event: &Event) -> Mark {
    match event {
        Event::Intervened(command) => command_mark(command),
        Event::LeaderElected { .. } => Mark::Crown,
        Event::LeaderStoodDown { .. } => Mark::Election,
        Event::JobAccepted(_) | Event::JobFinished { .. } => Mark::Job,
        Event::JobPlaced { backfilled: true, .. } => Mark::Backfilled,
        Event::JobPlaced { .. } => Mark::Job,
        Event::JobRequeued { .. } => Mark::Requeued,
        Event::NodeFencedItself { .. } => Mark::Fence,
        Event::NodeUp(_) => Mark::Check,
        Event::NodeSuspect(_) => Mark::Suspect,
        Event::NodeDown(_) => Mark::Cross,
        Event::BackfillSet(_) | Event::PolicySet(_) => Mark::Switch,
    }
}

/// What an event is about.
fn about(event: &Event) -> Option<Thing> {
    match event {
        Event::Intervened(Command::CrashReplica(id) | Command::RestartReplica(id)) => {
            Some(Thing::Replica(*id))
        }
        Event::Intervened(Command::CrashNode(id) | Command::RestartNode(id)) => Some(Thing::Node(*id)),
        Event::Intervened(_) | Event::BackfillSet(_) | Event::PolicySet(_) => None,
        Event::LeaderElected { replica, .. } | Event::LeaderStoodDown { replica, .. } => {
            Some(Thing::Replica(*replica))
        }
        Event::JobAccepted(job)
        | Event::JobPlaced { job, .. }
        | Event::JobFinished { job, .. }
        | Event::JobRequeued { job, .. } => Some(Thing::Job(*job)),
        Event::NodeFencedItself { node, .. }
        | Event::NodeUp(node)
        | Event::NodeSuspect(node)
        | Event::NodeDown(node) => Some(Thing::Node(*node)),
    }
}

/// An event as a sentence.
pub fn sentence(world: &World, event: &Event) -> String {
    let fleet = world.fleet();
    match event {
        Event::Intervened(command) => deed(world, command),
        Event::LeaderElected { replica, term } => {
            format!("{} was elected leader of term {term}.", replica.letter())
        }
        Event::LeaderStoodDown { replica, term } => {
            format!("{} lost touch with the majority and gave up leading term {term}.", replica.letter())
        }
        Event::JobAccepted(job) => format!("Job {job} was accepted."),
        Event::JobPlaced { job, attempt, backfilled } => {
            let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            let how = if *backfilled { " past a job that waits before it" } else { "" };
            format!("Job {job} was started{how}{again}.")
        }
        Event::JobFinished { job, outcome: Outcome::Completed } => format!("Job {job} completed."),
        Event::JobFinished { job, outcome: Outcome::TimeLimit } => {
            format!("Job {job} was stopped at its time limit.")
        }
        Event::JobFinished { job, outcome: Outcome::Failed } => {
            format!("Job {job} ended with an error of its own.")
        }
        Event::JobFinished { job, outcome: Outcome::NodeFail } => {
            format!("Job {job} ended because a node under it was lost.")
        }
        Event::JobFinished { job, outcome: Outcome::Preempted } => {
            format!("Job {job} was ended to make room for another job.")
        }
        Event::JobRequeued { job, lost, evidence, .. } => {
            format!(
                "Job {job} went back to the queue: {}.",
                lost_because(&node_name(fleet, *lost), *evidence)
            )
        }
        Event::NodeFencedItself { node, stopped } => format!(
            "{} could not renew its lease: it stopped {} and fenced itself.",
            node_name(fleet, *node),
            counted((*stopped).into(), "job")
        ),
        Event::NodeUp(node) => format!("{} reports and takes jobs.", node_name(fleet, *node)),
        Event::NodeSuspect(node) => {
            let name = node_name(fleet, *node);
            format!("{name} is silent: suspect. Silence is not death, so nothing is requeued.")
        }
        Event::NodeDown(node) => {
            format!("The lease of {} has ended: down, nothing runs there.", node_name(fleet, *node))
        }
        Event::BackfillSet(true) => "Backfill is on from now on.".to_owned(),
        Event::PolicySet(name) => format!("The scheduling policy is {name} from now on."),
        Event::BackfillSet(false) => "Backfill is off from now on: jobs start strictly in order.".to_owned(),
    }
}

fn deed(world: &World, command: &Command) -> String {
    let fleet = world.fleet();
    match command {
        Command::CrashReplica(id) => format!("You killed replica {}.", id.letter()),
        Command::RestartReplica(id) => format!("You restarted replica {}.", id.letter()),
        Command::CrashNode(id) => format!("You killed {}.", node_name(fleet, *id)),
        Command::RestartNode(id) => format!("You restarted {}.", node_name(fleet, *id)),
        Command::Partition(side) => {
            format!("You cut the network: {} on one side, all others on the other.", side_name(fleet, side))
        }
        Command::CutLink { from, to } => {
            format!("You cut the link from {} to {}.", endpoint_name(fleet, *from), endpoint_name(fleet, *to))
        }
        Command::Heal => "You healed the network.".to_owned(),
        Command::SetBackfill(on) => {
            format!("You asked for backfill to be {}.", if *on { "on" } else { "off" })
        }
        Command::SetPolicy(name) => format!("You asked for the scheduling policy {name}."),
    }
}

/// How the loss of a node is known.
fn lost_because(node: &str, evidence: Evidence) -> String {
    match evidence {
        Evidence::Report => format!("{node} reported that it is not running there"),
        Evidence::Silence { since } => format!("{node} is silent since {}", clock(since)),
        Evidence::LeaseEnded { at } => {
            format!("the lease of {node} ended by {}, so it can't be running there", clock(at))
        }
        Evidence::NewIncarnation { .. } => format!("{node} came back without jobs"),
    }
}

/// Whether an event is worth interrupting for.
pub const fn is_news(event: &Event) -> bool {
    matches!(
        event,
        Event::LeaderElected { .. }
            | Event::LeaderStoodDown { .. }
            | Event::JobRequeued { .. }
            | Event::NodeFencedItself { .. }
            | Event::NodeSuspect(_)
            | Event::NodeDown(_)
            | Event::BackfillSet(_)
            | Event::PolicySet(_)
            | Event::Intervened(_)
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_model::NodeId;

    fn words(world: &World, filter: EventFilter) -> Vec<String> {
        EventsView::of(world, filter).lines.into_iter().map(|line| line.words).collect()
    }

    #[test]
    fn the_life_of_a_job_is_told_newest_first() {
        let world = world(2, vec![job(7, "a", 1, 60, 1)], 90);
        let told = ["Job 7 completed.", "Job 7 was started.", "Job 7 was accepted."];
        assert_eq!(words(&world, EventFilter::Jobs), told);
        assert_eq!(words(&world, EventFilter::Raft).len(), 1);
    }

    #[test]
    fn a_dead_node_is_suspected_then_known_to_be_down_and_its_job_goes_back() {
        let mut world = world(2, vec![job(7, "a", 1, 600, 2)], 30);
        world.apply(Command::CrashNode(NodeId(1))).unwrap();
        pass(&mut world, 60);
        let told = words(&world, EventFilter::Faults);
        let find = |start: &str| told.iter().position(|line| line.starts_with(start)).unwrap();
        let order = [
            "Job 7 went back to the queue: the lease of n2",
            "The lease of n2",
            "n2 is silent",
            "You killed n2.",
        ];
        let places = order.map(find);
        assert!(places.is_sorted(), "{told:?}");
        let line = &EventsView::of(&world, EventFilter::All).lines;
        assert!(
            line.iter().any(|line| line.mark == Mark::Suspect && line.thing == Some(Thing::Node(NodeId(1))))
        );
    }

    #[test]
    fn a_cut_names_the_smaller_group() {
        let mut world = world(2, vec![], 30);
        let side = crate::resolve::usual_side(&world);
        world.apply(Command::Partition(side)).unwrap();
        let told = words(&world, EventFilter::Faults);
        let first = told.first().unwrap();
        assert!(
            first.starts_with("You cut the network: ") && first.contains("rack R1 on one side"),
            "{first}"
        );
    }
}
