//! Who takes part in the race for room at all: what has to come first, and what can never be.

use switchyard_model::{Dependency, DependencyKind, JobId};

use crate::Cluster;
use crate::cluster::{Met, Pending, Rules};
use crate::explain::Verdict;
use crate::limits::{Excess, Holder, LimitScope, Used};
use crate::pass::Pass;
use crate::room::{Room, parts_if_empty};

/// What holds a job back beside room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    UnknownPartition,
    PartitionDown,
    PartitionTime,
    /// It needs at least so many nodes.
    PartitionNodes {
        nodes: u32,
    },
    /// A limit that it exceeds, alone or with those that run.
    Limit {
        holder: Holder,
        scope: LimitScope,
        excess: Excess,
    },
    /// The site has fewer than this one of its asks.
    TooManyLicences {
        ask: usize,
    },
    /// Another job has to start or end first, or never will as it should.
    Dependency {
        job: JobId,
        kind: DependencyKind,
        never: bool,
    },
    Begin,
    /// So many tasks of its array run.
    Throttle {
        running: u32,
    },
    /// There is no such reservation, or it is over.
    ReservationGone,
    ReservationDenied,
    /// Its limit is longer than the reservation.
    ReservationTooShort,
    /// Its limit is longer than what is left of the reservation.
    ReservationClosing,
    ReservationAhead,
    /// The reservation at this place keeps nodes that it needs.
    Reserved {
        reservation: usize,
    },
}

impl Pass<'_> {
    /// Why a job can't start whatever ends now: as [`Pass::out_of_the_plan`], or as long as advance reservations keep nodes
    /// that it needs.
    pub(crate) fn out_of_the_race(&mut self, job: &Pending) -> Option<Verdict> {
        self.out_of_the_plan(job).or_else(|| {
            let reservation = kept_from(self.cluster, self.room, job)?;
            Some(Verdict::Held(Hold::Reserved { reservation }))
        })
    }

    /// Why a job can't be planned: nothing that ends, at a time that is known, could let it start. It blocks nobody.
    pub(crate) fn out_of_the_plan(&mut self, job: &Pending) -> Option<Verdict> {
        if !job.request.fits_fleet() {
            return Some(Verdict::NeverFits);
        }
        let held = match &job.rules {
            Some(rules) => self.held(job, rules),
            None => (job.not_before > self.now).then_some(Hold::Begin),
        };
        held.map(Verdict::Held).or_else(|| self.lacks_nodes(job))
    }

    fn held(&self, job: &Pending, rules: &Rules) -> Option<Hold> {
        if rules.never.is_some() {
            return rules.never;
        }
        if rules.down {
            return Some(Hold::PartitionDown);
        }
        if rules.after
            && let Some(hold) = self.has_to_wait(job)
        {
            return Some(hold);
        }
        if job.not_before > self.now {
            return Some(Hold::Begin);
        }
        if let Some(task) = rules.array {
            let running = self.cluster.held().tasks(task.array) + self.taken.tasks(task.array);
            if running >= task.throttle {
                return Some(Hold::Throttle { running });
            }
        }
        if let Some(hold) = self.outside_its_reservation(job, rules) {
            return Some(hold);
        }
        let asked = Used { jobs: 1, amount: job.request.total, nodes: self.least_nodes(job, rules) };
        self.exceeds(rules, &asked)
    }

    /// The first dependency that is not met; one that never will be counts before all others.
    fn has_to_wait(&self, job: &Pending) -> Option<Hold> {
        let after = &job.spec.terms.after;
        let find = |met| after.iter().find(|dependency| self.cluster.met(dependency) == met);
        let hold = |&Dependency { job, kind }: &Dependency, never| Hold::Dependency { job, kind, never };
        let never = find(Met::Never).map(|dependency| hold(dependency, true));
        never.or_else(|| find(Met::NotYet).map(|dependency| hold(dependency, false)))
    }

    fn outside_its_reservation(&self, job: &Pending, rules: &Rules) -> Option<Hold> {
        let reservation = self.cluster.site().reservations.get(rules.reservation?)?;
        if self.now < reservation.start {
            Some(Hold::ReservationAhead)
        } else if self.now >= reservation.end {
            Some(Hold::ReservationGone)
        } else {
            (self.now + job.spec.limit > reservation.end).then_some(Hold::ReservationClosing)
        }
    }

    fn least_nodes(&self, job: &Pending, rules: &Rules) -> u32 {
        if rules.caps.is_empty() { 1 } else { job.machines.least_nodes(&job.request) }
    }

    /// The limit that a job with this would exceed, alone or with those that run.
    pub(crate) fn exceeds(&self, rules: &Rules, asked: &Used) -> Option<Hold> {
        rules.caps.iter().find_map(|cap| {
            let used = |sum| self.cluster.held().sum(sum).plus(&self.taken.sum(sum));
            let used = cap.sum.map_or_else(Used::default, used);
            let excess = cap.exceeded(&used, asked)?;
            Some(Hold::Limit { holder: cap.holder, scope: cap.scope, excess })
        })
    }

    /// Whether the nodes in service are too few even without the jobs that run there.
    fn lacks_nodes(&mut self, job: &Pending) -> Option<Verdict> {
        let cluster = self.cluster;
        if cluster.unavailable() == 0 {
            return None;
        }
        let key = (job.request.shape, job.machines.number, job.wants_one_domain());
        let parts = self.in_service.get(&key, || parts_if_empty(cluster, job, |_| true));
        (parts < u64::from(job.request.parts())).then_some(Verdict::NodesUnavailable)
    }
}

/// The first advance reservation that keeps nodes from a job, if those that are left to it now are too few even without the
/// jobs that run there.
pub(crate) fn kept_from(cluster: &Cluster, room: &Room, job: &Pending) -> Option<usize> {
    let reservation = room.reservation_in_the_way(job)?;
    let open = parts_if_empty(cluster, job, |node| !room.is_kept_from(job, node));
    (open < u64::from(job.request.parts())).then_some(reservation)
}
