//! The agent on a compute node: runs parts of jobs, reports to the leader, and stops everything itself when its lease
//! ends.
//!
//! An agent's life has a number, its incarnation. It goes up when the node boots and when the agent has fenced
//! itself; in both cases nothing of the old life runs any more, so a higher number is proof of that. Orders carry the
//! incarnation that they were given for, and an agent obeys none for another.

use std::collections::BTreeMap;

use switchyard_model::{JobId, NodeId, NodeShare, Oracle, Outcome, ReplicaId, SimDuration, SimTime};

use crate::event::Event;
use crate::ground::{Ground, Happening};
use crate::net::Endpoint;
use crate::wire::{LaunchOrder, Part, Report, ReportHeard, Verdict, Wire};

/// What an agent knows of a part of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartState {
    Running {
        share: NodeShare,
        since: SimTime,
    },
    /// Ended, and the leader has not yet confirmed that it knows.
    Ended {
        outcome: Outcome,
        at: SimTime,
    },
}

/// The agent on one node.
#[derive(Clone, Debug)]
pub struct Agent {
    node: NodeId,
    up: bool,
    /// Counts boots, so that timers of an earlier boot are known for what they are.
    boot: u32,
    incarnation: u32,
    lease_until: Option<SimTime>,
    fenced: bool,
    leader: ReplicaId,
    replicas: u32,
    /// Whether the last report went unanswered so far.
    unanswered: bool,
    parts: BTreeMap<Part, PartState>,
    /// For each job, attempts up to this one never start here.
    barred: BTreeMap<JobId, u32>,
}

/// A part that runs on a node now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningPart {
    /// Of which job.
    pub job: JobId,
    /// Which attempt.
    pub attempt: u32,
    /// On what.
    pub share: NodeShare,
    /// Since when.
    pub since: SimTime,
}

impl Agent {
    pub(crate) fn new(node: NodeId, replicas: u32) -> Self {
        Agent {
            node,
            up: true,
            boot: 1,
            incarnation: 1,
            lease_until: None,
            fenced: false,
            leader: ReplicaId(node.0 % replicas.max(1)),
            replicas,
            unanswered: false,
            parts: BTreeMap::new(),
            barred: BTreeMap::new(),
        }
    }

    /// Whether the node has power.
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// Whether the agent has stopped everything because its lease ended, and has no new one yet.
    pub const fn is_fenced(&self) -> bool {
        self.fenced
    }

    /// Until when it may run jobs.
    pub const fn lease_until(&self) -> Option<SimTime> {
        self.lease_until
    }

    /// What runs here now.
    pub fn running(&self) -> impl Iterator<Item = RunningPart> {
        self.parts.iter().filter_map(|(part, state)| match *state {
            PartState::Running { share, since } => {
                Some(RunningPart { job: part.job, attempt: part.attempt, share, since })
            }
            PartState::Ended { .. } => None,
        })
    }

    const fn endpoint(&self) -> Endpoint {
        Endpoint::Node(self.node)
    }

    /// Begins its rounds of reports; nodes are spread over the interval.
    pub(crate) fn switch_on(&mut self, ground: &mut Ground) {
        let spread = ground.timing.report_micros * u64::from(self.node.0 % 64) / 64;
        let due = Happening::ReportDue { node: self.node, boot: self.boot };
        ground.after(SimDuration::from_micros(spread), due);
    }

    /// Power is gone, and all that ran with it.
    pub(crate) fn crash(&mut self, ground: &mut Ground) {
        self.stop_running(ground);
        self.parts.clear();
        self.up = false;
        self.fenced = false;
        self.lease_until = None;
        self.barred.clear();
    }

    /// Boots into a new life.
    pub(crate) fn restart(&mut self, ground: &mut Ground) {
        self.up = true;
        self.boot += 1;
        self.incarnation += 1;
        self.report(ground);
        let due = Happening::ReportDue { node: self.node, boot: self.boot };
        ground.after(SimDuration::from_micros(ground.timing.report_micros), due);
    }

    pub(crate) fn report_due(&mut self, boot: u32, ground: &mut Ground) {
        if !self.up || boot != self.boot {
            return;
        }
        if self.unanswered {
            self.leader = ReplicaId((self.leader.0 + 1) % self.replicas.max(1));
        }
        self.report(ground);
        let due = Happening::ReportDue { node: self.node, boot };
        ground.after(SimDuration::from_micros(ground.timing.report_micros), due);
    }

