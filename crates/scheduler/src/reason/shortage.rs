//! Too little room, in words.

use std::fmt;

use switchyard_model::{Resources, Shape};

use crate::Request;
use crate::amount::{Kind, counted, list};

/// What is asked for, and what there is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What the job asks for.
    pub ask: Request,
    /// How many of its nodes or tasks there is room for now.
    pub fits: u32,
    /// What is free in sum on the nodes in service that it may use.
    pub free: Resources,
    /// On how many nodes something is free of what the job is short of.
    pub on_nodes: u32,
    /// How many nodes it may use, where those are not all.
    pub among: Option<u32>,
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
    pub(super) fn is_free(&self) -> String {
        self.kind().free(self.kind().of(&self.free))
    }

    /// "4 nodes"; busy ones if the job wants empty ones and there is none.
    pub(super) fn where_free(&self) -> String {
        let busy = self.ask.whole_nodes && self.fits == 0;
        counted(self.on_nodes, if busy { "busy node" } else { "node" })
    }

    /// " of the 4 nodes that it may use", where those are not all.
    pub(super) fn of_those(&self) -> String {
        self.among.map_or_else(String::new, |among| match among {
            1 => " of the 1 node that it may use".to_owned(),
            _ => format!(" of the {among} nodes that it may use"),
        })
    }

    /// " on the 4 nodes that it may use", where those are not all.
    pub(super) fn on_those(&self) -> String {
        self.of_those().replacen(" of", " on", 1)
    }

    /// Where any free piece will do, the sum says it best: "Needs 25 CPUs; 12 CPUs are free."
    pub(super) fn fmt_sum_or_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    pub(super) fn fmt_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
pub(super) fn pieces(ask: &Request) -> String {
    let (parts, amount) = ask.shape.parts();
    let each = if parts == 1 { "" } else { " each" };
    match ask.shape {
        Shape::Nodes { .. } if ask.whole_nodes => counted(parts, "empty node"),
        Shape::Nodes { .. } => format!("{} with {}{each}", counted(parts, "node"), list(amount)),
        Shape::Tasks { .. } => format!("{} of {}{each}", counted(parts, "task"), list(amount)),
    }
}
