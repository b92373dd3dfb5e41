//! Slurm's schedulers from the command line: published rows, a cluster's own `slurm.conf`, preemption.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, scratch, shared, switchyard};

fn lab(args: &[&str]) -> serde_json::Value {
    figures(&[&["replay", "--generate", "seed-lab:300:5", "--policy", "seed-lab"], args].concat())
}

fn fixed(value: &serde_json::Value, unit: f64, digits: usize) -> String {
    format!("{:.digits$}", value.as_f64().unwrap() / unit)
}

/// Utilisation in per cent, mean and 95th percentile of waits in minutes, bounded slowdown.
fn row(figures: &serde_json::Value) -> String {
    let of = |key: &str, unit, digits| fixed(&figures[key], unit, digits);
    format!(
        "{} / {} / {} / {}",
        of("utilisation", 0.01, 1),
        of("mean_wait_s", 60.0, 1),
        of("p95_wait_s", 60.0, 1),
        of("mean_bounded_slowdown", 1.0, 2)
    )
}

/// The sweep of the job-size weight that slurm-scheduler-lab publishes for its default.
#[test]
fn the_published_sweep() {
    for (weight, expected) in [
        ("0", "85.4 / 376.3 / 2038.7 / 51.74"),
        ("1000", "83.8 / 393.9 / 2091.2 / 53.68"),
        ("10000", "83.0 / 396.1 / 1840.2 / 42.03"),
        ("100000", "96.6 / 1304.1 / 2138.7 / 183.91"),
    ] {
        assert_eq!(row(&lab(&["--param", &format!("PriorityWeightJobSize={weight}")])), expected);
    }
    assert_eq!(row(&lab(&["--limits", "exact"])), "93.4 / 768.5 / 2049.2 / 83.31");
}

/// The lab's row for preemption by quality of service with requeue and five minutes of grace.
#[test]
fn the_published_preemption() {
    let figures = lab(&["--preempt", "qos", "--param", "GraceTime=300", "--metrics"]);
    assert_eq!(row(&figures), "89.4 / 467.4 / 1702.3 / 59.06");
    assert_eq!(figures["policy"], "seed-lab+PreemptType=preempt/qos+GraceTime=300");
    let metric = |key: &str| &figures["metrics"][key]["value"];
    assert_eq!((metric("backfilled"), metric("backfill_starts")), (&225.0.into(), &259.0.into()));
    assert_eq!(
        (&figures["preemptions"], fixed(metric("makespan"), 3600.0, 2)),
        (&38.into(), "44.43".to_owned())
    );
    assert_eq!(
        (fixed(metric("lost_cpus"), 1.0, 1), fixed(metric("lost_gpus"), 1.0, 1)),
        ("159.0".into(), "15.8".into())
    );
    assert_eq!(
        (fixed(metric("locked_cpus"), 1.0, 1), fixed(metric("locked_gpus"), 1.0, 1)),
        ("37.6".into(), "4.5".into())
    );
}

/// The lab as a cluster would write it down.
const LAB: &str = "\
ClusterName=lab
SlurmctldHost=head
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=30,\\
bf_window=1440,bf_wndow=3
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightJobSize=10000
PriorityWeightPartition=1000
PriorityWeightQOS=10000
PriorityMaxAge=7-0
OverTimeLimit=5
Include machines.conf
";
const MACHINES: &str = "NodeName=n[01-16] Sockets=2 CoresPerSocket=4 Gres=gpu:2 RealMemory=64000\nPartitionName=all Nodes=ALL Default=YES\n";

