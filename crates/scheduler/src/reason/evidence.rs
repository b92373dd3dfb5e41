//! What each reason rests on, with its numbers.

use super::sentence::{amount, are, ended};
use super::{PassingBy, Predecessor, Reason, ReservationProblem};
use crate::amount::{Kind, counted};
use crate::limits::{Excess, Limited};

const MOVING_UP: &str =
    "Reservations are given and move up in order, each once, when something becomes free.";

impl Reason {
    /// What the reason rests on, as a sentence.
    pub fn evidence(&self) -> String {
        match self {
            Reason::Resources(shortage) if shortage.on_nodes == 0 => {
                format!("{}{}.", shortage.is_free(), shortage.on_those())
            }
            Reason::Resources(shortage) => {
                format!("{}, on {}{}.", shortage.is_free(), shortage.where_free(), shortage.of_those())
            }
            Reason::FragmentedResources(shortage) => format!(
                "{} on {}{}: enough in sum, but in pieces that are too small.",
                shortage.is_free(),
                shortage.where_free(),
                shortage.of_those()
            ),
            Reason::ScatteredDomains { most, .. } => {
                format!("The fullest choice that one domain offers is {}.", Kind::Gpus.count((*most).into()))
            }
            Reason::NotIdle { idle, among, .. } => {
                format!(
                    "It may use {}; of these, {} idle and could hold some of it.",
                    counted(*among, "node"),
                    are(*idle)
                )
            }
            Reason::TooSpread { nodes, .. } => {
                format!("What is free lies so that it would take {}.", counted(*nodes, "node"))
            }
            Reason::Licences { name, free, total, .. } => {
                format!("The site has {total} of \"{name}\"; running jobs hold {}.", total - free)
            }
            Reason::WouldDelayReservation { left, limit, .. } => {
                format!("It asks for {limit}, and {left} are left until then.")
            }
            Reason::BehindHead { passing, .. } => match passing {
                PassingBy::Nobody => "Backfill is off: jobs start strictly in order.",
                PassingBy::Cycle => {
                    "It fits now, but no backfill cycle has let it pass so far; main passes go in order."
                }
                PassingBy::MovingUp => MOVING_UP,
            }
            .to_owned(),
            Reason::NotReached { passing } => match passing {
                PassingBy::MovingUp => MOVING_UP,
                PassingBy::Nobody | PassingBy::Cycle => {
                    "Main passes look at so many jobs at most, and in each partition up to the first that has to wait; backfill cycles, if they are on, come on a timer."
                }
            }
            .to_owned(),
            Reason::NodesUnavailable { in_service, .. } => {
                format!("The nodes in service, if they were empty, could hold {in_service} of them.")
            }
            Reason::ReservedNodes { open, start, end, .. } => format!(
                "The reservation is from {start} to {end}; the other nodes, if they were empty, could hold {open} of them."
            ),
            Reason::NeverFits { ask } => {
                format!("The whole fleet, if it were empty, could hold {}.", ask.possible)
            }
            Reason::BadConstraints { ask, nodes, .. } => format!(
                "{} so; if empty, {} could hold {}.",
                are_so(*nodes),
                if *nodes == 1 { "it" } else { "they" },
                ask.possible
            ),
            Reason::NoSuchDomain { most, .. } => {
                format!("The largest domain that it may use has {}.", Kind::Gpus.count((*most).into()))
            }
            Reason::BeginTime { requeued: false, .. } => "Its begin time has not come yet.".to_owned(),
            Reason::BeginTime { requeued: true, .. } => "Its requeue delay is not over.".to_owned(),
            Reason::Dependency { on, state, .. } => match state {
                Predecessor::Unknown => format!("Nobody has submitted a job {on} so far."),
                Predecessor::Waits => format!("Job {on} waits itself."),
                Predecessor::Runs => format!("Job {on} runs."),
            },
            Reason::DependencyNeverSatisfied { on, outcome, .. } => format!("Job {on} {}.", ended(*outcome)),
            Reason::ArrayTaskLimit { throttle, .. } => {
                format!("The array runs {} at once at most.", counted(*throttle, "task"))
            }
            Reason::PartitionDown { .. } => "It starts no jobs; jobs that run go on.".to_owned(),
            Reason::UnknownPartition { .. } => "The site has no partition of that name.".to_owned(),
            Reason::PartitionTimeLimit { most, .. } => format!("Its longest time limit is {most}."),
            Reason::PartitionNodeLimit { most, .. } => {
                format!("It gives {} at most.", counted(*most, "node"))
            }
            Reason::Limit { excess, .. } => limit(excess),
            Reason::Reservation { problem, .. } => reservation(*problem),
        }
    }
}

/// "No node is", "1 node is", "3 nodes are".
fn are_so(nodes: u32) -> String {
    match nodes {
        0 => "No node is".to_owned(),
        1 => "1 node is".to_owned(),
        _ => format!("{nodes} nodes are"),
    }
}

fn limit(excess: &Excess) -> String {
    let asked = amount(excess.limited, excess.asked);
    match excess.limited {
        Limited::Wall => format!("It asks for {asked}."),
        Limited::Jobs => format!("{} already.", amount(Limited::Jobs, excess.used)),
        limited => match excess.used {
            0 => format!("It asks for {asked}."),
            used => format!("It asks for {asked}; running jobs hold {}.", amount(limited, used)),
        },
    }
}

fn reservation(problem: ReservationProblem) -> String {
    match problem {
        ReservationProblem::Ahead { start } => format!("It begins at {start}."),
        ReservationProblem::Unknown => "The site has no reservation of that name.".to_owned(),
        ReservationProblem::Over { end } => format!("It ended at {end}."),
        ReservationProblem::Denied => "Neither its user nor its account is admitted.".to_owned(),
        ReservationProblem::TooShort { length, limit } => {
            format!("It lasts {length}, and the job asks for {limit}.")
        }
        ReservationProblem::Closing { left, limit } => {
            format!("{left} are left of it, and the job asks for {limit}.")
        }
    }
}
