//! Lines between things: rails on the floor, cables overhead, and the ways that messages and jobs take.

use glam::Vec3;

use super::control::{LogLevels, replica_pose};
use super::measures::{CABLE_SAG, CENTRE, HEAD_HEIGHT, RACK, SIGNAL, SIGNAL_HEIGHT, TRACK_FROM};
use super::pose::Pose;
use super::racks::{rack_places, row_radius, slot_at, tray_at, tray_pitch};
use crate::stage::{End, SLOTS_PER_NODE, Stage};

/// A hanging cable from `a` to `b` as `steps` pieces.
pub fn cable(a: Vec3, b: Vec3, steps: usize) -> Vec<Vec3> {
    (0..=steps)
        .map(|i| {
            let t = i as f32 / steps as f32;
            let sag = CABLE_SAG * a.distance(b) * 4.0 * t * (1.0 - t);
            a.lerp(b, t) - Vec3::Y * sag
        })
        .collect()
}

/// A flat arc about the centre at height `y`, from angle to angle in radians.
pub fn arc(radius: f32, from: f32, to: f32, y: f32) -> Vec<Vec3> {
    let steps = ((to - from).abs() / 0.035).ceil().max(1.0) as usize;
    (0..=steps)
        .map(|i| Pose::on_arc(radius, from + (to - from) * i as f32 / steps as f32).at.with_y(y))
        .collect()
}

/// The track from the signal to the foot of a rack in the first row: begin and end of its middle line.
pub fn track(angle: f32) -> (Vec3, Vec3) {
    let foot = row_radius(0) - RACK.z / 2.0 - 0.04;
    (Pose::on_arc(TRACK_FROM, angle).at, Pose::on_arc(foot, angle).at)
}

/// Where a message leaves or arrives: a replica's head, the lip of a node's tray, or the signal for clients.
/// `None` if the stage has no such host.
pub fn end_at(stage: &Stage, levels: &LogLevels, end: End) -> Option<Vec3> {
    match end {
        End::Client => Some(SIGNAL + Vec3::Y * SIGNAL_HEIGHT * 0.6),
        End::Replica(id) => {
            let place = stage.replicas.iter().position(|replica| replica.id == id)?;
            let pose = replica_pose(place, stage.replicas.len());
            Some(pose.at + Vec3::Y * (levels.head(&stage.replicas[place]) + HEAD_HEIGHT * 0.6))
        }
        End::Node(id) => {
            let (rack, place) = stage.find_node(id)?;
            let pose = rack_places(stage.racks.len()).get(rack)?.pose;
            let tray = tray_at(place, stage.racks[rack].nodes.len());
            Some(pose.world(tray + Vec3::new(0.0, 0.1, RACK.z / 2.0)))
        }
    }
}

/// A way through the air from `a` to `b` that is highest in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    a: Vec3,
    b: Vec3,
    rise: f32,
}

impl Way {
    /// The way of a message: between hosts it bows up a little, the farther the higher.
    pub fn of_message(stage: &Stage, levels: &LogLevels, from: End, to: End) -> Option<Self> {
        let a = end_at(stage, levels, from)?;
        let b = end_at(stage, levels, to)?;
        Some(Self { a, b, rise: 0.1 + 0.09 * a.distance(b) })
    }

    /// The way of a starting job: high over the control plane.
    pub fn of_flight(a: Vec3, b: Vec3) -> Self {
        Self { a, b, rise: 0.9 + 0.06 * a.distance(b) }
    }

    /// The point at `t` from 0 to 1.
    pub fn at(&self, t: f32) -> Vec3 {
        self.a.lerp(self.b, t) + Vec3::Y * self.rise * 4.0 * t * (1.0 - t)
    }

    /// The direction of travel at `t`.
    pub fn heading(&self, t: f32) -> Vec3 {
        (self.at((t + 0.01).min(1.0)) - self.at((t - 0.01).max(0.0))).normalize_or(Vec3::NEG_Z)
    }
}

/// The middle of the underside of a slot in the world, and the pose it stands in.
pub fn slot_pose(stage: &Stage, node: switchyard_model::NodeId, slot: u8) -> Option<Pose> {
    let (rack, place) = stage.find_node(node)?;
    let pose = rack_places(stage.racks.len()).get(rack)?.pose;
    let nodes = stage.racks[rack].nodes.len();
    let slots = stage.racks[rack].nodes[place].slots.len().min(SLOTS_PER_NODE);
    Some(pose.child(tray_at(place, nodes) + slot_at(usize::from(slot), slots)))
}

/// The middle of a whole node's tray in the world, at half its height.
pub fn node_middle(stage: &Stage, node: switchyard_model::NodeId) -> Option<Pose> {
    let (rack, place) = stage.find_node(node)?;
    let pose = rack_places(stage.racks.len()).get(rack)?.pose;
    let nodes = stage.racks[rack].nodes.len();
    Some(pose.child(tray_at(place, nodes) + Vec3::Y * tray_pitch(nodes) * 0.3))
}

/// The outermost angle of the first row, in radians; the gantry stands outside it.
pub fn opening(racks: usize) -> f32 {
    rack_places(racks).iter().map(|place| place.angle.abs()).fold(0.0, f32::max)
}

/// Distance on the floor from the centre of the yard.
pub fn radius(at: Vec3) -> f32 {
    (at - CENTRE).with_y(0.0).length()
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::stage::{Health, Node, Rack, Slot};
    use switchyard_model::{NodeId, RackId, ReplicaId};

    fn stage() -> Stage {
        let node = |id| Node {
            id: NodeId(id),
            health: Health::Up,
            slots: vec![Slot::default(); 8],
            reserved: None,
            apart: false,
        };
        let rack = |id: u32| Rack {
            id: RackId(id),
            name: format!("R{}", id + 1).into(),
            nodes: (id * 4..id * 4 + 4).map(node).collect(),
            traffic: 0.0,
        };
        Stage { racks: (0..3).map(rack).collect(), ..Stage::default() }
    }

    #[test]
    fn a_way_begins_and_ends_where_it_should() {
        let stage = stage();
        let levels = LogLevels::of(&stage);
        let way =
            Way::of_message(&stage, &levels, End::Client, End::Node(NodeId(5))).expect("both ends exist");
        assert_eq!(way.at(0.0), end_at(&stage, &levels, End::Client).expect("a client"));
        assert_eq!(way.at(1.0), end_at(&stage, &levels, End::Node(NodeId(5))).expect("a node"));
        assert!(way.at(0.5).y > way.at(0.0).y.min(way.at(1.0).y));
    }

    #[test]
    fn hosts_that_do_not_exist_have_no_place() {
        let stage = stage();
        let levels = LogLevels::of(&stage);
        assert_eq!(end_at(&stage, &levels, End::Node(NodeId(99))), None);
        assert_eq!(end_at(&stage, &levels, End::Replica(ReplicaId(0))), None);
    }

    #[test]
    fn nodes_are_found_in_their_racks() {
        let stage = stage();
        assert_eq!(stage.find_node(NodeId(0)), Some((0, 0)));
        assert_eq!(stage.find_node(NodeId(7)), Some((1, 3)));
        assert_eq!(stage.find_node(NodeId(12)), None);
    }
}
