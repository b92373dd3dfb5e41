//! The site: from a file of its own, or from a `slurm.conf`.

use switchyard_model::{Fleet, Site};
use switchyard_scheduler::Preempt;
use switchyard_workload::SlurmConf;

use crate::args_input::MachineArgs;
use crate::failure::Failure;
use crate::{open, show, site_check};

pub(crate) fn of(args: &MachineArgs, conf: Option<&SlurmConf>, fleet: &Fleet) -> Result<Site, Failure> {
    let mut site = match conf {
        Some(conf) => {
            let (site, notes) = conf.site(fleet);
            notes.iter().for_each(|note| show::say(&note.to_string()));
            site
        }
        None => Site::default(),
    };
    let Some(path) = &args.site else { return Ok(site) };
    let own: Site = open::json_of(path)?;
    let site_name = || open::name_of(path);
    site_check::check(&own, fleet).map_err(|source| Failure::Site { site: site_name(), source })?;
    Preempt::check(&own.qos).map_err(|source| Failure::Rights { site: site_name(), source })?;
    // What the file says nothing about stays.
    if !own.partitions.is_empty() {
        site.partitions = own.partitions;
    }
    if !own.licences.is_empty() {
        site.licences = own.licences;
    }
    Ok(Site { partitions: site.partitions, licences: site.licences, ..own })
}
