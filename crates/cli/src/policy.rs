//! The policy that the command line describes: one with a name or that of a `slurm.conf`, with what is changed in it.

use switchyard_scheduler::{Policy, SettingNote, SlurmSettings};
use switchyard_workload::SlurmConf;
use switchyard_workload::slurm_conf::Setting;

use crate::args_policy::PolicyArgs;
use crate::failure::Failure;
use crate::show;

pub(crate) fn compose(args: &PolicyArgs, conf: Option<&SlurmConf>) -> Result<Policy, Failure> {
    let mut policy = base(args, conf)?;
    if let Some(name) = &args.order {
        policy = policy.with_order(name)?;
    }
    if let Some(name) = &args.discipline {
        policy = policy.with_discipline(name)?;
    }
    if let Some(name) = &args.placement {
        policy = policy.with_placement(name)?;
    }
    if let Some(right) = args.preempt {
        say(&policy.set("PreemptType", right.type_name())?);
    }
    for (key, value) in &args.params {
        say(&policy.set(key, value)?);
    }
    policy.check()?;
    Ok(policy)
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

fn of_conf(conf: &SlurmConf) -> Result<Policy, Failure> {
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

fn say(notes: &[SettingNote]) {
    notes.iter().for_each(|note| show::say(&format!("{note}.")));
}
