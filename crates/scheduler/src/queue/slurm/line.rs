//! The queue as Slurm sorts it: those who may preempt others before them, then by priority tier, then by priority.

use std::collections::BTreeMap;
use std::iter::Peekable;

use switchyard_model::Qos;

use crate::pass::Pass;
use crate::ranking::Entry;
use crate::{Preempt, PreemptBy};

/// Jobs of one quality of service: its place at the site, if it is known there.
type Group = Option<usize>;

/// The queue in its order, or `None` where that is the order of the ranking.
///
/// "May preempt" is a relation of pairs and not an order: where c may preempt b, and b may preempt a, c and a are compared by
/// tier and priority. So this takes, again and again, the first job by tier and priority that nobody left may preempt.
pub(super) fn line_up(pass: &Pass<'_>) -> Option<Vec<Entry>> {
    let qos = &pass.cluster.site().qos;
    // By partition, tiers say it already; and where priority decides, too.
    let by_lists = |rules: &Preempt| rules.by == PreemptBy::Qos && !rules.priority;
    if !pass.policy.preempt.as_ref().is_some_and(by_lists) || qos.iter().all(|qos| qos.preempt.is_empty()) {
        return None;
    }
    let mut groups: BTreeMap<Group, Vec<Entry>> = BTreeMap::new();
    for entry in pass.ranking.entries() {
        let Some(job) = pass.job(entry.key) else { continue };
        let named = job.spec.terms.qos.as_ref();
        let group = named.and_then(|name| qos.iter().position(|qos| qos.name == *name));
        groups.entry(group).or_default().push(*entry);
    }
    Some(merge(groups, qos))
}

fn merge(groups: BTreeMap<Group, Vec<Entry>>, qos: &[Qos]) -> Vec<Entry> {
    let mut line = Vec::with_capacity(groups.values().map(Vec::len).sum());
    let mut left: Vec<_> =
        groups.into_iter().map(|(group, jobs)| (group, jobs.into_iter().peekable())).collect();
    loop {
        left.retain_mut(|(_, jobs)| jobs.peek().is_some());
        let free: Vec<bool> = left.iter().map(|(group, _)| is_free(*group, &left, qos)).collect();
        // Lists of rights have no loop, so that someone is free. If they had one, all would count as free.
        let none_free = free.iter().all(|free| !free);
        let heads = left.iter_mut().zip(free).enumerate().filter(|(_, (_, free))| *free || none_free);
        let heads = heads.filter_map(|(place, ((_, jobs), _))| Some((jobs.peek()?.key, place)));
        let Some((_, place)) = heads.min() else { return line };
        line.extend(left.get_mut(place).and_then(|(_, jobs)| jobs.next()));
    }
}

/// Whether nobody who is left may preempt the jobs of this group.
fn is_free(group: Group, left: &[(Group, Peekable<std::vec::IntoIter<Entry>>)], qos: &[Qos]) -> bool {
    let of = |group: Group| group.and_then(|place| qos.get(place));
    let Some(victim) = of(group) else { return true };
    let may = |other: &Qos| other.name != victim.name && other.preempt.contains(&victim.name);
    !left.iter().any(|(other, _)| of(*other).is_some_and(may))
}
