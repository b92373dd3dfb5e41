//! A sweep: which runs there are, the table of their results, and its parts on several machines.

pub(crate) mod error;
pub(crate) mod plan;
pub(crate) mod shard;
pub(crate) mod store;
pub(crate) mod submit;
pub(crate) mod table;