    fn report(&mut self, ground: &mut Ground) {
        self.unanswered = true;
        let ended = self.parts.iter().filter_map(|(part, state)| match *state {
            PartState::Ended { outcome, at } => Some((*part, outcome, at)),
            PartState::Running { .. } => None,
        });
        let running = self.parts.iter().filter(|(_, state)| matches!(state, PartState::Running { .. }));
        let report = Report {
            node: self.node,
            incarnation: self.incarnation,
            sent_at: ground.now,
            running: running.map(|(part, _)| *part).collect(),
            ended: ended.collect(),
        };
        ground.send(self.endpoint(), Endpoint::Replica(self.leader), Wire::Report(report));
    }

    pub(crate) fn receive(&mut self, from: Endpoint, wire: Wire, ground: &mut Ground) {
        match (wire, from) {
            (Wire::Greeting { .. }, Endpoint::Replica(leader)) => {
                self.leader = leader;
                self.report(ground);
            }
            (Wire::NotLeader { leader }, Endpoint::Replica(asked)) => {
                // Only the one who was asked last may send us on, or late answers would send us in circles.
                if let Some(leader) = leader.filter(|leader| asked == self.leader && *leader != asked) {
                    self.leader = leader;
                    self.report(ground);
                }
            }
            (Wire::ReportHeard(heard), _) => self.report_heard(&heard, ground),
            (Wire::Launch(order), _) => self.launch(order, ground),
            (Wire::Kill { part }, _) => {
                self.kill(part, ground);
                ground.send(self.endpoint(), from, Wire::Stopped { node: self.node, part });
            }
            (Wire::EndHeard { part }, _) => self.forget(part),
            _ => {}
        }
    }

    fn report_heard(&mut self, heard: &ReportHeard, ground: &mut Ground) {
        if heard.incarnation != self.incarnation {
            return;
        }
        self.unanswered = false;
        heard.acknowledged.iter().for_each(|part| self.forget(*part));
        match heard.verdict {
            Verdict::Granted => self.lease_granted(heard.sent_at + ground.timing.lease(), ground),
            // A life that never got its first lease has none that could end; it must begin anew all the same.
            Verdict::Over if self.lease_until.is_none() => {
                self.incarnation += 1;
                self.report(ground);
            }
            Verdict::Over | Verdict::Wait => {}
        }
    }

    fn lease_granted(&mut self, until: SimTime, ground: &mut Ground) {
        if until <= ground.now {
            return;
        }
        self.fenced = false;
        // One check is always pending while there is a lease; it looks again when the lease was renewed meanwhile.
        if self.lease_until.is_none() {
            ground.queue.push(until, Happening::LeaseEnds { node: self.node, boot: self.boot });
        }
        self.lease_until = self.lease_until.max(Some(until));
    }

    pub(crate) fn lease_ends(&mut self, boot: u32, ground: &mut Ground) {
        let Some(until) = self.lease_until.filter(|_| self.up && boot == self.boot) else { return };
        if ground.now < until {
            ground.queue.push(until, Happening::LeaseEnds { node: self.node, boot });
            return;
        }
        let stopped = self.running().count() as u32;
        self.stop_running(ground);
        self.lease_until = None;
        self.fenced = true;
        self.incarnation += 1;
        self.barred.clear();
        ground.tell(Event::NodeFencedItself { node: self.node, stopped });
    }

    fn launch(&mut self, order: LaunchOrder, ground: &mut Ground) {
        let LaunchOrder { part, incarnation, share, limit } = order;
        let leased = self.lease_until.is_some_and(|until| ground.now < until);
        let barred = self.barred.get(&part.job).is_some_and(|upto| part.attempt <= *upto);
        if !leased || incarnation != self.incarnation || barred || self.parts.contains_key(&part) {
            return;
        }
        let Some(truth) = ground.truths.get(&part.job) else { return };
        let length = Oracle::new().runtime(truth).min(limit);
        self.parts.insert(part, PartState::Running { share, since: ground.now });
        let capacity = ground.fleet.node(self.node).map(|node| node.capacity).unwrap_or_default();
        ground.judge.part_starts(ground.now, part, share, capacity);
        ground.after(length, Happening::PartEnds { node: self.node, incarnation, part });
    }

