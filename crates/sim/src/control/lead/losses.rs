//! The leader and what was lost: stops the rest of a job that lost a part, and requeues it when nothing of it can run.

use std::collections::BTreeSet;

use switchyard_model::NodeId;

use super::{Core, Lead, Stopping, launch_order, running};
use crate::book::{Book, Entry, Evidence};
use crate::ground::Ground;
use crate::net::Endpoint;
use crate::wire::{Part, Wire};

impl Lead {
    /// A node is lost: its parts are over.
    pub(super) fn lose(&mut self, node: NodeId, evidence: Evidence, book: &Book, ground: &mut Ground) {
        if let Some(contact) = self.contacts.get_mut(node.index()) {
            contact.lost = Some(evidence);
        }
        if let Some(cluster) = &mut self.cluster {
            cluster.set_available(node, false);
        }
        let here: Vec<Part> =
            self.parts.get(node.index()).into_iter().flatten().map(|(part, _)| *part).collect();
        for part in here {
            self.lose_part(part, node, evidence, book, ground);
        }
    }

    /// What runs of a job on this node is over, and what belongs to it elsewhere must stop. A part whose end was
    /// reported before is not lost.
    pub(super) fn lose_part(
        &mut self,
        part: Part,
        node: NodeId,
        evidence: Evidence,
        book: &Book,
        ground: &mut Ground,
    ) {
        let ended = self.ended.get(&part).is_some_and(|ends| ends.contains_key(&node));
        let Some(record) = running(book, part).filter(|_| !ended) else { return };
        let new = Stopping { lost: node, evidence, stopped: BTreeSet::new(), proposed: false };
        let first = !self.stopping.contains_key(&part);
        let stopping = self.stopping.entry(part).or_insert(new);
        stopping.stopped.insert(node);
        for other in record.placement.nodes().filter(|other| *other != node) {
            let lost = self.contacts.get(other.index()).is_some_and(|contact| contact.lost.is_some());
            if lost {
                stopping.stopped.insert(other);
            } else if first {
                ground.send(Endpoint::Replica(self.replica), Endpoint::Node(other), Wire::Kill { part });
            }
        }
    }

    /// Parts that were started in an earlier life of this node are over, even if nobody has requeued them yet.
    pub(super) fn lose_parts_of_past_lives(&mut self, node: NodeId, book: &Book, ground: &mut Ground) {
        let Some(incarnation) = book.node(node).map(|record| record.incarnation) else { return };
        let here: Vec<Part> =
            self.parts.get(node.index()).into_iter().flatten().map(|(part, _)| *part).collect();
        for part in here {
            let order = running(book, part).and_then(|record| launch_order(part, record, node));
            if order.is_some_and(|order| order.incarnation < incarnation) {
                self.lose_part(part, node, Evidence::NewIncarnation { incarnation }, book, ground);
            }
        }
    }

    /// Proposes to requeue jobs of which every part is known to have stopped.
    pub(super) fn requeue_stopped(&mut self, core: &mut Core, book: &Book, ground: &Ground) {
        for (part, stopping) in &mut self.stopping {
            let Some(record) = running(book, *part) else { continue };
            let ends = self.ended.get(part);
            let over =
                |node| stopping.stopped.contains(&node) || ends.is_some_and(|ends| ends.contains_key(&node));
            if stopping.proposed || !record.placement.nodes().all(over) {
                continue;
            }
            let requeue = Entry::Requeue {
                job: part.job,
                attempt: part.attempt,
                lost: stopping.lost,
                evidence: stopping.evidence,
                at: ground.now,
            };
            stopping.proposed = Self::propose(core, &requeue);
        }
    }
}
