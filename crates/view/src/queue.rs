//! The queue as a table: who waits, in which order, and the one reason why.
//!
//! A row holds what its words are made of and not the words, so that a queue of thousands costs little and only the
//! rows on screen are written out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, SimTime};
use switchyard_scheduler::Reason;
use switchyard_sim::{JobState, World};

use crate::accounts::Accounts;
use crate::policy::Expected;
use crate::words::{counted, grouped, span, unit, units_of};

/// Why a job waits, by what the leader decided, or why nobody decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The leader's last pass found this reason.
    Reason(Reason),
    /// The leader decided to start it; that is not committed yet.
    Starting,
    /// It came after the leader's last pass.
    NotSeenYet,
    /// Nobody leads.
    NoLeader,
    /// The leader has not caught up with what earlier leaders left.
    LeaderCatchesUp,
}

impl Why {
    /// The reason as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Why::Reason(reason) => reason.to_string(),
            Why::Starting => "Starts now.".to_owned(),
            Why::NotSeenYet => "The next scheduling pass decides.".to_owned(),
            Why::NoLeader => "No leader: nobody can decide.".to_owned(),
            Why::LeaderCatchesUp => "The new leader is not ready yet.".to_owned(),
        }
    }

    /// What the reason rests on.
    pub fn evidence(&self) -> String {
        match self {
            Why::Reason(reason) => reason.evidence(),
            Why::Starting => "The start is proposed; a majority of replicas must write it first.".to_owned(),
            Why::NotSeenYet => "It came after the last pass, or changed since.".to_owned(),
            Why::NoLeader => "Nothing starts until a leader is elected.".to_owned(),
            Why::LeaderCatchesUp => "It first applies what earlier leaders left in the log.".to_owned(),
        }
    }

    /// The word that Slurm's `squeue` shows, where it has one.
    pub const fn slurm(&self) -> &'static str {
        match self {
            Why::Reason(reason) => reason.slurm_code(),
            Why::Starting | Why::NotSeenYet | Why::NoLeader | Why::LeaderCatchesUp => "None",
        }
    }
}

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// What it asks for.
    pub spec: Arc<JobSpec>,
    /// The number of its account.
    pub account: u8,
    /// How often it was started already and went back to the queue.
    pub attempts: u32,
    /// Why it waits.
    pub why: Why,
    /// When it is expected to start.
    pub expected: Expected,
}

impl QueueRow {
    /// How long it waits already.
    pub fn waits(&self, now: SimTime) -> String {
        span(now.since(self.spec.submit))
    }
}

/// The queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// The moment that waits are counted to.
    pub now: SimTime,
    /// All pending jobs, first in line first.
    pub rows: Vec<QueueRow>,
    /// All of it in a sentence.
    pub summary: String,
}

impl QueueView {
    /// The queue of a world.
    pub fn of(world: &World, accounts: &Accounts) -> Self {
        let planned = planned_starts(world);
        let row = |(job, why): (JobId, Why)| {
            let record = world.book().job(job)?;
            Some(QueueRow {
                spec: Arc::clone(&record.spec),
                account: accounts.number(&record.spec.account),
                attempts: record.attempt,
                expected: Expected::of(planned.get(&job).copied(), &why),
                why,
            })
        };
        let rows: Vec<QueueRow> = pending(world).into_iter().filter_map(row).collect();
        QueueView { now: world.now(), summary: summary(world, &rows), rows }
    }
}

/// All pending jobs with why they wait: in queue order where a leader has decided, else by submission.
pub fn pending(world: &World) -> Vec<(JobId, Why)> {
    let book = world.book();
    let is_pending = |job: JobId| book.job(job).is_some_and(|record| record.state == JobState::Pending);
    let (plan, unseen) = match (world.plan(), world.leader()) {
        (Some(plan), _) => (Some(plan), Why::NotSeenYet),
        (None, Some(_)) => (None, Why::LeaderCatchesUp),
        (None, None) => (None, Why::NoLeader),
    };
    let mut out = Vec::new();
    if let Some(plan) = plan {
        let starts = plan.starts.iter().map(|start| (start.job, Why::Starting));
        let waiting = plan.waiting.iter().map(|waiting| (waiting.job, Why::Reason(waiting.reason.clone())));
        out.extend(starts.chain(waiting).filter(|(job, _)| is_pending(*job)));
    }
    let seen: BTreeSet<JobId> = out.iter().map(|(job, _)| *job).collect();
    let mut others: Vec<_> = book
        .jobs()
        .iter()
        .filter(|(job, record)| record.state == JobState::Pending && !seen.contains(job))
        .map(|(job, record)| (record.spec.submit, *job))
        .collect();
    others.sort_unstable();
    out.extend(others.into_iter().map(|(_, job)| (job, unseen.clone())));
    out
}

