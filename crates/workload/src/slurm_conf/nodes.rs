//! `NodeName` and `NodeSet` lines: the machines.

use std::collections::BTreeSet;
use std::sync::Arc;

use switchyard_model::{Domains, FleetSpec, Naming, NodeClass, Resources};

use super::error::SlurmConfError;
use super::gres::gres;
use super::hosts::{HOSTS_MAX, NoHosts, hosts};
use super::keys;
use super::notes::Notes;
use super::{Spot, keys::Concern};

/// More than any job asks for, where memory isn't counted or not given; a fleet's sum still fits in 64 bits.
const AMPLE_MEMORY_MIB: u64 = 1 << 40;
const NODES_PER_RACK: u32 = 4;

/// Equal nodes.
#[derive(Clone, Debug)]
pub(super) struct NodeLine {
    pub(super) names: Vec<Arc<str>>,
    spec: NodeSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NodeSpec {
    cpus: u32,
    gpus: u32,
    model: Option<Arc<str>>,
    memory_mib: Option<u64>,
    features: Vec<Arc<str>>,
}

/// Some nodes under one name.
#[derive(Clone, Debug)]
pub(super) struct NodeSetLine {
    pub(super) name: Arc<str>,
    pub(super) nodes: Vec<String>,
    pub(super) feature: Option<Arc<str>>,
}

/// A line that begins with `NodeName`, with its defaults in front.
pub(super) struct NodeReader<'a> {
    pub(super) at: &'a Spot,
    pub(super) notes: &'a mut Notes,
}

impl NodeReader<'_> {
    /// `None` for machines that don't exist yet.
    pub(super) fn read(
        &mut self,
        list: &str,
        pairs: &[(String, String)],
    ) -> Result<Option<NodeLine>, SlurmConfError> {
        let names = expand(self.at, "NodeName", list)?.into_iter().map(Into::into).collect();
        let last = |keys: &[&str]| {
            let of = |(key, _): &&(String, String)| keys.iter().any(|name| key.eq_ignore_ascii_case(name));
            pairs.iter().rev().find(of).map(|(_, value)| value.as_str())
        };
        let number = |keys: &[&str]| match (keys, last(keys)) {
            (_, None) => Ok(None),
            ([key, ..], Some(text)) => self.number(key, text).map(Some),
            ([], Some(_)) => Ok(None),
        };
        let (boards, per_board) = (number(&["Boards"])?, number(&["SocketsPerBoard"])?);
        let in_boards = per_board.map(|per_board| per_board.saturating_mul(boards.unwrap_or(1)));
        let sockets = number(&["Sockets"])?.or(in_boards);
        let (cores, threads) = (number(&["CoresPerSocket"])?, number(&["ThreadsPerCore"])?);
        let product =
            [sockets, cores, threads].iter().flatten().fold(1u32, |all, one| all.saturating_mul(*one));
        let cpus = number(&["CPUs", "Procs"])?.unwrap_or(product);
        let memory_mib = last(&["RealMemory"]).map(|text| self.megabytes(text)).transpose()?;
        let mut spec = NodeSpec { cpus, memory_mib, ..NodeSpec::default() };
        if let Some(text) = last(&["Gres"]) {
            self.add_gpus(&mut spec, text)?;
        }
        if let Some(text) = last(&["Features", "Feature"]) {
            spec.features =
                text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(Into::into).collect();
        }
        let state = last(&["State"]).unwrap_or("UNKNOWN");
        for (key, _) in pairs {
            match keys::node_concern(key) {
                Concern::Used => {}
                Concern::NotModelled => self.notes.not_modelled(self.at, &format!("{key} of NodeName")),
                Concern::Elsewhere => self.notes.elsewhere(self.at, &format!("{key} of NodeName")),
                Concern::Unknown => self.notes.unknown(self.at, &format!("{key} of NodeName")),
            }
        }
        Ok(self.exists(list, state).then_some(NodeLine { names, spec }))
    }

    fn exists(&mut self, list: &str, state: &str) -> bool {
        let state = state.to_ascii_uppercase();
        match state.as_str() {
            "FUTURE" => {
                self.notes.add(
                    self.at,
                    format!("{list} are left out: State=FUTURE means that they don't exist yet."),
                );
                return false;
            }
            "UNKNOWN" | "IDLE" | "CLOUD" => {}
            _ => self
                .notes
                .add(self.at, format!("State={state} of {list} is not looked at; all nodes are in service.")),
        }
        true
    }

    fn add_gpus(&mut self, spec: &mut NodeSpec, text: &str) -> Result<(), SlurmConfError> {
        let read = gres(text).ok_or_else(|| self.value("Gres", "a list of name[:type]:count", text))?;
        if read.mixed {
            let said = "a node with GPUs of several models: they count as equal, and no job gets them by their model.";
            self.notes.add(self.at, said.to_owned());
        }
        for other in read.others {
            self.notes.not_modelled(self.at, &format!("Gres={other}"));
        }
        (spec.gpus, spec.model) = (read.gpus, read.model);
        Ok(())
    }

    fn number(&self, key: &str, text: &str) -> Result<u32, SlurmConfError> {
        let number = text.parse().ok().filter(|&number| number > 0);
        number.ok_or_else(|| self.value(key, "a whole number from 1", text))
    }

    fn megabytes(&self, text: &str) -> Result<u64, SlurmConfError> {
        let number = text.parse().ok().filter(|&number| number <= AMPLE_MEMORY_MIB);
        number.ok_or_else(|| self.value("RealMemory", "a number of megabytes", text))
    }

    fn value(&self, key: &str, expected: &'static str, found: &str) -> SlurmConfError {
        SlurmConfError::Value { at: self.at.clone(), key: key.to_owned(), expected, found: found.to_owned() }
    }
}

