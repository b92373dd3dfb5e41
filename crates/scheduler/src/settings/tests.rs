//! Parameters through a policy, and whole configurations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use switchyard_model::{PreemptMode, SimDuration};

use super::*;
use crate::PreemptBy;

fn named(name: &str) -> Policy {
    Policy::named(name).unwrap()
}

fn params(policy: &Policy) -> SlurmParams {
    match policy.discipline {
        Discipline::Slurm(params) => params,
        _ => panic!("{:?}", policy.discipline),
    }
}

#[test]
fn parameters_go_to_their_parts() {
    let mut policy = named("seed-lab");
    for (key, value) in [("bf_window", "2880"), ("BF_INTERVAL", "60"), ("PriorityWeightAge", "7")] {
        assert_eq!(policy.set(key, value), Ok(Vec::new()));
    }
    assert_eq!(&*policy.name, "seed-lab+bf_window=2880+BF_INTERVAL=60+PriorityWeightAge=7");
    assert_eq!((params(&policy).bf_window, params(&policy).bf_interval), (2880, 60));
    let Order::Multifactor(rules) = &policy.order else { panic!() };
    assert_eq!((rules.weights.age, rules.weights.fairshare), (7, 10_000));
}

#[test]
fn a_number_is_a_number_and_what_changes_nothing_is_a_note() {
    let mut policy = named("slurm");
    let said = |notes: Vec<SettingNote>| notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (value, found) in [("abc", "\"abc\""), ("8x", "\"8x\""), ("0", "\"0\""), ("", "\"\"")] {
        let refused = policy.set("bf_window", value).unwrap_err().to_string();
        assert_eq!(refused, format!("bf_window is a whole number from 1 to 43200; found {found}"));
    }
    assert_eq!(policy, named("slurm"));
    assert_eq!(policy.set("bf_interval", "-1"), Ok(Vec::new()));
    let refused = policy.set("bf_licenses", "8x").unwrap_err().to_string();
    assert_eq!(refused, "bf_licenses is a flag: write it without a value, or leave it out; found \"8x\"");
    assert!(policy.set("preempt_youngest_first", "0").is_err(), "it would switch it on");
    policy.set("PreemptType", "preempt/qos").unwrap();
    assert!(policy.set("PreemptParameters", "youngest_first,reorder_count=8x").is_err());
    assert_eq!(policy.set("PreemptParameters", "youngest_first,reorder_count=8"), Ok(Vec::new()));
    assert!(policy.set("bf_licenses", "").is_ok() && policy.set("BF_licenses", "no").is_ok());
    assert_eq!(
        said(policy.set("defer", "").unwrap()),
        ["defer is a parameter of Slurm that is not modelled; it changes nothing here"]
    );
    assert!(matches!(policy.set("bf_wndow", "1"), Err(SettingError::Unknown { .. })));
}

#[test]
fn parameters_without_their_part_are_refused() {
    let said = |name: &str, key| named(name).set(key, "1").unwrap_err().to_string();
    assert_eq!(
        said("easy", "bf_window"),
        "bf_window is a parameter of Slurm's schedulers, which the policy easy doesn't have; choose the discipline slurm"
    );
    assert_eq!(
        said("slurm", "PriorityMaxAge"),
        "PriorityMaxAge is a parameter of multifactor priorities, which the policy slurm doesn't have; choose the order multifactor"
    );
    assert_eq!(
        said("slurm", "GraceTime"),
        "GraceTime is a parameter of preemption, which the policy slurm doesn't have; choose a right to preempt, qos or partition_prio"
    );
    assert!(said("easy", "PreemptType").contains("choose the discipline slurm"));
    assert!(said("slurm", "requeue_delay").starts_with("requeue_delay is a parameter of preemption,"));
}

