//! Where the replicas of the control plane stand, and how high the entries of their logs lie.

use super::measures::{CONTROL_RADIUS, CONTROL_STEP_DEG, PLATFORM_HEIGHT, SLAB, SLAB_GAP};
use super::pose::Pose;
use crate::stage::{Replica, Role, SLABS_SHOWN, Stage};

/// Angle of a replica on its arc, in radians.
pub fn replica_angle(place: usize, count: usize) -> f32 {
    (place as f32 - (count as f32 - 1.0) / 2.0) * CONTROL_STEP_DEG.to_radians()
}

/// Where a replica stands, on the platform.
pub fn replica_pose(place: usize, count: usize) -> Pose {
    let pose = Pose::on_arc(CONTROL_RADIUS, replica_angle(place, count));
    Pose { at: pose.at.with_y(PLATFORM_HEIGHT), ..pose }
}

/// Slabs that a replica keeps under its head, however far it lags.
const STUB: u64 = 2;

/// Log heights that all columns share: equal indices lie equally high, so a replica that lags stands lower. One
/// that lags by more than the drawn window stands on the last entries of its own log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLevels {
    /// The highest index that lies below the drawn window.
    pub base: u64,
}

impl LogLevels {
    /// The window that ends at the longest log among the replicas.
    pub fn of(stage: &Stage) -> Self {
        let longest = stage.replicas.iter().map(|replica| replica.last).max().unwrap_or(0);
        Self { base: longest.saturating_sub(SLABS_SHOWN as u64) }
    }

    /// Height of the upper face of entry `index` over the platform; 0 below the window.
    pub fn top(&self, index: u64) -> f32 {
        (index.saturating_sub(self.base)) as f32 * (SLAB + SLAB_GAP)
    }

    /// The levels of one replica's column.
    pub fn column(&self, replica: &Replica) -> Self {
        Self { base: self.base.min(replica.last.saturating_sub(STUB)) }
    }

    /// Height of a replica's column over the platform.
    pub fn height(&self, replica: &Replica) -> f32 {
        self.column(replica).top(replica.last)
    }

    /// Height on which a replica's head stands over the platform.
    pub fn head(&self, replica: &Replica) -> f32 {
        match replica.role {
            Role::Down => 0.0,
            _ => self.height(replica),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::ReplicaId;

    fn replica(last: u64) -> Replica {
        Replica {
            id: ReplicaId(0),
            role: Role::Follower,
            term: 1,
            last,
            log: Vec::new(),
            timer: 1.0,
            apart: false,
        }
    }

    #[test]
    fn who_lags_stands_lower() {
        let stage = Stage { replicas: vec![replica(20), replica(18), replica(3)], ..Stage::default() };
        let levels = LogLevels::of(&stage);
        assert_eq!(levels.base, 9);
        let pitch = SLAB + SLAB_GAP;
        assert!((levels.head(&stage.replicas[0]) - 11.0 * pitch).abs() < 1e-5);
        assert!((levels.head(&stage.replicas[1]) - 9.0 * pitch).abs() < 1e-5);
        assert!((levels.head(&stage.replicas[2]) - 2.0 * pitch).abs() < 1e-5, "below the window: a stub");
        assert!(levels.head(&replica(0)).abs() < 1e-5, "an empty log has no height");
    }

    #[test]
    fn an_empty_control_plane_has_levels() {
        assert_eq!(LogLevels::of(&Stage::default()).base, 0);
    }
}
