//! Utilisation: the share of the machine that was in use.

use switchyard_model::{Resources, SimDuration};

use crate::Run;

/// Which resource is counted.
///
/// Sum of (amount x (end - start)) over all jobs, over capacity x makespan, where the makespan is from the first submit to
/// the last end. Percentages differ when another denominator is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UtilisationOf {
    /// Processors.
    #[default]
    Cpus,
    /// GPUs.
    Gpus,
}

impl UtilisationOf {
    /// The definition in words.
    pub const fn definition(self) -> &'static str {
        match self {
            UtilisationOf::Cpus => "CPU-seconds used / (CPUs x (last end - first submit))",
            UtilisationOf::Gpus => "GPU-seconds used / (GPUs x (last end - first submit))",
        }
    }

    fn amount(self, resources: &Resources) -> u32 {
        match self {
            UtilisationOf::Cpus => resources.cpus,
            UtilisationOf::Gpus => resources.gpus,
        }
    }

    pub(super) fn share(self, run: &Run, makespan: SimDuration) -> f64 {
        let used: u128 = run
            .spans
            .iter()
            .map(|span| {
                let length = span.end.since(span.start).as_micros();
                u128::from(self.amount(&span.placement.total())) * u128::from(length)
            })
            .sum();
        let capacity = u128::from(self.amount(&run.capacity)) * u128::from(makespan.as_micros());
        if capacity == 0 { 0.0 } else { used as f64 / capacity as f64 }
    }
}
