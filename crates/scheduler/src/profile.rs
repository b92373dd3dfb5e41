//! Free capacity over time: what is free from when to when, if what is known of goes as planned.

use std::fmt::Debug;

use switchyard_model::{Resources, SimDuration, SimTime};

/// What there is a number of: resources, or licences of one kind.
pub(crate) trait Amount: Copy + Debug + Default + PartialEq {
    /// Whether there is at least `need` of everything.
    fn covers(&self, need: &Self) -> bool;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// What is left without `other`.
    fn minus(&self, other: &Self) -> Self;
    /// The smaller amount of each.
    fn least(&self, other: &Self) -> Self;
}

impl Amount for Resources {
    fn covers(&self, need: &Self) -> bool {
        self.covers(need)
    }

    fn plus(&self, other: &Self) -> Self {
        self.plus(other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.minus(other)
    }

    fn least(&self, other: &Self) -> Self {
        self.min(other)
    }
}

impl Amount for u32 {
    fn covers(&self, need: &Self) -> bool {
        self >= need
    }

    fn plus(&self, other: &Self) -> Self {
        self.saturating_add(*other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.saturating_sub(*other)
    }

    fn least(&self, other: &Self) -> Self {
        *self.min(other)
    }
}

/// So much is free from this moment until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step<A> {
    at: SimTime,
    free: A,
}

/// A step function of time: what is free. The last step has no end.
///
/// Whoever holds something, holds it over a half-open interval: what ends at the moment at which another begins is not in
/// its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile<A = Resources> {
    /// Never empty but by default, neighbours differ.
    steps: Vec<Step<A>>,
}

impl<A: Amount> Profile<A> {
    /// `free` from `from` on.
    pub(crate) fn new(from: SimTime, free: A) -> Self {
        Profile { steps: vec![Step { at: from, free }] }
    }

    /// The past is over: what was before `now` is no longer told apart from what is now.
    pub(crate) fn forget_before(&mut self, now: SimTime) {
        let past = self.index(now);
        if let Some(step) = self.steps.get_mut(past) {
            step.at = step.at.max(now);
        }
        self.steps.drain(..past);
    }

    /// Someone holds `amount` in [from, until).
    pub(crate) fn reserve(&mut self, from: SimTime, until: SimTime, amount: &A) {
        self.change(from, until, |free| {
            debug_assert!(free.covers(amount), "{amount:?} of {free:?} is to be held from {from} to {until}");
            free.minus(amount)
        });
    }

    /// Whoever held `amount` in [from, until) no longer does.
    pub(crate) fn release(&mut self, from: SimTime, until: SimTime, amount: &A) {
        self.change(from, until, |free| free.plus(amount));
    }

    /// What is free all the time in [from, until), of each resource.
    pub(crate) fn least(&self, from: SimTime, until: SimTime) -> A {
        let begun = self.steps.iter().skip(self.index(from));
        let steps = begun.take_while(|step| step.at < until || step.at <= from);
        steps.map(|step| step.free).reduce(|a, b| a.least(&b)).unwrap_or_default()
    }

    /// The earliest moment from `from` on, and before `before`, at which `need` is free for `length`.
    ///
    /// `own` is when the asking job's own reservation begins, if it has one: from then on there is room for it.
    pub(crate) fn earliest(
        &self,
        need: &A,
        length: SimDuration,
        from: SimTime,
        before: SimTime,
        own: SimTime,
    ) -> Option<SimTime> {
        let mut steps = self.steps.get(self.index(from)..)?.iter().peekable();
        loop {
            let first = steps.find(|step| step.free.covers(need))?;
            let start = first.at.max(from);
            if start >= before {
                return None;
            }
            let end = own.min(start + length);
            while steps.next_if(|step| step.at < end && step.free.covers(need)).is_some() {}
            match steps.peek() {
                Some(step) if step.at < end => {}
                _ => return Some(start),
            }
        }
    }

    /// The first moment after `after` at which more of something becomes free.
    pub(crate) fn next_rise(&self, after: SimTime) -> Option<SimTime> {
        let steps = self.steps.get(self.index(after)..)?;
        steps.array_windows().find(|[a, b]| !a.free.covers(&b.free)).map(|[_, b]| b.at)
    }

    /// The first moment in [from, until) at which `need` is not free.
    pub(crate) fn first_without(&self, need: &A, from: SimTime, until: SimTime) -> Option<SimTime> {
        let begun = self.steps.iter().skip(self.index(from)).take_while(|step| step.at < until);
        begun.filter(|step| !step.free.covers(need)).map(|step| step.at.max(from)).next()
    }

    /// The step that `time` is in; the first, if it is before all of them.
    fn index(&self, time: SimTime) -> usize {
        self.steps.partition_point(|step| step.at <= time).saturating_sub(1)
    }

