//! What an onlooker remembers: the story in events, the figures over time, and the book as it was last committed.

use std::collections::VecDeque;
use std::sync::Arc;

use switchyard_model::{Fleet, SimDuration, SimTime};

use crate::book::{Applied, Book, Entry, NodeState, Op};
use crate::event::{Event, Record};
use crate::policies::Policies;

/// The story keeps this many events; older ones are dropped, and their number is told.
const EVENTS_KEPT: usize = 20_000;
/// The curves keep this many samples; when they are full, every second one goes and the step doubles.
const SAMPLES_KEPT: usize = 4_096;

/// The figures of one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub at: SimTime,
    /// GPUs (processors, in a fleet without GPUs) on which a job runs.
    pub busy: u32,
    /// Jobs that are started and have not ended.
    pub running: u32,
    /// Jobs that wait.
    pub pending: u32,
}

/// How many jobs stand where, by what is committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They wait.
    pub pending: u32,
    /// They are started and have not ended.
    pub running: u32,
    /// They have ended.
    pub finished: u32,
    /// How often a job went back to the queue.
    pub requeued: u32,
    /// How often a job was started past one that waits before it.
    pub backfilled: u32,
}

/// Everything remembered.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    events: VecDeque<Record>,
    dropped: u64,
    samples: Vec<Sample>,
    step: SimDuration,
    book: Book,
    counts: Counts,
    wait_sum: SimDuration,
    waits: u64,
}

impl Recorder {
    pub(crate) fn new(book: Book) -> Self {
        Recorder {
            events: VecDeque::new(),
            dropped: 0,
            samples: Vec::new(),
            step: SimDuration::from_secs(10),
            book,
            counts: Counts::default(),
            wait_sum: SimDuration::ZERO,
            waits: 0,
        }
    }

    pub(crate) fn tell(&mut self, at: SimTime, event: Event) {
        if self.events.len() == EVENTS_KEPT {
            self.events.pop_front();
            self.dropped += 1;
        }
        self.events.push_back(Record { at, event });
    }

    /// An entry was applied by a replica for the first time: it is history now.
    pub(crate) fn committed(&mut self, at: SimTime, entry: &Entry, fleet: &Fleet, policies: &Policies) {
        if self.book.apply(entry, fleet, policies) == Applied::Done
            && let Some(event) = self.account_for(entry)
        {
            self.tell(at, event);
        }
    }

    fn account_for(&mut self, entry: &Entry) -> Option<Event> {
        match entry {
            Entry::Request(request) => match &request.op {
                Op::Submit(spec) => {
                    self.counts.pending += 1;
                    Some(Event::JobAccepted(spec.id))
                }
                Op::SetBackfill(on) => Some(Event::BackfillSet(*on)),
                Op::SetPolicy(name) => Some(Event::PolicySet(Arc::clone(name))),
            },
            Entry::Start { job, attempt, at, backfilled, .. } => {
                self.counts.pending -= 1;
                self.counts.running += 1;
                self.counts.backfilled += u32::from(*backfilled);
                if let Some(record) = self.book.job(*job) {
                    self.wait_sum += at.since(record.spec.submit);
                    self.waits += 1;
                }
                Some(Event::JobPlaced { job: *job, attempt: *attempt, backfilled: *backfilled })
            }
            Entry::Finish { job, outcome, .. } => {
                self.counts.running -= 1;
                self.counts.finished += 1;
                Some(Event::JobFinished { job: *job, outcome: *outcome })
            }
            Entry::Requeue { job, attempt, lost, evidence, .. } => {
                self.counts.running -= 1;
                self.counts.pending += 1;
                self.counts.requeued += 1;
                Some(Event::JobRequeued { job: *job, attempt: *attempt, lost: *lost, evidence: *evidence })
            }
            Entry::Node { node, state, .. } => match state {
                NodeState::Joining => None,
                NodeState::Up => Some(Event::NodeUp(*node)),
                NodeState::Suspect => Some(Event::NodeSuspect(*node)),
                NodeState::Down => Some(Event::NodeDown(*node)),
            },
        }
    }

    fn next_sample(&self) -> SimTime {
        self.samples.last().map_or(SimTime::ZERO, |last| last.at + self.step)
    }

    /// Whether a sample is due before `now`.
    pub(crate) fn sample_is_due(&self, now: SimTime) -> bool {
        self.next_sample() < now
    }

    /// Takes the samples that are due before `now`, with the figures as they stand.
    pub(crate) fn sample(&mut self, now: SimTime, busy: u32) {
        let mut due = self.next_sample();
        while due < now {
            if self.samples.len() == SAMPLES_KEPT {
                let mut keep = false;
                self.samples.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.step = self.step + self.step;
            }
            let Counts { running, pending, .. } = self.counts;
            self.samples.push(Sample { at: due, busy, running, pending });
            due += self.step;
        }
    }

    pub(crate) const fn events(&self) -> &VecDeque<Record> {
        &self.events
    }

    pub(crate) const fn events_dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub(crate) const fn book(&self) -> &Book {
        &self.book
    }

    pub(crate) const fn counts(&self) -> Counts {
        self.counts
    }

    /// Mean time from submission to start over all starts so far.
    pub(crate) fn mean_wait(&self) -> Option<SimDuration> {
        self.wait_sum.as_micros().checked_div(self.waits).map(SimDuration::from_micros)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::policies::Setting;
    use switchyard_model::FleetSpec;

    #[test]
    fn curves_stay_bounded_and_keep_their_whole_span() {
        let fleet = FleetSpec::yard().build().unwrap();
        let setting = Setting { policy: "fcfs".into(), backfill: false };
        let mut recorder = Recorder::new(Book::new(&fleet, setting));
        recorder.sample(SimTime::from_secs(10 * 10_000), 3);
        let samples = recorder.samples();
        assert!(samples.len() <= SAMPLES_KEPT);
        assert_eq!(samples.first().unwrap().at, SimTime::ZERO);
        assert!(samples.last().unwrap().at >= SimTime::from_secs(99_000));
        assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
    }
}
