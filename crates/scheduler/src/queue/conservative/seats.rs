//! The waiting jobs, those with a reservation and those without, in queue order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{JobId, SimDuration, SimTime};

use crate::cluster::Rules;
use crate::consumables::LicenceNeed;
use crate::ranking::{Key, Ranking};
use crate::request::Request;
use crate::timetable::{Claim, Slot, any_piece_will_do, planned_length};
use crate::{Cluster, Pending};

/// A waiting job, as much of it as a plan needs.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    pub(super) key: Key,
    pub(super) request: Request,
    pub(super) limit: SimDuration,
    /// Any free pieces will do for it.
    pub(super) fluid: bool,
    pub(super) rules: Option<Arc<Rules>>,
}

impl Waiter {
    pub(super) fn new(key: Key, job: &Pending, cluster: &Cluster) -> Waiter {
        Waiter {
            key,
            request: job.request,
            limit: job.spec.limit,
            fluid: any_piece_will_do(job, cluster),
            rules: job.rules.clone(),
        }
    }

    pub(super) fn licences(&self) -> &[LicenceNeed] {
        self.rules.as_ref().map_or(&[], |rules| &rules.licences)
    }

    /// What it holds in this slot.
    pub(super) fn claim<'a>(&'a self, slot: &'a Slot) -> Claim<'a> {
        Claim { total: &self.request.total, on: &slot.on, licences: self.licences() }
    }

    pub(super) fn length(&self) -> SimDuration {
        planned_length(self.limit)
    }

    /// The array whose throttle counts it.
    fn array(&self) -> Option<JobId> {
        Some(self.rules.as_ref()?.array?.array)
    }
}

/// A waiting job with its reservation.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) who: Waiter,
    pub(super) slot: Slot,
    /// The number of the first piece of news that it hasn't been asked about; `None`: it has to be looked at anew.
    pub(super) seen: Option<u64>,
}

impl Seat {
    /// When it would end at the latest.
    pub(super) fn until(&self) -> SimTime {
        self.slot.at + self.who.length()
    }
}

/// The jobs with a reservation.
#[derive(Clone, Debug, Default)]
pub(super) struct Seats {
    /// By key.
    seats: Vec<Seat>,
    /// How many of them need certain pieces.
    solid: usize,
    /// Those of each array that has a throttle.
    tasks: BTreeMap<JobId, BTreeSet<Key>>,
}

impl Seats {
    /// Whether someone needs certain pieces.
    pub(super) const fn has_solid(&self) -> bool {
        self.solid > 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Seat> {
        self.seats.iter_mut()
    }

    pub(super) fn first(&self) -> Option<&Seat> {
        self.seats.first()
    }

    pub(super) fn last(&self) -> Option<&Seat> {
        self.seats.last()
    }

    pub(super) fn last_key(&self) -> Option<Key> {
        self.seats.last().map(|seat| seat.who.key)
    }

    /// The tasks of an array that has a throttle, in queue order.
    pub(super) fn tasks(&self, array: JobId) -> impl Iterator<Item = Key> + '_ {
        self.tasks.get(&array).into_iter().flatten().copied()
    }

    /// The seat of this key.
    pub(super) fn get(&self, key: Key) -> Option<&Seat> {
        let place = self.seats.binary_search_by_key(&key, |seat| seat.who.key).ok()?;
        self.seats.get(place)
    }

    pub(super) fn insert(&mut self, seat: Seat) {
        self.solid += usize::from(!seat.who.fluid);
        if let Some(array) = seat.who.array() {
            self.tasks.entry(array).or_default().insert(seat.who.key);
        }
        let place = self.seats.partition_point(|other| other.who.key < seat.who.key);
        self.seats.insert(place, seat);
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<Seat> {
        let place = self.seats.iter().position(|seat| seat.who.key.job == job)?;
        let seat = self.seats.remove(place);
        self.no_longer_counts(&seat);
        Some(seat)
    }

    fn no_longer_counts(&mut self, seat: &Seat) {
        self.solid -= usize::from(!seat.who.fluid);
        if let Some(array) = seat.who.array()
            && let Some(tasks) = self.tasks.get_mut(&array)
        {
            tasks.remove(&seat.who.key);
            if tasks.is_empty() {
                self.tasks.remove(&array);
            }
        }
    }

    /// Takes out those whose reservation begins at `now`, in queue order.
    pub(super) fn take_due(&mut self, now: SimTime) -> Vec<Seat> {
        self.take_those(|seat| seat.slot.at <= now)
    }

    /// Takes out those for whom this is so, in queue order.
    pub(super) fn take_those(&mut self, mut is_so: impl FnMut(&Seat) -> bool) -> Vec<Seat> {
        let taken: Vec<Seat> = self.seats.extract_if(.., |seat| is_so(seat)).collect();
        taken.iter().for_each(|seat| self.no_longer_counts(seat));
        taken
    }

    /// Takes all out, in queue order.
    pub(super) fn take_all(&mut self) -> Vec<Seat> {
        std::mem::take(self).seats
    }

    /// The first reservation to begin.
    pub(super) fn next_begin(&self) -> Option<SimTime> {
        self.seats.iter().map(|seat| seat.slot.at).min()
    }

    /// The order of the queue has changed.
    pub(super) fn reorder(&mut self, keys: &Keys) {
        self.seats.iter_mut().for_each(|seat| keys.renew(&mut seat.who.key));
        self.seats.sort_unstable_by_key(|seat| seat.who.key);
        self.tasks.values_mut().for_each(|tasks| {
            *tasks = tasks.iter().map(|key| keys.renewed(*key)).collect();
        });
    }
}

/// Where everyone stands in the queue now.
pub(super) struct Keys(BTreeMap<JobId, Key>);

impl Keys {
    pub(super) fn of(ranking: &Ranking) -> Keys {
        Keys(ranking.keys().map(|key| (key.job, key)).collect())
    }

    pub(super) fn renew(&self, key: &mut Key) {
        *key = self.renewed(*key);
    }

    fn renewed(&self, key: Key) -> Key {
        self.0.get(&key.job).copied().unwrap_or(key)
    }
}
