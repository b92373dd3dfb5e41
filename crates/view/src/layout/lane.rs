//! The queue's lane: a curved track that comes in from the left; the first job stands at the gate.

use glam::Vec3;
use switchyard_model::JobId;

use super::measures::{
    GATE, LANE_GAP, LANE_LENGTH, LANE_RADIUS, PLATFORM_HEIGHT, SLICE, SLICES_SHOWN, SLOT_DEPTH,
    SMALLEST_DEPTH,
};
use super::pose::Pose;
use crate::stage::Waiting;

/// A job block in the lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Which job.
    pub job: JobId,
    /// Its account.
    pub account: u8,
    /// Distance of its middle from the gate along the lane.
    pub along: f32,
    /// Width, height and depth.
    pub size: Vec3,
    /// Slices it is cut into.
    pub slices: u32,
    /// Grooves along its depth: slots per node.
    pub slots: u8,
}

impl Block {
    /// Where it stands.
    pub fn pose(&self) -> Pose {
        lane_pose(self.along)
    }
}

/// A point of the lane, `along` metres before the gate, on the platform.
pub fn lane_pose(along: f32) -> Pose {
    let angle = along / LANE_RADIUS;
    let at = GATE + LANE_RADIUS * Vec3::new(-angle.sin(), 0.0, angle.cos() - 1.0);
    Pose { at: at.with_y(PLATFORM_HEIGHT), yaw: -angle }
}

/// Size of a job's block: width by nodes, height by the logarithm of its limit, depth by slots per node.
pub fn block_size(job: &Waiting) -> Vec3 {
    let slices = job.nodes.clamp(1, SLICES_SHOWN) as f32;
    let height = 0.14 + 0.19 * (1.0 + job.limit_min as f32 / 30.0).log2();
    let depth = (f32::from(job.slots_per_node) * SLOT_DEPTH).max(SMALLEST_DEPTH);
    Vec3::new(slices * SLICE, height.min(1.9), depth)
}

/// The blocks that fit onto the lane, in queue order, the first at the gate.
pub fn lane_blocks(queue: &[Waiting]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut from = -0.31;
    for job in queue {
        let size = block_size(job);
        if from + size.x > LANE_LENGTH && !blocks.is_empty() {
            break;
        }
        blocks.push(Block {
            job: job.job,
            account: job.account,
            along: from + size.x / 2.0,
            size,
            slices: job.nodes.clamp(1, SLICES_SHOWN),
            slots: job.slots_per_node,
        });
        from += size.x + LANE_GAP;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: u64, nodes: u32) -> Waiting {
        Waiting { job: JobId(id), account: 0, nodes, slots_per_node: 8, limit_min: 480 }
    }

    #[test]
    fn blocks_do_not_touch() {
        let blocks = lane_blocks(&[job(1, 4), job(2, 1), job(3, 7)]);
        for pair in blocks.windows(2) {
            let gap = pair[1].along - pair[0].along - (pair[0].size.x + pair[1].size.x) / 2.0;
            assert!((gap - LANE_GAP).abs() < 1e-4);
        }
    }

    #[test]
    fn the_lane_ends_somewhere_but_always_shows_the_first() {
        let many: Vec<_> = (0..500).map(|id| job(id, 100)).collect();
        let blocks = lane_blocks(&many);
        assert!(!blocks.is_empty() && blocks.len() < 8);
    }

    #[test]
    fn a_longer_limit_stands_taller() {
        let short = Waiting { limit_min: 30, ..job(1, 1) };
        assert!((block_size(&short).y - 0.33).abs() < 1e-5, "0.14 + 0.19 log2(2)");
        assert!(block_size(&job(1, 1)).y > block_size(&short).y);
    }
}
