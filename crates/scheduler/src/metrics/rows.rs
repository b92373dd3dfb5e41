//! All figures as a list, each with its definition, for tables and exports.

use switchyard_model::Tier;

use super::amounts::Resource;
use super::definition as d;
use super::definition::Definition;
use super::fragmentation::{Counted, Structural};
use super::report::Metrics;
use super::statistics::TimeStats;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it means.
    pub definition: &'static Definition,
    /// Of what: a statistic, a resource, a level; empty where there is only one such figure.
    pub of: String,
    /// Its value in the unit of its definition; `None` where there is nothing to tell.
    pub value: Option<f64>,
}

impl Row {
    fn new(definition: &'static Definition, of: &str, value: f64) -> Row {
        Row { definition, of: of.to_owned(), value: Some(value) }
    }

    fn maybe(definition: &'static Definition, of: &str, value: Option<f64>) -> Row {
        Row { definition, of: of.to_owned(), value }
    }

    /// A name for machines: `wait_mean`, `fragmentation_c_gpus_rack`.
    pub fn key(&self) -> String {
        if self.of.is_empty() {
            self.definition.key.to_owned()
        } else {
            format!("{}_{}", self.definition.key, self.of)
        }
    }
}

impl Metrics {
    /// All figures but those of single accounts, users and sizes.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = self.counted();
        rows.push(Row::new(&d::MAKESPAN, "", self.makespan.as_secs_f64()));
        rows.extend(times(&d::WAIT, &self.waits.per_job));
        rows.extend(times(&d::ATTEMPT_WAIT, &self.waits.per_attempt));
        rows.extend(times(&d::QUEUE_TIME, &self.waits.queue_time));
        rows.push(Row::new(&d::BOUNDED_SLOWDOWN, "", self.bounded_slowdown));
        rows.extend(self.capacity());
        rows.extend(self.fragments());
        rows.extend(
            Tier::ALL.map(|tier| Row::maybe(&d::TIER_SHARE, tier.name(), self.placements.share(tier))),
        );
        rows.push(Row::maybe(&d::MEAN_TIER, "", self.placements.mean_tier()));
        rows.push(Row::maybe(&d::PENALTY, "", self.placements.assumed_penalty()));
        rows.push(Row::maybe(&d::FAIRNESS, "", self.fairness));
        rows.push(Row::maybe(&d::SIZE_WAIT_RHO, self.sizes.of.name(), self.sizes.rho));
        rows.push(Row::maybe(&d::STARVATION, self.sizes.of.name(), self.sizes.starvation));
        rows.push(Row::maybe(&d::TIME_LIMIT_ACCURACY, "", self.time_limit_accuracy));
        rows
    }

    fn counted(&self) -> Vec<Row> {
        let counts = &self.counts;
        [
            (&d::JOBS, counts.jobs),
            (&d::STARTED, counts.started),
            (&d::FINISHED, counts.finished),
            (&d::NEVER_STARTED, counts.never_started),
            (&d::ATTEMPTS, counts.attempts),
            (&d::BACKFILLED, counts.backfilled),
            (&d::BACKFILL_STARTS, counts.backfill_starts),
            (&d::PREEMPTIONS, counts.preemptions),
            (&d::THRASHED, counts.thrashed),
            (&d::NODE_FAILURES, counts.node_failures),
        ]
        .map(|(definition, count)| Row::new(definition, "", count as f64))
        .to_vec()
    }

    fn capacity(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for resource in Resource::ALL {
            let (of, ledger) = (resource.name(), self.ledgers.of(resource));
            rows.push(Row::new(&d::UTILISATION, of, ledger.utilisation()));
            rows.push(Row::new(&d::OCCUPANCY, of, ledger.occupancy()));
            rows.push(Row::new(&d::DELIVERED, of, ledger.delivered.as_hours_f64()));
            rows.push(Row::new(&d::IDLE, of, ledger.idle.as_hours_f64()));
            rows.push(Row::new(&d::LOST, of, ledger.lost.as_hours_f64()));
            rows.push(Row::new(&d::LOCKED, of, ledger.locked.as_hours_f64()));
        }
        let nodes = self.ledgers.nodes_in_use.share_of(self.ledgers.nodes);
        rows.push(Row::new(&d::NODES_IN_USE, "", nodes));
        rows
    }

    fn fragments(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let fragmentation = &self.fragmentation;
        for (resource, stranded) in
            [(Resource::Cpus, &fragmentation.cpus), (Resource::Gpus, &fragmentation.gpus)]
        {
            rows.push(Row::new(&d::FRAGMENTATION_A, resource.name(), stranded.a()));
            rows.push(Row::new(&d::FRAGMENTATION_A_OF_FLEET, resource.name(), stranded.a_of_fleet()));
            rows.push(Row::new(&d::FRAGMENTATION_B, resource.name(), stranded.b()));
        }
        for counted in Counted::ALL {
            let shares = fragmentation.structural(counted).shares();
            for (level, share) in Structural::LEVELS.iter().zip(shares) {
                rows.push(Row::new(&d::FRAGMENTATION_C, &format!("{}_{level}", counted.name()), share));
            }
        }
        rows
    }
}

fn times(definition: &'static Definition, stats: &TimeStats) -> [Row; 5] {
    [
        ("mean", stats.mean_secs),
        ("median", stats.median_secs),
        ("p95", stats.p95_secs),
        ("p95_nearest", stats.p95_nearest_secs),
        ("max", stats.max_secs),
    ]
    .map(|(of, secs)| Row { value: (stats.count > 0).then_some(secs), ..Row::new(definition, of, secs) })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fleet, run};
    use super::*;
    use crate::metrics::MetricsOptions;
    use std::collections::BTreeSet;

    #[test]
    fn each_definition_has_a_row_and_each_row_its_own_key() {
        let fleet = fleet(&[(1, 4, 4)], 0);
        let rows = Metrics::of(&run(&fleet, Vec::new()), &fleet, &[], MetricsOptions::default()).rows();
        let keys: BTreeSet<String> = rows.iter().map(Row::key).collect();
        assert_eq!(keys.len(), rows.len());
        let defined: BTreeSet<&str> = rows.iter().map(|row| row.definition.key).collect();
        assert_eq!(defined, d::ALL.iter().map(|definition| definition.key).collect());
        assert!(keys.contains("fragmentation_c_gpus_rack") && keys.contains("wait_mean"));
        assert!(rows.iter().all(|row| row.value.is_none_or(f64::is_finite)), "nothing is divided by nothing");
    }
}