/// The hosts that `list` stands for.
pub(super) fn expand(at: &Spot, key: &str, list: &str) -> Result<Vec<String>, SlurmConfError> {
    let found = list.to_owned();
    hosts(list).map_err(|problem| match problem {
        NoHosts::TooMany => SlurmConfError::TooManyHosts { at: at.clone(), found, most: HOSTS_MAX },
        NoHosts::Malformed => {
            let expected = "a list of names, as in n[01-16],login";
            SlurmConfError::Value { at: at.clone(), key: key.to_owned(), expected, found }
        }
    })
}

/// Whether any of these nodes is there already.
pub(super) fn remember(
    known: &mut BTreeSet<Arc<str>>,
    line: &NodeLine,
    at: &Spot,
) -> Result<(), SlurmConfError> {
    for name in &line.names {
        if !known.insert(Arc::clone(name)) {
            return Err(SlurmConfError::NodeTwice { at: at.clone(), node: name.to_string() });
        }
    }
    Ok(())
}

/// Neighbouring lines with equal nodes make one class.
pub(super) fn fleet(name: &Arc<str>, lines: &[NodeLine], counts_memory: bool) -> Option<FleetSpec> {
    let mut classes: Vec<(NodeSpec, NodeClass)> = Vec::new();
    for line in lines {
        match classes.last_mut().filter(|(spec, _)| *spec == line.spec) {
            Some((_, class)) => class.names.extend(line.names.iter().cloned()),
            None => classes.push((line.spec.clone(), class(line, counts_memory))),
        }
    }
    let mut classes: Vec<NodeClass> = classes.into_iter().map(|(_, class)| class).collect();
    for class in &mut classes {
        class.count = u32::try_from(class.names.len()).unwrap_or(u32::MAX);
    }
    (!classes.is_empty()).then(|| FleetSpec::of(name, classes))
}

fn class(line: &NodeLine, counts_memory: bool) -> NodeClass {
    let spec = &line.spec;
    let memory_mib = spec.memory_mib.filter(|_| counts_memory).unwrap_or(AMPLE_MEMORY_MIB);
    NodeClass {
        name: line.names.first().cloned().unwrap_or_default(),
        naming: Naming::default(),
        names: line.names.clone(),
        count: 0,
        node: Resources { cpus: spec.cpus, gpus: spec.gpus, memory_mib },
        nodes_per_rack: NODES_PER_RACK,
        domains: Domains::Node,
        gpu_model: spec.model.clone(),
        features: spec.features.clone(),
    }
}
