//! The world: joins everything, moves time forward event by event, takes commands, shows what there is to see.
//!
//! A run is its version, scenario, seed and interventions; how it was cut into steps leaves no trace. A command takes
//! effect after everything that happens at its moment, whether it comes from a hand or from a file.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use switchyard_model::{Fleet, Job, JobId, NodeId, ReplicaId, RunDigest, SimDuration, SimTime};
use switchyard_raft::Term;
use switchyard_scheduler::Plan;
use switchyard_workload::generate::Generator;
use switchyard_workload::{Report, Workload, fleet_for, scale_to};

use crate::agent::Agent;
use crate::book::{Book, NodeState, Op};
use crate::check::Violation;
use crate::client::Login;
use crate::command::{Command, Intervention, Refusal};
use crate::control::Replica;
use crate::event::{Event, Record};
use crate::ground::{Flight, Ground, Happening, Loss};
use crate::net::{Endpoint, Network};
use crate::record::{Counts, Recorder, Sample};
use crate::scenario::{Scenario, ScenarioError, WorkloadSource};
use crate::timing::Timing;

/// The simulated world.
#[derive(Clone, Debug)]
pub struct World {
    seed: u64,
    ground: Ground,
    replicas: Vec<Replica>,
    agents: Vec<Agent>,
    login: Login,
    jobs: Arc<Vec<Job>>,
    submitted: u32,
    /// Commands of the scenario that are still to come, earliest first.
    planned: VecDeque<Intervention>,
    /// Commands that were carried out.
    interventions: Vec<Intervention>,
    digest: RunDigest,
    steps: u64,
}

/// How far a call of [`World::run_until`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The wished time is reached.
    Reached,
    /// The budget of events was used up before.
    OutOfBudget,
}

impl World {
    /// Sets the world up. `fleet` holds the machines and `jobs` the workload, which the caller has read or generated
    /// as the scenario says.
    ///
    /// # Errors
    /// When the scenario makes no sense.
    pub fn new(scenario: &Scenario, fleet: Fleet, jobs: Vec<Job>) -> Result<World, ScenarioError> {
        let policy = Arc::new(scenario.check()?);
        let fleet = Arc::new(fleet);
        let seed = scenario.seed;
        let mut jobs = jobs;
        jobs.sort_by_key(|job| (job.spec.submit, job.spec.id));
        let truths = jobs.iter().map(|job| (job.spec.id, job.truth)).collect();
        let recorder = Recorder::new(Book::new(&fleet, policy.has_backfill()));
        let mut ground = Ground::new(seed, scenario.timing.clone(), Arc::clone(&fleet), truths, recorder);
        let replica = |id| Replica::new(ReplicaId(id), scenario.replicas, seed, Arc::clone(&policy));
        let mut replicas: Vec<Replica> = (0..scenario.replicas).map(replica).collect();
        replicas.iter_mut().for_each(|replica| replica.start(&mut ground));
        let agent = |node: &switchyard_model::Node| Agent::new(node.id, scenario.replicas);
        let mut agents: Vec<Agent> = fleet.nodes().iter().map(agent).collect();
        agents.iter_mut().for_each(|agent| agent.switch_on(&mut ground));
        if let Some(first) = jobs.first() {
            ground.queue.push(first.spec.submit, Happening::Submit { next: 0 });
        }
        let mut planned = scenario.interventions.clone();
        planned.sort_by_key(|intervention| intervention.at);
        Ok(World {
            seed,
            ground,
            replicas,
            agents,
            login: Login::new(scenario.replicas),
            jobs: Arc::new(jobs),
            submitted: 0,
            planned: planned.into(),
            interventions: Vec::new(),
            digest: RunDigest::default(),
            steps: 0,
        })
    }

    /// Sets the world up with the workload that the scenario names. A workload that it names as a trace is read by the
    /// caller and handed over; it is scaled when the scenario chooses the machines. The report tells what was changed.
    ///
    /// # Errors
    /// When the scenario makes no sense, or when it names a trace and none was handed over.
    pub fn from_scenario(
        scenario: &Scenario,
        trace: Option<Workload>,
    ) -> Result<(World, Report), ScenarioError> {
        let workload = match (&scenario.workload, trace) {
            (WorkloadSource::Generate { name, jobs, seed }, _) => {
                Workload::new(name, name.parse::<Generator>()?.generate(*jobs, *seed))
            }
            (WorkloadSource::Trace { .. }, Some(trace)) => trace,
            (WorkloadSource::Trace { file }, None) => {
                return Err(ScenarioError::NoTrace { file: Arc::clone(file) });
            }
        };
        let derived = fleet_for(&workload);
        let fleet = scenario.fleet.as_ref().unwrap_or(&derived).build()?;
        let read = matches!(scenario.workload, WorkloadSource::Trace { .. });
        let (workload, report) = match &scenario.fleet {
            Some(_) if read => scale_to(&workload, &fleet),
            _ => (workload, Report::default()),
        };
        Ok((World::new(scenario, fleet, workload.jobs)?, report))
    }

