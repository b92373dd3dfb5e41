//! Strict and EASY passes: start what fits in order; at the first job that doesn't, a gate for those behind it.

use std::sync::Arc;

use switchyard_model::{JobId, Placement, Resources};

use super::gate::Gate;
use super::outlook::Debt;
use super::reserve::add_holders_of_licences;
use super::{Discipline, reservation};
use crate::explain::Verdict;
use crate::forecast::{Passing, forecast};
use crate::pass::Pass;
use crate::ranking::{Key, Sieve};
use crate::releases::Releases;
use crate::{Machines, Pending, PlacementRule, Reservation};

/// A job that has to wait.
#[derive(Clone, Debug)]
struct Waiter {
    key: Key,
    machines: Arc<Machines>,
    /// The advance reservation that it runs in.
    reservation: Option<usize>,
}

impl Waiter {
    fn new(key: Key, job: &Pending) -> Waiter {
        Waiter { key, machines: Arc::clone(&job.machines), reservation: job.reservation() }
    }

    /// Whether a job could use what it waits for. Nodes of an advance reservation are for nobody else.
    fn is_in_the_way_of(&self, job: &Pending) -> bool {
        self.reservation == job.reservation() && self.machines.meets(&job.machines)
    }

    fn waits_for_the_same_as(&self, other: &Waiter) -> bool {
        self.reservation == other.reservation && self.machines.number == other.machines.number
    }
}

/// The first in line for its nodes.
#[derive(Clone, Debug)]
struct Head {
    waiter: Waiter,
    /// Who may pass it; `None` when nobody may.
    gate: Option<Gate>,
}

/// What stands between passes: as long as nothing ends, the heads and their gates stay as they are, and whoever was refused
/// would be refused again, since there is no more room than before and less time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// In queue order. One is all there is where all jobs may use the same nodes.
    heads: Vec<Head>,
    /// Those behind the heads whose nodes are not the same as those of anybody before them.
    others: Vec<Waiter>,
    /// A limit refused the nodes that were to be had. Others may be within it.
    unsettled: bool,
}