#[test]
fn preemption_is_set_rule_by_rule() {
    let mut policy = named("seed-lab");
    for (key, value) in [
        ("PreemptType", "preempt/qos"),
        ("PreemptMode", "CANCEL,WITHIN"),
        ("GraceTime", "300"),
        ("PreemptExemptTime", "0:30"),
        ("requeue_delay", "60"),
        ("preempt_youngest_first", ""),
        ("KillWait", "5"),
        ("MessageTimeout", "20"),
        ("checkpoint_fraction", "0.25"),
    ] {
        assert_eq!(policy.set(key, value), Ok(Vec::new()), "{key}");
    }
    let rules = policy.preempt.clone().unwrap();
    assert_eq!((rules.by, rules.mode, rules.within), (PreemptBy::Qos, PreemptMode::Cancel, true));
    let secs = [rules.grace, rules.exempt, rules.requeue_delay, rules.repeat_after];
    assert_eq!(secs, [300, 30, 60, 25].map(SimDuration::from_secs));
    assert_eq!((rules.youngest_first, rules.checkpoint.0), (true, 250));
    policy.set("PreemptType", "preempt/partition_prio").unwrap();
    assert_eq!(
        policy.preempt.as_ref().map(|rules| (rules.by, rules.grace)),
        Some((PreemptBy::PartitionPriority, rules.grace))
    );
    assert!(policy.set("PreemptMode", "SUSPEND").unwrap_err().to_string().contains("suspends jobs"));
    assert!(policy.set("PreemptMode", "OFF").is_err());
    assert!(policy.set("checkpoint_fraction", "2").is_err());
    policy.set("PreemptType", "preempt/none").unwrap();
    assert_eq!(policy.preempt, None);
}

fn configured(settings: &[(&str, &str)]) -> Result<(Policy, Vec<String>), SettingError> {
    let (mut conf, mut said) = (SlurmSettings::default(), Vec::new());
    for (key, value) in settings {
        said.extend(conf.set(key, value)?.iter().map(ToString::to_string));
    }
    Ok((conf.policy()?, said))
}

#[test]
fn a_configuration_makes_a_policy() {
    let (policy, said) = configured(&[
        ("PriorityType", "priority/multifactor"),
        ("PriorityWeightAge", "1000"),
        ("PriorityFlags", "NO_FAIR_TREE"),
        ("SchedulerType", "sched/backfill"),
        ("SchedulerParameters", "bf_interval=60,requeue_delay=30,bf_wndow=1,bf_window=0"),
        ("PreemptMode", "REQUEUE"),
        ("PreemptType", "preempt/partition_prio"),
        ("KillWait", "5"),
    ])
    .unwrap();
    assert_eq!((params(&policy).bf_interval, params(&policy).bf_window), (60, 1440));
    assert_eq!(
        said,
        [
            "there is no scheduler parameter \"bf_wndow\"; check its spelling in slurm.conf(5)",
            "bf_window=0 is out of range, so that its default 1440 applies; give a number from 1 to 43200",
        ]
    );
    let Order::Multifactor(rules) = &policy.order else { panic!() };
    assert_eq!((rules.weights.age, rules.weights.qos), (1000, 0));
    let rules = policy.preempt.unwrap();
    assert_eq!((rules.by, rules.mode), (PreemptBy::PartitionPriority, PreemptMode::Requeue));
    assert_eq!(
        (rules.requeue_delay, rules.repeat_after),
        (SimDuration::from_secs(30), SimDuration::from_secs(15))
    );
}

#[test]
fn basic_priorities_weigh_nothing_and_builtin_never_backfills() {
    let settings =
        [("PriorityType", "priority/basic"), ("PriorityWeightAge", "9"), ("SchedulerType", "sched/builtin")];
    let (policy, _) = configured(&settings).unwrap();
    let Order::Multifactor(rules) = &policy.order else { panic!() };
    assert_eq!(rules.weights.age, 0);
    assert!(!policy.has_backfill());
    let (plain, said) = configured(&[]).unwrap();
    assert_eq!((plain.order, plain.preempt, said.len()), (Order::Multifactor(Multifactor::slurm()), None, 0));
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let said = |settings: &[(&str, &str)]| configured(settings).unwrap_err().to_string();
    assert_eq!(
        said(&[("PriorityType", "priority/fancy")]),
        "PriorityType is priority/basic or priority/multifactor; found \"priority/fancy\""
    );
    assert!(said(&[("SchedulerType", "sched/wiki")]).contains("sched/backfill or sched/builtin"));
    assert!(said(&[("PreemptType", "preempt/qos")]).contains("needs a PreemptMode other than OFF"));
    assert!(said(&[("PreemptMode", "CANCEL")]).starts_with("PreemptType=preempt/none goes with"));
    assert!(said(&[("PriorityDecayHalfLife", "0")]).starts_with("usage never fades"));
    assert!(said(&[("NodeName", "n1")]).starts_with("there is no parameter \"NodeName\""));
}
