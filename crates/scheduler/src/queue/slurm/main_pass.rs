//! A main pass: starts what fits, in order, and in each partition only up to the first job that doesn't.

use switchyard_model::Resources;

use super::SlurmParams;
use super::partitions::Partitions;
use crate::cluster::Pending;
use crate::consumables::{Consumables, LicenceNeed};
use crate::explain::Verdict;
use crate::pass::Pass;
use crate::ranking::{Entry, Key};

/// It was a job's turn.
pub(super) enum Turn<'a, 'c> {
    Starts(Key),
    /// It can't start. It may use this much of each node, if that is limited.
    Blocked {
        job: &'a Pending,
        key: Key,
        cap: Option<&'c [Resources]>,
    },
}

/// What a main pass knows of the partitions.
struct Progress<'a> {
    partitions: Partitions<'a>,
    /// How many jobs of each it looked at.
    looked: Vec<u32>,
    blocked: Vec<bool>,
    /// What may still be used of each node; `None` as long as nothing is blocked.
    cap: Option<Vec<Resources>>,
    /// The licences that jobs wait for.
    short: Vec<LicenceNeed>,
    all_blocked: bool,
}

/// Makes a main pass over the queue, of any depth or of the depth of those that follow an event. Tells
/// about each job whose turn it was.
pub(super) fn main_pass<'a>(
    pass: &mut Pass<'a>,
    queue: impl Iterator<Item = Entry>,
    params: &SlurmParams,
    full: bool,
    mut told: impl FnMut(&mut Pass<'a>, Turn<'a, '_>),
) {
    let cluster = pass.cluster;
    let mut progress = Progress::new(Partitions::of_site(cluster.site()));
    let mut depth = 0;
    for entry in queue {
        let Some(job) = pass.job(entry.key) else { continue };
        if job.not_before > pass.now || pass.out_of_the_race(job).is_some() {
            continue;
        }
        let partition = progress.partitions.of(&job.spec);
        if !progress.look(partition, params) {
            continue;
        }
        if !full && depth > params.default_queue_depth {
            return;
        }
        depth += 1;
        if progress.blocked.get(partition) == Some(&true) {
            continue;
        }
        // Others may still start before a job for which licences or limits leave nothing.
        if !progress.licences(pass, params).covers(job.licences()) {
            progress.short.extend(job.licences());
            continue;
        }
        match pass.attempt(job, progress.cap.as_deref()) {
            Ok(placement) => {
                pass.start(job, placement, false);
                told(pass, Turn::Starts(entry.key));
            }
            Err(Verdict::Held(_)) => {}
            Err(_) => {
                told(pass, Turn::Blocked { job, key: entry.key, cap: progress.cap.as_deref() });
                if params.reserves(&pass.policy.order, entry.key) {
                    progress.block(pass, partition);
                }
            }
        }
        if progress.all_blocked {
            return;
        }
    }
}

impl<'a> Progress<'a> {
    fn new(partitions: Partitions<'a>) -> Self {
        Progress {
            partitions,
            looked: vec![0; partitions.len()],
            blocked: vec![false; partitions.len()],
            cap: None,
            short: Vec::new(),
            all_blocked: false,
        }
    }

    /// Counts a job of the partition, unless it has had its number.
    fn look(&mut self, partition: usize, params: &SlurmParams) -> bool {
        let Some(looked) = self.looked.get_mut(partition) else { return true };
        *looked += 1;
        params.partition_job_depth == 0 || *looked <= params.partition_job_depth
    }

    /// The licences that are to be had. Where cycles plan them, those that others wait for are theirs.
    fn licences(&self, pass: &Pass<'_>, params: &SlurmParams) -> Consumables {
        let mut licences = pass.licences();
        if params.bf_licenses {
            licences.take(&self.short);
        }
        licences
    }

    /// Nobody else starts in this partition, nor on its nodes: its first job waits for them.
    fn block(&mut self, pass: &Pass<'_>, partition: usize) {
        if let Some(blocked) = self.blocked.get_mut(partition) {
            *blocked = true;
        }
        if self.partitions.nodes(partition).is_none() {
            self.all_blocked = true;
            return;
        }
        let nodes = pass.room.nodes().len();
        let most = Resources { cpus: u32::MAX, gpus: u32::MAX, memory_mib: u64::MAX };
        let cap = self.cap.get_or_insert_with(|| vec![most; nodes]);
        for node in self.partitions.nodes(partition).unwrap_or_default() {
            if let Some(cap) = cap.get_mut(node.index()) {
                *cap = Resources::default();
            }
        }
        self.all_blocked = self.blocked.iter().all(|blocked| *blocked);
    }
}