impl Standing {
    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        if !pass.explains && !self.unsettled && pass.changes.only_arrivals(planned) && self.still_stands(pass)
        {
            self.consider_arrivals(pass);
        } else {
            self.start_over(pass);
        }
        // Whoever passed a head may have brought it up against a limit: then it is no longer in anybody's way.
        while self.heads.iter().any(|head| is_out(head.waiter.key, pass)) {
            pass.forget_those_who_stay();
            self.start_over(pass);
        }
        if pass.explains {
            forecast(pass, if pass.policy.has_backfill() { Passing::NoDelay } else { Passing::Nobody });
        }
    }

    fn start_over(&mut self, pass: &mut Pass<'_>) {
        self.heads.clear();
        self.others.clear();
        self.unsettled = false;
        self.consider_all(pass);
    }

    /// Whether everyone who arrived is behind the heads, or there is no head since nobody had to wait.
    fn still_stands(&self, pass: &mut Pass<'_>) -> bool {
        match self.heads.last() {
            Some(last) => {
                let last = self.others.last().map_or(last.waiter.key, |other| last.waiter.key.max(other.key));
                let behind = pass.changes.arrived.first().is_none_or(|first| *first > last);
                let first_fit = pass.policy.rule() == PlacementRule::FirstFit;
                let on_nodes = |head: &Head| head.gate.as_ref().is_some_and(Gate::is_on_nodes);
                behind
                    // Other rules may choose other nodes for it now that some have gone to others.
                    && (first_fit || !self.heads.iter().any(on_nodes))
                    && self.heads.iter().all(|head| is_still_head(head.waiter.key, pass))
            }
            None => pass.ranking.len() == pass.changes.arrived.len(),
        }
    }

    fn consider_arrivals(&mut self, pass: &mut Pass<'_>) {
        for &key in &pass.changes.arrived {
            self.consider(key, pass);
        }
        self.promise(pass);
    }

    fn consider_all(&mut self, pass: &mut Pass<'_>) {
        let ranking = pass.ranking;
        if pass.explains || !pass.cluster.is_uniform() {
            for key in ranking.keys() {
                if !pass.explains && !self.heads.is_empty() && is_full(&pass.room.free()) {
                    break;
                }
                self.consider(key, pass);
            }
            return self.promise(pass);
        }
        let mut keys = ranking.keys();
        let head = loop {
            let Some(key) = keys.next() else { return };
            self.consider(key, pass);
            if !self.heads.is_empty() {
                break key;
            }
        };
        self.promise(pass);
        let Some(sieve) = self.sieve(pass) else { return };
        ranking.sift(Some(head), sieve, |key| {
            self.consider(key, pass);
            self.sieve(pass)
        });
    }

    /// Who behind the head could still start, where all jobs may use the same nodes.
    fn sieve(&self, pass: &Pass<'_>) -> Option<Sieve> {
        let gate = self.heads.first()?.gate.as_ref()?;
        let fleet = pass.cluster.capacity();
        let free = pass.room.free();
        let spare = gate.spare(&free).unwrap_or(free);
        (!is_full(&free)).then(|| Sieve { free, left: gate.shadow().since(pass.now), spare, fleet })
    }

    /// Looks at the next job in the queue.
    fn consider(&mut self, key: Key, pass: &mut Pass<'_>) {
        let Some(job) = pass.job(key).filter(|_| !pass.has_started(key.job)) else { return };
        if let Some(verdict) = pass.out_of_the_plan(job) {
            return pass.note(job, verdict);
        }
        let before = self.heads.iter().map(|head| &head.waiter).chain(&self.others);
        let in_the_way = before.filter(|waiter| waiter.is_in_the_way_of(job)).map(|waiter| waiter.key).min();
        let passes = in_the_way.is_some();
        if let Some(head) = in_the_way
            && pass.policy.discipline == Discipline::Strict
        {
            self.wait_behind(key, job);
            return pass.note(job, Verdict::BehindHead { head: head.job });
        }
        match self.way_past(job, pass) {
            Ok(placement) => {
                self.tell_gates(job, &placement, pass);
                pass.start(job, placement, passes);
            }
            Err(Verdict::NoRoom) if !passes => {
                pass.note(job, Verdict::NoRoom);
                self.become_head(key, job, pass);
            }
            Err(verdict) => {
                match verdict {
                    Verdict::Held(_) => self.unsettled = true,
                    _ => self.wait_behind(key, job),
                }
                pass.note(job, verdict);
            }
        }
    }

    /// A job waits that is no head. Those behind it that want the same nodes are no heads either.
    fn wait_behind(&mut self, key: Key, job: &Pending) {
        let waiter = Waiter::new(key, job);
        let mut before = self.heads.iter().map(|head| &head.waiter).chain(&self.others);
        if !before.any(|other| other.waits_for_the_same_as(&waiter)) {
            self.others.push(waiter);
        }
    }

    /// Where a job may start now without delaying a head.
    fn way_past(&self, job: &Pending, pass: &Pass<'_>) -> Result<Placement, Verdict> {
        let mut placement = pass.attempt(job, None)?;
        let end = pass.now + job.spec.limit;
        let late = || self.gates().filter(|(_, gate)| end > gate.shadow());
        let refusal = |(head, gate): (JobId, &Gate)| Verdict::WouldDelay { head, until: gate.shadow() };
        let mut caps = late().filter_map(|passed| Some((passed, passed.1.cap(job, pass.room)?)));
        if let Some((first, mut cap)) = caps.next() {
            for (_, other) in caps {
                cap.iter_mut().zip(&other).for_each(|(cap, other)| *cap = cap.min(other));
            }
            placement = pass.attempt(job, Some(&cap)).map_err(|_| refusal(first))?;
        }
        match late().find(|(_, gate)| !gate.lets(job, &placement, pass.room)) {
            Some(passed) => Err(refusal(passed)),
            None => Ok(placement),
        }
    }

    fn gates(&self) -> impl Iterator<Item = (JobId, &Gate)> {
        self.heads.iter().filter_map(|head| Some((head.waiter.key.job, head.gate.as_ref()?)))
    }

    fn tell_gates(&mut self, job: &Pending, placement: &Placement, pass: &Pass<'_>) {
        let end = pass.now + job.spec.limit;
        let gates = self.heads.iter_mut().filter_map(|head| head.gate.as_mut());
        gates.filter(|gate| end > gate.shadow()).for_each(|gate| gate.take(job, placement));
    }

    fn become_head(&mut self, key: Key, job: &Pending, pass: &mut Pass<'_>) {
        let debts: Vec<Debt> = self.gates().map(|(_, gate)| gate.debt()).collect();
        let gate = open(pass, job, &debts);
        // Without an end in sight there is nothing to keep for it: nobody has to wait behind it.
        if gate.is_some() || pass.policy.discipline == Discipline::Strict || job.is_plain() {
            self.heads.push(Head { waiter: Waiter::new(key, job), gate });
        }
    }

    /// Writes the heads' reservations into the plan, once it is known who starts: for onlookers with the nodes that are kept for
    /// them, or that will be free for them then.
    fn promise(&self, pass: &mut Pass<'_>) {
        let promises: Vec<Reservation> = match pass.explains {
            true => self.heads.iter().filter_map(|head| in_nodes_and_jobs(head, pass)).collect(),
            false => self.gates().map(|(job, gate)| bare(job, gate)).collect(),
        };
        pass.reservations.extend(promises);
    }
}

