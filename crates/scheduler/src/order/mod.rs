//! Who is next.

mod accounting;
mod factors;
mod fairshare;
mod multifactor;
mod ranker;
mod score;
mod shares;

use serde::{Deserialize, Serialize};

pub use factors::PriorityBreakdown;
pub use multifactor::{
    Charge, FairShare, Multifactor, PriorityError, SizeRule, TresWeights, UsageReset, Weights,
};
pub(crate) use ranker::Ranker;

/// How the queue is ordered. Ties by arrival, then by job number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// By arrival (Slurm: `priority/basic`).
    #[default]
    Fifo,
    /// The shortest time limit first.
    Shortest,
    /// The most processors first (GPUs, where the fleet has any and the job wants some).
    Largest,
    /// The fewest processors first.
    Smallest,
    /// WFP3 (Tang et al. 2009): the highest (wait / limit)^3 x processors first.
    Wfp3,
    /// UNICEP (Tang et al. 2009): the highest wait / (log2(processors) x limit) first.
    Unicep,
    /// F1 (Carastan-Santos and de Camargo 2017): the lowest log10(limit) x processors + 870 log10(submit) first.
    F1,
    /// F2: the lowest sqrt(limit) x processors + 25,600 log10(submit) first.
    F2,
    /// F3: the lowest limit x processors + 6.86e6 log10(submit) first.
    F3,
    /// F4: the lowest limit x sqrt(processors) + 5.3e5 log10(submit) first.
    F4,
    /// By a weighted sum of factors (Slurm: `priority/multifactor`).
    Multifactor(Multifactor),
}

impl Order {
    /// The orders that have a name and no parameters.
    pub const NAMES: [&str; 10] =
        ["fifo", "shortest", "largest", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"];

    /// The order with this name.
    pub fn named(name: &str) -> Option<Order> {
        Some(match name {
            "fifo" => Order::Fifo,
            "shortest" => Order::Shortest,
            "largest" => Order::Largest,
            "smallest" => Order::Smallest,
            "wfp3" => Order::Wfp3,
            "unicep" => Order::Unicep,
            "f1" => Order::F1,
            "f2" => Order::F2,
            "f3" => Order::F3,
            "f4" => Order::F4,
            _ => return None,
        })
    }

    /// What people call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Order::Fifo => "fifo",
            Order::Shortest => "shortest",
            Order::Largest => "largest",
            Order::Smallest => "smallest",
            Order::Wfp3 => "wfp3",
            Order::Unicep => "unicep",
            Order::F1 => "f1",
            Order::F2 => "f2",
            Order::F3 => "f3",
            Order::F4 => "f4",
            Order::Multifactor(_) => "multifactor",
        }
    }
}
