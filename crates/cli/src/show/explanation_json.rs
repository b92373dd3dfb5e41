//! Why a job waits, runs or has ended, as one JSON object.

use serde::Serialize;
use switchyard_model::{NodeId, Outcome, SimTime};
use switchyard_scheduler::PriorityBreakdown;

use crate::commands::explain::Explanation;

/// Times are in the trace's own seconds.
#[derive(Serialize)]
struct Told<'a> {
    job: u64,
    at_s: f64,
    policy: &'a str,
    submit_s: f64,
    time_limit_s: f64,
    state: &'static str,
    attempt: Option<u32>,
    start_s: Option<f64>,
    /// When the job has ended, or has to by its time limit.
    end_s: Option<f64>,
    nodes: Vec<&'a str>,
    outcome: Option<Outcome>,
    last_pass_s: Option<f64>,
    reason: Option<String>,
    evidence: Option<String>,
    slurm_code: Option<&'static str>,
    predicted_start_s: Option<f64>,
    reservation: Option<Reserved<'a>>,
    ahead: Option<Vec<u64>>,
    priority: Option<Priority>,
}

#[derive(Serialize)]
struct Reserved<'a> {
    at_s: f64,
    nodes: Vec<&'a str>,
    waits_for: Vec<u64>,
}

#[derive(Serialize)]
struct Priority {
    priority: f64,
    tier: u16,
    as_of_s: f64,
    age: f64,
    fairshare: f64,
    job_size: f64,
    partition: f64,
    qos: f64,
    tres: f64,
    nice: i32,
}

pub(crate) fn page(explanation: &Explanation<'_>) -> String {
    super::json(&told(explanation))
}

fn told<'a>(explanation: &Explanation<'a>) -> Told<'a> {
    let Explanation { setting, job, snapshot } = *explanation;
    let (spec, own) = (&job.spec, |at: SimTime| at.as_secs_f64() + setting.workload.origin.as_secs_f64());
    let id = spec.id;
    let names = |nodes: &mut dyn Iterator<Item = NodeId>| {
        nodes.filter_map(|node| setting.fleet.node(node)).map(|node| &*node.name).collect::<Vec<_>>()
    };
    let mut told = Told {
        job: id.0,
        at_s: own(snapshot.at),
        policy: &setting.policy.name,
        submit_s: own(spec.submit),
        time_limit_s: spec.limit.as_secs_f64(),
        state: "not submitted",
        attempt: None,
        start_s: None,
        end_s: None,
        nodes: Vec::new(),
        outcome: None,
        last_pass_s: snapshot.pass_at.map(own),
        reason: None,
        evidence: None,
        slurm_code: None,
        predicted_start_s: None,
        reservation: None,
        ahead: None,
        priority: None,
    };
    let ended = snapshot.ended.iter().rev().find(|span| span.job == id);
    if let Some(running) = snapshot.cluster.running_job(id) {
        (told.state, told.attempt) = ("running", Some(running.attempt));
        (told.start_s, told.end_s) = (Some(own(running.start)), Some(own(running.expected_end)));
        told.nodes = names(&mut running.placement.nodes());
    } else if let Some(pending) = snapshot.cluster.pending_job(id) {
        (told.state, told.attempt) = ("waiting", Some(pending.attempt));
        told.ahead = snapshot.ahead_of(id).map(|ahead| ahead.into_iter().map(|job| job.0).collect());
        told.priority = snapshot.priority_of(id).map(|parts| priority(&parts, own(parts.as_of)));
        told.reservation =
            snapshot.plan.reservations.iter().find(|kept| kept.job == id).map(|kept| Reserved {
                at_s: own(kept.at),
                nodes: names(&mut kept.nodes.iter().copied()),
                waits_for: kept.waits_for.iter().map(|job| job.0).collect(),
            });
    } else if let Some(span) = ended {
        (told.state, told.attempt, told.outcome) = ("ended", Some(span.attempt), Some(span.outcome));
        (told.start_s, told.end_s) = (Some(own(span.start)), Some(own(span.end)));
        told.nodes = names(&mut span.placement.nodes());
    }
    if let Some(waiting) = explanation.waiting() {
        told.reason = Some(waiting.reason.to_string());
        told.evidence = Some(waiting.reason.evidence());
        told.slurm_code = Some(waiting.reason.slurm_code());
        told.predicted_start_s = waiting.expected.map(own);
    }
    told
}

fn priority(parts: &PriorityBreakdown, as_of_s: f64) -> Priority {
    Priority {
        priority: parts.priority,
        tier: parts.tier,
        as_of_s,
        age: parts.age,
        fairshare: parts.fairshare,
        job_size: parts.job_size,
        partition: parts.partition,
        qos: parts.qos,
        tres: parts.tres,
        nice: parts.nice,
    }
}
