//! Which partition a job is in, as a number.

use switchyard_model::{JobSpec, NodeId, Partition, Site};

/// The partitions of a site, by their place in the list. A site without any has one of all nodes: number 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partitions<'a>(pub(crate) &'a [Partition]);

impl<'a> Partitions<'a> {
    pub(crate) fn of_site(site: &'a Site) -> Self {
        Partitions(&site.partitions)
    }

    /// How many, at least one.
    pub(crate) const fn len(self) -> usize {
        if self.0.is_empty() { 1 } else { self.0.len() }
    }

    /// The partition of a job. One that names none, or one that there isn't, counts to the default one.
    pub(crate) fn of(self, spec: &JobSpec) -> usize {
        let named = spec.terms.partition.as_ref();
        let named = named.and_then(|name| self.0.iter().position(|partition| partition.name == *name));
        named.or_else(|| self.0.iter().position(|partition| partition.default)).unwrap_or(0)
    }

    /// The partition itself, if there are any.
    pub(crate) fn get(self, spec: &JobSpec) -> Option<&'a Partition> {
        self.0.get(self.of(spec))
    }

    /// The nodes of a partition; `None` means all.
    pub(crate) fn nodes(self, partition: usize) -> Option<&'a [NodeId]> {
        self.0.get(partition)?.nodes.as_deref()
    }
}
