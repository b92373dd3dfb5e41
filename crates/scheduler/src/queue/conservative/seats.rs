//! The waiting jobs that have a reservation, in queue order.

use std::collections::BTreeMap;

use switchyard_model::{JobId, SimDuration, SimTime};

use crate::ranking::{Key, Ranking};
use crate::request::Request;
use crate::timetable::{Slot, planned_length};

/// A waiting job with its reservation.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) key: Key,
    pub(super) request: Request,
    pub(super) limit: SimDuration,
    /// Any free pieces will do for it.
    pub(super) fluid: bool,
    pub(super) slot: Slot,
    /// The number of the first piece of news that it hasn't been asked about; `None`: it has to be looked at anew.
    pub(super) seen: Option<u64>,
}

impl Seat {
    /// When it would end at the latest.
    pub(super) fn until(&self) -> SimTime {
        self.slot.at + planned_length(self.limit)
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Seats {
    /// By key.
    seats: Vec<Seat>,
    /// How many of them need certain pieces.
    solid: usize,
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

    pub(super) fn last_key(&self) -> Option<Key> {
        self.seats.last().map(|seat| seat.key)
    }

    pub(super) fn insert(&mut self, seat: Seat) {
        self.solid += usize::from(!seat.fluid);
        let place = self.seats.partition_point(|other| other.key < seat.key);
        self.seats.insert(place, seat);
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<Seat> {
        let place = self.seats.iter().position(|seat| seat.key.job == job)?;
        let seat = self.seats.remove(place);
        self.solid -= usize::from(!seat.fluid);
        Some(seat)
    }

    /// Takes out those whose reservation begins at `now` or has begun, in queue order.
    pub(super) fn take_due(&mut self, now: SimTime) -> Vec<Seat> {
        let due: Vec<Seat> = self.seats.extract_if(.., |seat| seat.slot.at <= now).collect();
        self.solid -= due.iter().filter(|seat| !seat.fluid).count();
        due
    }

    /// Takes all out, in queue order.
    pub(super) fn take_all(&mut self) -> Vec<Seat> {
        self.solid = 0;
        std::mem::take(&mut self.seats)
    }

    /// The first reservation to begin.
    pub(super) fn next_begin(&self) -> Option<SimTime> {
        self.seats.iter().map(|seat| seat.slot.at).min()
    }

    /// The order of the queue has changed.
    pub(super) fn reorder(&mut self, ranking: &Ranking) {
        let keys: BTreeMap<JobId, Key> = ranking.keys().map(|key| (key.job, key)).collect();
        for seat in &mut self.seats {
            if let Some(key) = keys.get(&seat.key.job) {
                seat.key = *key;
            }
        }
        self.seats.sort_unstable_by_key(|seat| seat.key);
    }
}
