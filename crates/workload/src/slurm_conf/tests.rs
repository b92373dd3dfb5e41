//! A whole `slurm.conf` by hand, and what is said to mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use switchyard_model::{Fleet, FleetSpec, NodeId, PreemptMode, Resources, SimDuration};

use super::*;

const CONF: &str = "\
# The whole of it
ClusterName=alpha
SlurmctldHost=head(10.0.0.1)
SlurmUser=slurm   # who
PRIORITYTYPE=priority/multifactor
PriorityWeightAge = 1000
PriorityWeightTRES=CPU=100,GRES/gpu=2000
SchedulerParameters=bf_interval=60,\\
bf_window=2880
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
Licenses=fluent:30,ansys
OverTimeLimit=5
Bogus=1
NodeName=DEFAULT RealMemory=512000 State=UNKNOWN
NodeName=cpu[01-03] Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 Feature=ib,intel Weight=10
NodeName=gpu[1-2] CPUs=64 Gres=gpu:a100:8(S:0-1),nvme:1 RealMemory=1024000 NodeAddr=10.0.1.[1-2]
NodeSet=fast Feature=ib
PartitionName=DEFAULT State=UP MaxTime=1-00:00:00
PartitionName=cpu Nodes=fast Default=YES
PartitionName=gpu Nodes=gpu[1-3] PriorityTier=10 DefaultTime=30 PriorityJobFactor=50 PreemptMode=OFF OverSubscribe=EXCLUSIVE MaxNodes=2
PartitionName=all Nodes=ALL MaxTime=INFINITE GraceTime=300 AllowQos=big State=DOWN
";

fn no_include(_: &str) -> Result<String, String> {
    Err("there is no such file".to_owned())
}

fn read(text: &str) -> Result<SlurmConf, String> {
    SlurmConf::read("slurm.conf", text, &mut no_include).map_err(|error| error.to_string())
}

