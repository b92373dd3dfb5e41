//! What a pointer's ray hits first: upright boxes about the things of the stage.

use glam::Vec3;

use super::control::{LogLevels, replica_pose};
use super::lane::lane_blocks;
use super::measures::{
    COLUMN, GPU, GPU_IDLE, HEAD_HEIGHT, HEAD_RADIUS, LEAF, RACK, SIGNAL, SIGNAL_HEIGHT, SPINE, TRAY,
};
use super::pose::Pose;
use super::racks::{leaf_at, rack_places, slot_at, spine_poses, tray_at, tray_pitch, tray_scale};
use crate::stage::{Rack, Stage, Thing};

/// A half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3,
    /// Its direction, of length 1.
    pub direction: Vec3,
}

/// A box that stands upright on the middle of its underside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Middle of the underside and turn.
    pub pose: Pose,
    /// Width, height and depth.
    pub size: Vec3,
}

impl Bounds {
    /// Distance along the ray at which it enters the box, if it does.
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        let origin = self.pose.local(ray.origin) - Vec3::Y * self.size.y / 2.0;
        let direction = self.pose.local_direction(ray.direction);
        let half = self.size / 2.0;
        let (mut near, mut far) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (o, d, h) = (origin[axis], direction[axis], half[axis]);
            if d.abs() < 1e-9 {
                if o.abs() > h {
                    return None;
                }
                continue;
            }
            let (a, b) = ((-h - o) / d, (h - o) / d);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some(near)
    }
}

/// The first thing that the ray hits, and how far away it is.
pub fn pick(stage: &Stage, ray: &Ray) -> Option<(Thing, f32)> {
    let mut best: Option<(Thing, f32)> = None;
    let mut offer = |thing: Thing, hit: Option<f32>| {
        if let Some(distance) = hit
            && best.is_none_or(|(_, nearest)| distance < nearest)
        {
            best = Some((thing, distance));
        }
    };
    for (place, rack) in rack_places(stage.racks.len()).iter().zip(&stage.racks) {
        if rack_bounds(&place.pose).hit(ray).is_some() {
            let (thing, distance) = pick_in_rack(rack, &place.pose, ray);
            offer(thing, Some(distance));
        }
    }
    let levels = LogLevels::of(stage);
    for i in 0..stage.replicas.len() {
        offer(Thing::Replica(stage.replicas[i].id), replica_bounds(stage, &levels, i).hit(ray));
    }
    for block in lane_blocks(&stage.queue) {
        offer(Thing::Job(block.job), Bounds { pose: block.pose(), size: block.size }.hit(ray));
    }
    for (i, pose) in spine_poses(stage.spines.len()).into_iter().enumerate() {
        offer(Thing::Spine(i as u8), Bounds { pose, size: SPINE }.hit(ray));
    }
    offer(Thing::Signal, signal_bounds().hit(ray));
    best
}

/// The finest thing of a rack that the ray meets; the rack itself if it meets none.
fn pick_in_rack(rack: &Rack, pose: &Pose, ray: &Ray) -> (Thing, f32) {
    let whole = rack_bounds(pose).hit(ray).unwrap_or(f32::INFINITY);
    let mut best = (Thing::Rack(rack.id), f32::INFINITY);
    if let Some(distance) = leaf_bounds(pose).hit(ray) {
        best = (Thing::Leaf(rack.id), distance);
    }
    for place in 0..rack.nodes.len() {
        let node = &rack.nodes[place];
        for slot in 0..node.slots.len() {
            if let Some(distance) = slot_bounds(rack, pose, place, slot).hit(ray)
                && distance < best.1
            {
                best = (Thing::Slot(node.id, slot as u8), distance);
            }
        }
        if let Some(distance) = tray_bounds(rack, pose, place).hit(ray)
            && distance < best.1
        {
            best = (Thing::Node(node.id), distance);
        }
    }
    if best.1.is_finite() { best } else { (best.0, whole) }
}

/// The box about a whole rack.
pub fn rack_bounds(pose: &Pose) -> Bounds {
    Bounds { pose: *pose, size: RACK }
}

fn leaf_bounds(pose: &Pose) -> Bounds {
    Bounds { pose: pose.child(leaf_at()), size: LEAF }
}

fn tray_bounds(rack: &Rack, pose: &Pose, place: usize) -> Bounds {
    Bounds { pose: pose.child(tray_at(place, rack.nodes.len())), size: TRAY }
}

fn slot_bounds(rack: &Rack, pose: &Pose, place: usize, slot: usize) -> Bounds {
    let node = &rack.nodes[place];
    let nodes = rack.nodes.len();
    let height = if node.slots[slot].run.is_some() { GPU.y * tray_scale(nodes) } else { GPU_IDLE };
    Bounds {
        pose: pose.child(tray_at(place, nodes) + slot_at(slot, node.slots.len())),
        size: GPU.with_y(height),
    }
}

