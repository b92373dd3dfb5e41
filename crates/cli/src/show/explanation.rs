//! Why a job waits, runs or has ended, for people.

use switchyard_model::{Fleet, JobSpec, NodeId, Outcome, Shape, SimDuration, SimTime};
use switchyard_scheduler::{Pending, PriorityBreakdown, Running, Span, Waiting};

use super::{jobs, list};
use crate::commands::explain::Explanation;

type Rows = Vec<(&'static str, String)>;

pub(crate) fn page(explanation: &Explanation<'_>) -> String {
    let spec = &explanation.job.spec;
    let mut rows: Rows = vec![
        ("job", spec.id.to_string()),
        ("at", explanation.time(explanation.snapshot.at)),
        ("policy", explanation.setting.policy.name.to_string()),
        ("asks for", asks_for(spec)),
        ("submitted", explanation.time(spec.submit)),
    ];
    let snapshot = explanation.snapshot;
    let ended = || snapshot.ended.iter().rev().find(|span| span.job == spec.id);
    if let Some(running) = snapshot.cluster.running_job(spec.id) {
        explanation.running(running, &mut rows);
    } else if let Some(pending) = snapshot.cluster.pending_job(spec.id) {
        explanation.pending(pending, &mut rows);
    } else if let Some(span) = ended() {
        explanation.ended(span, &mut rows);
    } else {
        rows.push(("state", "not submitted yet".to_owned()));
    }
    super::table(&rows)
}

impl Explanation<'_> {
    /// In the trace's own seconds, and as reasons say it.
    fn time(&self, at: SimTime) -> String {
        format!("{} s ({at} after the first submission)", self.seconds(at))
    }

    pub(crate) fn seconds(&self, at: SimTime) -> String {
        super::seconds(at + self.setting.workload.origin.since(SimTime::ZERO))
    }

    pub(crate) fn waiting(&self) -> Option<&Waiting> {
        self.snapshot.plan.waiting.iter().find(|waiting| waiting.job == self.job.spec.id)
    }

    fn running(&self, running: &Running, rows: &mut Rows) {
        rows.push(("state", attempt("running", running.attempt)));
        rows.push(("started", self.time(running.start)));
        rows.push(("waited", running.start.since(self.job.spec.submit).to_string()));
        rows.push(("ends by", format!("{}, its time limit", self.time(running.expected_end))));
        rows.push(("on", names(&self.setting.fleet, running.placement.nodes())));
    }

    fn ended(&self, span: &Span, rows: &mut Rows) {
        rows.push(("state", attempt(outcome(span.outcome), span.attempt)));
        rows.push(("started", self.time(span.start)));
        rows.push(("waited", span.start.since(span.submit).to_string()));
        rows.push(("ended", self.time(span.end)));
        rows.push(("on", names(&self.setting.fleet, span.placement.nodes())));
        if span.backfilled {
            rows.push(("backfilled", "yes: it passed a job that was ahead of it".to_owned()));
        }
    }

    fn pending(&self, pending: &Pending, rows: &mut Rows) {
        let id = self.job.spec.id;
        rows.push(("state", attempt("waiting", pending.attempt)));
        rows.push(("waited so far", self.snapshot.at.since(pending.submitted).to_string()));
        if let Some(pass_at) = self.snapshot.pass_at {
            rows.push(("last pass", self.time(pass_at)));
        }
        if let Some(waiting) = self.waiting() {
            rows.push(("reason", waiting.reason.to_string()));
            rows.push(("evidence", waiting.reason.evidence()));
            rows.push(("Slurm's code", waiting.reason.slurm_code().to_owned()));
            let expected = waiting.expected.map(|at| self.time(at));
            rows.push((
                "predicted start",
                expected.unwrap_or_else(|| "nothing in sight lets it start".to_owned()),
            ));
        }
        if let Some(kept) = self.snapshot.plan.reservations.iter().find(|kept| kept.job == id) {
            rows.push(("reservation", self.time(kept.at)));
            if !kept.nodes.is_empty() {
                rows.push(("  on", names(&self.setting.fleet, kept.nodes.iter().copied())));
            }
            if !kept.waits_for.is_empty() {
                rows.push(("  after", jobs(&kept.waits_for)));
            }
        }
        if let Some(ahead) = self.snapshot.ahead_of(id) {
            let said = match ahead.len() {
                0 => "nobody".to_owned(),
                1 => jobs(&ahead),
                count => format!("{count} jobs: {}", list(ahead.iter())),
            };
            rows.push(("ahead of it", said));
        }
        if let Some(priority) = self.snapshot.priority_of(id) {
            self.priority(&priority, rows);
        }
    }

    fn priority(&self, of: &PriorityBreakdown, rows: &mut Rows) {
        let said = format!("{} in tier {}, as of {} s", number(of.priority), of.tier, self.seconds(of.as_of));
        rows.push(("priority", said));
        for (name, value) in [
            ("  age", of.age),
            ("  fair share", of.fairshare),
            ("  job size", of.job_size),
            ("  partition", of.partition),
            ("  QOS", of.qos),
            ("  resources", of.tres),
            ("  nice", 0.0 - f64::from(of.nice)),
        ] {
            rows.push((name, number(value)));
        }
    }
}

fn attempt(state: &str, attempt: u32) -> String {
    if attempt > 1 { format!("{state} (attempt {attempt})") } else { state.to_owned() }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::TimeLimit => "stopped at its time limit",
        Outcome::Failed => "failed",
        Outcome::NodeFail => "lost a node",
        Outcome::Preempted => "preempted",
    }
}

fn asks_for(spec: &JobSpec) -> String {
    let (parts, each) = spec.shape.parts();
    let word = match (spec.shape, parts) {
        (Shape::Nodes { .. }, 1) => "node",
        (Shape::Nodes { .. }, _) => "nodes",
        (Shape::Tasks { .. }, 1) => "task",
        (Shape::Tasks { .. }, _) => "tasks",
    };
    let mut amounts = vec![format!("{} CPUs", each.cpus)];
    if each.gpus > 0 {
        amounts.push(format!("{} GPUs", each.gpus));
    }
    if each.memory_mib > 0 {
        amounts.push(format!("{} MiB", each.memory_mib));
    }
    let limit = super::seconds(SimTime::ZERO + spec.limit);
    format!("{parts} {word} of {}, for {limit} s ({})", amounts.join(", "), said(spec.limit))
}

fn said(length: SimDuration) -> String {
    length.to_string()
}

/// Without needless digits.
fn number(value: f64) -> String {
    let rounded = format!("{value:.2}");
    rounded.strip_suffix(".00").map_or(rounded.clone(), str::to_owned)
}

fn names(fleet: &Fleet, nodes: impl Iterator<Item = NodeId>) -> String {
    let names: Vec<String> =
        nodes.filter_map(|node| fleet.node(node)).map(|node| node.name.to_string()).collect();
    list(names.iter())
}
