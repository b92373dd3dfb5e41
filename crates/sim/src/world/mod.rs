//! The world: joins everything, moves time forward event by event, takes commands, shows what there is to see.
//!
//! A run is its version, scenario, seed and interventions; how it was cut into steps leaves no trace. A command takes
//! effect after everything that happens at its moment, whether it comes from a hand or from a file.

mod fingerprint;
mod look;

use std::collections::VecDeque;
use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, NodeId, ReplicaId, RunDigest, SimTime};
use switchyard_workload::{Recipe, Report, Workload, fleet_for, scale_to};

use self::fingerprint::fingerprint;
use crate::agent::Agent;
use crate::book::Op;
use crate::client::Login;
use crate::command::{Command, Intervention, Refusal};
use crate::control::Replica;
use crate::event::Event;
use crate::ground::{Ground, Happening};
use crate::net::Endpoint;
use crate::scenario::{Scenario, ScenarioError, WorkloadSource};

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
        let policies = scenario.check()?;
        let fleet = Arc::new(fleet);
        let seed = scenario.seed;
        let mut jobs = jobs;
        jobs.sort_by_key(|job| (job.spec.submit, job.spec.id));
        let truths = jobs.iter().map(|job| (job.spec.id, job.truth)).collect();
        let mut ground = Ground::new(seed, scenario.timing.clone(), Arc::clone(&fleet), policies, truths);
        let replica = |id| Replica::new(ReplicaId(id), scenario.replicas, seed);
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
        let world = World {
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
        };
        for planned in &world.planned {
            let refused = |refusal| ScenarioError::Intervention { at: planned.at, refusal };
            world.check_targets(&planned.command).map_err(refused)?;
        }
        Ok(world)
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
        let chosen = scenario.fleet.as_ref().map(FleetSpec::build).transpose()?;
        let workload = match (&scenario.workload, trace) {
            (WorkloadSource::Generate { name, jobs, seed }, _) => {
                let procs = chosen.as_ref().map(|fleet| fleet.capacity().cpus);
                Recipe::new(name.parse()?, *jobs, *seed).generate(procs)?
            }
            (WorkloadSource::Trace { .. }, Some(trace)) => trace,
            (WorkloadSource::Trace { file }, None) => {
                return Err(ScenarioError::NoTrace { file: Arc::clone(file) });
            }
        };
        let fleet = match chosen {
            Some(fleet) => fleet,
            None => fleet_for(&workload).build()?,
        };
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
            if self.ground.recorder.sample_is_due(at) {
                let busy = self.busy_units();
                self.ground.recorder.sample(at, busy);
            }
            self.ground.now = at;
        }
    }

    /// Whether a command names only what this world has.
    fn check_targets(&self, command: &Command) -> Result<(), Refusal> {
        let named: Vec<Endpoint> = match command {
            Command::CrashReplica(id) | Command::RestartReplica(id) => vec![Endpoint::Replica(*id)],
            Command::CrashNode(id) | Command::RestartNode(id) => vec![Endpoint::Node(*id)],
            Command::Partition(side) => side.iter().copied().collect(),
            Command::CutLink { from, to } => vec![*from, *to],
            Command::SetPolicy(name) => {
                self.ground.policies.get(name).map_err(Refusal::Policy)?;
                Vec::new()
            }
            Command::Heal | Command::SetBackfill(_) => Vec::new(),
        };
        let (replicas, nodes) = (self.replicas.len(), self.agents.len());
        for endpoint in named {
            match endpoint {
                Endpoint::Replica(replica) if replica.index() >= replicas => {
                    return Err(Refusal::NoSuchReplica { replica, replicas });
                }
                Endpoint::Node(node) if node.index() >= nodes => {
                    return Err(Refusal::NoSuchNode { node, nodes });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, command: Command) -> Result<(), Refusal> {
        self.check_targets(&command)?;
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
                if side.is_empty() || side.len() == self.replicas.len() + self.agents.len() + 1 {
                    return Err(Refusal::OneSided);
                }
                ground.net.partition(side.clone());
            }
            Command::CutLink { from, to } if from == to => return Err(Refusal::OneSided),
            Command::CutLink { from, to } => ground.net.cut_link(*from, *to),
            Command::Heal => {
                if !ground.net.heal() {
                    return Err(Refusal::NothingToHeal);
                }
            }
            Command::SetBackfill(on) => self.login.ask(Op::SetBackfill(*on), ground),
            Command::SetPolicy(name) => self.login.ask(Op::SetPolicy(Arc::clone(name)), ground),
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
