//! A place on the floor plan with the direction that it faces.

use glam::{Quat, Vec3};

use super::measures::CENTRE;

/// A position and a turn about the upright axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position in the world.
    pub at: Vec3,
    /// Turn about y in radians; 0 faces the viewer (+z).
    pub yaw: f32,
}

impl Pose {
    /// A pose on a circle about the centre of the yard, facing the centre; `angle` in radians, 0 straight
    /// behind the centre, positive to the right.
    pub fn on_arc(radius: f32, angle: f32) -> Self {
        let at = CENTRE + radius * Vec3::new(angle.sin(), 0.0, -angle.cos());
        Self { at, yaw: -angle }
    }

    /// A pose without turn.
    pub const fn upright(at: Vec3) -> Self {
        Self { at, yaw: 0.0 }
    }

    /// Where a point of this pose's own frame lies in the world.
    pub fn world(&self, local: Vec3) -> Vec3 {
        self.at + Quat::from_rotation_y(self.yaw) * local
    }

    /// Where a point of the world lies in this pose's own frame.
    pub fn local(&self, world: Vec3) -> Vec3 {
        Quat::from_rotation_y(-self.yaw) * (world - self.at)
    }

    /// A direction of the world, seen in this pose's own frame.
    pub fn local_direction(&self, world: Vec3) -> Vec3 {
        Quat::from_rotation_y(-self.yaw) * world
    }

    /// The pose of something that stands at `local` in this pose's own frame and faces the same way.
    pub fn child(&self, local: Vec3) -> Self {
        Self { at: self.world(local), yaw: self.yaw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_on_the_arc_faces_the_centre() {
        for angle in [-0.6, 0.0, 0.9] {
            let pose = Pose::on_arc(6.6, angle);
            let ahead = pose.world(Vec3::new(0.0, 0.0, 6.6));
            assert!((ahead - CENTRE).length() < 1e-4, "{ahead} is not the centre");
        }
    }

    #[test]
    fn local_undoes_world() {
        let pose = Pose::on_arc(5.0, 0.4);
        let point = Vec3::new(0.3, 0.2, -0.1);
        assert!((pose.local(pose.world(point)) - point).length() < 1e-5);
    }
}
