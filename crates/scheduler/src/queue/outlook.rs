//! When a job that waits could start, as far as the time limits of others tell: on the nodes that it may use then, with its
//! licences.

use switchyard_model::{GpuSet, NodeId, NodeShare, Resources, SimTime};

use crate::consumables::{Consumables, LicenceNeed};
use crate::place::densest;
use crate::releases::Releases;
use crate::request::parts_on;
use crate::room::Room;
use crate::{Pending, domains};

/// What a node has free at some moment.
#[derive(Clone, Copy, Debug, Default)]
struct FreeNode {
    amount: Resources,
    gpus: GpuSet,
}

/// Nodes that are kept whole for someone else who waits.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) from: SimTime,
    pub(crate) to: SimTime,
}

/// Licences that are promised to someone else who waits, until that one has ended.
#[derive(Clone, Debug)]
pub(crate) struct Debt {
    pub(crate) needs: Vec<LicenceNeed>,
    pub(crate) until: SimTime,
}

/// What a job finds at some moment to come.
#[derive(Clone, Debug)]
pub(crate) struct Outlook<'a> {
    job: &'a Pending,
    room: &'a Room,
    pub(crate) at: SimTime,
    /// What each node has free; nothing where the job may never go.
    free: Vec<FreeNode>,
    /// The licences that are free.
    pub(crate) licences: Consumables,
    /// Which advance reservations keep nodes from the job if it starts then.
    shut: Vec<bool>,
    /// What is kept for others who wait, and whose turn that is at some time of the job.
    promises: &'a [Promise],
    promised: Vec<bool>,
    /// The licences that are promised to others.
    debts: &'a [Debt],
    /// How many of its parts fit beside them, and what it may use in sum.
    parts: u64,
    sum: Resources,
    /// What it needs in sum, where only that counts.
    by_sum: Option<Resources>,
}

