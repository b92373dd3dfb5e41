//! Why a job waits: one dominant reason, in words that can be checked.

use std::fmt;

use switchyard_model::{JobId, Resources, Shape, SimDuration, SimTime};

use crate::Request;
use crate::amount::{Kind, counted, list};

/// The one reason that matters most, with its evidence.
///
/// [`Display`](fmt::Display) says it in a sentence, [`Reason::evidence`] says what that rests on, and
/// [`Reason::slurm_code`] is what `squeue` would show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not enough is free, even in sum.
    Resources(Shortage),
    /// Enough is free in sum, but not in pieces that the job could use.
    FragmentedResources(Shortage),
    /// Enough GPUs are free, but in no NVSwitch domain as many as the job must have in one.
    ScatteredOverDomains {
        /// The GPUs that it needs in one domain.
        need: u32,
        /// The free GPUs that it may use.
        free: u32,
        /// Over how many domains these are.
        domains: u32,
        /// How many of them are in one domain at most.
        most: u32,
    },
    /// It fits now, but might still run when the first in line is to start, on what that one needs.
    WouldDelayReservation {
        /// The first in line.
        head: JobId,
        /// When that one is to start.
        until: SimTime,
        /// How long is left until then.
        left: SimDuration,
        /// How long this job asks for.
        limit: SimDuration,
    },
    /// Nobody may pass the first in line.
    BehindHead {
        /// The first in line.
        head: JobId,
    },
    /// It would fit if all nodes were in service.
    NodesUnavailable {
        /// What the job asks for.
        ask: Request,
        /// How many of its nodes or tasks the nodes in service could hold if they were empty.
        in_service: u32,
        /// How many nodes are out of service.
        unavailable: u32,
    },
    /// This fleet can't run it, even when it is empty.
    NeverFits {
        /// What the job asks for.
        ask: Request,
    },
}

/// What is asked for, and what there is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What the job asks for.
    pub ask: Request,
    /// How many of its nodes or tasks there is room for now.
    pub fits: u32,
    /// What is free in sum on the nodes in service.
    pub free: Resources,
    /// On how many nodes something is free of what the job is short of.
    pub on_nodes: u32,
}

impl Reason {
    /// What the reason rests on, as a sentence.
    pub fn evidence(&self) -> String {
        match self {
            Reason::Resources(shortage) if shortage.on_nodes == 0 => format!("{}.", shortage.is_free()),
            Reason::Resources(shortage) => format!("{}, on {}.", shortage.is_free(), shortage.where_free()),
            Reason::FragmentedResources(shortage) => format!(
                "{} on {}: enough in sum, but in pieces that are too small.",
                shortage.is_free(),
                shortage.where_free()
            ),
            Reason::ScatteredOverDomains { most, .. } => {
                format!("No domain has more than {} free.", Kind::Gpus.count(u64::from(*most)))
            }
            Reason::WouldDelayReservation { left, limit, .. } => {
                format!("It asks for {limit}, and {left} are left until then.")
            }
            Reason::BehindHead { .. } => "Backfill is off: jobs start strictly in order.".to_owned(),
            Reason::NodesUnavailable { in_service, .. } => {
                format!("The nodes in service, if they were empty, could hold {in_service} of them.")
            }
            Reason::NeverFits { ask } => {
                format!("The whole fleet, if it were empty, could hold {}.", ask.possible)
            }
        }
    }

    /// The code that Slurm's `squeue` shows for this.
    pub const fn slurm_code(&self) -> &'static str {
        match self {
            Reason::Resources(_) | Reason::FragmentedResources(_) | Reason::ScatteredOverDomains { .. } => {
                "Resources"
            }
            Reason::WouldDelayReservation { .. } | Reason::BehindHead { .. } => "Priority",
            Reason::NodesUnavailable { .. } => "ReqNodeNotAvail",
            Reason::NeverFits { .. } => "BadConstraints",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Resources(shortage) => shortage.fmt_sum_or_pieces(f),
            Reason::FragmentedResources(shortage) => shortage.fmt_pieces(f),
            Reason::ScatteredOverDomains { need, free, domains, .. } => {
                let over = counted(*domains, "domain");
                write!(f, "Needs {need} GPUs in one NVSwitch domain; {free} are free, but over {over}.")
            }
            Reason::WouldDelayReservation { head, until, .. } => {
                write!(f, "Fits now, but could delay job {head}, which is next and starts by {until}.")
            }
            Reason::BehindHead { head } => write!(f, "Waits its turn behind job {head}."),
            Reason::NodesUnavailable { ask, unavailable, .. } => {
                let are = if *unavailable == 1 { "is" } else { "are" };
                write!(f, "Needs {}; {} {are} out of service.", pieces(ask), counted(*unavailable, "node"))
            }
            Reason::NeverFits { ask } => write!(f, "Can never run on this fleet: needs {}.", pieces(ask)),
        }
    }
}

impl Shortage {
    fn kind(&self) -> Kind {
        Kind::short(&self.ask.total, &self.free)
    }

    /// Whether `node`, which has this free, has some of what the job is short of.
    pub(crate) fn counts(ask: &Request, all_free: &Resources, node: &Resources) -> bool {
        Kind::short(&ask.total, all_free).of(node) > 0
    }

    /// "20 GPUs are free".
    fn is_free(&self) -> String {
        self.kind().free(self.kind().of(&self.free))
    }

    /// "4 nodes"; busy ones if the job wants empty ones and there is none.
    fn where_free(&self) -> String {
        let busy = self.ask.whole_nodes && self.fits == 0;
        counted(self.on_nodes, if busy { "busy node" } else { "node" })
    }

    /// Where any free piece will do, the sum says it best: "Needs 25 CPUs; 12 CPUs are free."
    fn fmt_sum_or_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ask.shape {
            Shape::Nodes { .. } => self.fmt_pieces(f),
            Shape::Tasks { .. } => {
                let need = self.kind().count(self.kind().of(&self.ask.total));
                match self.kind().of(&self.free) {
                    0 => write!(f, "Needs {need}; none is free."),
                    _ => write!(f, "Needs {need}; {}.", self.is_free()),
                }
            }
        }
    }

    /// "Needs 4 empty nodes; none is."
    fn fmt_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let need = pieces(&self.ask);
        match (self.ask.whole_nodes, self.fits) {
            (true, 0) => write!(f, "Needs {need}; none is."),
            (true, 1) => write!(f, "Needs {need}; 1 is."),
            (true, fits) => write!(f, "Needs {need}; {fits} are."),
            (false, 0) => write!(f, "Needs {need}; there is room for none."),
            (false, fits) => write!(f, "Needs {need}; there is room for {fits}."),
        }
    }
}

/// "4 empty nodes", "2 nodes with 4 GPUs each", "3 tasks of 2 CPUs each".
fn pieces(ask: &Request) -> String {
    let (parts, amount) = ask.shape.parts();
    let each = if parts == 1 { "" } else { " each" };
    match ask.shape {
        Shape::Nodes { .. } if ask.whole_nodes => counted(parts, "empty node"),
        Shape::Nodes { .. } => format!("{} with {}{each}", counted(parts, "node"), list(amount)),
        Shape::Tasks { .. } => format!("{} of {}{each}", counted(parts, "task"), list(amount)),
    }
}