    fn change(&mut self, from: SimTime, until: SimTime, new: impl Fn(&A) -> A) {
        let from = self.steps.first().map_or(from, |first| from.max(first.at));
        if from >= until {
            return;
        }
        let begin = self.split(from);
        let end = if until == SimTime::MAX { self.steps.len() } else { self.split(until) };
        for step in self.steps.iter_mut().take(end).skip(begin) {
            step.free = new(&step.free);
        }
        self.join(end);
        self.join(begin);
    }

    /// The place of the step that begins at `time`, which is made if there is none.
    fn split(&mut self, time: SimTime) -> usize {
        let index = self.index(time);
        match self.steps.get(index) {
            Some(step) if step.at < time => {
                let free = step.free;
                self.steps.insert(index + 1, Step { at: time, free });
                index + 1
            }
            _ => index,
        }
    }

    /// Takes the step out if it is no different from the one before it.
    fn join(&mut self, index: usize) {
        let Some(before) = index.checked_sub(1).and_then(|before| self.steps.get(before)) else { return };
        if self.steps.get(index).is_some_and(|step| step.free == before.free) {
            self.steps.remove(index);
        }
    }
}

impl Profile {
    /// The most that is ever free, of each resource.
    pub(crate) fn most(&self) -> Resources {
        let most = |a: Resources, b: Resources| Resources {
            cpus: a.cpus.max(b.cpus),
            gpus: a.gpus.max(b.gpus),
            memory_mib: a.memory_mib.max(b.memory_mib),
        };
        self.steps.iter().map(|step| step.free).fold(Resources::default(), most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(secs: u64) -> SimTime {
        SimTime::from_secs(secs)
    }

    const fn secs(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    fn earliest(profile: &Profile, cpus: u32, length: u64, from: u64) -> Option<u64> {
        let found =
            profile.earliest(&Resources::cpus(cpus), secs(length), at(from), SimTime::MAX, SimTime::MAX);
        found.map(|found| found.as_micros() / 1_000_000)
    }

    /// 10 processors; 6 are held until 20, 5 from 30 to 40.
    fn profile() -> Profile {
        let mut profile = Profile::new(at(0), Resources::cpus(10));
        profile.reserve(at(0), at(20), &Resources::cpus(6));
        profile.reserve(at(30), at(40), &Resources::cpus(5));
        profile
    }

    #[test]
    fn the_earliest_slot_is_free_to_its_end() {
        let profile = profile();
        assert_eq!(earliest(&profile, 4, 1000, 3), Some(3));
        assert_eq!(earliest(&profile, 5, 1000, 0), Some(20));
        assert_eq!(earliest(&profile, 6, 10, 0), Some(20), "it ends when the other begins");
        assert_eq!(earliest(&profile, 6, 11, 0), Some(40));
        assert_eq!(earliest(&profile, 6, 5, 27), Some(40));
        assert_eq!(earliest(&profile, 11, 1, 0), None);
        let before = |before| profile.earliest(&Resources::cpus(6), secs(9), at(0), at(before), SimTime::MAX);
        assert_eq!((before(20), before(21)), (None, Some(at(20))));
        let own = profile.earliest(&Resources::cpus(6), secs(11), at(0), at(30), at(30));
        assert_eq!(own, Some(at(20)), "the reservation from 30 on is its own");
    }

    #[test]
    fn what_is_given_back_leaves_no_trace() {
        let mut profile = profile();
        let before = profile.clone();
        profile.reserve(at(10), at(35), &Resources::cpus(3));
        assert_eq!(profile.least(at(0), at(100)), Resources::cpus(1));
        assert_eq!(profile.next_rise(at(20)), Some(at(35)));
        assert_eq!(profile.first_without(&Resources::cpus(6), at(20), at(31)), Some(at(30)));
        profile.release(at(10), at(35), &Resources::cpus(3));
        assert_eq!(profile, before);
        profile.forget_before(at(25));
        assert_eq!(profile.least(at(0), at(26)), Resources::cpus(10));
        profile.reserve(at(0), SimTime::MAX, &Resources::cpus(5));
        assert_eq!(profile.least(at(1 << 40), SimTime::MAX), Resources::cpus(5));
    }

    proptest! {
        /// What is found is what trying every second finds.
        #[test]
        fn the_first_second_that_fits(
            held in prop::collection::vec((0u64..40, 1u64..20, 0u32..4), 0..12),
            need in 0u32..20, length in 0u64..20, from in 0u64..60,
        ) {
            let mut profile = Profile::new(at(0), Resources::cpus(40));
            let mut free = [40u32; 200];
            for &(start, length, cpus) in &held {
                profile.reserve(at(start), at(start + length), &Resources::cpus(cpus));
                (start..start + length).for_each(|second| free[second as usize] -= cpus);
            }
            let fits = |start: u64| (start..start + length.max(1)).all(|second| free[second as usize] >= need);
            let expected = (from..100).find(|&start| fits(start));
            prop_assert_eq!(earliest(&profile, need, length, from), expected);
            let least = (from..from + length.max(1)).map(|second| free[second as usize]).min();
            prop_assert_eq!(Some(profile.least(at(from), at(from + length)).cpus), least);
        }
    }
}
