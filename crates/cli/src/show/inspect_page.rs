//! What is in a file, for people.

use switchyard_model::{FleetSpec, PodNode, PodSpec, SimDuration};
use switchyard_workload::openb::TableReport;
use switchyard_workload::{Groups, Profile, Report, SlurmConf, Spread, Status, Workload};

use crate::commands::inspect::Found;
use crate::failure::Failure;

type Rows = Vec<(&'static str, String)>;

pub(crate) fn page(name: &str, found: &Found) -> Result<String, Failure> {
    Ok(match found {
        Found::Jobs { workload, report, profile } => jobs(name, workload, report, profile),
        Found::Pods(pods, report) => pods_page(name, pods, report),
        Found::PodNodes(nodes, report) => nodes_page(name, nodes, report),
        Found::Fleet { spec, format } => format!("{name}: {format}\n\n{}", fleet(spec)?),
        Found::SlurmConf(conf) => slurm_conf(name, conf)?,
    })
}

fn jobs(name: &str, workload: &Workload, report: &Report, profile: &Profile) -> String {
    let format = report.format.map(|format| format.to_string()).unwrap_or_default();
    let quirks = report.quirks.iter().map(|(quirk, entry)| {
        let rows = if entry.count == 1 { "1 row".to_owned() } else { format!("{} rows", entry.count) };
        format!("{rows}: {} ({}).", quirk.sentence(), entry.first)
    });
    let quirks: Vec<String> = quirks.collect();
    let quirks = if quirks.is_empty() { String::new() } else { format!("\n{}", quirks.join("\n")) };
    format!(
        "{name}: jobs, {format}\n\n{}\n\n{}\n\n{report}{quirks}",
        super::table(&facts(workload, profile)),
        spreads(profile)
    )
}

fn facts(workload: &Workload, profile: &Profile) -> Rows {
    let mut rows =
        vec![("jobs", profile.jobs.to_string()), ("span of submissions", length(profile.span_secs))];
    if let Some(from) = workload.unix_start {
        let first = from.saturating_add(workload.origin.as_micros() / 1_000_000);
        rows.push(("first submission", format!("{first} s after 1970-01-01T00:00:00")));
    } else {
        rows.push((
            "first submission",
            format!("{} s on the trace's clock", super::seconds(workload.origin)),
        ));
    }
    let whose = if profile.procs_declared { "declared by the trace" } else { "derived from the jobs" };
    rows.push(("processors", format!("{} ({whose})", profile.procs)));
    rows.push(("demand", format!("{:.1} CPU-h, {:.1} GPU-h", profile.cpu_hours, profile.gpu_hours)));
    let share = |part: f64| format!("{:.1} %", part * 100.0);
    if let Some(load) = profile.offered_load {
        rows.push(("offered load", format!("{} of the processors while jobs arrive", share(load))));
    }
    if let Some(used) = profile.recorded_utilisation {
        rows.push(("recorded utilisation", share(used)));
    }
    if let Some(slowdown) = profile.recorded_slowdown {
        rows.push(("recorded slowdown", format!("{slowdown:.1} (mean, bounded by 10 s)")));
    }
    let of_all = |some: u64| format!("{some} ({})", share(some as f64 / profile.jobs.max(1) as f64));
    rows.push(("serial jobs", of_all(profile.serial)));
    rows.push(("powers of two", of_all(profile.power_of_two)));
    rows.push(("without a limit", of_all(profile.without_limit)));
    rows.push((
        "over their limit",
        format!("{}, by more than a minute {}", profile.over_limit, profile.over_limit_by_a_minute),
    ));
    rows.push(("of zero length", profile.zero_runtime.to_string()));
    if let Some(accuracy) = profile.limit_accuracy {
        rows.push(("limit accuracy", format!("{} of the requested time was used", share(accuracy))));
    }
    if profile.statuses.keys().any(|status| *status != Status::Unknown) {
        let each = profile
            .statuses
            .iter()
            .map(|(status, jobs)| format!("{} {jobs}", status.name().replace('_', " ")));
        rows.push(("ended", each.collect::<Vec<_>>().join(", ")));
    }
    let lists = [
        ("users", &profile.users),
        ("accounts", &profile.accounts),
        ("partitions", &profile.partitions),
        ("qualities of service", &profile.qos),
    ];
    rows.extend(
        lists.into_iter().filter(|(_, list)| list.count > 0).map(|(name, list)| (name, groups(list))),
    );
    rows
}

fn groups(groups: &Groups) -> String {
    let each =
        groups.largest.iter().map(|(name, jobs, share)| format!("{name} {:.1} % ({jobs})", share * 100.0));
    let more = if groups.count > groups.largest.len() as u64 { ", ..." } else { "" };
    format!("{}: {}{more}", groups.count, each.collect::<Vec<_>>().join(", "))
}

/// A distribution, and how its values are written.
type Line<'a> = (&'a str, Option<Spread>, &'a dyn Fn(f64) -> String);

/// Distributions, one to a line.
fn spreads(profile: &Profile) -> String {
    let number = |value: f64| {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    let all: [Line<'_>; 7] = [
        ("processors", profile.cpus, &number),
        ("nodes", profile.nodes, &number),
        ("GPUs (of GPU jobs)", profile.gpus, &number),
        ("runtime", profile.runtimes, &length),
        ("limit", profile.limits, &length),
        ("gap", profile.gaps, &length),
        ("recorded wait", profile.waits, &length),
    ];
    let mut cells =
        vec![["", "jobs", "min", "25 %", "median", "75 %", "95 %", "max", "mean"].map(str::to_owned)];
    for (name, spread, shown) in all {
        let Some(s) = spread else { continue };
        let values = [s.min, s.p25, s.median, s.p75, s.p95, s.max, s.mean].map(shown);
        let [min, p25, median, p75, p95, max, mean] = values;
        cells.push([name.to_owned(), s.count.to_string(), min, p25, median, p75, p95, max, mean]);
    }
    let width = |column: usize| {
        cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let line = |row: &[String; 9]| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let pad = " ".repeat(width(column).saturating_sub(cell.chars().count()));
            if column == 0 { format!("{cell}{pad}") } else { format!("{pad}{cell}") }
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    cells.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn length(secs: f64) -> String {
    let length = SimDuration::from_secs_f64(secs).unwrap_or_default();
    if length.is_zero() { "0 s".to_owned() } else { length.to_string() }
}

fn pods_page(name: &str, pods: &[PodSpec], report: &TableReport) -> String {
    let count = |which: &dyn Fn(&PodSpec) -> bool| pods.iter().filter(|pod| which(pod)).count().to_string();
    let mut sizes = std::collections::BTreeMap::new();
    pods.iter().for_each(|pod| *sizes.entry(pod.gpus).or_insert(0u64) += 1);
    let sizes: Vec<String> = sizes.iter().map(|(gpus, pods)| format!("{gpus}: {pods}")).collect();
    let rows = vec![
        ("pods", pods.len().to_string()),
        ("without a GPU", count(&|pod| pod.gpus == 0)),
        ("a part of a GPU", count(&|pod| pod.gpus == 1 && pod.gpu_milli < 1000)),
        ("by number of GPUs", sizes.join(", ")),
        ("that name a model", count(&|pod| !pod.models.is_empty())),
        (
            "GPUs asked for",
            format!("{:.1}", pods.iter().map(PodSpec::total_gpu_milli).sum::<u64>() as f64 / 1000.0),
        ),
        (
            "CPUs asked for",
            format!("{:.1}", pods.iter().map(|pod| pod.cpu_milli).sum::<u64>() as f64 / 1000.0),
        ),
        ("memory asked for", format!("{} MiB", pods.iter().map(|pod| pod.memory_mib).sum::<u64>())),
    ];
    format!("{name}: pods\n\n{}\n\n{report}", super::table(&rows))
}

fn nodes_page(name: &str, nodes: &[PodNode], report: &TableReport) -> String {
    let mut kinds = std::collections::BTreeMap::new();
    for node in nodes.iter().filter(|node| node.gpus > 0) {
        *kinds.entry((&node.model, node.gpus)).or_insert(0u64) += 1;
    }
    let kinds = kinds.iter().map(|((model, gpus), nodes)| format!("{nodes} of {gpus} x {model}"));
    let gpus: u64 = nodes.iter().map(|node| u64::from(node.gpus)).sum();
    let rows = vec![
        ("nodes", nodes.len().to_string()),
        ("GPUs", gpus.to_string()),
        ("nodes by GPUs", kinds.collect::<Vec<_>>().join(", ")),
        ("CPUs", format!("{:.1}", nodes.iter().map(|node| node.cpu_milli).sum::<u64>() as f64 / 1000.0)),
        ("memory", format!("{} MiB", nodes.iter().map(|node| node.memory_mib).sum::<u64>())),
    ];
    format!("{name}: GPU nodes\n\n{}\n\n{report}", super::table(&rows))
}

/// The machines, and their classes one to a line.
fn fleet(spec: &FleetSpec) -> Result<String, Failure> {
    let built = spec.build()?;
    let all = built.capacity();
    let head = super::table(&[
        ("fleet", spec.name.to_string()),
        ("nodes", built.nodes().len().to_string()),
        ("CPUs", all.cpus.to_string()),
        ("GPUs", all.gpus.to_string()),
        ("memory", format!("{} MiB", all.memory_mib)),
        ("racks", built.racks().len().to_string()),
    ]);
    let class = |class: &switchyard_model::NodeClass| {
        let node = class.node;
        let model = class.gpu_model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
        format!(
            "\n  {}: {} nodes of {} CPUs, {} GPUs{model}, {} MiB",
            class.name, class.count, node.cpus, node.gpus, node.memory_mib
        )
    };
    Ok(format!("{head}{}", spec.classes.iter().map(class).collect::<String>()))
}

fn slurm_conf(name: &str, conf: &SlurmConf) -> Result<String, Failure> {
    let mut page = format!("{name}: configuration of a Slurm cluster (slurm.conf)\n\n");
    let mut notes = conf.notes();
    match conf.fleet() {
        None => page.push_str("It names no nodes."),
        Some(spec) => {
            page.push_str(&fleet(&spec)?);
            let built = spec.build()?;
            let (site, more) = conf.site(&built);
            notes.extend(more);
            for partition in &site.partitions {
                page.push_str(&format!(
                    "\npartition {}: {} nodes",
                    partition.name,
                    partition.nodes.as_ref().map_or(built.nodes().len(), Vec::len)
                ));
            }
            for (licence, count) in &site.licences {
                page.push_str(&format!("\nlicence {licence}: {count}"));
            }
        }
    }
    for setting in &conf.settings {
        page.push_str(&format!("\n{} = {}", setting.key, setting.value));
    }
    for note in notes {
        page.push_str(&format!("\n{note}"));
    }
    Ok(page)
}
