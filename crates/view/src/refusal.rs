//! Why a wish is not granted, in one sentence that says what to do instead.

use std::sync::Arc;

use thiserror::Error;

/// Why not.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refusal {
    /// Nobody leads, but someone may soon.
    #[error("There is no leader to kill; an election is under way.")]
    NoLeader,
    /// Nobody leads, and nobody can.
    #[error(
        "There is no leader to kill: {up} of {replicas} replicas run, and {quorum} are needed to elect one."
    )]
    NoQuorum {
        /// How many run.
        up: usize,
        /// How many there are.
        replicas: usize,
        /// How many are a majority.
        quorum: usize,
    },
    /// The wish is about the selection, and there is none.
    #[error("Nothing is selected; click a node, a rack or a replica first.")]
    NothingSelected,
    /// Not something with a power switch.
    #[error("{thing} has no power switch; a node, a rack or a replica can be killed and restarted.")]
    NoPowerSwitch {
        /// What was meant.
        thing: String,
    },
    /// Not something with a network address.
    #[error("{thing} can't be cut off; select a node, a rack, a replica or a job that runs.")]
    NotCuttable {
        /// What was meant.
        thing: String,
    },
    /// All nodes of the rack are dead already.
    #[error("All nodes of rack {rack} are down already; restart them first.")]
    RackIsDown {
        /// The rack's name.
        rack: String,
    },
    /// All nodes of the rack run.
    #[error("All nodes of rack {rack} are running; there is nothing to restart.")]
    RackIsUp {
        /// The rack's name.
        rack: String,
    },
    /// The same hosts are cut off already.
    #[error("That cut stands already; heal it first (H).")]
    CutStands,
    /// No trace was read.
    #[error("There is no trace to run; drop a file on the page first.")]
    NothingImported,
    /// That policy is in force, or will be.
    #[error("The policy is {name} already, or on its way.")]
    PolicyStands {
        /// Its name.
        name: Arc<str>,
    },
    /// Not a number that time can pass at.
    #[error("A speed is a number above 0; {found} is none.")]
    Speed {
        /// What stood there.
        found: f64,
    },
    /// Not in this run.
    #[error("There is no such {kind} in this run.")]
    NoSuchThing {
        /// What kind of thing.
        kind: &'static str,
    },
    /// The world refuses.
    #[error(transparent)]
    World(#[from] switchyard_sim::Refusal),
}
