//! Each reason as a sentence.

use std::fmt;

use switchyard_model::{DependencyKind, Outcome, SimDuration};

use super::shortage::pieces;
use super::{LimitOf, Reason, ReservationProblem};
use crate::amount::{Kind, counted};
use crate::limits::{Excess, LimitScope, Limited};

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Resources(shortage) => shortage.fmt_sum_or_pieces(f),
            Reason::FragmentedResources(shortage) => shortage.fmt_pieces(f),
            Reason::ScatteredDomains { ask, free, domains, .. } => write!(
                f,
                "Needs {} in one NVSwitch domain; {} free, but over {}.",
                Kind::Gpus.count(ask.total.gpus.into()),
                are(*free),
                counted(*domains, "domain")
            ),
            Reason::NotIdle { nodes, idle, .. } => {
                write!(f, "Needs {} for itself; {} idle.", counted(*nodes, "node"), are(*idle))
            }
            Reason::TooSpread { ask, most, .. } => {
                write!(f, "Needs {} on {} at most.", pieces(ask), counted(*most, "node"))
            }
            Reason::Licences { name, asked, total, .. } if asked > total => {
                write!(f, "Can never run: needs {} of \"{name}\".", counted(*asked, "licence"))
            }
            Reason::Licences { name, asked, free, .. } => {
                write!(f, "Needs {} of \"{name}\"; {} free.", counted(*asked, "licence"), are(*free))
            }
            Reason::WouldDelayReservation { head, until, .. } => {
                write!(f, "Fits now, but could delay job {head}, which is next and starts by {until}.")
            }
            Reason::BehindHead { head, .. } => write!(f, "Waits its turn behind job {head}."),
            Reason::NotReached { .. } => write!(f, "Fits now, but it has not been its turn."),
            Reason::NodesUnavailable { ask, unavailable, .. } => {
                let is = if *unavailable == 1 { "is" } else { "are" };
                write!(f, "Needs {}; {} {is} out of service.", pieces(ask), counted(*unavailable, "node"))
            }
            Reason::ReservedNodes { ask, reservation, maintenance, .. } => {
                let kept = if *maintenance { "for maintenance" } else { "for others" };
                write!(f, "Needs {}; nodes are kept {kept} by reservation \"{reservation}\".", pieces(ask))
            }
            Reason::NeverFits { ask } => write!(f, "Can never run on this fleet: needs {}.", pieces(ask)),
            Reason::BadConstraints { ask, wants, .. } => {
                write!(f, "Can never run: needs {} {wants}.", pieces(ask))
            }
            Reason::NoSuchDomain { ask, .. } => write!(
                f,
                "Can never run on this fleet: needs {} in one NVSwitch domain.",
                Kind::Gpus.count(ask.total.gpus.into())
            ),
            Reason::BeginTime { at, requeued: false } => write!(f, "Asked to start at {at} or later."),
            Reason::BeginTime { at, requeued: true } => {
                write!(f, "Was sent back to the queue; may start again at {at}.")
            }
            Reason::Dependency { on, kind, .. } => write!(f, "Waits until job {on} {}.", has(*kind)),
            Reason::DependencyNeverSatisfied { on, kind, .. } => {
                write!(f, "Can never run: waits until job {on} {}, which can't be.", has(*kind))
            }
            Reason::ArrayTaskLimit { array, running, .. } => {
                write!(f, "{} of array {array} already {}.", counted(*running, "task"), verb(*running, "run"))
            }
            Reason::PartitionDown { partition } => write!(f, "Partition \"{partition}\" is down."),
            Reason::UnknownPartition { partition } => {
                write!(f, "Can never run: there is no partition \"{partition}\".")
            }
            Reason::PartitionTimeLimit { partition, limit, .. } => {
                write!(f, "Asks for {limit}, longer than partition \"{partition}\" lets jobs run.")
            }
            Reason::PartitionNodeLimit { partition, nodes, .. } => write!(
                f,
                "Needs {}, more than partition \"{partition}\" gives to a job.",
                counted(*nodes, "node")
            ),
            Reason::Limit { of, scope, excess } => fmt_limit(f, of, *scope, excess),
            Reason::Reservation { name, problem } => match problem {
                ReservationProblem::Ahead { .. } => write!(f, "Waits for reservation \"{name}\" to begin."),
                ReservationProblem::Unknown => {
                    write!(f, "Can never run: there is no reservation \"{name}\".")
                }
                ReservationProblem::Over { .. } => {
                    write!(f, "Can never run: reservation \"{name}\" is over.")
                }
                ReservationProblem::Denied => {
                    write!(f, "Can never run: reservation \"{name}\" is for others.")
                }
                ReservationProblem::TooShort { .. } | ReservationProblem::Closing { .. } => {
                    write!(f, "Can never run: reservation \"{name}\" ends too soon.")
                }
            },
        }
    }
}

/// "none is", "1 is", "3 are".
pub(super) fn are(n: u32) -> String {
    match n {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        _ => format!("{n} are"),
    }
}

/// "runs", "run".
fn verb(n: u32, verb: &str) -> String {
    format!("{verb}{}", if n == 1 { "s" } else { "" })
}

/// What has to become of a job.
const fn has(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::After => "has started",
        DependencyKind::AfterAny => "has ended",
        DependencyKind::AfterOk => "has ended well",
        DependencyKind::AfterNotOk => "has failed",
    }
}

/// How a job ended.
pub(super) const fn ended(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Completed) => "ran to its end",
        Some(Outcome::TimeLimit) => "was stopped at its time limit",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::NodeFail) => "lost a node",
        Some(Outcome::Preempted) => "had to make room for another job",
        None => "was cancelled before it ran",
    }
}

fn fmt_limit(f: &mut fmt::Formatter<'_>, of: &LimitOf, scope: LimitScope, excess: &Excess) -> fmt::Result {
    let most = amount(excess.limited, excess.most);
    let whose = match scope {
        LimitScope::Job => "a job",
        LimitScope::User => "one user's jobs",
        LimitScope::Group => "all its jobs together",
    };
    if excess.asked > excess.most {
        write!(f, "Can never run: {of} allows {whose} {most}.")
    } else {
        write!(f, "Would exceed what {of} allows {whose}: {most}.")
    }
}

impl fmt::Display for LimitOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitOf::Qos(name) => write!(f, "QOS \"{name}\""),
            LimitOf::Account(name) => write!(f, "account \"{name}\""),
            LimitOf::User { user, account } => write!(f, "account \"{account}\" for user \"{user}\""),
        }
    }
}

/// "8 GPUs", "3 running jobs", "1 h".
pub(super) fn amount(limited: Limited, n: u64) -> String {
    let counted = |noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    match limited {
        Limited::Jobs => counted("running job"),
        Limited::Cpus => Kind::Cpus.count(n),
        Limited::Gpus => Kind::Gpus.count(n),
        Limited::Memory => Kind::Memory.count(n),
        Limited::Nodes => counted("node"),
        Limited::Wall => SimDuration::from_secs(n).to_string(),
    }
}
