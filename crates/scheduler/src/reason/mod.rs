//! Why a job waits: one dominant reason, in words that can be checked.

mod evidence;
mod sentence;
mod shortage;
mod slurm;

use std::sync::Arc;

use switchyard_model::{DependencyKind, JobId, Outcome, SimDuration, SimTime};

use crate::Request;
use crate::limits::{Excess, LimitScope};

pub use shortage::Shortage;

/// The one reason that matters most, with its evidence.
///
/// [`Display`](std::fmt::Display) says it in a sentence, [`Reason::evidence`] says what that rests on, and
/// [`Reason::slurm_code`] is what `squeue` would show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not enough is free, even in sum.
    Resources(Shortage),
    /// Enough is free in sum, but not in pieces that the job could use.
    FragmentedResources(Shortage),
    /// Enough is free in sum, but not in one NVSwitch domain.
    ScatteredDomains {
        /// What the job asks for.
        ask: Request,
        /// How many GPUs are free on the nodes that it may use.
        free: u32,
        /// In how many domains.
        domains: u32,
        /// The most in one domain.
        most: u32,
    },
    /// It shares with nobody, and too few nodes are idle.
    NotIdle {
        /// How many nodes it needs at least.
        nodes: u32,
        /// How many that could hold some of it are idle.
        idle: u32,
        /// How many it may use.
        among: u32,
    },
    /// Enough is free, but on more nodes than it may have.
    TooSpread {
        /// What the job asks for.
        ask: Request,
        /// How many nodes it would take now at least.
        nodes: u32,
        /// How many it may have.
        most: u32,
    },
    /// Too few of its licences are free.
    Licences {
        /// Which.
        name: Arc<str>,
        /// How many it needs.
        asked: u32,
        /// How many are free.
        free: u32,
        /// How many the site has.
        total: u32,
    },
    /// It fits now, but might still run when the first in line is to start, on what that one needs.
    WouldDelayReservation {
        /// The first in line.
        head: JobId,
        /// When that one is to start.
        until: SimTime,
        /// How long is left until then.
        left: SimDuration,
        /// How long this job asks for.
        limit: SimDuration,
    },
    /// The first in line comes before it.
    BehindHead {
        /// The first in line.
        head: JobId,
        /// What it takes to pass that one.
        passing: PassingBy,
    },
    /// It fits now, and nobody is before it, but it has not been its turn.
    NotReached {
        /// What gives it its turn.
        passing: PassingBy,
    },
    /// It would fit if all nodes were in service.
    NodesUnavailable {
        /// What the job asks for.
        ask: Request,
        /// How many of its nodes or tasks the nodes in service could hold if they were empty.
        in_service: u32,
        /// How many nodes are out of service.
        unavailable: u32,
    },
    /// It would fit if no nodes were kept for others.
    ReservedNodes {
        /// What the job asks for.
        ask: Request,
        /// How many of its nodes or tasks the other nodes could hold if they were empty.
        open: u32,
        /// The advance reservation.
        reservation: Arc<str>,
        /// When that begins.
        start: SimTime,
        /// When that ends.
        end: SimTime,
        /// Whether it is for nobody.
        maintenance: bool,
    },
    /// This fleet can't run it, even when it is empty.
    NeverFits {
        /// What the job asks for.
        ask: Request,
    },
    /// The nodes that its terms leave can't run it, even when they are empty.
    BadConstraints {
        /// What the job asks for.
        ask: Request,
        /// What it wants of its nodes: "in partition \"gpu\" with feature \"ib\"".
        wants: String,
        /// How many nodes are so.
        nodes: u32,
    },
    /// No NVSwitch domain can hold it, even when it is empty.
    NoSuchDomain {
        /// What the job asks for.
        ask: Request,
        /// The most GPUs that a domain has.
        most: u32,
    },
    /// Its begin time has not come, or it was sent back to the queue a moment ago.
    BeginTime {
        /// When it may start.
        at: SimTime,
        /// Whether it has run before.
        requeued: bool,
    },
    /// Another job has to start or end first.
    Dependency {
        /// The other one.
        on: JobId,
        /// What has to become of it.
        kind: DependencyKind,
        /// What it does now.
        state: Predecessor,
    },
    /// Another job did not end as it had to.
    DependencyNeverSatisfied {
        /// The other one.
        on: JobId,
        /// What had to become of it.
        kind: DependencyKind,
        /// How it ended; `None` if it left the queue without running.
        outcome: Option<Outcome>,
    },
    /// As many tasks of its array run as may at once.
    ArrayTaskLimit {
        /// The array.
        array: JobId,
        /// How many run.
        running: u32,
        /// How many may.
        throttle: u32,
    },
    /// Its partition starts no jobs.
    PartitionDown {
        /// The partition.
        partition: Arc<str>,
    },
    /// There is no such partition.
    UnknownPartition {
        /// What it is called.
        partition: Arc<str>,
    },
    /// It asks for more time than its partition gives.
    PartitionTimeLimit {
        /// The partition.
        partition: Arc<str>,
        /// How long it asks for.
        limit: SimDuration,
        /// How long it may.
        most: SimDuration,
    },
    /// It needs more nodes than its partition gives.
    PartitionNodeLimit {
        /// The partition.
        partition: Arc<str>,
        /// How many it needs.
        nodes: u32,
        /// How many it may have.
        most: u32,
    },
    /// It would exceed a limit of its quality of service, account or user.
    Limit {
        /// Whose limit.
        of: LimitOf,
        /// Over what it sums up.
        scope: LimitScope,
        /// By how much.
        excess: Excess,
    },
    /// The advance reservation that it asks for doesn't let it start.
    Reservation {
        /// What it is called.
        name: Arc<str>,
        /// Why not.
        problem: ReservationProblem,
    },
}

/// What it takes to pass the first in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingBy {
    /// Nobody may.
    Nobody,
    /// A backfill cycle lets jobs pass, and none has let this one so far.
    Cycle,
    /// It has a reservation, which moves up when something becomes free and it is its turn.
    MovingUp,
}

/// What a job does that others wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predecessor {
    /// Nobody knows it: it has not come yet, or its number is wrong.
    Unknown,
    /// It waits.
    Waits,
    /// It runs.
    Runs,
}

/// Whose limit it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOf {
    /// A quality of service.
    Qos(Arc<str>),
    /// An account.
    Account(Arc<str>),
    /// A user in an account.
    User {
        /// The user.
        user: Arc<str>,
        /// The account.
        account: Arc<str>,
    },
}

/// Why an advance reservation does not let a job start that asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservationProblem {
    /// It begins later.
    Ahead {
        /// When.
        start: SimTime,
    },
    /// There is none of that name.
    Unknown,
    /// It is over.
    Over {
        /// Since when.
        end: SimTime,
    },
    /// It is for others.
    Denied,
    /// It is shorter than the job's limit.
    TooShort {
        /// How long it is.
        length: SimDuration,
        /// How long the job asks for.
        limit: SimDuration,
    },
    /// What is left of it is shorter than the job's limit.
    Closing {
        /// How long is left.
        left: SimDuration,
        /// How long the job asks for.
        limit: SimDuration,
    },
}