const fn bare(job: JobId, gate: &Gate) -> Reservation {
    Reservation { job, at: gate.shadow(), nodes: Vec::new(), waits_for: Vec::new() }
}

fn in_nodes_and_jobs(head: &Head, pass: &Pass<'_>) -> Option<Reservation> {
    let (gate, job) = (head.gate.as_ref()?, pass.job(head.waiter.key)?);
    let releases = releases(pass);
    let mut promise = reservation(job, gate.shadow(), pass.room, &releases, gate.reserved());
    add_holders_of_licences(&mut promise, job, &pass.licences(), &releases);
    Some(promise)
}

/// The ends to come, with those of the jobs that the pass has started.
fn releases<'p>(pass: &'p Pass<'_>) -> Releases<'p> {
    let chosen = pass.starts.iter().map(|(job, start)| (*job, &start.placement));
    Releases::new(pass.cluster, chosen, pass.now)
}

/// Whether a head still waits for the same, as far as that is not a matter of room. It leaves the race when others reach a limit of
/// it; its nodes change as advance reservations come near, or, where it may not have many, as others take the best.
fn is_still_head(key: Key, pass: &mut Pass<'_>) -> bool {
    let Some(job) = pass.job(key) else { return false };
    match &job.rules {
        _ if pass.room.returns().next().is_some() => false,
        None => true,
        Some(rules) if rules.max_nodes.is_some() => false,
        _ => pass.out_of_the_plan(job).is_none(),
    }
}

/// Whether something else than room holds a head back by now.
fn is_out(key: Key, pass: &mut Pass<'_>) -> bool {
    let limited = |job: &&Pending| job.rules.is_some();
    pass.job(key).filter(limited).is_some_and(|job| pass.out_of_the_plan(job).is_some())
}

/// Whether nothing is left that a job could run on.
const fn is_full(free: &Resources) -> bool {
    free.cpus == 0 && free.gpus == 0
}

/// Opens the gate behind a head. `debts` are the licences that are promised to those before it.
fn open(pass: &Pass<'_>, head: &Pending, debts: &[Debt]) -> Option<Gate> {
    if pass.policy.discipline == Discipline::Strict {
        return None;
    }
    Gate::open(&pass.policy.discipline, head, pass.room, &releases(pass), &pass.licences(), debts, pass.now)
}
