//! How many jobs of one user, partition or account a cycle tries.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::JobSpec;

use super::SlurmParams;
use super::partitions::Partitions;

/// Whose jobs are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    User(Arc<str>),
    Partition(usize),
    UserInPartition(Arc<str>, usize),
    Association(Arc<str>, Arc<str>),
}

/// The counts of one cycle.
#[derive(Debug)]
pub(super) struct Caps<'a> {
    params: &'a SlurmParams,
    partitions: Partitions<'a>,
    tried: BTreeMap<Whose, u32>,
}

impl<'a> Caps<'a> {
    pub(super) const fn new(params: &'a SlurmParams, partitions: Partitions<'a>) -> Self {
        Caps { params, partitions, tried: BTreeMap::new() }
    }

    /// Whether there are any.
    pub(super) const fn exist(params: &SlurmParams) -> bool {
        params.bf_max_job_user > 0
            || params.bf_max_job_part > 0
            || params.bf_max_job_user_part > 0
            || params.bf_max_job_assoc > 0
    }

    /// Counts a job, unless one of its counts is full already.
    pub(super) fn admit(&mut self, spec: &JobSpec) -> bool {
        if !Self::exist(self.params) {
            return true;
        }
        let partition = self.partitions.of(spec);
        let user = || Arc::clone(&spec.user);
        let counts = [
            (self.params.bf_max_job_user_part, Whose::UserInPartition(user(), partition)),
            (self.params.bf_max_job_part, Whose::Partition(partition)),
            match self.params.bf_max_job_assoc {
                0 => (self.params.bf_max_job_user, Whose::User(user())),
                most => (most, Whose::Association(user(), Arc::clone(&spec.account))),
            },
        ];
        let counts = counts.into_iter().filter(|(most, _)| *most > 0);
        let full = |(most, whose): &(u32, Whose)| self.tried.get(whose).is_some_and(|tried| tried >= most);
        if counts.clone().any(|count| full(&count)) {
            return false;
        }
        for (_, whose) in counts {
            *self.tried.entry(whose).or_insert(0) += 1;
        }
        true
    }
}
