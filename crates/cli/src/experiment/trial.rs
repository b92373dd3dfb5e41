//! One run of an experiment, and its figures.

use std::sync::Arc;

use switchyard_scheduler::metrics::{Curves, Metrics, MetricsOptions, Row};
use switchyard_scheduler::{ReplayOptions, Run, Summary, SummaryOptions, UtilisationOf};

use super::Experiment;
use super::cell::Cell;
use super::replicate::Replicate;
use crate::failure::Failure;

/// What else is wanted of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// All figures.
    pub(crate) metrics: bool,
    /// What happened in time.
    pub(crate) curves: bool,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) summary: Summary,
    /// Where the fleet has GPUs.
    pub(crate) gpu_utilisation: Option<f64>,
    /// Why the first job that never started didn't.
    pub(crate) never: Option<String>,
    /// Where they are asked for.
    pub(crate) metrics: Vec<Row>,
    /// Where they are asked for.
    pub(crate) curves: Option<Curves>,
}

impl Experiment<'_> {
    /// Runs `cell` on the jobs of `replicate`.
    pub(crate) fn run(&self, cell: &Cell, replicate: &Replicate, wanted: Wanted) -> Result<Trial, Failure> {
        let workload = self.workload(replicate, &cell.form)?;
        let options = ReplayOptions {
            overrun: self.input.overrun.rule(),
            site: self.site_for(&workload.jobs, &cell.policy, cell.rights),
            progress: None,
        };
        let run =
            switchyard_scheduler::replay(Arc::clone(&self.fleet), &workload.jobs, &cell.policy, options)?;
        let slowdown = self.slowdown;
        let summary = |utilisation| Summary::of(&run, SummaryOptions { slowdown, utilisation });
        let options = MetricsOptions { slowdown, ..MetricsOptions::default() };
        let metrics = || Metrics::of(&run, &self.fleet, &workload.jobs, options).rows();
        Ok(Trial {
            summary: summary(UtilisationOf::Cpus),
            gpu_utilisation: self.fleet.has_gpus().then(|| summary(UtilisationOf::Gpus).utilisation),
            never: run
                .never_started
                .first()
                .map(|(job, reason)| format!("job {job}: {reason} {}", reason.evidence())),
            metrics: if wanted.metrics { metrics() } else { Vec::new() },
            curves: wanted.curves.then(|| Curves::of(&run, &workload.jobs)),
        })
    }

    /// The names of all figures, as [`Trial::metrics`] has them.
    pub(crate) fn metric_keys(&self) -> Vec<String> {
        let nothing = Run {
            policy: Arc::from(""),
            capacity: self.fleet.capacity(),
            spans: Vec::new(),
            never_started: Vec::new(),
        };
        let rows = Metrics::of(&nothing, &self.fleet, &[], MetricsOptions::default()).rows();
        rows.iter().map(Row::key).collect()
    }
}
