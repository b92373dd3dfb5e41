//! The leader and the nodes: what it makes of their reports, of their silence, and of parts that ended or were lost.

use switchyard_model::{NodeId, Outcome, SimTime};

use super::{Core, LAUNCH_PATIENCE, Lead, launch_order, running};
use crate::book::{Book, Entry, Evidence, NodeState};
use crate::ground::Ground;
use crate::net::Endpoint;
use crate::wire::{Part, Report, ReportHeard, Verdict, Wire};

impl Lead {
    pub(super) fn report(&mut self, report: &Report, core: &mut Core, book: &Book, ground: &mut Ground) {
        let node = report.node;
        let (Some(record), Some(contact)) = (book.node(node), self.contacts.get_mut(node.index())) else {
            return;
        };
        if report.incarnation < record.incarnation {
            return;
        }
        contact.last_heard = ground.now;
        let lost = contact.lost.is_some() || record.state == NodeState::Down;
        let known = report.incarnation == record.incarnation;
        let granted = known && !lost;
        if granted {
            contact.lease_bound = contact.lease_bound.max(ground.now + ground.timing.lease());
        }
        let mut acknowledged = Vec::new();
        for (part, outcome, at) in report.ended.iter() {
            if !self.part_ended(node, *part, *outcome, *at, core, book) {
                acknowledged.push(*part);
            }
        }
        if !known {
            let evidence = Evidence::NewIncarnation { incarnation: report.incarnation };
            self.lose(node, evidence, book, ground);
            self.requeue_stopped(core, book, ground);
        }
        // Up again: after suspicion, or in a new life.
        if !known || (granted && record.state != NodeState::Up) {
            let evidence = if known {
                Evidence::Report
            } else {
                Evidence::NewIncarnation { incarnation: report.incarnation }
            };
            self.propose_node(node, report.incarnation, NodeState::Up, evidence, core, ground);
        }
        let verdict = match (granted, known) {
            (true, _) => Verdict::Granted,
            (false, true) => Verdict::Over,
            (false, false) => Verdict::Wait,
        };
        let heard = Wire::ReportHeard(ReportHeard {
            incarnation: report.incarnation,
            sent_at: report.sent_at,
            verdict,
            acknowledged,
        });
        ground.send(self.endpoint(), Endpoint::Node(node), heard);
        if granted {
            self.reconcile(report, book, ground);
        }
    }

    /// Compares what a node says it runs with what the book says it should.
    pub(super) fn reconcile(&mut self, report: &Report, book: &Book, ground: &mut Ground) {
        let to = Endpoint::Node(report.node);
        let me = self.endpoint();
        let Some(parts) = self.parts.get_mut(report.node.index()) else { return };
        for part in report.running.iter().filter(|part| !parts.contains_key(part)) {
            ground.send(me, to, Wire::Kill { part: *part });
        }
        for (part, ordered) in parts.iter_mut() {
            if self.stopping.get(part).is_some_and(|stopping| !stopping.stopped.contains(&report.node)) {
                ground.send(me, to, Wire::Kill { part: *part });
                continue;
            }
            let there = report.running.contains(part) || report.ended.iter().any(|(ended, ..)| ended == part);
            if !there && *ordered + LAUNCH_PATIENCE < report.sent_at {
                *ordered = ground.now;
                if let Some(order) =
                    book.job(part.job).and_then(|record| launch_order(*part, record, report.node))
                {
                    ground.send(me, to, Wire::Launch(order));
                }
            }
        }
    }

    /// Notes the end of a part; false when the book has nothing running that it belongs to.
    pub(super) fn part_ended(
        &mut self,
        node: NodeId,
        part: Part,
        outcome: Outcome,
        at: SimTime,
        core: &mut Core,
        book: &Book,
    ) -> bool {
        let Some(record) = running(book, part) else { return false };
        if record.placement.share_of(node).is_none() {
            return false;
        }
        let ends = self.ended.entry(part).or_default();
        ends.insert(node, (outcome, at));
        if ends.len() < record.placement.0.len() || self.finishing.contains(&part) {
            return true;
        }
        let outcome = ends.values().map(|(outcome, _)| *outcome).max().unwrap_or(outcome);
        let at = ends.values().map(|(_, at)| *at).max().unwrap_or(at);
        let finish = Entry::Finish { job: part.job, attempt: part.attempt, outcome, at };
        if Self::propose(core, &finish) {
            self.finishing.insert(part);
        }
        true
    }

    pub(super) fn part_stopped(
        &mut self,
        node: NodeId,
        part: Part,
        core: &mut Core,
        book: &Book,
        ground: &mut Ground,
    ) {
        if let Some(stopping) = self.stopping.get_mut(&part) {
            stopping.stopped.insert(node);
            self.requeue_stopped(core, book, ground);
        }
    }

    /// Looks for nodes that were silent too long. Silence makes a node suspect; only the end of its lease makes it
    /// lost.
    pub(crate) fn watch_nodes(&mut self, core: &mut Core, book: &Book, ground: &mut Ground) {
        if !self.acts || !Self::holds_quorum(core, ground) {
            return;
        }
        for (index, record) in book.nodes().iter().enumerate() {
            let node = NodeId(index as u32);
            let Some(contact) = self.contacts.get(index) else { continue };
            let live = matches!(record.state, NodeState::Up | NodeState::Suspect);
            if live && contact.lost.is_none() && ground.now > contact.lease_bound {
                let evidence = Evidence::LeaseEnded { at: contact.lease_bound };
                self.lose(node, evidence, book, ground);
            }
            let Some(contact) = self.contacts.get(index) else { continue };
            let silent = ground.now.since(contact.last_heard).as_micros() > ground.timing.suspect_micros;
            let (state, evidence) = if live && contact.lost.is_some() {
                (NodeState::Down, Evidence::LeaseEnded { at: contact.lease_bound })
            } else if record.state == NodeState::Up && silent {
                (NodeState::Suspect, Evidence::Silence { since: contact.last_heard })
            } else {
                continue;
            };
            self.propose_node(node, record.incarnation, state, evidence, core, ground);
        }
        self.requeue_stopped(core, book, ground);
    }

    pub(super) fn propose_node(
        &mut self,
        node: NodeId,
        incarnation: u32,
        state: NodeState,
        evidence: Evidence,
        core: &mut Core,
        ground: &Ground,
    ) {
        let Some(contact) = self.contacts.get_mut(node.index()) else { return };
        if !contact.proposed {
            let entry = Entry::Node { node, incarnation, state, evidence, at: ground.now };
            contact.proposed = Self::propose(core, &entry);
        }
    }
}
