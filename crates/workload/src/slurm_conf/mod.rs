//! Reads a cluster's `slurm.conf`: its machines, its partitions, and the settings of its scheduler.
//!
//! A file is lines of `Key=value`; keys in any case. `#` begins a comment (`\#` doesn't), a backslash at the end joins the next
//! line, `Include FILE` reads another file. `NodeName`, `PartitionName` and `NodeSet` begin lines with several pairs, and their
//! `DEFAULT` holds for the lines that follow. Source: `slurm.conf(5)`.
//!
//! What is read is handed on in three parts: [`SlurmConf::fleet`], [`SlurmConf::site`], and [`SlurmConf::settings`], which are
//! the scheduler's. All other keys are [reported](Note) with their lines: nothing is left out silently.

mod error;
mod gres;
mod hosts;
mod keys;
mod lines;
mod nodes;
mod notes;
mod pairs;
mod partitions;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Site};

pub use error::SlurmConfError;
pub use notes::Note;

use nodes::{NodeLine, NodeSetLine};
use notes::Notes;
use partitions::PartitionLine;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The file's name.
    pub file: Arc<str>,
    /// The line, from 1; of lines that were joined the first.
    pub line: u64,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)
    }
}

/// A setting of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name as Slurm spells it, for example `PriorityWeightAge`.
    pub key: &'static str,
    /// What it is set to.
    pub value: String,
    /// Where.
    pub at: Spot,
}

/// What a `slurm.conf` says.
#[derive(Clone, Debug)]
pub struct SlurmConf {
    /// The file's name.
    pub name: Arc<str>,
    /// The scheduler's settings, each once.
    pub settings: Vec<Setting>,
    cluster: Option<Arc<str>>,
    nodes: Vec<NodeLine>,
    node_sets: Vec<NodeSetLine>,
    partitions: Vec<PartitionLine>,
    licences: BTreeMap<Arc<str>, u32>,
    /// `SelectType=select/linear`: jobs get whole nodes.
    whole_nodes: bool,
    /// `SelectTypeParameters=…_Memory`: memory is given out like processors.
    counts_memory: bool,
    notes: Notes,
}

impl SlurmConf {
    /// Reads a file. `name` is what messages call it; `include` gets the name that stands after `Include` and returns what is in
    /// that file, or a sentence that says why it can't.
    ///
    /// # Errors
    /// When a line makes no sense, or a file can't be included.
    pub fn read(
        name: &str,
        text: &str,
        include: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<SlurmConf, SlurmConfError> {
        read::read(name, text, include)
    }

    /// The scheduler's setting with this name.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key.eq_ignore_ascii_case(key))
    }

    /// The machines of the `NodeName` lines, four to a rack; `None` when there are none.
    pub fn fleet(&self) -> Option<FleetSpec> {
        let name = self.cluster.as_ref().unwrap_or(&self.name);
        nodes::fleet(name, &self.nodes, self.counts_memory)
    }

    /// The partitions and licences, for machines that need not be those of the file; and what doesn't fit together.
    pub fn site(&self, fleet: &Fleet) -> (Site, Vec<Note>) {
        let mut notes = Notes::default();
        let mut partitions = partitions::resolve(&self.partitions, &self.node_sets, fleet, &mut notes);
        if self.whole_nodes {
            partitions.iter_mut().for_each(|partition| partition.exclusive = true);
        }
        let site = Site { partitions, licences: self.licences.clone(), ..Site::default() };
        (site, notes.into_list())
    }

    /// What of the file is not used, or not as it stands, in the order of its lines.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.clone().into_list()
    }
}
