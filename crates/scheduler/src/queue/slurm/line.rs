//! The queue as Slurm sorts it: those who may preempt others before them, then by priority tier, then by priority.

use std::collections::BTreeMap;

use switchyard_model::Qos;

use super::partitions::Partitions;
use crate::pass::Pass;
use crate::ranking::Entry;
use crate::{Preempt, PreemptBy};

/// Jobs of one tier and one quality of service (its place at the site, if it is known there).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    tier: u16,
    qos: Option<usize>,
}

/// The queue in its order, or `None` where that is the order of the ranking.
///
/// "May preempt" is a relation of pairs and not an order: where c may preempt b, and b may preempt a, c and a are compared by
/// tier and priority. So this takes, again and again, the first job by tier and priority that nobody left may preempt.
pub(super) fn line_up(pass: &Pass<'_>) -> Option<Vec<Entry>> {
    let site = pass.cluster.site();
    let partitions = Partitions::of_site(site);
    let by_qos = |rules: &Preempt| rules.by == PreemptBy::Qos && !rules.priority;
    let by_qos = pass.policy.preempt.as_ref().is_some_and(by_qos) && has_rights(&site.qos);
    if !by_qos && !partitions.have_tiers() {
        return None;
    }
    let mut groups: BTreeMap<Group, Vec<Entry>> = BTreeMap::new();
    for entry in pass.ranking.entries() {
        let Some(job) = pass.job(entry.key) else { continue };
        let named = job.spec.terms.qos.as_ref().filter(|_| by_qos);
        let qos = named.and_then(|name| site.qos.iter().position(|qos| qos.name == *name));
        groups.entry(Group { tier: partitions.tier(job), qos }).or_default().push(*entry);
    }
    Some(merge(groups, &site.qos))
}

/// Whether any quality of service may preempt another.
fn has_rights(qos: &[Qos]) -> bool {
    qos.iter().any(|qos| !qos.preempt.is_empty())
}

fn merge(groups: BTreeMap<Group, Vec<Entry>>, qos: &[Qos]) -> Vec<Entry> {
    let mut line = Vec::with_capacity(groups.values().map(Vec::len).sum());
    let mut left: Vec<_> = groups.into_iter().map(|(group, jobs)| (group, jobs.into_iter().peekable())).collect();
    loop {
        left.retain_mut(|(_, jobs)| jobs.peek().is_some());
        let may_preempt = |a: Group, b: Group| match (a.qos.and_then(|a| qos.get(a)), b.qos.and_then(|b| qos.get(b))) {
            (Some(a), Some(b)) => a.name != b.name && a.preempt.contains(&b.name),
            _ => false,
        };
        let groups: Vec<Group> = left.iter().map(|(group, _)| *group).collect();
        let is_free = |group: Group| !groups.iter().any(|&other| may_preempt(other, group));
        // Lists of rights have no cycle, so that someone is free; if they had one, all were.
        let any_free = groups.iter().any(|&group| is_free(group));
        let mut first: Option<(usize, u16, Entry)> = None;
        for (place, (group, jobs)) in left.iter_mut().enumerate() {
            let Some(&next) = jobs.peek().filter(|_| is_free(*group) || !any_free) else { continue };
            let earlier = |(_, tier, entry): &(usize, u16, Entry)| {
                (std::cmp::Reverse(group.tier), next.key) < (std::cmp::Reverse(*tier), entry.key)
            };
            if first.as_ref().is_none_or(earlier) {
                first = Some((place, group.tier, next));
            }
        }
        let Some((place, ..)) = first else { return line };
        line.extend(left.get_mut(place).and_then(|(_, jobs)| jobs.next()));
    }
}
