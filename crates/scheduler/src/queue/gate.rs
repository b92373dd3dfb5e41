//! The way past a head: what a job that runs beyond the shadow time must leave alone.

use switchyard_model::{NodeId, Placement, Resources, SimTime};

use super::Discipline;
use super::easy_aggregate::{EasyAggregate, without_memory};
use super::easy_count::EasyCount;
use super::easy_machine::EasyMachine;
use super::outlook::{Debt, Outlook};
use crate::Pending;
use crate::consumables::{Consumables, LicenceNeed};
use crate::releases::Releases;
use crate::room::Room;

/// The way past a head.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    way: Way,
    /// The licences that the head needs, and what of them is left at the shadow time when it has them.
    needs: Vec<LicenceNeed>,
    extra: Consumables,
    /// When the head ends if it starts at its shadow time.
    until: SimTime,
}

#[derive(Clone, Debug)]
enum Way {
    Count(EasyCount),
    Machine(EasyMachine),
    Aggregate(EasyAggregate),
}

impl Gate {
    /// The gate for this head. `None` when nobody may pass it, or when no end in sight makes room for it. `licences` are free
    /// now; of those, heads before this one have the `debts`.
    pub(crate) fn open(
        discipline: &Discipline,
        head: &Pending,
        room: &Room,
        releases: &Releases<'_>,
        licences: &Consumables,
        debts: &[Debt],
        now: SimTime,
    ) -> Option<Gate> {
        let request = &head.request;
        let plain = head.is_plain() && room.returns().next().is_none();
        let way = match discipline {
            Discipline::Strict => return None,
            Discipline::EasyCount if plain => Way::Count(EasyCount::open(request, room, releases, now)?),
            Discipline::EasyAggregate if plain => {
                Way::Aggregate(EasyAggregate::open(request, room, releases, now)?)
            }
            _ => return Gate::open_on_own_nodes(discipline, head, room, releases, licences, debts, now),
        };
        Some(Gate::new(way, head, Consumables::default()))
    }

    /// For a head to which not all nodes are alike, or that needs licences, or for which certain nodes are kept.
    fn open_on_own_nodes(
        discipline: &Discipline,
        head: &Pending,
        room: &Room,
        releases: &Releases<'_>,
        licences: &Consumables,
        debts: &[Debt],
        now: SimTime,
    ) -> Option<Gate> {
        let request = &head.request;
        let few = head.rules.as_ref().is_some_and(|rules| rules.max_nodes.is_some());
        let on_nodes = head.is_exclusive() || head.wants_one_domain() || few;
        let in_sum = |need| Outlook::in_sum(need, head, room, releases, licences.clone(), debts, now);
        let (way, outlook) = match discipline {
            Discipline::EasyCount if !on_nodes => {
                let outlook = in_sum(request.total)?;
                (Way::Count(EasyCount::open_at(request, &outlook)), outlook)
            }
            Discipline::EasyAggregate if !on_nodes => {
                let outlook = in_sum(without_memory(request.total))?;
                (Way::Aggregate(EasyAggregate::open_at(head, &outlook)), outlook)
            }
            _ => {
                let outlook = Outlook::on_nodes(head, room, releases, licences.clone(), debts, now)?;
                (Way::Machine(EasyMachine::open(&outlook)?), outlook)
            }
        };
        let mut extra = outlook.licences;
        extra.take(head.licences());
        debts.iter().filter(|debt| debt.until > outlook.at).for_each(|debt| extra.take(&debt.needs));
        Some(Gate::new(way, head, extra))
    }

    fn new(way: Way, head: &Pending, extra: Consumables) -> Gate {
        let gate = Gate { way, needs: head.licences().to_vec(), extra, until: SimTime::ZERO };
        Gate { until: gate.shadow() + head.spec.limit, ..gate }
    }

    /// The licences that are promised to the head.
    pub(crate) fn debt(&self) -> Debt {
        Debt { needs: self.needs.clone(), until: self.until }
    }

    /// Whether certain nodes are kept for the head.
    pub(crate) const fn is_on_nodes(&self) -> bool {
        matches!(self.way, Way::Machine(_))
    }

    /// What is kept for the head of which nodes, if certain ones are.
    pub(crate) fn reserved(&self) -> Option<Vec<(NodeId, Resources)>> {
        match &self.way {
            Way::Machine(gate) => Some(gate.reserved.clone()),
            Way::Count(_) | Way::Aggregate(_) => None,
        }
    }

    /// The head's shadow time.
    pub(crate) const fn shadow(&self) -> SimTime {
        match &self.way {
            Way::Count(gate) => gate.shadow,
            Way::Machine(gate) => gate.shadow,
            Way::Aggregate(gate) => gate.shadow,
        }
    }

    /// What a job that runs beyond the shadow time may use in sum, of what is `free` now. `None` where that is not a matter of
    /// sums over all nodes.
    pub(crate) fn spare(&self, free: &Resources) -> Option<Resources> {
        match &self.way {
            Way::Count(gate) => gate.spare(),
            Way::Machine(_) => None,
            Way::Aggregate(gate) => gate.spare(free),
        }
    }

    /// What such a job may use on each node, where that is a matter of nodes.
    pub(crate) fn cap(&self, job: &Pending, room: &Room) -> Option<Vec<Resources>> {
        match &self.way {
            Way::Count(_) | Way::Aggregate(_) => None,
            Way::Machine(gate) => Some(gate.cap(job, room)),
        }
    }

    /// Whether such a job may start there.
    pub(crate) fn lets(&self, job: &Pending, placement: &Placement, room: &Room) -> bool {
        let room_left = match &self.way {
            Way::Count(gate) => gate.lets(placement),
            Way::Machine(gate) => gate.lets(placement),
            Way::Aggregate(gate) => gate.lets(placement, room),
        };
        room_left && self.licences_of(job).all(|need| need.count <= self.extra.of(need.kind))
    }

    /// Such a job starts there.
    pub(crate) fn take(&mut self, job: &Pending, placement: &Placement) {
        match &mut self.way {
            Way::Count(gate) => gate.take(placement),
            Way::Machine(gate) => gate.take(placement),
            Way::Aggregate(_) => {}
        }
        let taken: Vec<LicenceNeed> = self.licences_of(job).collect();
        self.extra.take(&taken);
    }

    /// The licences of a job that the head needs too.
    fn licences_of(&self, job: &Pending) -> impl Iterator<Item = LicenceNeed> {
        let of_head = |need: &LicenceNeed| self.needs.iter().any(|other| other.kind == need.kind);
        job.licences().iter().copied().filter(of_head)
    }
}
