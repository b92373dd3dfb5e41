//! Rule 6: when something becomes free, each job in queue order is put at its earliest slot, once.

use switchyard_model::{NodeId, SimTime};

use super::news::{News, Piece};
use super::seats::Seat;
use super::{Conservative, at_once};
use crate::Pending;
use crate::pass::Pass;
use crate::timetable::{ByNode, Slot, Timetable, Wish};

impl Conservative {
    /// Walks the queue: each job is taken out and put back at its earliest slot, on the lowest-numbered nodes.
    ///
    /// A job can only have got a better slot if that makes use of something that has become free since it was last asked: all
    /// else has become less. So each is asked about that only.
    pub(super) fn move_up_all(&mut self, pass: &Pass<'_>) {
        if self.replans {
            return;
        }
        let begin = self.news.next();
        for seat in self.seats.iter_mut() {
            let better = match self.table.is_by_node() {
                false => better_in_sums(seat, &self.table, &self.news, pass.now),
                true => pass
                    .job(seat.who.key)
                    .and_then(|job| better_on_nodes(seat, job, &mut self.table, &self.news, pass)),
            };
            if let Some(slot) = better {
                let (at, until) = (seat.slot.at, seat.until());
                self.table.give(at, until, &seat.who.claim(&seat.slot));
                self.news.add_all(at, until, &seat.slot.on);
                seat.slot = slot;
                self.table.take(seat.slot.at, seat.until(), &seat.who.claim(&seat.slot));
            }
            seat.seen = Some(self.news.next());
        }
        self.news.forget_before(begin);
    }
}

/// An earlier slot than the job has.
fn better_in_sums(seat: &Seat, table: &Timetable, news: &News, now: SimTime) -> Option<Slot> {
    let old = seat.slot.at;
    // A slot that begins later uses nothing that has become free.
    let before = seat.seen.map_or(old, |seen| old.min(news.until(seen)));
    if before <= now {
        return None;
    }
    let claim = seat.who.claim(&seat.slot);
    let at = table.earliest_in_sum(&claim, seat.who.length(), now, before, old)?;
    Some(Slot { at, on: Vec::new() })
}

/// An earlier slot than the job has, or lower-numbered nodes at the same time.
fn better_on_nodes(
    seat: &Seat,
    job: &Pending,
    table: &mut Timetable,
    news: &News,
    pass: &Pass<'_>,
) -> Option<Slot> {
    let (now, old, until) = (pass.now, seat.slot.at, seat.until());
    let nodes = table.nodes()?;
    let look = Look { seat, job, nodes, now };
    let (earlier, elsewhere) = match seat.seen.map(|seen| news.since(seen)) {
        Some([]) => return None,
        Some(pieces) if pieces.len() <= nodes.len() && can_be_seen(job) => {
            let earlier = pieces.iter().filter_map(|piece| look.earlier(piece)).min();
            (earlier, pieces.iter().any(|piece| look.elsewhere(piece)))
        }
        // Too much to look at each.
        _ => (Some(now), true),
    };
    let claim = seat.who.claim(&seat.slot);
    let length = seat.who.length();
    let earlier = earlier.and_then(|from| table.earliest_in_sum(&claim, length, from, old, old));
    if earlier.is_none() && !elsewhere {
        return None;
    }
    table.give(old, until, &claim);
    let now_in_domain = || at_once(job, table, pass).filter(|slot| slot.at < old);
    let slot = job.wants_one_domain().then(now_in_domain).flatten();
    let slot = slot.or_else(|| earlier.and_then(|from| table.earliest(&Wish { job, from, before: old })));
    let slot = slot.or_else(|| elsewhere.then(|| table.slot_at(job, old)).flatten());
    table.take(old, until, &claim);
    slot.filter(|slot| *slot != seat.slot)
}

/// Whether pieces of nodes tell what a job can hope for: not for licences, which are on no node, nor for single GPUs of a node.
fn can_be_seen(job: &Pending) -> bool {
    job.licences().is_empty() && !job.wants_one_domain()
}

/// Whether a piece that has become free is of use.
struct Look<'a> {
    seat: &'a Seat,
    job: &'a Pending,
    nodes: &'a ByNode,
    now: SimTime,
}

impl Look<'_> {
    fn own(&self, node: NodeId) -> bool {
        self.seat.slot.on.binary_search_by_key(&node, |(node, _)| *node).is_ok()
    }

    /// The first moment at which a part of the job might run there, making use of it.
    fn earlier(&self, piece: &Piece) -> Option<SimTime> {
        let old = self.seat.slot.at;
        let before = old.min(piece.until);
        if before <= self.now || !self.job.machines.contains(piece.node) {
            return None;
        }
        let own = if self.own(piece.node) { old } else { SimTime::MAX };
        let (_, each) = self.seat.who.request.shape.parts();
        let length = self.seat.who.length();
        self.nodes.node(piece.node)?.earliest(each, length, self.now, before, own)
    }

    /// Whether the job, in its place, might use the node more than it does. Nodes above those that it has are of no use.
    fn elsewhere(&self, piece: &Piece) -> bool {
        let (old, until) = (self.seat.slot.at, self.seat.until());
        let below = self.seat.slot.on.last().is_some_and(|(last, _)| piece.node < *last);
        if !below || piece.until <= old || piece.from >= until || !self.job.machines.contains(piece.node) {
            return false;
        }
        let (_, each) = self.seat.who.request.shape.parts();
        let least = self.nodes.node(piece.node).map(|node| node.least(old, until));
        least.is_some_and(|least| least.covers(each))
    }
}
