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
    if let Some(kind) = other_than_jobs(head) {
        return Ok(kind);
    }
    match detect::format_of(name, head) {
        Ok(format) => Ok(FileKind::Jobs(format)),
        Err(error) => Err(error),
    }
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
    (lines().take(20).all(setting) && !first.contains('|')).then_some(FileKind::SlurmConf)
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
        assert!(kind_of("f", b"hello\n").is_err());
    }
}
