//! The flat marks that say in words' company what a thing is or what happened; the picture has the same in 3D.

/// A mark. Each has a shape of its own, so that none rests on its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Leader: a crown.
    Crown,
    /// Down: a cross.
    Cross,
    /// Suspect: a diamond with a question mark.
    Suspect,
    /// Fenced: a railing.
    Fence,
    /// A cut in the network: a broken line.
    Cut,
    /// Cuts mended, or a thing that came back: a plus.
    Mended,
    /// A switch was thrown: a hollow square.
    Switch,
    /// An election: a triangle.
    Election,
    /// All is well: a check.
    Check,
    /// A job came in, started or ended: a block.
    Job,
    /// A job was started past one that waits before it: a double chevron.
    Backfilled,
    /// A job went back to the queue: an arrow that turns.
    Requeued,
}
