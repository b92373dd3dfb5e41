//! What can be seen of the world: nothing here changes it.

use std::collections::{BTreeMap, VecDeque};

use switchyard_model::{Fleet, Job, JobId, NodeId, RunDigest, SimDuration, SimTime};
use switchyard_raft::Term;
use switchyard_scheduler::{Plan, Policy};

use super::World;
use crate::agent::Agent;
use crate::book::{Book, NodeState};
use crate::check::Violation;
use crate::client::Login;
use crate::command::Intervention;
use crate::control::Replica;
use crate::event::Record;
use crate::ground::{Flight, Loss};
use crate::net::Network;
use crate::policies::{Policies, Setting};
use crate::record::{Counts, Sample};
use crate::timing::Timing;

impl World {
    /// The simulated time.
    pub const fn now(&self) -> SimTime {
        self.ground.now
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// How many events have happened.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The machines.
    pub fn fleet(&self) -> &Fleet {
        &self.ground.fleet
    }

    /// The durations in force.
    pub fn timing(&self) -> &Timing {
        &self.ground.timing
    }

    /// The fingerprint of the run so far: all that happened, and the committed book.
    pub fn digest(&self) -> RunDigest {
        let mut digest = self.digest;
        digest.absorb(&self.ground.now.as_micros().to_le_bytes());
        match postcard::to_stdvec(self.book()) {
            Ok(bytes) => digest.absorb(&bytes),
            Err(error) => digest.absorb(error.to_string().as_bytes()),
        }
        digest
    }

    /// All replicas, by number.
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The agents of all nodes, by number.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The login host.
    pub const fn login(&self) -> &Login {
        &self.login
    }

    /// The network.
    pub const fn network(&self) -> &Network {
        &self.ground.net
    }

    /// Who leads: the leader of the highest term among running replicas. A deposed one may not know it yet.
    pub fn leader(&self) -> Option<(&Replica, Term)> {
        let leading = self.replicas.iter().filter_map(|replica| Some((replica, replica.lead()?.term())));
        leading.max_by_key(|(_, term)| *term)
    }

    /// What the leader's last pass decided, while there is a leader that acts.
    pub fn plan(&self) -> Option<&Plan> {
        let lead = self.leader()?.0.lead()?;
        lead.acts().then(|| lead.plan())
    }

    /// The book as it was last committed, known to an onlooker even when no replica runs.
    pub const fn book(&self) -> &Book {
        self.ground.recorder.book()
    }

    /// The policies that can be chosen here.
    pub fn policies(&self) -> &Policies {
        &self.ground.policies
    }

    /// How the scheduler is set, by what is committed.
    pub const fn setting(&self) -> &Setting {
        self.book().setting()
    }

    /// The policy that is in force, by what is committed: as it was chosen, or with backfill switched.
    pub fn policy(&self) -> Policy {
        self.ground.policies.in_force(self.setting())
    }

    /// How the scheduler will be set once all that the operator has asked for is committed.
    pub fn asked_setting(&self) -> Setting {
        self.login.asked().fold(self.setting().clone(), |setting, op| {
            // What was asked for was found possible then.
            self.ground.policies.after(&setting, op).unwrap_or(setting)
        })
    }

    /// What the control plane holds of a node.
    pub fn node_state(&self, node: NodeId) -> Option<NodeState> {
        self.book().node(node).map(|record| record.state)
    }

    /// The workload by submission; those before [`World::submitted`] have been submitted.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// How many jobs were submitted so far.
    pub const fn submitted(&self) -> u32 {
        self.submitted
    }

    /// How many jobs stand where.
    pub const fn counts(&self) -> Counts {
        self.ground.recorder.counts()
    }

    /// Mean time from submission to start over all starts so far.
    pub fn mean_wait(&self) -> Option<SimDuration> {
        self.ground.recorder.mean_wait()
    }

    /// Units (GPUs, or processors in a fleet without GPUs) on which a job runs now.
    pub fn busy_units(&self) -> u32 {
        let gpus = self.ground.fleet.has_gpus();
        let of = |agent: &Agent| -> u32 {
            agent.running().map(|part| if gpus { part.share.gpus.len() } else { part.share.cpus }).sum()
        };
        self.agents.iter().map(of).sum()
    }

    /// All units: GPUs, or processors in a fleet without GPUs.
    pub fn units(&self) -> u32 {
        let capacity = self.ground.fleet.capacity();
        if self.ground.fleet.has_gpus() { capacity.gpus } else { capacity.cpus }
    }

    /// Whether every job of the workload was submitted, answered and has ended.
    pub fn is_done(&self) -> bool {
        self.submitted as usize == self.jobs.len()
            && self.login.unanswered() == 0
            && self.counts().pending + self.counts().running == 0
    }

    /// The story so far; the oldest events may have been dropped.
    pub const fn events(&self) -> &VecDeque<Record> {
        self.ground.recorder.events()
    }

    /// How many events were dropped from the story.
    pub const fn events_dropped(&self) -> u64 {
        self.ground.recorder.events_dropped()
    }

    /// The figures over time.
    pub fn samples(&self) -> &[Sample] {
        self.ground.recorder.samples()
    }

    /// Invariants that broke.
    pub fn violations(&self) -> &[Violation] {
        self.ground.judge.violations()
    }

    /// Messages on their way, by order of sending.
    pub const fn flights(&self) -> &BTreeMap<u64, Flight> {
        &self.ground.flights
    }

    /// The messages that were lost last.
    pub const fn losses(&self) -> &VecDeque<Loss> {
        &self.ground.losses
    }

    /// How many messages were lost so far.
    pub const fn losses_total(&self) -> u64 {
        self.ground.losses_total
    }

    /// Messages carried so far for each node, in both directions.
    pub fn traffic(&self) -> &[u64] {
        &self.ground.traffic
    }

    /// How many scheduling passes were run.
    pub const fn passes(&self) -> u64 {
        self.ground.passes
    }

    /// The highest log index that any replica has applied.
    pub fn highest_applied(&self) -> u64 {
        self.ground.judge.highest_applied()
    }

    /// What was done to this world so far.
    pub fn interventions(&self) -> &[Intervention] {
        &self.interventions
    }

    /// The job's description, if the workload has such a job.
    pub fn job(&self, id: JobId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.spec.id == id)
    }
}
