//! Where racks, trays and GPUs stand: rows on arcs about the centre, the first of eight, the outer ones longer.

use glam::Vec3;

use super::measures::{
    FIRST_TRAY, GPU_PITCH_X, GPU_PITCH_Z, LEAF, RACK, RACK_RADIUS, RACK_ROW, RACK_SPACING,
    RACKS_IN_FIRST_ROW, SPINE_BEHIND, SPINE_HEIGHT, TRAY, TRAY_PITCH, TRAYS_AT_FULL_PITCH,
};
use super::pose::Pose;

/// Places of the GPUs on the 3 x 3 grid of a tray, in slot order: (to the right, to the front).
const SLOT_GRID: [(f32, f32); 8] =
    [(-1.0, 1.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.0), (1.0, 0.0), (-1.0, -1.0), (0.0, -1.0), (1.0, -1.0)];

/// A rack's place: its row from the front, its angle on the row's arc, and its pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RackPlace {
    /// Row, 0 is the first.
    pub row: usize,
    /// Angle on the arc in radians, 0 straight behind the centre.
    pub angle: f32,
    /// Where it stands, on the floor.
    pub pose: Pose,
}

/// Radius of a row.
pub fn row_radius(row: usize) -> f32 {
    RACK_RADIUS + RACK_ROW * row as f32
}

/// How many racks fit into a row: as many as the arc over the first row's opening angle holds.
fn row_capacity(row: usize) -> usize {
    let opening = (RACKS_IN_FIRST_ROW - 1) as f32 * RACK_SPACING / RACK_RADIUS;
    1 + (opening * row_radius(row) / RACK_SPACING + 1e-3) as usize
}

/// How many racks stand in each row: the first is full, the others share what is left by their lengths, so that no
/// row has a lonely rack.
fn row_counts(count: usize) -> Vec<usize> {
    let mut rows = vec![count.min(RACKS_IN_FIRST_ROW)];
    let mut left = count - rows[0];
    let mut capacities = Vec::new();
    while capacities.iter().sum::<usize>() < left {
        capacities.push(row_capacity(capacities.len() + 1));
    }
    for (i, &capacity) in capacities.iter().enumerate() {
        let total: usize = capacities[i..].iter().sum();
        let here = (left * capacity).div_ceil(total).min(capacity);
        rows.push(here);
        left -= here;
    }
    rows
}

/// Places of `count` racks, from left to right and from the front row to the back.
pub fn rack_places(count: usize) -> Vec<RackPlace> {
    let mut places = Vec::with_capacity(count);
    for (row, here) in row_counts(count).into_iter().enumerate() {
        let step = RACK_SPACING / row_radius(row);
        for i in 0..here {
            let angle = (i as f32 - (here - 1) as f32 / 2.0) * step;
            places.push(RackPlace { row, angle, pose: Pose::on_arc(row_radius(row), angle) });
        }
    }
    places
}

/// Height from tray to tray in a rack of `nodes` nodes.
pub fn tray_pitch(nodes: usize) -> f32 {
    TRAY_PITCH * TRAYS_AT_FULL_PITCH as f32 / nodes.max(TRAYS_AT_FULL_PITCH) as f32
}

/// How high things stand on a tray of a rack of `nodes` nodes, relative to a rack of four.
pub fn tray_scale(nodes: usize) -> f32 {
    tray_pitch(nodes) / TRAY_PITCH
}

/// Middle of the underside of tray `place`, in the rack's own frame.
pub fn tray_at(place: usize, nodes: usize) -> Vec3 {
    Vec3::new(0.0, FIRST_TRAY + tray_pitch(nodes) * place as f32, 0.01)
}

/// Middle of the underside of a slot, in the tray's own frame. Trays with few slots centre them in one row.
pub fn slot_at(slot: usize, slots: usize) -> Vec3 {
    let (x, z) = match (slots, SLOT_GRID.get(slot)) {
        (1..=3, _) => (slot as f32 - (slots - 1) as f32 / 2.0, 1.0),
        (4, _) => ([-1.0, 1.0][slot % 2], [1.0, -1.0][slot / 2 % 2]),
        (_, Some(&at)) => at,
        (_, None) => (0.0, 0.0),
    };
    Vec3::new(x * GPU_PITCH_X, TRAY.y, z * GPU_PITCH_Z)
}

/// Middle of the underside of the leaf switch, in the rack's own frame.
pub fn leaf_at() -> Vec3 {
    Vec3::new(0.0, RACK.y - LEAF.y, 0.0)
}

/// Poses of `count` spine switches, on their underside.
pub fn spine_poses(count: usize) -> Vec<Pose> {
    let radius = RACK_RADIUS + SPINE_BEHIND;
    (0..count)
        .map(|i| {
            let angle = (i as f32 - (count as f32 - 1.0) / 2.0) * 2.2 / radius;
            let pose = Pose::on_arc(radius, angle);
            Pose { at: pose.at.with_y(SPINE_HEIGHT), ..pose }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_racks_make_one_row_and_stand_apart() {
        let places = rack_places(8);
        assert!(places.iter().all(|place| place.row == 0));
        for pair in places.windows(2) {
            let gap = pair[0].pose.at.distance(pair[1].pose.at);
            assert!(gap > RACK.x, "racks overlap: {gap}");
        }
        assert!((places[0].angle + places[7].angle).abs() < 1e-5, "the row is centred");
    }

    #[test]
    fn rows_grow_outwards_and_hold_every_rack() {
        assert_eq!(row_capacity(0), 8);
        assert_eq!(row_capacity(1), 10);
        assert_eq!(row_counts(3), [3]);
        // 24 racks over rows that hold 10, 12 and 15
        assert_eq!(row_counts(32), [8, 7, 8, 9]);
        let places = rack_places(200);
        assert_eq!(places.len(), 200);
        for (i, a) in places.iter().enumerate() {
            for b in &places[..i] {
                assert!(a.pose.at.distance(b.pose.at) > RACK.x);
            }
        }
    }

    #[test]
    fn trays_stay_inside_the_rack() {
        for nodes in [1, 4, 9, 16] {
            let top = tray_at(nodes - 1, nodes).y + tray_pitch(nodes);
            assert!(top <= leaf_at().y + 0.16, "{nodes} nodes reach {top}");
        }
    }

    #[test]
    fn slots_leave_the_middle_to_the_nvswitch() {
        for slot in 0..8 {
            let at = slot_at(slot, 8);
            assert!(at.x.abs() + at.z.abs() > 0.2);
        }
    }
}
