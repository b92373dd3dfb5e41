//! The attempts of each job together, and what each of them was worth.

use switchyard_model::{Outcome, SimDuration, SimTime};

use crate::Span;

/// The spans of a run by job, and for each job by attempt.
pub(super) struct Attempts<'a> {
    spans: Vec<&'a Span>,
}

impl<'a> Attempts<'a> {
    pub(super) fn of(spans: &'a [Span]) -> Attempts<'a> {
        let mut spans: Vec<&Span> = spans.iter().collect();
        spans.sort_by_key(|span| (span.job, span.attempt, span.start));
        Attempts { spans }
    }

    /// All attempts.
    pub(super) fn all(&self) -> &[&'a Span] {
        &self.spans
    }

    /// The attempts of each job, first to last; never empty.
    pub(super) fn by_job(&self) -> impl Iterator<Item = &[&'a Span]> {
        self.spans.chunk_by(|a, b| a.job == b.job)
    }

    /// The last attempt of each job.
    pub(super) fn last(&self) -> impl Iterator<Item = &'a Span> {
        self.by_job().filter_map(|attempts| attempts.last().copied())
    }

    /// The last attempts of the jobs that finished.
    pub(super) fn finished(&self) -> impl Iterator<Item = &'a Span> {
        self.last().filter(|span| delivers(span))
    }
}

/// Whether the attempt did what it was started for, as far as the cluster had a hand in it.
pub(super) const fn delivers(span: &Span) -> bool {
    match span.outcome {
        Outcome::Completed | Outcome::TimeLimit | Outcome::Failed => true,
        Outcome::Preempted | Outcome::NodeFail => false,
    }
}

/// Where an attempt's work is lost from: its selection for preemption, or its end.
pub(super) fn taken_at(span: &Span) -> SimTime {
    span.preempted_at.unwrap_or(span.end).min(span.end)
}

/// How long the job was pending up to the last of its `attempts`.
pub(super) fn queue_time(attempts: &[&Span]) -> SimDuration {
    let Some(first) = attempts.first() else { return SimDuration::ZERO };
    let (mut opened, mut sum) = (first.submit, SimDuration::ZERO);
    for span in attempts {
        sum += span.start.since(opened);
        opened = opened.max(taken_at(span));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, preempted, span};
    use super::*;

    /// Pending [0, 10), runs, selected at 40 and gone at 70, pending [40, 191): 161 s, whatever the grace time.
    #[test]
    fn queue_time_is_the_union_of_the_pending_intervals() {
        let first = Span { attempt: 1, ..preempted(1, 0, 10, 40, 70, &[]) };
        let second = Span { attempt: 2, submit: at(0), ..span(1, 0, 191, 300, &[]) };
        let spans = [second, first];
        let attempts = Attempts::of(&spans);
        let jobs: Vec<_> = attempts.by_job().collect();
        assert_eq!(jobs.len(), 1);
        assert_eq!(queue_time(jobs[0]), SimDuration::from_secs(10 + 151));
        assert_eq!(attempts.finished().count(), 1);
    }
}
