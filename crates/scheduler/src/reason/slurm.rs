//! What Slurm's `squeue` shows for each reason.

use super::{LimitOf, Reason, ReservationProblem};
use crate::limits::{LimitScope, Limited};

impl Reason {
    /// The code that Slurm's `squeue` shows for this. Where Slurm refuses a job when it is submitted, the nearest one.
    pub const fn slurm_code(&self) -> &'static str {
        match self {
            Reason::Resources(_)
            | Reason::FragmentedResources(_)
            | Reason::ScatteredDomains { .. }
            | Reason::NotIdle { .. }
            | Reason::TooSpread { .. } => "Resources",
            Reason::Licences { .. } => "Licenses",
            Reason::WouldDelayReservation { .. } | Reason::BehindHead { .. } => "Priority",
            Reason::NotReached { .. } => "None",
            Reason::NodesUnavailable { .. } => "ReqNodeNotAvail",
            Reason::ReservedNodes { maintenance: true, .. } => "ReqNodeNotAvail, Reserved for maintenance",
            Reason::ReservedNodes { .. } => "ReqNodeNotAvail, May be reserved for other job",
            Reason::NeverFits { .. }
            | Reason::BadConstraints { .. }
            | Reason::NoSuchDomain { .. }
            | Reason::UnknownPartition { .. } => "BadConstraints",
            Reason::BeginTime { .. } => "BeginTime",
            Reason::Dependency { .. } => "Dependency",
            Reason::DependencyNeverSatisfied { .. } => "DependencyNeverSatisfied",
            Reason::ArrayTaskLimit { .. } => "JobArrayTaskLimit",
            Reason::PartitionDown { .. } => "PartitionDown",
            Reason::PartitionTimeLimit { .. } => "PartitionTimeLimit",
            Reason::PartitionNodeLimit { .. } => "PartitionNodeLimit",
            Reason::Limit { of: LimitOf::Qos(_), scope, excess } => qos_code(*scope, excess.limited),
            Reason::Limit { scope, excess, .. } => association_code(*scope, excess.limited),
            Reason::Reservation { problem, .. } => match problem {
                ReservationProblem::Unknown | ReservationProblem::Over { .. } => "ReservationDeleted",
                _ => "Reservation",
            },
        }
    }
}

const fn qos_code(scope: LimitScope, limited: Limited) -> &'static str {
    match (scope, limited) {
        (LimitScope::Job, Limited::Cpus) => "QOSMaxCpuPerJobLimit",
        (LimitScope::Job, Limited::Gpus) => "QOSMaxGRESPerJob",
        (LimitScope::Job, Limited::Memory) => "QOSMaxMemoryPerJob",
        (LimitScope::Job, Limited::Nodes) => "QOSMaxNodePerJobLimit",
        (_, Limited::Wall) => "QOSMaxWallDurationPerJobLimit",
        (LimitScope::User, Limited::Jobs) => "QOSMaxJobsPerUserLimit",
        (LimitScope::User, Limited::Cpus) => "QOSMaxCpuPerUserLimit",
        (LimitScope::User, Limited::Gpus) => "QOSMaxGRESPerUser",
        (LimitScope::User, Limited::Memory) => "QOSMaxMemoryPerUser",
        (LimitScope::User, Limited::Nodes) => "QOSMaxNodePerUserLimit",
        (_, Limited::Jobs) => "QOSGrpJobsLimit",
        (LimitScope::Group, Limited::Cpus) => "QOSGrpCpuLimit",
        (LimitScope::Group, Limited::Gpus) => "QOSGrpGRES",
        (LimitScope::Group, Limited::Memory) => "QOSGrpMemLimit",
        (LimitScope::Group, Limited::Nodes) => "QOSGrpNodeLimit",
    }
}

/// In Slurm an association is of one user, so that what one user may hold is a limit on the group of that user's jobs.
const fn association_code(scope: LimitScope, limited: Limited) -> &'static str {
    match (scope, limited) {
        (LimitScope::Job, Limited::Cpus) => "AssocMaxCpuPerJobLimit",
        (LimitScope::Job, Limited::Gpus) => "AssocMaxGRESPerJob",
        (LimitScope::Job, Limited::Memory) => "AssocMaxMemPerJob",
        (LimitScope::Job, Limited::Nodes) => "AssocMaxNodePerJobLimit",
        (_, Limited::Wall) => "AssocMaxWallDurationPerJobLimit",
        (LimitScope::User, Limited::Jobs) => "AssocMaxJobsLimit",
        (_, Limited::Jobs) => "AssocGrpJobsLimit",
        (_, Limited::Cpus) => "AssocGrpCpuLimit",
        (_, Limited::Gpus) => "AssocGrpGRES",
        (_, Limited::Memory) => "AssocGrpMemLimit",
        (_, Limited::Nodes) => "AssocGrpNodeLimit",
    }
}