/// When the leader's last plan expects those who wait to start. Whoever has a reservation is expected to start with it.
pub(crate) fn planned_starts(world: &World) -> BTreeMap<JobId, SimTime> {
    let Some(plan) = world.plan() else { return BTreeMap::new() };
    let reserved = plan.reservations.iter().map(|reservation| (reservation.job, reservation.at));
    let expected = plan.waiting.iter().filter_map(|waiting| Some((waiting.job, waiting.expected?)));
    reserved.chain(expected).collect()
}

fn summary(world: &World, rows: &[QueueRow]) -> String {
    let Some(oldest) = rows.iter().map(|row| row.spec.submit).min() else {
        return "No job waits.".to_owned();
    };
    let fleet = world.fleet();
    let units: u64 = rows.iter().map(|row| u64::from(units_of(fleet, &row.spec.shape.total()))).sum();
    let wait = if rows.len() == 1 { "waits" } else { "wait" };
    format!(
        "{} {wait} for {} {}s; longest {}",
        counted(rows.len() as u64, "job"),
        grouped(units),
        unit(fleet),
        span(world.now().since(oldest))
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_sim::Command;

    fn said(world: &World) -> Vec<(u64, String)> {
        let view = QueueView::of(world, &Accounts::of(world.jobs()));
        view.rows.iter().map(|row| (row.spec.id.0, row.why.sentence())).collect()
    }

    #[test]
    fn each_job_waits_for_its_reason_in_queue_order() {
        let jobs = vec![job(1, "a", 1, 600, 3), job(2, "b", 2, 600, 4), job(3, "a", 3, 900, 1)];
        let world = world(4, jobs, 60);
        let view = QueueView::of(&world, &Accounts::of(world.jobs()));
        assert_eq!(view.summary, "2 jobs wait for 40 GPUs; longest 58 s");
        let [first, second] = view.rows.as_slice() else { panic!("{:?}", view.rows) };
        assert_eq!((first.spec.id.0, first.account), (2, 1));
        assert_eq!(first.why.sentence(), "Needs 4 empty nodes; 1 is.");
        assert_eq!(first.expected.short(), "00:10:03", "when job 1 must have ended");
        assert_eq!(second.expected.short(), "00:20:03", "when job 2 must have ended");
        assert_eq!((first.why.slurm(), first.waits(view.now).as_str()), ("Resources", "58 s"));
        assert!(matches!(second.why, Why::Reason(Reason::WouldDelayReservation { head: JobId(2), .. })));
        assert_eq!(second.why.slurm(), "Priority");
    }

    #[test]
    fn without_a_leader_nobody_can_decide_and_every_job_says_so() {
        let jobs = vec![job(1, "a", 1, 600, 3), job(3, "a", 3, 900, 4), job(2, "b", 4, 600, 4)];
        let mut world = world(4, jobs, 60);
        let leader = world.leader().map(|(leader, _)| leader.id()).unwrap();
        world.apply(Command::CrashReplica(leader)).unwrap();
        let no = || "No leader: nobody can decide.".to_owned();
        assert_eq!(said(&world), [(3, no()), (2, no())], "by submission");
        pass(&mut world, 30);
        assert_eq!(said(&world).first().unwrap().1, "Needs 4 empty nodes; 1 is.");
    }

    #[test]
    fn an_empty_queue_says_so() {
        let view = QueueView::of(&world(2, vec![], 30), &Accounts::default());
        assert_eq!((view.rows.len(), view.summary.as_str()), (0, "No job waits."));
    }
}