impl<'a> Outlook<'a> {
    /// The earliest moment at which `job` fits on single nodes. `None` when no end in sight makes room for it.
    pub(crate) fn on_nodes(
        job: &'a Pending,
        room: &'a Room,
        releases: &Releases<'_>,
        licences: Consumables,
        debts: &'a [Debt],
        now: SimTime,
    ) -> Option<Outlook<'a>> {
        Outlook { debts, ..Outlook::new(job, room, licences, now) }.until_it_fits(releases)
    }

    /// The same beside what is kept for others who wait.
    pub(crate) fn beside(
        promises: &'a [Promise],
        job: &'a Pending,
        room: &'a Room,
        releases: &Releases<'_>,
        now: SimTime,
    ) -> Option<Outlook<'a>> {
        let outlook =
            Outlook { promises, ..Outlook::new(job, room, Consumables::enough_for(job.licences()), now) };
        outlook.until_it_fits(releases)
    }

    /// The earliest moment at which `need` is free in sum on the nodes that `job` could use.
    pub(crate) fn in_sum(
        need: Resources,
        job: &'a Pending,
        room: &'a Room,
        releases: &Releases<'_>,
        licences: Consumables,
        debts: &'a [Debt],
        now: SimTime,
    ) -> Option<Outlook<'a>> {
        let outlook = Outlook { by_sum: Some(need), debts, ..Outlook::new(job, room, licences, now) };
        outlook.until_it_fits(releases)
    }

    fn until_it_fits(mut self, releases: &Releases<'_>) -> Option<Outlook<'a>> {
        let outlook = &mut self;
        let room = outlook.room;
        let kept = outlook.promises.iter().map(|promise| promise.to);
        let paid = outlook.debts.iter().map(|debt| debt.until);
        let mut returns: Vec<SimTime> = room.returns().chain(kept).chain(paid).collect();
        returns.sort_unstable_by_key(|&at| std::cmp::Reverse(at));
        let mut ends = releases.iter().peekable();
        loop {
            while let Some(end) = ends.next_if(|end| end.at <= outlook.at) {
                end.placement.0.iter().for_each(|share| outlook.give(share));
                outlook.licences.give(end.licences);
            }
            outlook.look_at_reservations();
            if outlook.fits() {
                return Some(self);
            }
            while returns.last().is_some_and(|&at| at <= outlook.at) {
                returns.pop();
            }
            let next = [ends.peek().map(|end| end.at), returns.last().copied()];
            outlook.at = next.into_iter().flatten().min()?;
        }
    }

    /// What `job` finds at `at`, whether it fits then or not.
    pub(crate) fn at(job: &'a Pending, room: &'a Room, releases: &Releases<'_>, at: SimTime) -> Outlook<'a> {
        let mut outlook = Outlook::new(job, room, Consumables::default(), at);
        for end in releases.iter().take_while(|end| end.at <= at) {
            end.placement.0.iter().for_each(|share| outlook.give(share));
        }
        outlook
    }

    fn new(job: &'a Pending, room: &'a Room, licences: Consumables, at: SimTime) -> Outlook<'a> {
        let free = (0..).map(NodeId).zip(room.nodes()).map(|(node, state)| {
            match state.available && job.machines.contains(node) {
                true => FreeNode { amount: state.free, gpus: state.free_gpus },
                false => FreeNode::default(),
            }
        });
        let free = free.collect();
        let shut = room.shut_at(at, job);
        let (parts, sum) = (0, Resources::default());
        let (promises, promised) = (&[][..], Vec::new());
        let (debts, by_sum) = (&[][..], None);
        let mut outlook =
            Outlook { job, room, at, free, licences, shut, promises, promised, debts, parts, sum, by_sum };
        outlook.count();
        outlook
    }

    /// A job ends and gives this back.
    fn give(&mut self, share: &NodeShare) {
        let usable = self.room.nodes().get(share.node.index()).is_some_and(|state| state.available)
            && self.job.machines.contains(share.node);
        if !usable {
            return;
        }
        let (parts, amount) = (self.parts_on(share.node), self.usable(share.node));
        let Some(free) = self.free.get_mut(share.node.index()) else { return };
        free.amount = free.amount.plus(&share.resources());
        free.gpus = free.gpus.union(share.gpus);
        self.parts = self.parts - parts + self.parts_on(share.node);
        self.sum = self.sum.minus(&amount).plus(&self.usable(share.node));
    }

    /// Nodes may come back from advance reservations, or get too near to one.
    fn look_at_reservations(&mut self) {
        let shut = self.room.shut_at(self.at, self.job);
        let to = self.at + self.job.spec.limit;
        let promised: Vec<bool> =
            self.promises.iter().map(|promise| promise.from < to && promise.to > self.at).collect();
        if shut != self.shut || promised != self.promised {
            (self.shut, self.promised) = (shut, promised);
            self.count();
        }
    }

    fn count(&mut self) {
        let nodes = (0..).map(NodeId).take(self.free.len());
        self.parts = nodes.map(|node| self.parts_on(node)).sum();
        self.sum = self.all_usable().fold(Resources::default(), |sum, free| sum.plus(&free));
    }

    fn fits(&self) -> bool {
        let room = match &self.by_sum {
            Some(need) => self.sum.covers(need),
            None => self.fits_on_nodes(),
        };
        room && self.has_licences() && self.room.in_its_reservation(self.at, self.job)
    }

    fn has_licences(&self) -> bool {
        let owed = |kind| -> u32 {
            let due = self.debts.iter().filter(|debt| debt.until > self.at).flat_map(|debt| &debt.needs);
            due.filter(|need| need.kind == kind).fold(0, |sum, need| sum.saturating_add(need.count))
        };
        let mut needs = self.job.licences().iter();
        needs.all(|need| self.licences.of(need.kind) >= need.count.saturating_add(owed(need.kind)))
    }

    fn fits_on_nodes(&self) -> bool {
        let parts = u64::from(self.job.request.parts());
        self.parts >= parts
            && (!self.job.wants_one_domain() || self.best_domain() >= parts)
            && self.is_on_few_nodes()
    }

    /// Whether the job finds room on no more nodes than it may have.
    fn is_on_few_nodes(&self) -> bool {
        let most = self.job.rules.as_ref().and_then(|rules| rules.max_nodes);
        most.is_none_or(|most| self.densest().is_some_and(|chosen| chosen.len() <= most as usize))
    }

    fn densest(&self) -> Option<Vec<(NodeId, Resources)>> {
        densest(&self.job.request.shape, self.all_usable())
    }

    fn best_domain(&self) -> u64 {
        let Some(fleet) = self.room.fleet() else { return 0 };
        let free = |node| Some((self.usable(node), self.free.get(node.index())?.gpus));
        domains::count(fleet, &self.job.request.shape, free).parts
    }

    fn parts_on(&self, node: NodeId) -> u64 {
        u64::from(parts_on(&self.job.request.shape, &self.usable(node)))
    }

    /// What the job may use of a node.
    fn usable(&self, node: NodeId) -> Resources {
        let Some(free) = self.free.get(node.index()) else { return Resources::default() };
        let closed = (self.job.is_exclusive() && free.amount != self.room.capacity(node))
            || self.room.is_kept_by(&self.shut, node)
            || self.is_promised(node);
        if closed { Resources::default() } else { free.amount }
    }

    fn is_promised(&self, node: NodeId) -> bool {
        let holds = |(counts, promise): (&bool, &Promise)| *counts && promise.nodes.contains(&node);
        self.promised.iter().zip(self.promises).any(holds)
    }

    /// What the job may use in sum.
    pub(crate) const fn sum(&self) -> Resources {
        self.sum
    }

    /// What the job may use of each node, in node order.
    pub(crate) fn all_usable(&self) -> impl Iterator<Item = Resources> + '_ {
        (0..).map(NodeId).take(self.free.len()).map(|node| self.usable(node))
    }

    /// What the job gets where, as the placement rule chooses; all of a node, if it shares with nobody, and all GPUs of a node
    /// that its NVSwitch domain divides.
    ///
    /// Whether it finds room doesn't depend on the rule, so that any nodes that hold it would keep the promise; but these are
    /// the ones that it is going to be given.
    pub(crate) fn choose(&self) -> Option<Vec<(NodeId, Resources)>> {
        let usable = |node: NodeId| {
            let free = self.usable(node);
            let gpus = self.free.get(node.index())?.gpus;
            (free != Resources::default()).then_some((free, gpus))
        };
        let placed = self.room.rule().place_then(self.job, self.room, &usable)?;
        let most = self.job.rules.as_ref().and_then(|rules| rules.max_nodes);
        let chosen = match most.is_some_and(|most| placed.0.len() > most as usize) {
            true => self.densest()?,
            false => placed.0.iter().map(|share| (share.node, share.resources())).collect(),
        };
        let given = |(node, need): (NodeId, Resources)| {
            if self.job.is_exclusive() {
                (node, self.room.capacity(node))
            } else if self.divides(node) {
                (node, Resources { gpus: self.usable(node).gpus, ..need })
            } else {
                (node, need)
            }
        };
        Some(chosen.into_iter().map(given).collect())
    }

    /// Whether the job wants a single domain, and this node has several.
    fn divides(&self, node: NodeId) -> bool {
        let (Some(fleet), Some(free)) = (self.room.fleet(), self.free.get(node.index())) else {
            return false;
        };
        let mut domains = free.gpus.slots().map(|slot| fleet.domain_of(node, slot));
        let first = domains.next();
        self.job.wants_one_domain() && domains.any(|domain| Some(domain) != first)
    }
}
