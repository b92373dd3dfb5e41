//! The policy that the command line describes: one with a name or that of a `slurm.conf`, with what is changed in it.

use switchyard_scheduler::{Policy, SettingNote, SlurmSettings};
use switchyard_workload::SlurmConf;
use switchyard_workload::slurm_conf::Setting;

use crate::args_policy::{PolicyArgs, PolicyChangeArgs};
use crate::failure::Failure;
use crate::show;

pub(crate) fn compose(args: &PolicyArgs, conf: Option<&SlurmConf>) -> Result<Policy, Failure> {
    let (policy, notes) = changed(base(args, conf)?, &args.changes)?;
    notes.iter().for_each(|note| show::say(&format!("{note}.")));
    Ok(policy)
}

/// The policy with these changes, and what there is to say about them.
pub(crate) fn changed(
    policy: Policy,
    args: &PolicyChangeArgs,
) -> Result<(Policy, Vec<SettingNote>), Failure> {
    let mut policy = with_parts(policy, args)?;
    let notes = set_parameters(&mut policy, args)?;
    policy.check()?;
    Ok((policy, notes))
}

/// The policy with other parts.
pub(crate) fn with_parts(mut policy: Policy, args: &PolicyChangeArgs) -> Result<Policy, Failure> {
    if let Some(name) = &args.order {
        policy = policy.with_order(name)?;
    }
    if let Some(name) = &args.discipline {
        policy = policy.with_discipline(name)?;
    }
    if let Some(name) = &args.placement {
        policy = policy.with_placement(name)?;
    }
    Ok(policy)
}

/// Rights to preempt, and parameters; they need the parts that they belong to.
pub(crate) fn set_parameters(
    policy: &mut Policy,
    args: &PolicyChangeArgs,
) -> Result<Vec<SettingNote>, Failure> {
    let mut keys: Vec<String> = args.params.iter().map(|(key, _)| key.to_ascii_lowercase()).collect();
    keys.extend(args.preempt.map(|_| "preempttype".to_owned()));
    keys.sort_unstable();
    if let Some([key, _]) = keys.array_windows().find(|[key, next]| key == next) {
        return Err(Failure::RepeatedParameter { key: key.clone() });
    }
    let mut notes = Vec::new();
    if let Some(right) = args.preempt {
        notes.extend(policy.set("PreemptType", right.type_name())?);
    }
    for (key, value) in &args.params {
        notes.extend(policy.set(key, value)?);
    }
    Ok(notes)
}

/// The named policy counts where both are given; then the file describes machines and partitions only.
fn base(args: &PolicyArgs, conf: Option<&SlurmConf>) -> Result<Policy, Failure> {
    match (&args.policy, conf) {
        (Some(policy), None) => Ok(policy.clone()),
        (Some(policy), Some(conf)) => {
            let name = &conf.name;
            show::say(&format!("{name}: the scheduler's settings are not used, since --policy is given."));
            Ok(policy.clone())
        }
        (None, Some(conf)) => of_conf(conf),
        (None, None) => Ok(Policy::named("fcfs")?),
    }
}

/// The policy that a `slurm.conf` describes; says what of it is not modelled.
pub(crate) fn of_conf(conf: &SlurmConf) -> Result<Policy, Failure> {
    let mut settings = SlurmSettings::default();
    for Setting { key, value, at } in &conf.settings {
        let refused = |source| Failure::SlurmSetting { at: at.clone(), source };
        for note in settings.set(key, value).map_err(refused)? {
            show::say(&format!("{at}: {note}."));
        }
    }
    let refused = |source| Failure::SlurmConfPolicy { file: conf.name.to_string(), source };
    let policy = settings.policy().map_err(refused)?;
    Ok(Policy { name: format!("{}+slurm-conf={}", policy.name, conf.name).into(), ..policy })
}
