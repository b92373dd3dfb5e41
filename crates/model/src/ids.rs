//! Identifiers as types of their own, so that a node can't be passed where a job is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A compute node: its place in [`Fleet::nodes`](crate::Fleet::nodes).
    NodeId(u32)
}
id! {
    /// A GPU, counted over the whole fleet in node order.
    GpuId(u32)
}
id! {
    /// A rack: its place in [`Fleet::racks`](crate::Fleet::racks). Each rack has one leaf switch.
    RackId(u32)
}
id! {
    /// A job, as the trace or the generator numbered it.
    JobId(u64)
}
id! {
    /// A replica of the control plane, from 0.
    ReplicaId(u32)
}

impl NodeId {
    /// Index into per-node tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ReplicaId {
    /// Index into per-replica tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The letter by which people call it: A, B, C …
    pub fn letter(self) -> char {
        char::from_u32(u32::from(b'A') + self.0 % 26).unwrap_or('?')
    }
}
