//! What is in a file, as one JSON object.

use std::fmt::Debug;

use serde_json::{Map, Value, json};
use switchyard_model::FleetSpec;
use switchyard_workload::openb::TableReport;
use switchyard_workload::{
    Entry, Format, Groups, Place, Profile, Report, SlurmConf, Spread, Unmodelled, Workload,
};

use crate::commands::inspect::Found;
use crate::failure::Failure;

pub(crate) fn page(name: &str, found: &Found) -> Result<String, Failure> {
    Ok(super::json(&match found {
        Found::Jobs { workload, report, profile } => jobs(name, workload, report, profile),
        Found::Pods(pods, report) => {
            let gpu_milli: u64 = pods.iter().map(switchyard_model::PodSpec::total_gpu_milli).sum();
            let count = |which: &dyn Fn(&switchyard_model::PodSpec) -> bool| {
                pods.iter().filter(|pod| which(pod)).count()
            };
            json!({
                "file": name, "kind": "pods", "pods": pods.len(), "gpu_milli": gpu_milli,
                "without_gpu": count(&|pod| pod.gpus == 0),
                "part_of_a_gpu": count(&|pod| pod.gpus == 1 && pod.gpu_milli < 1000),
                "with_gpu_models": count(&|pod| !pod.models.is_empty()),
                "cpu_milli": pods.iter().map(|pod| pod.cpu_milli).sum::<u64>(),
                "memory_mib": pods.iter().map(|pod| pod.memory_mib).sum::<u64>(),
                "remarks": table_remarks(report),
            })
        }
        Found::PodNodes(nodes, report) => json!({
            "file": name, "kind": "pod_nodes", "nodes": nodes.len(),
            "gpus": nodes.iter().map(|node| u64::from(node.gpus)).sum::<u64>(),
            "cpu_milli": nodes.iter().map(|node| node.cpu_milli).sum::<u64>(),
            "memory_mib": nodes.iter().map(|node| node.memory_mib).sum::<u64>(),
            "remarks": table_remarks(report),
        }),
        Found::Fleet { spec, .. } => json!({ "file": name, "kind": "fleet", "fleet": fleet(spec)? }),
        Found::SlurmConf(conf) => slurm_conf(name, conf)?,
    }))
}

fn jobs(name: &str, workload: &Workload, report: &Report, profile: &Profile) -> Value {
    let unmodelled = |field: &Unmodelled| json!({ "field": field.field, "rows": field.rows });
    json!({
        "file": name,
        "kind": "jobs",
        "format": report.format.map(Format::name),
        "rows": report.rows,
        "rows_promised": report.promised_rows,
        "jobs": profile.jobs,
        "first_submit_s": workload.origin.as_secs_f64(),
        "unix_start_s": workload.unix_start,
        "skipped": tally(report.skipped.iter()),
        "changed": tally(report.changed.iter()),
        "quirks": tally(report.quirks.iter()),
        "not_used": report.unmodelled.iter().map(unmodelled).collect::<Vec<_>>(),
        "notes": report.notes,
        "profile": profile_json(profile),
    })
}

fn profile_json(profile: &Profile) -> Value {
    let statuses = profile.statuses.iter().map(|(status, jobs)| (status.name().to_owned(), json!(jobs)));
    json!({
        "span_s": profile.span_secs,
        "processors": profile.procs,
        "processors_declared": profile.procs_declared,
        "cpu_hours": profile.cpu_hours,
        "gpu_hours": profile.gpu_hours,
        "offered_load": profile.offered_load,
        "recorded_utilisation": profile.recorded_utilisation,
        "recorded_bounded_slowdown": profile.recorded_slowdown,
        "serial": profile.serial,
        "power_of_two": profile.power_of_two,
        "without_limit": profile.without_limit,
        "over_limit": profile.over_limit,
        "over_limit_by_a_minute": profile.over_limit_by_a_minute,
        "zero_runtime": profile.zero_runtime,
        "limit_accuracy": profile.limit_accuracy,
        "statuses": Value::Object(statuses.collect()),
        "cpus": spread(profile.cpus),
        "nodes": spread(profile.nodes),
        "gpus": spread(profile.gpus),
        "runtime_s": spread(profile.runtimes),
        "limit_s": spread(profile.limits),
        "gap_s": spread(profile.gaps),
        "wait_s": spread(profile.waits),
        "users": groups(&profile.users),
        "accounts": groups(&profile.accounts),
        "partitions": groups(&profile.partitions),
        "qos": groups(&profile.qos),
    })
}

fn spread(spread: Option<Spread>) -> Value {
    let Some(s) = spread else { return Value::Null };
    json!({
        "count": s.count, "min": s.min, "p25": s.p25, "median": s.median, "p75": s.p75, "p95": s.p95, "max": s.max,
        "mean": s.mean,
    })
}

fn groups(groups: &Groups) -> Value {
    let one = |(name, jobs, share): &(std::sync::Arc<str>, u64, f64)| json!({ "name": **name, "jobs": jobs, "cpu_share": share });
    json!({ "count": groups.count, "largest": groups.largest.iter().map(one).collect::<Vec<_>>() })
}

/// By the names of the kinds: `over_limit`, with count and place of the first.
fn tally<'a, K: Debug>(entries: impl Iterator<Item = (K, &'a Entry)>) -> Value {
    let one = |(kind, entry): (K, &Entry)| {
        let (of, at) = match entry.first {
            Place::Line(line) => ("line", line),
            Place::Entry(index) => ("entry", index),
            Place::Job(job) => ("job", job.0),
        };
        let mut value = Map::new();
        value.insert("count".to_owned(), json!(entry.count));
        value.insert(format!("first_{of}"), json!(at));
        if let Some(example) = &entry.example {
            value.insert("example".to_owned(), json!(example));
        }
        (snake(&format!("{kind:?}")), Value::Object(value))
    };
    Value::Object(entries.map(one).collect())
}

fn table_remarks(report: &TableReport) -> Value {
    tally(report.remarks.iter())
}

/// `OverLimit` as `over_limit`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn fleet(spec: &FleetSpec) -> Result<Value, Failure> {
    let built = spec.build()?;
    let all = built.capacity();
    Ok(json!({
        "name": &*spec.name, "nodes": built.nodes().len(), "cpus": all.cpus, "gpus": all.gpus,
        "memory_mib": all.memory_mib, "racks": built.racks().len(), "classes": spec.classes,
    }))
}

fn slurm_conf(name: &str, conf: &SlurmConf) -> Result<Value, Failure> {
    let mut notes = conf.notes();
    let spec = conf.fleet();
    let (mut machines, mut partitions, mut licences) = (Value::Null, Vec::new(), Value::Null);
    if let Some(spec) = &spec {
        machines = fleet(spec)?;
        let built = spec.build()?;
        let (site, more) = conf.site(&built);
        notes.extend(more);
        licences = json!(site.licences);
        partitions = site
            .partitions
            .iter()
            .map(|partition| json!({ "name": &*partition.name, "nodes": partition.nodes.as_ref().map_or(built.nodes().len(), Vec::len) }))
            .collect();
    }
    let settings = conf.settings.iter().map(|setting| (setting.key.to_owned(), json!(setting.value)));
    Ok(json!({
        "file": name, "kind": "slurm_conf", "fleet": machines, "partitions": partitions, "licences": licences,
        "settings": Value::Object(settings.collect()),
        "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}
