//! The two queues for what is said: what may leave at once, and what must wait until it is true on disk.

use crate::message::Message;

/// Messages since the last [`Ready`](crate::Ready).
#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox {
    /// True already, whatever happens to the disk.
    pub(crate) now: Vec<Message>,
    /// Leave with the next write, once that is durable.
    pub(crate) after_write: Vec<Message>,
}
