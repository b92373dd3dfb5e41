//! `PartitionName` lines: which nodes, under which rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Fleet, NodeId, Partition, PreemptMode, SimDuration, slurm_time};

use super::Spot;
use super::error::SlurmConfError;
use super::keys::{self, Concern};
use super::nodes::{NodeSetLine, expand};
use super::notes::Notes;

/// Names in a remark, before it says "and so on".
const SHOWN: usize = 5;

/// A partition whose nodes are only names yet.
#[derive(Clone, Debug)]
pub(super) struct PartitionLine {
    at: Spot,
    /// `None` for all.
    nodes: Option<Vec<String>>,
    pub(super) partition: Partition,
}

/// Reads a line that begins with `PartitionName`, with its defaults in front.
pub(super) struct PartitionReader<'a> {
    pub(super) at: &'a Spot,
    pub(super) notes: &'a mut Notes,
}

impl PartitionReader<'_> {
    pub(super) fn read(
        &mut self,
        name: &str,
        pairs: &[(String, String)],
    ) -> Result<PartitionLine, SlurmConfError> {
        let at = self.at.clone();
        let mut line = PartitionLine { at, nodes: Some(Vec::new()), partition: Partition::new(name, None) };
        for (key, value) in pairs {
            match keys::partition_concern(key) {
                Concern::Used => self.set(&mut line, &key.to_ascii_lowercase(), value)?,
                Concern::NotModelled => {
                    self.notes.not_modelled(self.at, &format!("{key} of partition {name}"));
                }
                Concern::Elsewhere => self.notes.elsewhere(self.at, &format!("{key} of partition {name}")),
                Concern::Unknown => self.notes.unknown(self.at, &format!("{key} of partition {name}")),
            }
        }
        Ok(line)
    }

    fn set(&mut self, line: &mut PartitionLine, key: &str, value: &str) -> Result<(), SlurmConfError> {
        let partition = &mut line.partition;
        match key {
            "nodes" => line.nodes = self.nodes(value)?,
            "default" => partition.default = self.yes("Default", value)?,
            "defaulttime" => partition.default_time = self.time("DefaultTime", value)?,
            "maxtime" => partition.max_time = self.time("MaxTime", value)?,
            "maxnodes" => partition.max_nodes = self.most("MaxNodes", value)?,
            "prioritytier" => partition.tier = self.small("PriorityTier", value)?,
            "priorityjobfactor" => partition.job_factor = self.small("PriorityJobFactor", value)?,
            "priority" => {
                partition.tier = self.small("Priority", value)?;
                partition.job_factor = partition.tier;
            }
            "gracetime" => partition.grace = SimDuration::from_secs(self.seconds("GraceTime", value)?),
            "preemptmode" => partition.preempt = self.preempt(value),
            "oversubscribe" | "shared" => partition.exclusive = self.exclusive(value),
            "state" => partition.down = self.down(value),
            _ => {}
        }
        Ok(())
    }

    fn nodes(&self, value: &str) -> Result<Option<Vec<String>>, SlurmConfError> {
        if value.eq_ignore_ascii_case("ALL") {
            return Ok(None);
        }
        expand(self.at, "Nodes", value).map(Some)
    }

    fn exclusive(&mut self, value: &str) -> bool {
        let upper = value.to_ascii_uppercase();
        if upper != "EXCLUSIVE" && upper != "NO" {
            self.notes.not_modelled(self.at, &format!("OverSubscribe={value}"));
        }
        upper == "EXCLUSIVE"
    }

    fn down(&mut self, value: &str) -> bool {
        let upper = value.to_ascii_uppercase();
        if upper == "DRAIN" {
            self.notes.add(
                self.at,
                "State=DRAIN takes no new jobs; here they come and wait, as with DOWN.".to_owned(),
            );
        }
        upper != "UP"
    }

    fn preempt(&mut self, value: &str) -> Option<PreemptMode> {
        let mut mode = None;
        for word in value.split(',').map(|word| word.trim().to_ascii_uppercase()) {
            match word.as_str() {
                "OFF" => mode = Some(PreemptMode::Off),
                "CANCEL" => mode = Some(PreemptMode::Cancel),
                "REQUEUE" => mode = Some(PreemptMode::Requeue),
                _ => self.notes.not_modelled(self.at, &format!("PreemptMode={word} of a partition")),
            }
        }
        mode
    }

    fn yes(&self, key: &str, value: &str) -> Result<bool, SlurmConfError> {
        match value.to_ascii_lowercase().as_str() {
            "yes" | "up" | "true" | "1" => Ok(true),
            "no" | "down" | "false" | "0" => Ok(false),
            _ => Err(self.wrong(key, "YES or NO", value)),
        }
    }

    fn time(&self, key: &str, value: &str) -> Result<Option<SimDuration>, SlurmConfError> {
        let expected = "a length of time, as in 7-00:00:00 or INFINITE";
        let time = slurm_time(value).ok_or_else(|| self.wrong(key, expected, value))?;
        Ok(Some(time).filter(|time| *time < SimDuration::MAX))
    }

    fn most(&self, key: &str, value: &str) -> Result<Option<u32>, SlurmConfError> {
        if ["UNLIMITED", "INFINITE"].iter().any(|word| value.eq_ignore_ascii_case(word)) {
            return Ok(None);
        }
        value.parse().map(Some).map_err(|_| self.wrong(key, "a whole number or UNLIMITED", value))
    }

    fn small(&self, key: &str, value: &str) -> Result<u16, SlurmConfError> {
        value.parse().map_err(|_| self.wrong(key, "a whole number up to 65535", value))
    }

    fn seconds(&self, key: &str, value: &str) -> Result<u64, SlurmConfError> {
        let seconds = value.parse::<u32>().map(u64::from);
        seconds.map_err(|_| self.wrong(key, "a whole number of seconds", value))
    }

    fn wrong(&self, key: &str, expected: &'static str, found: &str) -> SlurmConfError {
        SlurmConfError::Value { at: self.at.clone(), key: key.to_owned(), expected, found: found.to_owned() }
    }
}