    pub(crate) fn part_ends(&mut self, incarnation: u32, part: Part, ground: &mut Ground) {
        let running = matches!(self.parts.get(&part), Some(PartState::Running { .. }));
        if !self.up || incarnation != self.incarnation || !running {
            return;
        }
        let Some(truth) = ground.truths.get(&part.job) else { return };
        let Some(PartState::Running { since, .. }) = self.parts.get(&part).copied() else { return };
        let oracle = Oracle::new();
        let outcome = match ground.now.since(since) >= oracle.runtime(truth) {
            true if oracle.fails(truth) => Outcome::Failed,
            true => Outcome::Completed,
            false => Outcome::TimeLimit,
        };
        self.parts.insert(part, PartState::Ended { outcome, at: ground.now });
        ground.judge.part_ends(part, self.node);
        let ended = Wire::Ended { node: self.node, part, outcome, at: ground.now };
        ground.send(self.endpoint(), Endpoint::Replica(self.leader), ended);
    }

    /// This attempt never starts here again, however late an order for it arrives.
    fn bar(&mut self, part: Part) {
        let upto = self.barred.entry(part.job).or_insert(part.attempt);
        *upto = (*upto).max(part.attempt);
    }

    fn kill(&mut self, part: Part, ground: &mut Ground) {
        self.bar(part);
        if let Some(PartState::Running { .. }) = self.parts.remove(&part) {
            ground.judge.part_ends(part, self.node);
        }
    }

    fn forget(&mut self, part: Part) {
        if let Some(PartState::Ended { .. }) = self.parts.get(&part) {
            self.parts.remove(&part);
            self.bar(part);
        }
    }

    /// Stops what runs. What has ended stays known until the leader has confirmed that it knows.
    fn stop_running(&mut self, ground: &mut Ground) {
        self.parts.retain(|part, state| {
            let running = matches!(state, PartState::Running { .. });
            if running {
                ground.judge.part_ends(*part, self.node);
            }
            !running
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use switchyard_model::{FleetSpec, GpuSet, Truth};

    use super::*;
    use crate::policies::Policies;
    use crate::timing::Timing;

    const LEADER: Endpoint = Endpoint::Replica(ReplicaId(0));

    fn leased() -> (Agent, Ground) {
        let fleet = Arc::new(FleetSpec::yard().build().unwrap());
        let truths = BTreeMap::from([(JobId(1), Truth::new(SimDuration::from_secs(5)))]);
        let policies = Policies::new(&[], &"fcfs".into()).unwrap();
        let mut ground = Ground::new(1, Timing::default(), fleet, policies, truths);
        let mut agent = Agent::new(NodeId(0), 3);
        let granted = ReportHeard {
            incarnation: 1,
            sent_at: SimTime::ZERO,
            verdict: Verdict::Granted,
            acknowledged: vec![],
        };
        agent.receive(LEADER, Wire::ReportHeard(granted), &mut ground);
        (agent, ground)
    }

    fn order(incarnation: u32) -> Wire {
        let share = NodeShare { node: NodeId(0), cpus: 8, memory_mib: 0, gpus: GpuSet(1) };
        let part = Part { job: JobId(1), attempt: 1 };
        Wire::Launch(LaunchOrder { part, incarnation, share, limit: SimDuration::from_secs(60) })
    }

    #[test]
    fn an_order_that_arrives_twice_is_carried_out_once() {
        let part = Part { job: JobId(1), attempt: 1 };
        let (mut agent, mut ground) = leased();
        agent.receive(LEADER, order(1), &mut ground);
        assert_eq!(agent.running().count(), 1);
        ground.now = SimTime::from_secs(5);
        agent.part_ends(1, part, &mut ground);
        agent.receive(LEADER, Wire::EndHeard { part }, &mut ground);
        agent.receive(LEADER, order(1), &mut ground);
        assert_eq!(agent.running().count(), 0, "however late the second order comes");
        assert_eq!(ground.judge.violations(), []);
    }

    #[test]
    fn no_lease_another_life_or_an_order_to_stop_keep_a_part_from_starting() {
        let (mut agent, mut ground) = leased();
        agent.receive(LEADER, order(2), &mut ground);
        assert_eq!(agent.running().count(), 0, "the order is for another life");
        ground.now = SimTime::from_secs(21);
        agent.receive(LEADER, order(1), &mut ground);
        assert_eq!(agent.running().count(), 0, "the lease has ended");
        let (mut agent, mut ground) = leased();
        agent.receive(LEADER, Wire::Kill { part: Part { job: JobId(1), attempt: 1 } }, &mut ground);
        agent.receive(LEADER, order(1), &mut ground);
        assert_eq!(agent.running().count(), 0, "it was stopped before it came");
    }
}