    /// Moves to the next thing that happens, and lets it happen.
    pub fn step(&mut self) {
        let event = self.ground.queue.next_at();
        match (event, self.planned.front().map(|planned| planned.at)) {
            (Some(event), Some(planned)) if planned < event => self.carry_out_planned(),
            (None, Some(_)) => self.carry_out_planned(),
            (Some(_), _) => self.process_next(),
            (None, None) => {}
        }
    }

    /// When the next thing happens.
    pub fn next_at(&self) -> Option<SimTime> {
        let planned = self.planned.front().map(|planned| planned.at);
        self.ground.queue.next_at().into_iter().chain(planned).min()
    }

    /// Lets everything happen up to and including `until`, unless that takes more than `budget` events.
    pub fn run_until(&mut self, until: SimTime, budget: u64) -> Progress {
        let mut left = budget;
        while self.next_at().is_some_and(|at| at <= until) {
            if left == 0 {
                return Progress::OutOfBudget;
            }
            left -= 1;
            self.step();
        }
        self.move_to(until);
        Progress::Reached
    }

    /// Carries out a command at this moment. What else happens at this moment happens before it.
    ///
    /// # Errors
    /// When it can't be done; nothing is changed then.
    pub fn apply(&mut self, command: Command) -> Result<(), Refusal> {
        let now = self.ground.now;
        while self.next_at().is_some_and(|at| at <= now) {
            self.step();
        }
        self.carry_out(command)
    }

    fn carry_out_planned(&mut self) {
        if let Some(planned) = self.planned.pop_front() {
            self.move_to(planned.at);
            // A file may ask to kill what is dead already; nothing is changed then, as by hand.
            drop(self.carry_out(planned.command));
        }
    }

    fn move_to(&mut self, at: SimTime) {
        if at > self.ground.now {
            let busy = self.busy_units();
            self.ground.recorder.sample(at, busy);
            self.ground.now = at;
        }
    }

    fn carry_out(&mut self, command: Command) -> Result<(), Refusal> {
        let ground = &mut self.ground;
        match &command {
            Command::CrashReplica(id) => {
                let replica = find_replica(&mut self.replicas, *id)?;
                if !replica.is_up() {
                    return Err(Refusal::ReplicaIsDown(*id));
                }
                replica.crash();
            }
            Command::RestartReplica(id) => {
                let replica = find_replica(&mut self.replicas, *id)?;
                if replica.is_up() {
                    return Err(Refusal::ReplicaIsUp(*id));
                }
                replica.start(ground);
            }
            Command::CrashNode(id) => {
                let agent = find_agent(&mut self.agents, *id)?;
                if !agent.is_up() {
                    return Err(Refusal::NodeIsDown(node_name(&ground.fleet, *id)));
                }
                agent.crash(ground);
            }
            Command::RestartNode(id) => {
                let agent = find_agent(&mut self.agents, *id)?;
                if agent.is_up() {
                    return Err(Refusal::NodeIsUp(node_name(&ground.fleet, *id)));
                }
                agent.restart(ground);
            }
            Command::Partition(side) => {
                let everyone = endpoints(&self.replicas, &self.agents);
                let inside = everyone.filter(|endpoint| side.contains(endpoint)).count();
                if inside == 0 || inside == self.replicas.len() + self.agents.len() + 1 {
                    return Err(Refusal::OneSided);
                }
                ground.net.partition(side.clone());
            }
            Command::CutLink { from, to } => ground.net.cut_link(*from, *to),
            Command::Heal => {
                if !ground.net.heal() {
                    return Err(Refusal::NothingToHeal);
                }
            }
            Command::SetBackfill(on) => self.login.ask(Op::SetBackfill(*on), ground),
        }
        let intervention = Intervention { at: self.ground.now, command };
        if let Ok(bytes) = serde_json::to_vec(&intervention) {
            self.digest.absorb(&bytes);
        }
        self.ground.tell(Event::Intervened(intervention.command.clone()));
        self.interventions.push(intervention);
        Ok(())
    }