/// Finds the nodes by their names.
pub(super) fn resolve(
    lines: &[PartitionLine],
    sets: &[NodeSetLine],
    fleet: &Fleet,
    notes: &mut Notes,
) -> Vec<Partition> {
    let by_name: BTreeMap<&str, NodeId> = fleet.nodes().iter().map(|node| (&*node.name, node.id)).collect();
    let resolve = |line: &PartitionLine| {
        let Some(names) = &line.nodes else { return line.partition.clone() };
        let mut missing: Vec<&str> = Vec::new();
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut add = |name| match by_name.get(name) {
            Some(&node) => nodes.push(node),
            None => missing.push(name),
        };
        for name in names {
            match sets.iter().find(|set| *set.name == **name) {
                None => add(name),
                Some(set) => {
                    set.nodes.iter().for_each(|name| add(name));
                    with_feature(fleet, set.feature.as_ref()).for_each(&mut add);
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        say_missing(line, &missing, nodes.len(), notes);
        Partition { nodes: Some(nodes), ..line.partition.clone() }
    };
    lines.iter().map(resolve).collect()
}

fn with_feature<'a>(fleet: &'a Fleet, feature: Option<&'a Arc<str>>) -> impl Iterator<Item = &'a str> {
    let has =
        move |node: &&switchyard_model::Node| feature.is_some_and(|feature| node.features.contains(feature));
    fleet.nodes().iter().filter(has).map(|node| &*node.name)
}

fn say_missing(line: &PartitionLine, missing: &[&str], left: usize, notes: &mut Notes) {
    let name = &line.partition.name;
    let none = if left == 0 { "; it has none, and its jobs never start" } else { "" };
    let shown = missing.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more =
        if missing.len() > SHOWN { format!(" and {} more", missing.len() - SHOWN) } else { String::new() };
    if !missing.is_empty() {
        notes.add(
            &line.at,
            format!("partition {name} names nodes that the fleet doesn't have: {shown}{more}{none}."),
        );
    } else if left == 0 {
        notes.add(&line.at, format!("partition {name} has no nodes; its jobs never start."));
    }
}
