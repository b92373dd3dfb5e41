//! Why each job still waits, for onlookers, and what the last cycle planned for it.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{JobId, NodeId, SimTime};

use super::partitions::Partitions;
use super::timeline::Slot;
use crate::Reservation;
use crate::cluster::Pending;
use crate::explain::Verdict;
use crate::forecast::{Passing, forecast};
use crate::pass::Pass;
use crate::ranking::Entry;
use crate::request::parts_on;

/// Notes a verdict for everyone who stays, and the planned start of those who have one.
pub(super) fn explain(pass: &mut Pass<'_>, line: Option<&[Entry]>, planned: &BTreeMap<JobId, Slot>) {
    let partitions = Partitions::of_site(pass.cluster.site());
    let started: BTreeSet<JobId> = pass.starts.iter().map(|(_, start)| start.job).collect();
    // The first of each partition that waits for room.
    let mut heads: Vec<Option<JobId>> = vec![None; partitions.len()];
    let entries: Vec<Entry> = match line {
        Some(line) => line.to_vec(),
        None => pass.ranking.entries().copied().collect(),
    };
    for entry in entries.iter().filter(|entry| !started.contains(&entry.key.job)) {
        let Some(job) = pass.job(entry.key) else { continue };
        let slot = planned.get(&entry.key.job).filter(|slot| slot.at > pass.now);
        if let Some(slot) = slot {
            let promise = promise(pass, job, slot);
            pass.reservations.push(promise);
        }
        if let Some(verdict) = pass.out_of_the_race(job) {
            pass.note(job, verdict);
            continue;
        }
        let verdict = verdict(pass, job, &mut heads, partitions.of(&job.spec), planned);
        pass.note(job, verdict);
    }
    if pass.reservations.is_empty() {
        // No cycle has planned anybody yet: this is what one would say, roughly.
        forecast(pass, if pass.policy.has_backfill() { Passing::NoDelay } else { Passing::Nobody });
    }
    let promised: Vec<(JobId, SimTime)> =
        pass.reservations.iter().map(|promise| (promise.job, promise.at)).collect();
    promised.into_iter().for_each(|(job, at)| pass.expect(job, at));
}

fn verdict(
    pass: &Pass<'_>,
    job: &Pending,
    heads: &mut [Option<JobId>],
    partition: usize,
    planned: &BTreeMap<JobId, Slot>,
) -> Verdict {
    if job.not_before > pass.now || !pass.licences().covers(job.licences()) {
        return Verdict::NoRoom;
    }
    let has_room = match pass.attempt(job, None) {
        Err(Verdict::Held(hold)) => return Verdict::Held(hold),
        attempt => attempt.is_ok(),
    };
    let Some(head) = heads.get_mut(partition) else { return Verdict::NoRoom };
    match *head {
        None => {
            *head = Some(job.spec.id);
            Verdict::NoRoom
        }
        Some(_) if !has_room => Verdict::NoRoom,
        Some(head) => match planned.get(&head) {
            Some(slot) if slot.at > pass.now => Verdict::WouldDelay { head, until: slot.at },
            _ => Verdict::BehindHead { head },
        },
    }
}

/// What is kept for a job, and which running jobs have to end first.
fn promise(pass: &Pass<'_>, job: &Pending, slot: &Slot) -> Reservation {
    let is_short = |node: &NodeId| parts_on(&job.request.shape, &pass.room.free_for(job, *node)) == 0;
    let short: BTreeSet<NodeId> = slot.nodes.iter().copied().filter(is_short).collect();
    let holds = |running: &&crate::Running| {
        running.expected_end <= slot.at.max(SimTime::ZERO)
            && running.placement.nodes().any(|node| short.contains(&node))
    };
    let waits_for = match short.is_empty() {
        true => Vec::new(),
        false => pass.cluster.running().filter(holds).map(|running| running.spec.id).collect(),
    };
    Reservation { job: job.spec.id, at: slot.at, nodes: slot.nodes.clone(), waits_for }
}