    fn process_next(&mut self) {
        let Some((at, happening)) = self.ground.queue.pop() else { return };
        self.move_to(at);
        self.steps += 1;
        self.digest.absorb(&fingerprint(at, &happening));
        let ground = &mut self.ground;
        match happening {
            Happening::Arrives { flight, from, to, wire } => {
                let flight = ground.flights.remove(&flight);
                if ground.net.is_cut(from, to) {
                    flight.into_iter().for_each(|flight| ground.lose(flight));
                    return;
                }
                match to {
                    Endpoint::Replica(id) => {
                        if let Some(replica) = self.replicas.get_mut(id.index()) {
                            replica.receive(from, wire, ground);
                        }
                    }
                    Endpoint::Node(id) => {
                        if let Some(agent) = self.agents.get_mut(id.index()).filter(|agent| agent.is_up()) {
                            agent.receive(from, wire, ground);
                        }
                    }
                    Endpoint::Login => self.login.receive(from, wire, ground),
                }
            }
            Happening::Tick { replica, epoch } => {
                self.with_replica(replica, |replica, ground| replica.tick(epoch, ground));
            }
            Happening::Synced { replica, epoch } => {
                self.with_replica(replica, |replica, ground| replica.synced(epoch, ground));
            }
            Happening::Pass { replica, epoch } => {
                self.with_replica(replica, |replica, ground| replica.pass(epoch, ground));
            }
            Happening::ReportDue { node, boot } => {
                self.with_agent(node, |agent, ground| agent.report_due(boot, ground));
            }
            Happening::LeaseEnds { node, boot } => {
                self.with_agent(node, |agent, ground| agent.lease_ends(boot, ground));
            }
            Happening::PartEnds { node, incarnation, part } => {
                self.with_agent(node, |agent, ground| agent.part_ends(incarnation, part, ground));
            }
            Happening::Submit { next } => self.submit(next),
            Happening::Retry { seq, tries } => self.login.retry(seq, tries, ground),
        }
    }

    fn with_replica(&mut self, id: ReplicaId, act: impl FnOnce(&mut Replica, &mut Ground)) {
        if let Some(replica) = self.replicas.get_mut(id.index()) {
            act(replica, &mut self.ground);
        }
    }

    fn with_agent(&mut self, id: NodeId, act: impl FnOnce(&mut Agent, &mut Ground)) {
        if let Some(agent) = self.agents.get_mut(id.index()) {
            act(agent, &mut self.ground);
        }
    }

    fn submit(&mut self, next: u32) {
        let Some(job) = self.jobs.get(next as usize) else { return };
        self.submitted = next + 1;
        self.login.ask(Op::Submit(Arc::clone(&job.spec)), &mut self.ground);
        if let Some(following) = self.jobs.get(next as usize + 1) {
            self.ground.queue.push(following.spec.submit, Happening::Submit { next: next + 1 });
        }
    }
}

/// Looking: nothing here changes the world.
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
        if let Ok(bytes) = serde_json::to_vec(self.book()) {
            digest.absorb(&bytes);
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
            && self.ground.recorder.all_finished()
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

fn find_replica(replicas: &mut [Replica], id: ReplicaId) -> Result<&mut Replica, Refusal> {
    let count = replicas.len();
    replicas.get_mut(id.index()).ok_or(Refusal::NoSuchReplica { replica: id, replicas: count })
}

fn find_agent(agents: &mut [Agent], id: NodeId) -> Result<&mut Agent, Refusal> {
    let count = agents.len();
    agents.get_mut(id.index()).ok_or(Refusal::NoSuchNode { node: id, nodes: count })
}

fn node_name(fleet: &Fleet, id: NodeId) -> String {
    fleet.node(id).map(|node| node.name.to_string()).unwrap_or_default()
}

fn endpoints<'a>(replicas: &'a [Replica], agents: &'a [Agent]) -> impl Iterator<Item = Endpoint> + 'a {
    let replicas = replicas.iter().map(|replica| Endpoint::Replica(replica.id()));
    let nodes = (0..agents.len()).map(|node| Endpoint::Node(NodeId(node as u32)));
    replicas.chain(nodes).chain([Endpoint::Login])
}

/// What the digest takes in of a happening: its moment, its kind, and enough to tell two of a kind apart.
fn fingerprint(at: SimTime, happening: &Happening) -> [u8; 40] {
    let end = |endpoint: &Endpoint| match endpoint {
        Endpoint::Replica(id) => u64::from(id.0),
        Endpoint::Node(id) => 1 << 32 | u64::from(id.0),
        Endpoint::Login => 2 << 32,
    };
    let [kind, a, b, c] = match happening {
        Happening::Arrives { from, to, wire, .. } => {
            let [x, y] = wire.fingerprint();
            [1 | end(from) << 8, end(to), x, y]
        }
        Happening::Tick { replica, epoch } => [2, replica.0.into(), (*epoch).into(), 0],
        Happening::Synced { replica, epoch } => [3, replica.0.into(), (*epoch).into(), 0],
        Happening::Pass { replica, epoch } => [4, replica.0.into(), (*epoch).into(), 0],
        Happening::ReportDue { node, boot } => [5, node.0.into(), (*boot).into(), 0],
        Happening::LeaseEnds { node, boot } => [6, node.0.into(), (*boot).into(), 0],
        Happening::PartEnds { node, incarnation, part } => {
            [7, node.0.into(), (*incarnation).into(), part.job.0 ^ u64::from(part.attempt) << 48]
        }
        Happening::Submit { next } => [8, (*next).into(), 0, 0],
        Happening::Retry { seq, tries } => [9, *seq, (*tries).into(), 0],
    };
    let mut bytes = [0; 40];
    let words = [at.as_micros(), kind, a, b, c];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
