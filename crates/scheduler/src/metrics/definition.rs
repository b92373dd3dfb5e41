//! What a figure means, in one text for the docs, the head of an export and the page.

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// A part of a whole, 0 to 1.
    Share,
    /// A number without a unit.
    Ratio,
    /// Jobs.
    Jobs,
    /// Attempts to run a job.
    Attempts,
    /// Hours times an amount: CPU-hours, GPU-hours, MiB-hours.
    ResourceHours,
}

impl Unit {
    /// How it is written; empty for a plain number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Share | Unit::Ratio => "",
            Unit::Jobs => "jobs",
            Unit::Attempts => "attempts",
            Unit::ResourceHours => "resource h",
        }
    }
}

/// The meaning of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// A name for machines, as in a column of an export.
    pub key: &'static str,
    /// What it is counted in.
    pub unit: Unit,
    /// How it is computed.
    pub formula: &'static str,
    /// Who defined it so.
    pub source: &'static str,
}

/// Constants whose docs are their own texts, and the list of all of them.
macro_rules! definitions {
    ($($name:ident: $key:literal, $unit:ident, $formula:literal, $source:literal;)*) => {
        $(
            #[doc = concat!("`", $key, "`: ", $formula, ". Source: ", $source, ".")]
            pub const $name: Definition =
                Definition { key: $key, unit: Unit::$unit, formula: $formula, source: $source };
        )*
        /// All definitions, in the order in which figures are listed.
        pub const ALL: &[Definition] = &[$($name),*];
    };
}

definitions! {
    JOBS: "jobs", Jobs, "jobs of the workload", "this program";
    STARTED: "started", Jobs, "jobs with at least one attempt", "this program";
    FINISHED: "finished", Jobs,
        "jobs whose last attempt completed, reached its time limit or failed by itself", "this program";
    NEVER_STARTED: "never_started", Jobs, "jobs that could never start", "this program";
    ATTEMPTS: "attempts", Attempts, "starts of jobs; a job that is requeued starts again", "this program";
    BACKFILLED: "backfilled", Jobs, "jobs with an attempt that passed another job", "slurm-scheduler-lab";
    BACKFILL_STARTS: "backfill_starts", Attempts, "attempts that passed another job", "slurm-scheduler-lab";
    PREEMPTIONS: "preemptions", Attempts, "attempts that ended to make room", "slurm-scheduler-lab";
    THRASHED: "thrashed", Jobs, "jobs preempted at least twice", "slurm-scheduler-lab";
    NODE_FAILURES: "node_failures", Attempts, "attempts that ended because a node was lost", "Slurm's NODE_FAIL";
    MAKESPAN: "makespan", Seconds, "last end - first submit, over jobs that started", "Feitelson";
    WAIT: "wait", Seconds, "start of the job's last attempt - its submission", "slurm-scheduler-lab";
    ATTEMPT_WAIT: "attempt_wait", Seconds,
        "start of an attempt - when it was eligible: submitted, begin time reached, dependencies met, requeue delay over",
        "Slurm's Eligible and Start";
    QUEUE_TIME: "queue_time", Seconds,
        "length of the union of the intervals in which the job was pending: from its submission to its first start, and from each selection for preemption (or loss of a node) to the next start",
        "k8s-gpu-scheduler-lab, pending time under eviction";
    BOUNDED_SLOWDOWN: "bounded_slowdown", Ratio,
        "mean over finished jobs of (end - submit) / max(end - start, threshold) for the last attempt, by the rule with its threshold",
        "Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong: Theory and practice in parallel job scheduling, JSSPP 1997";
    UTILISATION: "utilisation", Share,
        "delivered / (capacity x horizon), where delivered = sum of amount x (end - start) over attempts that were not preempted and lost no node",
        "Standard Workload Archive; slurm-scheduler-lab";
    OCCUPANCY: "occupancy", Share, "(delivered + lost + locked) / (capacity x horizon)", "this program";
    NODES_IN_USE: "nodes_in_use", Share, "integral of the nodes with at least one job / (nodes x horizon)", "this program";
    DELIVERED: "delivered", ResourceHours,
        "sum of amount x (end - start) over attempts that were not preempted and lost no node, within the horizon",
        "slurm-scheduler-lab";
    IDLE: "idle", ResourceHours, "integral of the free amount within the horizon", "this program";
    LOST: "lost", ResourceHours,
        "sum of amount x (selection or loss of the node - start) over preempted attempts and those that lost a node, within the horizon",
        "slurm-scheduler-lab, lost work";
    LOCKED: "locked", ResourceHours,
        "sum of amount x (end - selection) over preempted attempts, within the horizon: their grace time",
        "slurm-scheduler-lab, grace-locked";
    FRAGMENTATION_A: "fragmentation_a", Share,
        "integral of what is free on nodes with less free than the smallest request per node among eligible pending jobs that ask for any / integral of what is free",
        "k8s-gpu-scheduler-lab, definition A";
    FRAGMENTATION_A_OF_FLEET: "fragmentation_a_of_fleet", Share,
        "the numerator of fragmentation_a / (capacity x horizon)", "k8s-gpu-scheduler-lab, definition A";
    FRAGMENTATION_B: "fragmentation_b", Share,
        "integral of what is free on nodes with less free than the largest request per node of the workload / integral of what is free",
        "k8s-gpu-scheduler-lab, definition B";
    FRAGMENTATION_C: "fragmentation_c", Share,
        "integral of what is free on nodes whose node, rack or switch has some in use / integral of what is free; `any`: free GPUs where a GPU or anything else is in use",
        "k8s-gpu-scheduler-lab and slurm-scheduler-lab, definition C";
    TIER_SHARE: "tier_share", Share,
        "jobs of several parts (nodes or tasks) whose last attempt spans this tier and no less / jobs of several parts that started",
        "k8s-gpu-scheduler-lab";
    MEAN_TIER: "mean_tier", Ratio,
        "mean over jobs of several parts that started of 0 for one NVSwitch domain, 1 node, 2 rack, 3 switch, 4 more than one switch",
        "this program";
    PENALTY: "assumed_penalty", Ratio,
        "ASSUMED, not measured: mean over jobs of more than one GPU that started, weighted by their GPUs, of 1.0 for one NVSwitch domain, 1.2 node, 1.4 rack, 1.8 switch, 2.2 more than one switch",
        "k8s-gpu-scheduler-lab's assumed table";
    FAIRNESS: "fairness", Ratio,
        "largest / smallest of delivered / demanded over accounts that were delivered any; demanded = amount x runtime of all the account's jobs",
        "k8s-gpu-scheduler-lab, account fairness";
    SIZE_WAIT_RHO: "size_wait_rho", Ratio,
        "Spearman's rank correlation of size and queue time over jobs that started, ties with their mean rank",
        "k8s-gpu-scheduler-lab, size fairness";
    STARVATION: "starvation", Ratio,
        "mean queue time of jobs at least as large as the largest node / mean queue time of jobs of size 1, over jobs that started",
        "k8s-gpu-scheduler-lab, large-job starvation ratio";
    TIME_LIMIT_ACCURACY: "time_limit_accuracy", Share,
        "sum of (end - start) of the last attempt / sum of time limits, over finished jobs", "slurm-scheduler-lab";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_definition_says_something_and_has_its_own_key() {
        let keys: BTreeSet<_> = ALL.iter().map(|definition| definition.key).collect();
        assert_eq!(keys.len(), ALL.len());
        for text in ALL.iter().flat_map(|definition| [definition.key, definition.formula, definition.source])
        {
            assert!(!text.is_empty() && !text.ends_with('.'), "{text:?}");
        }
    }
}
