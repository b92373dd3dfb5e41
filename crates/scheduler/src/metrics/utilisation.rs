//! Utilisation of one resource over the makespan, as the summary shows it.

use switchyard_model::Resources;

use super::attempts::delivers;
use super::horizon::Horizon;
use crate::Run;

/// Which resource is counted.
///
/// Sum of (amount x (end - start)) over all attempts that were not preempted and lost no node, over capacity x makespan,
/// where the makespan is from the first submit to the last end. Percentages differ when another denominator is used.
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

    pub(super) fn share(self, run: &Run) -> f64 {
        let makespan = Horizon::FirstSubmitToLastEnd.window(&run.spans).length();
        let used: u128 = run
            .spans
            .iter()
            .filter(|span| delivers(span))
            .map(|span| {
                let length = span.end.since(span.start).as_micros();
                u128::from(self.amount(&span.placement.total())) * u128::from(length)
            })
            .sum();
        let capacity = u128::from(self.amount(&run.capacity)) * u128::from(makespan.as_micros());
        if capacity == 0 { 0.0 } else { used as f64 / capacity as f64 }
    }
}
