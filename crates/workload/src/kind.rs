//! What kind of file this is: jobs in one of several formats, pods, nodes, a fleet, or a configuration.

use crate::error::ReadError;
use crate::source::Source;
use crate::{Format, detect};

/// A kind of file that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Jobs.
    Jobs(Format),
    /// Pods with parts of GPUs ([`openb::read_pods`](crate::openb::read_pods)).
    Pods,
    /// GPU nodes ([`openb::read_nodes`](crate::openb::read_nodes)).
    PodNodes,
    /// A cluster's `slurm.conf` ([`SlurmConf`](crate::SlurmConf)).
    SlurmConf,
    /// A fleet in YAML ([`read_fleet_yaml`](crate::read_fleet_yaml)).
    FleetYaml,
    /// A fleet in JSON ([`FleetSpec`](switchyard_model::FleetSpec)).
    FleetJson,
}

/// Tells by its beginning what kind of file this is. `name` is what messages call it.
///
/// # Errors
/// When it is none that is known.
pub fn kind_of(name: &str, bytes: &[u8]) -> Result<FileKind, ReadError> {
    let source = Source::open(name, Box::new(bytes))?;
    let head = source.head();
    if let Some((kind, remedy)) = beside_slurm_conf(head) {
        return Err(ReadError::BesideSlurmConf { file: name.to_owned(), kind, remedy });
    }
    if let Some(kind) = other_than_jobs(head) {
        return Ok(kind);
    }
    match detect::format_of(name, head) {
        Ok(format) => Ok(FileKind::Jobs(format)),
        Err(error) => Err(error),
    }
}

/// The first lines of a configuration that say something, but for those that only go on with the one before.
fn config_lines(head: &str) -> impl Iterator<Item = &str> {
    let mut goes_on = false;
    let begins = move |line: &&str| {
        let continues = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        !continues && !line.is_empty() && !line.starts_with('#')
    };
    head.lines().map(str::trim).filter(begins)
}

/// Whether this is a file that Slurm reads beside its `slurm.conf`: what it is, and what to do.
fn beside_slurm_conf(head: &str) -> Option<(&'static str, &'static str)> {
    let first = config_lines(head).next()?.to_ascii_lowercase();
    let says = |word: &str| first.split_whitespace().any(|item| item.starts_with(word));
    if first.starts_with("switchname=") {
        return Some((
            "topology.conf",
            "racks and switches are those of a fleet in YAML (nodesPerRack, racksPerSwitch), see --fleet",
        ));
    }
    let is_gres = first.starts_with("autodetect=")
        || (first.starts_with("name=") || first.starts_with("nodename=")) && says("name=");
    is_gres.then_some(("gres.conf", "write the GPUs into slurm.conf, as in NodeName=n[1-4] Gres=gpu:a100:8"))
}

fn other_than_jobs(head: &str) -> Option<FileKind> {
    let text = head.trim_start();
    if text.starts_with('{') {
        let has = |member: &str| head.contains(&format!("\"{member}\""));
        let fleet = has("classes") && has("nodes_per_rack") && !has("jobs") && !has("workload");
        return fleet.then_some(FileKind::FleetJson);
    }
    let lines = || head.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines().next()?;
    let columns: Vec<&str> = first.split(',').map(str::trim).collect();
    let has = |wanted: &[&str]| wanted.iter().all(|name| columns.contains(name));
    if has(&["sn", "cpu_milli", "memory_mib"]) {
        return Some(FileKind::PodNodes);
    }
    if has(&["name", "cpu_milli", "memory_mib"]) {
        return Some(FileKind::Pods);
    }
    if lines().any(|line| line.starts_with("nodeClasses:")) {
        return Some(FileKind::FleetYaml);
    }
    let setting = |line: &str| {
        let key = line.split_once('=').map(|(key, _)| key.trim().to_ascii_lowercase());
        let include = line.to_ascii_lowercase().starts_with("include ");
        include
            || key.is_some_and(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    (config_lines(head).take(20).all(setting) && !first.contains('|')).then_some(FileKind::SlurmConf)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_are_told_by_how_they_begin() {
        let kind = |text: &str| kind_of("f", text.as_bytes()).unwrap();
        assert_eq!(kind("; x\n1 2 3 4 5 6\n"), FileKind::Jobs(Format::Swf));
        assert_eq!(kind("JobID|State\n"), FileKind::Jobs(Format::Sacct));
        assert_eq!(kind("{\"jobs\": []}"), FileKind::Jobs(Format::Batsim));
        assert_eq!(kind("{\"format\":\"switchyard-jobs\"}"), FileKind::Jobs(Format::Json));
        assert_eq!(kind("submit,runtime,cpus\n"), FileKind::Jobs(Format::Csv));
        assert_eq!(kind("sn,cpu_milli,memory_mib,gpu,model\n"), FileKind::PodNodes);
        assert_eq!(kind("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n"), FileKind::Pods);
        assert_eq!(kind("# c\nClusterName=x\n\nNodeName=n[1-2] CPUs=4\n"), FileKind::SlurmConf);
        assert_eq!(kind("name: x\nnodeClasses: []\n"), FileKind::FleetYaml);
        assert_eq!(kind("{\"name\":\"x\",\"classes\":[{\"nodes_per_rack\":4}]}"), FileKind::FleetJson);
        assert_eq!(
            kind(
                "SchedulerParameters=bf_window=1,\\\n  bf_interval=2\nNodeName=n1 \\\n CPUs=4 \\\n Weight\n"
            ),
            FileKind::SlurmConf
        );
        assert!(kind_of("f", b"hello\n").is_err());
    }

    #[test]
    fn what_stands_beside_a_slurm_conf_is_told_from_it() {
        let refusal = |text: &str| kind_of("f", text.as_bytes()).unwrap_err().to_string();
        assert!(refusal("# c\nSwitchName=s0 Nodes=n[0-3]\n").contains("topology.conf"));
        assert!(refusal("NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[0-7]\n").contains("gres.conf"));
        assert!(refusal("Name=gpu File=/dev/nvidia0\n").contains("gres.conf"));
        assert!(refusal("AutoDetect=nvml\n").contains("gres.conf"));
        assert_eq!(kind_of("f", b"NodeName=n[0-3] Gres=gpu:8\n").unwrap(), FileKind::SlurmConf);
    }
}