fn replica_bounds(stage: &Stage, levels: &LogLevels, place: usize) -> Bounds {
    let height = levels.head(&stage.replicas[place]) + HEAD_HEIGHT;
    Bounds {
        pose: replica_pose(place, stage.replicas.len()),
        size: Vec3::new(COLUMN.max(HEAD_RADIUS * 2.0), height, COLUMN),
    }
}

fn signal_bounds() -> Bounds {
    Bounds { pose: Pose::upright(SIGNAL), size: Vec3::new(0.22, SIGNAL_HEIGHT, 0.22) }
}

/// The box about a thing, for outlines and for framing; `None` if it is not on the stage.
pub fn bounds_of(stage: &Stage, thing: Thing) -> Option<Bounds> {
    let rack = |index: usize| rack_places(stage.racks.len()).get(index).map(|place| place.pose);
    let rack_index = |id| stage.racks.iter().position(|rack| rack.id == id);
    match thing {
        Thing::Rack(id) => rack(rack_index(id)?).map(|pose| rack_bounds(&pose)),
        Thing::Leaf(id) => rack(rack_index(id)?).map(|pose| leaf_bounds(&pose)),
        Thing::Node(id) => {
            let (index, place) = stage.find_node(id)?;
            let nodes = stage.racks[index].nodes.len();
            let tray = tray_bounds(&stage.racks[index], &rack(index)?, place);
            Some(Bounds { size: tray.size.with_y(tray_pitch(nodes).min(0.3)), ..tray })
        }
        Thing::Slot(id, slot) => {
            let (index, place) = stage.find_node(id)?;
            let slot = usize::from(slot);
            (slot < stage.racks[index].nodes[place].slots.len())
                .then(|| rack(index).map(|pose| slot_bounds(&stage.racks[index], &pose, place, slot)))?
        }
        Thing::Replica(id) => {
            let place = stage.replicas.iter().position(|replica| replica.id == id)?;
            Some(replica_bounds(stage, &LogLevels::of(stage), place))
        }
        Thing::Job(id) => {
            let block = lane_blocks(&stage.queue).into_iter().find(|block| block.job == id)?;
            Some(Bounds { pose: block.pose(), size: block.size })
        }
        Thing::Spine(i) => {
            let pose = *spine_poses(stage.spines.len()).get(usize::from(i))?;
            Some(Bounds { pose, size: SPINE })
        }
        Thing::Signal => Some(signal_bounds()),
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::stage::{Health, Node, Run, Slot, Waiting};
    use switchyard_model::{JobId, NodeId, RackId};

    fn down(at: Vec3) -> Ray {
        Ray { origin: at + Vec3::Y * 10.0, direction: Vec3::NEG_Y }
    }

    fn stage() -> Stage {
        let run = Some(Run { job: JobId(7), account: 0 });
        Stage {
            racks: vec![Rack {
                id: RackId(0),
                name: "R1".into(),
                nodes: vec![Node {
                    id: NodeId(0),
                    health: Health::Up,
                    slots: vec![Slot { run, reserved: None }; 8],
                    reserved: None,
                    apart: false,
                }],
                traffic: 0.0,
            }],
            queue: vec![Waiting { job: JobId(9), account: 1, nodes: 2, slots_per_node: 4, limit_min: 60 }],
            spines: vec![0.0],
            ..Stage::default()
        }
    }

    #[test]
    fn a_ray_from_the_front_hits_the_first_gpu_row() {
        let stage = stage();
        let bounds = bounds_of(&stage, Thing::Slot(NodeId(0), 1)).expect("slot 1");
        let middle = bounds.pose.at + Vec3::Y * bounds.size.y / 2.0;
        let ray = Ray { origin: middle + Vec3::Z * 5.0, direction: Vec3::NEG_Z };
        assert_eq!(pick(&stage, &ray).map(|hit| hit.0), Some(Thing::Slot(NodeId(0), 1)));
    }

    #[test]
    fn from_above_the_leaf_hides_the_trays() {
        let stage = stage();
        let rack = rack_places(1)[0].pose.at;
        assert_eq!(pick(&stage, &down(rack)).map(|hit| hit.0), Some(Thing::Leaf(RackId(0))));
    }

    #[test]
    fn the_queue_and_the_empty_floor() {
        let stage = stage();
        let block = lane_blocks(&stage.queue)[0];
        assert_eq!(pick(&stage, &down(block.pose().at)).map(|hit| hit.0), Some(Thing::Job(JobId(9))));
        assert_eq!(pick(&stage, &down(Vec3::new(9.0, 0.0, 9.0))), None);
    }

    #[test]
    fn every_thing_that_is_hit_has_bounds() {
        let stage = stage();
        for x in -20..20 {
            for z in -30..30 {
                let ray = down(Vec3::new(x as f32 * 0.2, 0.0, z as f32 * 0.2));
                if let Some((thing, _)) = pick(&stage, &ray) {
                    assert!(bounds_of(&stage, thing).is_some(), "{thing:?}");
                }
            }
        }
    }
}