fn said(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn alpha() -> (SlurmConf, Fleet) {
    let conf = read(CONF).unwrap();
    let fleet = conf.fleet().unwrap().build().unwrap();
    (conf, fleet)
}

#[test]
fn settings_of_the_scheduler_are_handed_on_as_text() {
    let conf = read(CONF).unwrap();
    let settings: Vec<(&str, &str, u64)> =
        conf.settings.iter().map(|one| (one.key, one.value.as_str(), one.at.line)).collect();
    assert_eq!(settings[0], ("PriorityType", "priority/multifactor", 5));
    assert_eq!(settings[1], ("PriorityWeightAge", "1000", 6));
    assert_eq!(settings[2], ("PriorityWeightTRES", "CPU=100,GRES/gpu=2000", 7));
    assert_eq!(settings[3], ("SchedulerParameters", "bf_interval=60,bf_window=2880", 8));
}

#[test]
fn machines_have_the_names_of_the_file() {
    let (_, fleet) = alpha();
    let names: Vec<&str> = fleet.nodes().iter().map(|node| &*node.name).collect();
    assert_eq!((fleet.name(), names), ("alpha", vec!["cpu01", "cpu02", "cpu03", "gpu1", "gpu2"]));
    assert_eq!(fleet.nodes()[0].capacity, Resources { cpus: 64, gpus: 0, memory_mib: 512_000 });
    assert_eq!(fleet.nodes()[4].capacity, Resources { cpus: 64, gpus: 8, memory_mib: 1_024_000 });
    assert_eq!(fleet.nodes()[4].gpu_model.as_deref(), Some("a100"));
    assert_eq!(fleet.nodes()[1].features.iter().map(|name| &**name).collect::<Vec<_>>(), ["ib", "intel"]);
}

#[test]
fn partitions_find_their_nodes() {
    let (conf, fleet) = alpha();
    let (site, notes) = conf.site(&fleet);
    let [cpu, gpu, all] = site.partitions.as_slice() else { panic!("{:?}", site.partitions) };
    assert_eq!(cpu.nodes, Some((0..3).map(NodeId).collect()));
    assert!(cpu.default && !cpu.exclusive && !cpu.down);
    assert_eq!(cpu.max_time, Some(SimDuration::from_secs(86_400)));
    assert_eq!(gpu.nodes, Some(vec![NodeId(3), NodeId(4)]));
    assert_eq!((gpu.tier, gpu.job_factor, gpu.preempt), (10, 50, Some(PreemptMode::Off)));
    assert_eq!(gpu.default_time, Some(SimDuration::from_secs(1800)));
    assert_eq!((gpu.exclusive, gpu.max_nodes), (true, Some(2)));
    assert_eq!((&all.nodes, all.max_time, all.grace), (&None, None, SimDuration::from_secs(300)));
    assert!(all.down);
    assert_eq!(site.licences, [("ansys".into(), 1), ("fluent".into(), 30)].into());
    assert_eq!(
        said(&notes),
        ["slurm.conf, line 21: partition gpu names nodes that the fleet doesn't have: gpu3."]
    );
}

#[test]
fn another_fleet_is_reported_where_the_partitions_do_not_fit() {
    let conf = read(CONF).unwrap();
    let (site, notes) = conf.site(&FleetSpec::seed_lab().build().unwrap());
    assert_eq!(site.partitions[1].nodes, Some(Vec::new()));
    assert_eq!(
        said(&notes),
        [
            "slurm.conf, line 20: partition cpu has no nodes; its jobs never start.",
            "slurm.conf, line 21: partition gpu names nodes that the fleet doesn't have: gpu1, gpu2, gpu3; it has none, and its jobs never start.",
        ]
    );
}

#[test]
fn what_is_not_used_is_reported_with_its_line() {
    assert_eq!(
        said(&alpha().0.notes()),
        [
            "slurm.conf, line 13: OverTimeLimit is not modelled; it changes nothing here.",
            "slurm.conf, line 14: there is no Bogus in slurm.conf(5); it changes nothing.",
            "slurm.conf, line 16: Weight of NodeName is not modelled; it changes nothing here.",
            "slurm.conf, line 17: Gres=nvme is not modelled; it changes nothing here.",
            "slurm.conf, line 22: AllowQos of partition all is not modelled; it changes nothing here.",
            "slurm.conf, line 3: of no concern to a schedule, with their lines: SlurmctldHost (3), SlurmUser (4), NodeAddr of NodeName (17).",
        ]
    );
}

#[test]
fn whole_nodes_and_memory_that_is_not_counted() {
    let text = "SelectType=select/linear\nSelectTypeParameters=CR_CPU\nNodeName=n[0-1] CPUs=2 RealMemory=10\nPartitionName=p Nodes=ALL";
    let conf = read(text).unwrap();
    let fleet = conf.fleet().unwrap().build().unwrap();
    assert_eq!(fleet.nodes()[0].capacity.memory_mib, 1 << 40);
    assert!(conf.site(&fleet).0.partitions[0].exclusive);
    assert_eq!(
        said(&conf.notes()),
        [
            "slurm.conf, line 2: SelectTypeParameters=CR_CPU doesn't count memory: jobs get as much as they ask for."
        ]
    );
}

#[test]
fn files_can_be_included_but_not_without_end() {
    let mut include = |file: &str| match file {
        "nodes.conf" => Ok("NodeName=n1 CPUs=4\nKillWait=40".to_owned()),
        "loop.conf" => Ok("include loop.conf".to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let conf = SlurmConf::read("slurm.conf", "KillWait=30\nInclude nodes.conf", &mut include).unwrap();
    assert_eq!(conf.fleet().unwrap().classes[0].count, 1);
    assert_eq!(conf.setting("killwait").unwrap().value, "40");
    assert_eq!(
        said(&conf.notes()),
        ["nodes.conf, line 2: KillWait stands in slurm.conf, line 1 as well; this one counts."]
    );
    let mut said = |text| SlurmConf::read("slurm.conf", text, &mut include).unwrap_err().to_string();
    assert_eq!(
        said("\ninclude gone.conf"),
        "slurm.conf, line 2: can't include gone.conf: there is no such file"
    );
    assert!(said("include loop.conf").ends_with("files may not include each other"));
}

#[test]
fn mistakes_are_answered_with_place_and_remedy() {
    let refused = |text: &str| read(text).unwrap_err();
    assert_eq!(refused("A=1\njust words"), "slurm.conf, line 2: expected Key=value, found \"just words\"");
    for (text, expected) in [
        ("NodeName=n[1- CPUs=1", "NodeName is a list of names, as in n[01-16],login; found \"n[1-\""),
        ("NodeName=n1 CPUs=many", "CPUs is a whole number from 1; found \"many\""),
        ("NodeName=n1 CPUs=0", "CPUs is a whole number from 1; found \"0\""),
        ("NodeName=n1 Gres=gpu:a:b:c", "Gres is a list of name[:type]:count; found \"gpu:a:b:c\""),
        ("NodeName=n1 RealMemory=-1", "RealMemory is a number of megabytes; found \"-1\""),
        ("NodeName=n[0-9999999]", "\"n[0-9999999]\" stands for more than 1048576 nodes"),
        ("NodeName=n[1-3],n2", "there is a node n2 already; give each node its own name"),
        (
            "PartitionName=p MaxTime=soon",
            "MaxTime is a length of time, as in 7-00:00:00 or INFINITE; found \"soon\"",
        ),
        ("PartitionName=p PriorityTier=70000", "PriorityTier is a whole number up to 65535; found \"70000\""),
        ("PartitionName=p Default=maybe", "Default is YES or NO; found \"maybe\""),
        ("Licenses=a:b", "Licenses is a list of name:count; found \"a:b\""),
    ] {
        assert_eq!(refused(text), format!("slurm.conf, line 1: {expected}"));
    }
    assert!(refused("PartitionName=p\nPartitionName=p").contains("there is a partition p already"));
}

/// The configuration of a cluster that real schedules were recorded on.
#[test]
fn a_real_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/parity/slurm.conf");
    let Ok(text) = std::fs::read_to_string(path) else {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("skipped: no {path}");
        }
        return;
    };
    let conf = read(&text).unwrap();
    let fleet = conf.fleet().unwrap().build().unwrap();
    assert_eq!((fleet.nodes().len(), fleet.capacity().cpus, &*fleet.nodes()[3].name), (4, 8, "n3"));
    let (site, notes) = conf.site(&fleet);
    assert_eq!((site.partitions.len(), notes.len()), (1, 0));
    assert_eq!(site.partitions[0].nodes, Some((0..4).map(NodeId).collect()));
    assert_eq!(conf.setting("KillWait").unwrap().value, "5");
    assert!(conf.notes().iter().all(|note| !note.said.starts_with("there is no")), "{:?}", conf.notes());
}

proptest::proptest! {
    /// Whatever stands there is read or answered.
    #[test]
    fn nothing_makes_it_stumble(
        words in proptest::collection::vec("(NodeName|PartitionName|NodeSet|Nodes|CPUs|Gres|Licenses|State)?[=,:(\\[\\]0-9a-c#\"\\\\ -]{0,8}\n?", 0..30),
    ) {
        if let Ok(conf) = SlurmConf::read("any", &words.concat(), &mut no_include) {
            let fleet = conf.fleet().and_then(|spec| spec.build().ok());
            conf.site(&fleet.unwrap_or(FleetSpec::seed_lab().build().unwrap()));
            conf.notes();
        }
    }
}
