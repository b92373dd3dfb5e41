//! Finds what can't be meant in a `--site` file: names given twice or nowhere, nodes that the fleet doesn't have, time that runs
//! backwards.

use std::fmt;
use std::sync::Arc;

use switchyard_model::{Association, Fleet, NodeId, Partition, Site};
use thiserror::Error;

/// Where in the file, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {fault}")]
pub(crate) struct SiteProblem {
    place: Place,
    fault: Fault,
}

/// An entry of one of the file's lists, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    list: &'static str,
    number: usize,
    name: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, entry {} (\"{}\")", self.list, self.number, self.name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Fault {
    #[error("it has no name; give it one")]
    NoName,
    #[error("entry {first} has the same name; give each its own")]
    Duplicate { first: usize },
    #[error("entry {first} is the default, too; jobs without a partition can go to one only")]
    TwoDefaults { first: usize },
    #[error("there is no node {node}; the fleet has nodes 0 to {last}")]
    NoSuchNode { node: NodeId, last: usize },
    #[error("it has no nodes; name some, or leave \"nodes\" out of a partition of all")]
    NoNodes,
    #[error("its default_time is longer than its max_time; jobs without a limit could never run")]
    DefaultTime,
    #[error("it ends at {end_s} s and begins at {start_s} s; \"end\" has to be after \"start\"")]
    Backwards { start_s: String, end_s: String },
    #[error("it preempts \"{name}\", which is not among qos; add that, or leave it out")]
    UnknownQos { name: Arc<str> },
    #[error("its parent \"{name}\" is not among associations; add the account, or leave the parent out")]
    UnknownParent { name: Arc<str> },
    #[error("it is above itself; correct its parent or that of an account above it")]
    Circle,
    #[error("only accounts have a parent; give it to the account")]
    ParentOfUser,
}

/// The first problem of the file, in its own order.
pub(crate) fn check(site: &Site, fleet: &Fleet) -> Result<(), SiteProblem> {
    partitions(&site.partitions, fleet)?;
    let names: Vec<&str> = site.qos.iter().map(|qos| &*qos.name).collect();
    unique("qos", &names)?;
    for (index, qos) in site.qos.iter().enumerate() {
        let unknown = qos.preempt.iter().find(|name| !names.contains(&&***name));
        if let Some(name) = unknown {
            return fail("qos", index, &qos.name, Fault::UnknownQos { name: Arc::clone(name) });
        }
    }
    associations(&site.associations)?;
    let names: Vec<&str> = site.reservations.iter().map(|kept| &*kept.name).collect();
    unique("reservations", &names)?;
    for (index, kept) in site.reservations.iter().enumerate() {
        let fault = if kept.end <= kept.start {
            let (start_s, end_s) = (crate::show::seconds(kept.start), crate::show::seconds(kept.end));
            Some(Fault::Backwards { start_s, end_s })
        } else {
            nodes(&kept.nodes, fleet)
        };
        if let Some(fault) = fault {
            return fail("reservations", index, &kept.name, fault);
        }
    }
    Ok(())
}

fn partitions(partitions: &[Partition], fleet: &Fleet) -> Result<(), SiteProblem> {
    let names: Vec<&str> = partitions.iter().map(|partition| &*partition.name).collect();
    unique("partitions", &names)?;
    let mut default = None;
    for (index, partition) in partitions.iter().enumerate() {
        let longer = |time| partition.max_time.is_some_and(|most| time > most);
        let fault = match default {
            Some(first) if partition.default => Some(Fault::TwoDefaults { first }),
            _ if partition.default_time.is_some_and(longer) => Some(Fault::DefaultTime),
            _ => partition.nodes.as_deref().and_then(|all| nodes(all, fleet)),
        };
        if let Some(fault) = fault {
            return fail("partitions", index, &partition.name, fault);
        }
        default = default.or(partition.default.then_some(index + 1));
    }
    Ok(())
}

fn associations(all: &[Association]) -> Result<(), SiteProblem> {
    let account = |name: &Arc<str>| all.iter().find(|other| other.user.is_none() && other.account == *name);
    for (index, own) in all.iter().enumerate() {
        let name = match &own.user {
            Some(user) => format!("{user} in {}", own.account),
            None => own.account.to_string(),
        };
        let same = |other: &Association| other.account == own.account && other.user == own.user;
        let first = all.iter().position(same).filter(|first| *first < index);
        let fault = match (&own.parent, first) {
            _ if own.account.is_empty() => Some(Fault::NoName),
            (_, Some(first)) => Some(Fault::Duplicate { first: first + 1 }),
            (Some(_), None) if own.user.is_some() => Some(Fault::ParentOfUser),
            (Some(parent), None) if account(parent).is_none() => {
                Some(Fault::UnknownParent { name: Arc::clone(parent) })
            }
            _ => {
                // As many steps as there are entries: who has not come to the root by then never will.
                let end = (0..all.len()).try_fold(own, |at, _| account(at.parent.as_ref()?));
                end.map(|_| Fault::Circle)
            }
        };
        if let Some(fault) = fault {
            return fail("associations", index, &name, fault);
        }
    }
    Ok(())
}

fn nodes(nodes: &[NodeId], fleet: &Fleet) -> Option<Fault> {
    let last = fleet.nodes().len().saturating_sub(1);
    let unknown = nodes.iter().find(|node| fleet.node(**node).is_none());
    match unknown {
        Some(&node) => Some(Fault::NoSuchNode { node, last }),
        None => nodes.is_empty().then_some(Fault::NoNodes),
    }
}

fn unique(list: &'static str, names: &[&str]) -> Result<(), SiteProblem> {
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return fail(list, index, name, Fault::NoName);
        }
        if let Some(first) = names.iter().take(index).position(|other| other == name) {
            return fail(list, index, name, Fault::Duplicate { first: first + 1 });
        }
    }
    Ok(())
}

fn fail(list: &'static str, index: usize, name: &str, fault: Fault) -> Result<(), SiteProblem> {
    let place = Place { list, number: index + 1, name: name.to_owned() };
    Err(SiteProblem { place, fault })
}