#[test]
fn a_clusters_own_configuration() {
    file("machines.conf", MACHINES);
    let conf = file("lab.conf", LAB);
    let args = ["replay", "--generate", "seed-lab:300:5", "--slurm-conf", &conf];
    // The lab plans on the lowest nodes, where Slurm takes those that become free first.
    let said = switchyard(&[&args[..], &["--param", "plan_on=lowest", "--json"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    // The shares of the three accounts are equal, as for accounts that nobody lists.
    assert_eq!(row(&figures), row(&lab(&[])));
    assert_eq!(
        (&figures["policy"], &figures["discipline"]),
        (&"slurm+slurm-conf=lab.conf+plan_on=lowest".into(), &"slurm".into())
    );
    assert_eq!(
        (&figures["nodes"], &figures["cpus"], &figures["gpus"]),
        (&16.into(), &128.into(), &32.into())
    );
    for line in [
        "lab.conf, line 5: SelectTypeParameters=CR_Core doesn't count memory: jobs get as much as they ask for.\n",
        "lab.conf, line 6: there is no scheduler parameter \"bf_wndow\"; check its spelling in slurm.conf(5).\n",
        "lab.conf, line 15: OverTimeLimit is not modelled; it changes nothing here.\n",
        "lab.conf, line 2: of no concern to a schedule, with their lines: SlurmctldHost (2).\n",
    ] {
        assert!(said.err.contains(line), "{line}: {}", said.err);
    }
}

#[test]
fn a_configuration_can_be_changed_or_left_to_its_machines() {
    file("machines.conf", MACHINES);
    let conf = file("changed.conf", LAB);
    let with = |args: &[&str]| {
        figures(&[&["replay", "--generate", "seed-lab:300:5", "--slurm-conf", &conf], args].concat())
    };
    let changed = with(&["--param", "PriorityWeightJobSize=0", "--placement", "best-fit"]);
    assert_eq!(changed["policy"], "slurm+slurm-conf=changed.conf+placement=best-fit+PriorityWeightJobSize=0");
    assert_ne!(row(&changed), row(&lab(&[])));
    let easy = with(&["--policy", "seed-lab-easy"]);
    assert_eq!((&easy["policy"], &easy["nodes"]), (&"seed-lab-easy".into(), &16.into()));
    assert_eq!(with(&["--nodes", "8", "--cpus", "16", "--gpus", "4"])["nodes"], 8);
}

/// Two partitions of one machine each; a job goes to the default one, though the other is free.
#[test]
fn partitions_hold_jobs_apart() {
    let conf = file(
        "split.conf",
        "NodeName=a,b CPUs=1\nPartitionName=left Nodes=a Default=YES MaxTime=2\nPartitionName=right Nodes=b\n",
    );
    let row = |job: u32, limit: u32| format!("{job} {job} -1 50 1 -1 -1 1 {limit} -1 1 7 3 -1 -1 -1 -1 -1\n");
    let trace = file("split.swf", &format!("{}{}{}", row(0, 60), row(1, 60), row(2, 600)));
    let out = scratch("split.csv");
    let to = out.to_str().unwrap();
    let said = switchyard(&["replay", &trace, "--slurm-conf", &conf, "--policy", "easy", "--starts", to]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(
        std::fs::read_to_string(to).unwrap(),
        "job_id,submit,start,end,nodes\n0,0,0,50,0\n1,1,50,100,0\n"
    );
    assert!(said.err.contains("1 job never started: job 2: "), "{}", said.err);
}

/// A trace that was recorded on a small cluster, with the configuration of that cluster.
#[test]
fn a_real_configuration_is_read() {
    let Some(conf) = shared("../parity/slurm.conf") else { return };
    let trace = file("parity.swf", "1 0 -1 50 2 -1 -1 2 60 -1 1 7 3 -1 -1 -1 -1 -1\n");
    let figures = figures(&["replay", &trace, "--slurm-conf", &conf]);
    assert_eq!((&figures["nodes"], &figures["cpus"]), (&4.into(), &8.into()));
}

#[test]
fn a_site_of_ones_own() {
    let site = r#"{"qos": [{"name": "q0", "priority": 0}, {"name": "q500", "priority": 500}, {"name": "q1000", "priority": 1000, "preempt": ["q0"]}]}"#;
    let args = |site: &str| {
        let all = ["replay", "--generate", "seed-lab:300:5", "--policy", "seed-lab", "--preempt", "qos"];
        switchyard(&[&all[..], &["--site", site, "--json"]].concat())
    };
    let said = args(&file("site.json", site));
    assert_eq!(said.code, 0, "{}", said.err);
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(figures["preemptions"].as_u64().unwrap() > 0);
    let all = lab(&["--preempt", "qos"]);
    assert_ne!(figures["preemptions"], all["preemptions"], "here q500 may preempt nobody");
    let circle = args(&file("circle.json", &site.replace("\"priority\": 0}", "\"preempt\": [\"q1000\"]}")));
    assert_eq!(circle.code, 3);
    assert!(
        circle.err.contains("circle.json: the preempt lists of qualities of service form a loop"),
        "{}",
        circle.err
    );
}

#[test]
fn mistakes_in_a_configuration_have_their_line() {
    let said = |text: &str| {
        let conf = file("wrong.conf", &format!("NodeName=n1 CPUs=4\n{text}\n"));
        let said = switchyard(&["replay", "--generate", "yard:9:1", "--slurm-conf", &conf]);
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{text}: {}", said.err);
        said.err
    };
    for (text, expected) in [
        ("PriorityMaxAge=soon", "error: wrong.conf, line 2: PriorityMaxAge is a length of time,"),
        ("PriorityType=priority/fancy", "error: wrong.conf, line 2: PriorityType is priority/basic or"),
        ("PreemptMode=SUSPEND", "error: wrong.conf, line 2: PreemptMode=SUSPEND suspends jobs"),
        ("PreemptType=preempt/qos", "error: wrong.conf: preempt/qos needs a PreemptMode other than OFF"),
        ("NodeName=n1 CPUs=4", "error: wrong.conf, line 2: there is a node n1 already"),
        ("Include gone.conf", "error: wrong.conf, line 2: can't include gone.conf: "),
        ("what is this", "error: wrong.conf, line 2: expected Key=value, found \"what is this\""),
    ] {
        let found = said(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
    let gone = switchyard(&["replay", "--generate", "yard:9:1", "--slurm-conf", "gone.conf"]);
    assert_eq!(gone.code, 3);
}
