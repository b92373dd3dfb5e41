//! Figures about a schedule, each with its formula, its unit and its source.
//!
//! [`Summary`] has the usual ones and needs the run alone; [`Metrics`] has all and needs the fleet and the jobs too. The
//! texts of [`definition`] are what docs, exports and the page say of a figure.

mod amounts;
mod attempts;
pub mod definition;
mod fragmentation;
mod groups;
mod horizon;
mod ledger;
mod paired;
mod report;
mod rows;
mod series;
mod sizes;
mod slowdown;
mod specs;
mod statistics;
mod summary;
mod sweep;
mod tiers;
mod utilisation;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub use amounts::{Resource, ResourceTime};
pub use definition::{Definition, Unit};
pub use fragmentation::{Counted, Fragmentation, Stranded, Structural};
pub use groups::{Demand, Group, fairness};
pub use horizon::{Horizon, Window};
pub use ledger::{Ledger, Ledgers};
pub use paired::{Better, INTERVAL_RULE, Interval, Paired, SIGN_TEST_RULE, Sample, Verdict};
pub use report::{Counts, Metrics, MetricsOptions, Waits};
pub use rows::Row;
pub use series::{Curves, Series, Step};
pub use sizes::{Bucket, SizeOf, Sizes};
pub use slowdown::SlowdownRule;
pub use statistics::{NEAREST_RANK_RULE, P95_RULE, TimeStats};
pub use summary::{Summary, SummaryOptions};
pub use tiers::{ASSUMED_PENALTY_TENTHS, Placements};
pub use utilisation::UtilisationOf;
